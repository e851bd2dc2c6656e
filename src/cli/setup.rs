//! `obsearch setup`: registers the server with an AI client, or shows how to.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;

use crate::cli::render::{diff, escape, style};
use crate::cli::{CliError, Context, Exit, Profile, console, vaults};
use crate::config::{self, Change, Client, ConfigError, Launch, Planned};

const EXAMPLES: &str = "\
Examples:
  obsearch setup claude-code                 # shows what to put where
  obsearch setup claude-desktop --write      # shows the change, asks, and makes it
  obsearch setup codex --write --yes
  obsearch setup cursor --vault-name work    # this vault alone, where there are several";

/// Register the server with an AI client, or show how to
///
/// The client is told to start this very program with `serve`, and with `--vault`, `--vault-name` and `--config`
/// if you give them here. Nothing else of its file changes, a copy of it is kept beside it, and nothing is ever written
/// into the vault. Running it again changes nothing. The file is looked for where the client would:
/// `CLAUDE_CONFIG_DIR`, `CODEX_HOME` and `XDG_CONFIG_HOME` are followed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SetupArgs {
    /// The client
    #[arg(value_name = "CLIENT")]
    client: ClientName,
    /// Change the client's configuration file, after showing how and asking
    #[arg(long)]
    write: bool,
    /// Do not ask
    #[arg(long, requires = "write")]
    yes: bool,
    /// Let this client read your private notes: needed with `--profile full`
    #[arg(long)]
    yes_private: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ClientName {
    /// Claude Code, for all your projects
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor, for all your projects
    Cursor,
    /// Visual Studio Code, for all your projects
    #[value(name = "vscode")]
    VsCode,
    /// Codex, for all your projects
    Codex,
}

impl From<ClientName> for Client {
    fn from(name: ClientName) -> Self {
        match name {
            ClientName::ClaudeCode => Client::ClaudeCode,
            ClientName::ClaudeDesktop => Client::ClaudeDesktop,
            ClientName::Cursor => Client::Cursor,
            ClientName::VsCode => Client::VsCode,
            ClientName::Codex => Client::Codex,
        }
    }
}

pub(super) fn run(args: &SetupArgs, context: &Context) -> Result<Exit, CliError> {
    let client = args.client.into();
    if context.global.profile == Some(Profile::Full) {
        if !args.yes_private {
            return Err(full_profile(client));
        }
        context.console.notice(&format!("{} will read your private notes too.", client.title()));
    }
    let launch = launch(context)?;
    if !args.write {
        return show(client, &launch, context);
    }
    let config = vaults::any(context)?;
    if config.config_file.is_none() {
        context.console.notice(
            "There is no configuration file, so only notes with the tag or the property `private` are private.",
        );
    }
    match config::plan(client, &launch, context.environment, &config.vaults().collect::<Vec<_>>())? {
        Planned::There(file) => {
            let shown = escape::line(&file.display().to_string());
            context.console.message(format!("obsearch is in {shown} already, as wanted."));
            Ok(Exit::Done)
        }
        Planned::Change(change) => make(client, &change, args, context),
    }
}

fn full_profile(client: Client) -> CliError {
    CliError::Failed {
        message: format!("With `--profile full`, {} would read your private notes.", client.title()),
        hint: "Leave it out, or add `--yes-private` if that is what you want.".to_owned(),
    }
}

/// How a client starts this program with what was said on this command line.
pub(super) fn launch(context: &Context) -> Result<Launch, ConfigError> {
    let mut options = Vec::new();
    let mut add = |option: &str, value: &Path| {
        options.extend([option.to_owned(), in_utf8(value)?.to_owned()]);
        Ok::<(), ConfigError>(())
    };
    if let Some(vault) = &context.global.vault {
        add("--vault", &config::vault_from_command_line(vault, context.environment)?)?;
    }
    if context.global.config.is_some() {
        add("--config", &config::config_path(context.environment, &context.overrides())?)?;
    }
    for name in &context.global.vault_names {
        options.extend(["--vault-name".to_owned(), name.clone()]);
    }
    if context.global.profile == Some(Profile::Full) {
        options.extend(["--profile", "full"].map(str::to_owned));
    }
    config::launch(context.environment, options)
}

/// Files of clients hold text: another spelling of a name would lead elsewhere.
fn in_utf8(path: &Path) -> Result<&str, ConfigError> {
    path.to_str().ok_or_else(|| ConfigError::File {
        file: path.to_owned(),
        problem: "has a name that is not UTF-8, which the file of a client cannot hold".to_owned(),
        fix: "Rename it, or reach it through a link with another name.".to_owned(),
    })
}

fn show(client: Client, launch: &Launch, context: &Context) -> Result<Exit, CliError> {
    let heading = style::HEADING;
    let mut out = context.console.out();
    if client == Client::ClaudeCode {
        writeln!(out, "{heading}With its own command{heading:#}")?;
        writeln!(out, "  {}", escape::line(&config::claude_command(launch)))?;
        writeln!(out)?;
    }
    writeln!(out, "{heading}In its configuration file{heading:#}")?;
    for (system, place) in client.places() {
        writeln!(out, "  {system:7}  {place}")?;
    }
    write!(out, "\n{}", escape::block(&client.registration(launch)))?;
    out.flush()?;
    context.console.notice("With `--write`, this is put into the file; all else in it stays.");
    Ok(Exit::Done)
}

fn make(client: Client, change: &Change, args: &SetupArgs, context: &Context) -> Result<Exit, CliError> {
    if !args.yes && !console::can_ask() {
        return Err(CliError::Failed {
            message: "Nobody can be asked here whether to change the file.".to_owned(),
            hint: "Add `--yes` to change it without a question.".to_owned(),
        });
    }
    let heading = style::HEADING;
    let mut out = context.console.out();
    writeln!(out, "{heading}{}{heading:#}", escape::line(&change.file.display().to_string()))?;
    diff::changes(&mut out, &change.before, &change.after)?;
    out.flush()?;
    drop(out);
    if !args.yes && !context.console.confirm("Change it?", console::Answer::No)? {
        context.console.message("Nothing was changed.");
        return Ok(Exit::NothingFound);
    }
    if let Some(copy) = change.write()? {
        let shown = escape::line(&copy.display().to_string());
        context.console.message(format!("What was there is kept as {shown}."));
    }
    context.console.message(format!("Done. Restart {} to see it.", client.title()));
    Ok(Exit::Done)
}
