//! `obsearch doctor`: what is wrong, and how to mend it.

use std::io::Write;

use serde::Serialize;

use crate::cli::vaults::{self, Vaults};
use crate::cli::{CliError, Context, Exit, console, ledger, open, render};
use crate::config::Config;
use crate::ops::doctor::{Finding, Severity, Thoroughness};
use crate::vault::Profile;

const EXAMPLES: &str = "\
Examples:
  obsearch doctor
  obsearch doctor --mentions      # public notes that name private ones
  obsearch doctor --json

Exit codes: 0 nothing found, 1 something to look at, 2 it could not look.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DoctorArgs {
    /// Also list public notes that name private ones
    #[arg(long)]
    mentions: bool,
    /// Every name that a finding is about, not only some
    #[arg(long)]
    all: bool,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// The findings in one of several vaults.
#[derive(Serialize)]
struct OfVault {
    findings: Vec<Finding>,
}

pub(super) fn run(args: &DoctorArgs, context: &Context) -> Result<Exit, CliError> {
    match vaults::chosen(context)? {
        Vaults::One(config) => {
            let findings = look(args, &config, context)?;
            if args.json {
                console::json(&findings)?;
            }
            Ok(exit(&findings))
        }
        Vaults::Several(several) => {
            let (answers, exit) = vaults::each(several, context, |_, config| {
                let findings = look(args, config, context)?;
                let exit = exit(&findings);
                Ok((OfVault { findings }, exit))
            });
            if args.json {
                console::json(&answers)?;
            }
            Ok(exit)
        }
    }
}

fn exit(findings: &[Finding]) -> Exit {
    if findings.is_empty() { Exit::Done } else { Exit::NothingFound }
}

/// What is wrong with one vault, shown unless all answers are to be printed as JSON.
fn look(args: &DoctorArgs, config: &Config, context: &Context) -> Result<Vec<Finding>, CliError> {
    let mut findings = about_configuration(config);
    findings.extend(ledger::findings(config, context));
    let thoroughness = if args.mentions { Thoroughness::WithMentions } else { Thoroughness::Usual };
    findings.extend(open::service(config, Profile::Full)?.diagnose(thoroughness, &config.other_vaults)?);
    findings.sort_by_key(|finding| finding.severity);
    if !args.json {
        let mut out = context.console.out();
        render::doctor::findings(&mut out, config, &findings, if args.all { usize::MAX } else { 5 })?;
        out.flush()?;
    }
    Ok(findings)
}

/// What is refused was told already; this is what is merely unwise.
fn about_configuration(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(file) = &config.config_file else {
        let fix = "Run `obsearch init`, and say there what is private.";
        return vec![Finding::new(
            Severity::Problem,
            "There is no configuration: only notes with the tag or the property `private` are private.",
            fix,
            vec![],
        )];
    };
    if config.is_readable_by_others() {
        let fix = format!(
            "It names what is private: chmod 600 {}",
            crate::config::shell_quoted(&file.to_string_lossy())
        );
        let what = "Other users may read the configuration.";
        findings.push(Finding::new(Severity::Advice, what, fix, vec![file.display().to_string()]));
    }
    findings
}
