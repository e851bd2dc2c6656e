//! `obsearch ledger`: what was served to whom, and whether the record of it is whole.

use std::io::Write;

use humantime::{format_rfc3339_millis, parse_rfc3339_weak};

use crate::cli::{CliError, Context, Exit, console, open, render, vaults};
use crate::config::{Config, ConfigError, shell_quoted};
use crate::ledger::{self, Filter, Health};
use crate::ops::doctor::{Finding, Severity};

const EXAMPLES: &str = "\
Examples:
  obsearch ledger show
  obsearch ledger show --note Projects/Alpha.md --since 2031-04-09
  obsearch ledger show --client claude-code --limit 1000 --json
  obsearch ledger verify

Exit codes of verify: 0 the ledger is whole, 1 it was changed, 2 it could not be read.";

/// Show and check the record of what was served to whom
///
/// Servers write down which notes and lines they gave to which client, in the folder `ledger` beside the
/// configuration file; never what was asked, and nothing of a note's text. `enabled = false` below `[ledger]` in the
/// configuration file switches it off.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct LedgerArgs {
    #[command(subcommand)]
    command: LedgerCommand,
}

#[derive(Debug, clap::Subcommand)]
enum LedgerCommand {
    /// Print what was served, the newest last
    #[command(after_help = EXAMPLES)]
    Show(ShowArgs),
    /// Tell whether every record is there and as it was written
    #[command(after_help = EXAMPLES)]
    Verify {
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Only answers with this note, by its path, or with a note in this folder
    #[arg(long, value_name = "PATH")]
    note: Option<String>,
    /// Only from this day on (2031-04-09), or from this time on (2031-04-09T10:30:00Z), in UTC
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<String>,
    /// Only what went to clients of this name
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// The newest so many
    #[arg(long, short = 'n', default_value_t = 50, value_name = "N")]
    limit: usize,
    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// A day or a time -> the time as records have it.
fn since(text: &str) -> Result<String, &'static str> {
    let time = if text.len() == "2031-04-09".len() { format!("{text}T00:00:00Z") } else { text.to_owned() };
    let time = parse_rfc3339_weak(&time).map_err(|_| "write it like 2031-04-09 or 2031-04-09T10:30:00Z")?;
    Ok(format_rfc3339_millis(time).to_string())
}

pub(super) fn run(args: &LedgerArgs, context: &Context) -> Result<Exit, CliError> {
    let config = vaults::any(context)?;
    match &args.command {
        LedgerCommand::Show(args) => show(args, &config, context),
        LedgerCommand::Verify { json } => verify(*json, &config, context),
    }
}

fn show(args: &ShowArgs, config: &Config, context: &Context) -> Result<Exit, CliError> {
    let filter = Filter {
        note: args.note.clone(),
        since: args.since.clone(),
        client: args.client.clone(),
        vaults: context.global.vault_names.clone(),
    };
    let records = ledger::select(&config.ledger, &filter, args.limit)
        .map_err(|error| open::ledger_error(&config.ledger, &error))?;
    if args.json {
        console::json(&records)?;
    } else {
        let mut out = context.console.out();
        render::ledger::records(&mut out, &records, args.note.as_deref())?;
        out.flush()?;
    }
    if records.is_empty() {
        context.console.message("Nothing of that kind is recorded.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

fn verify(is_json: bool, config: &Config, context: &Context) -> Result<Exit, CliError> {
    let report =
        ledger::verify(&config.ledger).map_err(|error| open::ledger_error(&config.ledger, &error))?;
    if is_json {
        console::json(&report)?;
    } else {
        let mut out = context.console.out();
        render::ledger::report(&mut out, &report)?;
        out.flush()?;
    }
    Ok(if report.fault.is_some() { Exit::NothingFound } else { Exit::Done })
}

/// The state of the ledger in a few words. They are the same however much is in it.
pub(super) fn state(config: &Config, context: &Context) -> String {
    let place = config.ledger.display();
    if !config.keeps_ledger {
        return "off: what is served is not recorded".to_owned();
    }
    match checked(config, context) {
        Err(error) => format!("{error} {}", error.hint()),
        Ok(Health::Absent | Health::Well) => format!("what is served is recorded in {place}"),
        Ok(Health::Failing { unrecorded }) => {
            format!("{place} cannot be written; {unrecorded} answers were given without a record")
        }
        Ok(Health::Headless) => format!("{place} is damaged; run `obsearch ledger verify`"),
    }
}

/// What is wrong with the ledger, or unwise.
pub(super) fn findings(config: &Config, context: &Context) -> Vec<Finding> {
    if !config.keeps_ledger {
        return Vec::new();
    }
    let place = vec![config.ledger.display().to_string()];
    let finding = |severity, what: String, fix: String| Finding::new(severity, what, fix, place.clone());
    let mut findings = Vec::new();
    if config.is_ledger_readable_by_others() {
        let fix = format!("It names notes: chmod 700 {}", shell_quoted(&config.ledger.to_string_lossy()));
        findings.push(finding(
            Severity::Advice,
            "Other users may enter the ledger's folder.".to_owned(),
            fix,
        ));
    }
    let whole = checked(config, context).and_then(|health| {
        let report = ledger::verify(&config.ledger);
        report.map(|report| (health, report)).map_err(|error| open::ledger_error(&config.ledger, &error))
    });
    match whole {
        Err(error) => findings.push(finding(Severity::Problem, error.to_string(), error.hint())),
        Ok((health, report)) => {
            if let Health::Failing { unrecorded } = health {
                let what = format!("The ledger could not be written; {unrecorded} answers are not in it.");
                let fix = "Make room on the disk; the next answer that is recorded ends this.".to_owned();
                findings.push(finding(Severity::Problem, what, fix));
            }
            let fault = report.fault.iter().map(render::ledger::fault);
            let fix = "Find out who did it: `obsearch ledger verify` tells the place.";
            findings.extend(fault.map(|what| finding(Severity::Problem, what, fix.to_owned())));
        }
    }
    findings
}

fn checked(config: &Config, context: &Context) -> Result<Health, ConfigError> {
    config.check_ledger(context.environment)?;
    ledger::look(&config.ledger).map_err(|error| open::ledger_error(&config.ledger, &error))
}
