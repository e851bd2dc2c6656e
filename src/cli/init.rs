//! `obsearch init`: writes the configuration file and says what comes next.

mod dialogue;

use std::io::{self, Write};
use std::path::Path;

use crate::cli::index::{self, IndexArgs};
use crate::cli::render::{escape, style};
use crate::cli::{CliError, Context, Exit, console};
use crate::config::{
    self, Client, Config, ConfigError, Environment, Existing, FirstRules, Launch, Overrides,
};

const EXAMPLES: &str = "\
Examples:
  obsearch init                                        # asks, at a terminal
  obsearch init --vault ~/Documents/MyVault
  obsearch init --vault ~/Documents/MyVault --force    # replaces the file that is there";

const OTHER_CLIENTS: &str = "claude-desktop, cursor, vscode, codex";
/// The folder that every vault of Obsidian holds.
const OBSIDIAN_FOLDER: &str = ".obsidian";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InitArgs {
    /// Replace the configuration file that is there
    #[arg(long)]
    force: bool,
}

pub(super) fn run(args: &InitArgs, context: &Context) -> Result<Exit, CliError> {
    let existing = if args.force { Existing::Replace } else { Existing::Keep };
    let file = config::config_path(context.environment, &context.overrides())?;
    config::check_free(&file, existing).map_err(|error| second_vault(context).unwrap_or(error.into()))?;
    let Some(vault) = &context.global.vault else {
        return without_a_vault(&file, existing, context);
    };
    let vault = config::vault_from_command_line(vault, context.environment)?;
    write(&file, &vault, &FirstRules::default(), existing, context)?;
    let mut out = context.console.out();
    next_steps(&mut out, &file, &launch(&file, context)?)?;
    out.flush()?;
    Ok(Exit::Done)
}

/// What to write by hand where the configuration has another vault already.
fn second_vault(context: &Context) -> Option<CliError> {
    let wanted =
        config::vault_from_command_line(context.global.vault.as_deref()?, context.environment).ok()?;
    let overrides = Overrides { config_file: context.global.config.clone(), ..Overrides::default() };
    let names = Config::vault_names(context.environment, &overrides, &[]).ok()?;
    let path = toml::Value::from(wanted.to_str()?);
    let also = match Config::resolve(context.environment, &overrides) {
        _ if !names.is_empty() => String::new(),
        Ok(config) if config.vault != wanted => " and turn its [vault] into one more such section".to_owned(),
        _ => return None,
    };
    let file = config::config_path(context.environment, &overrides).ok()?;
    Some(CliError::Failed {
        message: format!("{} is there already, with another vault.", file.display()),
        hint: format!(
            "To have both, write [vaults.NAME] with path = {path} there{also}; or pass `--force` to replace the file."
        ),
    })
}

fn write(
    file: &Path,
    vault: &Path,
    rules: &FirstRules,
    existing: Existing,
    context: &Context,
) -> Result<(), CliError> {
    let copy = config::write_template(context.environment, file, vault, rules, existing)?;
    if let Some(copy) = copy {
        let copy = escape::line(&copy.display().to_string());
        context.console.notice(&format!("What was there is kept as {copy}."));
    }
    let overrides = Overrides { config_file: Some(file.to_owned()), ..Overrides::default() };
    Config::resolve(context.environment, &overrides)?;
    Ok(())
}

fn without_a_vault(file: &Path, existing: Existing, context: &Context) -> Result<Exit, CliError> {
    let here = vault_here(context.environment);
    if !console::can_ask() {
        let here = here.map(|here| config::shell_quoted(&here.display().to_string()));
        let path = here.unwrap_or_else(|| "~/Documents/MyVault".to_owned());
        return Err(CliError::Failed {
            message: "No vault was named.".to_owned(),
            hint: format!("Run `obsearch init --vault {path}`."),
        });
    }
    let answers = dialogue::ask(context, file, here)?;
    write(file, &answers.vault, &answers.rules, existing, context)?;
    let shown = escape::line(&file.display().to_string());
    context
        .console
        .message(format!("\nWrote {shown}; its [privacy] section says what AI clients never see."));
    let indexed = if answers.index { index::run(&IndexArgs::default(), context) } else { Ok(Exit::Done) };
    let mut out = context.console.out();
    next_commands(&mut out, &launch(file, context)?, answers.index)?;
    out.flush()?;
    drop(out);
    indexed
}

/// The working folder, if it is a vault.
fn vault_here(environment: &Environment) -> Option<&Path> {
    environment.current_dir.as_deref().filter(|folder| folder.join(OBSIDIAN_FOLDER).is_dir())
}

/// How a client starts the server: under the configuration that was written, whatever vault was named for it.
fn launch(file: &Path, context: &Context) -> Result<Launch, ConfigError> {
    let is_elsewhere = context.global.config.is_some();
    let options =
        if is_elsewhere { vec!["--config".to_owned(), file.display().to_string()] } else { Vec::new() };
    config::launch(context.environment, options)
}

/// What follows `obsearch COMMAND` so that it means this configuration.
fn options(launch: &Launch) -> String {
    let words = launch.arguments.iter().skip(1).map(|argument| config::shell_quoted(argument));
    words.fold(String::new(), |line, word| line + " " + &word)
}

fn next_commands(out: &mut impl Write, launch: &Launch, is_indexed: bool) -> io::Result<()> {
    let heading = style::HEADING;
    let options = options(launch);
    writeln!(out, "\n{heading}Next{heading:#}")?;
    if !is_indexed {
        writeln!(out, "  obsearch index{options}")?;
    }
    writeln!(out, "  obsearch search{options} \"a question to your notes\"")?;
    writeln!(out, "  obsearch privacy list{options}")?;
    writeln!(out, "  obsearch setup claude-code --write{options}    # or {OTHER_CLIENTS}")
}

fn next_steps(out: &mut impl Write, file: &Path, launch: &Launch) -> io::Result<()> {
    let heading = style::HEADING;
    let options = options(launch);
    writeln!(
        out,
        "Wrote {}; its [privacy] section says what AI clients never see.",
        escape::line(&file.display().to_string())
    )?;
    writeln!(out, "\n{heading}Next{heading:#}")?;
    writeln!(out, "  obsearch privacy list{options}        # what is private, and rules that match nothing")?;
    writeln!(out, "  obsearch index{options}")?;
    writeln!(out, "  obsearch search{options} \"a question to your notes\"")?;
    writeln!(out, "  obsearch setup claude-code --write{options}    # or {OTHER_CLIENTS}")?;
    writeln!(out, "\n{heading}Claude Code{heading:#}")?;
    writeln!(out, "  {}", escape::line(&config::claude_command(launch)))?;
    writeln!(out, "\n{heading}Claude Desktop{heading:#}, in claude_desktop_config.json below")?;
    writeln!(out, "  macOS    ~/Library/Application Support/Claude/")?;
    writeln!(out, "  Windows  %APPDATA%\\Claude\\")?;
    writeln!(out, "  Linux    ~/.config/Claude/")?;
    writeln!(out, "{heading}Cursor{heading:#}, in ~/.cursor/mcp.json")?;
    write!(out, "{}", escape::block(&Client::ClaudeDesktop.registration(launch)))
}
