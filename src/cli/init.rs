//! `obsearch init`: writes the configuration file and says what comes next.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::cli::render::{escape, style};
use crate::cli::{CliError, Context, Exit, console};
use crate::config::{self, Config, Environment, Existing, Overrides};

const EXAMPLES: &str = "\
Examples:
  obsearch init --vault ~/Documents/MyVault
  obsearch init --vault ~/Documents/MyVault --force    # replaces the file that is there";

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
    config::check_free(&file, existing)?;
    let vault = config::vault_from_command_line(&vault(context)?, context.environment)?;
    config::write_template(context.environment, &file, &vault, existing)?;
    let overrides = Overrides { config_file: Some(file.clone()), ..Overrides::default() };
    Config::resolve(context.environment, &overrides)?;
    let mut out = context.console.out();
    next_steps(&mut out, &file, &Server::new(context))?;
    out.flush()?;
    Ok(Exit::Done)
}

fn vault(context: &Context) -> Result<PathBuf, CliError> {
    if let Some(vault) = &context.global.vault {
        return Ok(vault.clone());
    }
    let here = vault_here(context.environment);
    if console::can_ask() {
        return ask(context, here);
    }
    let here = here.map(|here| config::shell_quoted(&here.display().to_string()));
    let path = here.unwrap_or_else(|| "~/Documents/MyVault".to_owned());
    Err(no_vault(format!("Run `obsearch init --vault {path}`.")))
}

fn no_vault(hint: String) -> CliError {
    CliError::Failed { message: "No vault was named.".to_owned(), hint }
}

/// The working folder, if it is a vault.
fn vault_here(environment: &Environment) -> Option<&Path> {
    environment.current_dir.as_deref().filter(|folder| folder.join(OBSIDIAN_FOLDER).is_dir())
}

fn ask(context: &Context, here: Option<&Path>) -> Result<PathBuf, CliError> {
    let suggestion = here.map(|here| format!(" [{}]", here.display())).unwrap_or_default();
    context.console.message(format!("Which folder holds your notes?{}", escape::line(&suggestion)));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    match (answer.trim(), here) {
        ("", None) => Err(no_vault("Run `obsearch init --vault ~/Documents/MyVault`.".to_owned())),
        ("", Some(here)) => Ok(here.to_owned()),
        (answer, _) => Ok(PathBuf::from(answer)),
    }
}

/// How a client starts the server.
struct Server {
    command: String,
    arguments: Vec<String>,
}

impl Server {
    fn new(context: &Context) -> Self {
        // Desktop applications do not see the PATH of a shell, so they get the whole path.
        let executable = context.environment.executable.as_deref().and_then(Path::to_str);
        let mut arguments = vec!["serve".to_owned()];
        if let Ok(file) = config::config_path(context.environment, &context.overrides())
            && context.global.config.is_some()
        {
            arguments.extend(["--config".to_owned(), file.display().to_string()]);
        }
        Server { command: executable.unwrap_or("obsearch").to_owned(), arguments }
    }
}

fn next_steps(out: &mut impl Write, file: &Path, server: &Server) -> io::Result<()> {
    let heading = style::HEADING;
    let words = server.arguments.iter().skip(1).map(|argument| config::shell_quoted(argument));
    let options = words.fold(String::new(), |line, word| line + " " + &word);
    writeln!(
        out,
        "Wrote {}; its [privacy] section says what AI clients never see.",
        escape::line(&file.display().to_string())
    )?;
    writeln!(out, "\n{heading}Next{heading:#}")?;
    writeln!(out, "  obsearch privacy list{options}        # what is private, and rules that match nothing")?;
    writeln!(out, "  obsearch index{options}")?;
    writeln!(out, "  obsearch search{options} \"a question to your notes\"")?;
    writeln!(out, "\n{heading}Claude Code{heading:#}")?;
    writeln!(out, "  claude mcp add obsearch -- {} serve{options}", config::shell_quoted(&server.command))?;
    writeln!(out, "\n{heading}Claude Desktop{heading:#}, in claude_desktop_config.json below")?;
    writeln!(out, "  macOS    ~/Library/Application Support/Claude/")?;
    writeln!(out, "  Windows  %APPDATA%\\Claude\\")?;
    writeln!(out, "  Linux    ~/.config/Claude/")?;
    writeln!(out, "{heading}Cursor{heading:#}, in ~/.cursor/mcp.json")?;
    let entry =
        json!({ "mcpServers": { "obsearch": { "command": server.command, "args": server.arguments } } });
    writeln!(out, "{entry:#}")
}
