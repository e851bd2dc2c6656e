//! The command line: arguments -> operations -> text. One file per subcommand.
//!
//! Results go to standard output, messages to standard error. Exit codes: 0 done, 1 nothing
//! found, 2 refused or broken. Notes come only through [`crate::ops::Service`], as for any client.

mod conditions;
mod connect;
mod console;
mod doctor;
mod error;
mod eval;
mod guide;
mod health;
mod index;
mod init;
mod ledger;
mod links;
mod list;
mod log;
mod manual;
mod model;
mod models;
mod open;
mod pack;
mod page;
mod privacy;
mod progress;
mod read;
mod render;
mod search;
mod serve;
mod setup;
mod similar;
mod status;
mod tags;
mod timings;
mod token;
mod tune;
mod vaults;
mod verify;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use error::{CliError, Exit};

use crate::config::{Config, Environment, Overrides};
use crate::ops::Service;
use crate::vault;
use console::Console;
use timings::Timings;

const EXAMPLES: &str = "\
Examples:
  obsearch init --vault ~/Documents/MyVault
  obsearch index
  obsearch search \"how do I renew the certificate\"
  obsearch serve                 # what an AI client starts

Exit codes: 0 done, 1 nothing found, 2 refused or broken.";

/// Search in a folder of Markdown notes, for you and for AI clients, with private notes out of reach.
#[derive(Debug, Parser)]
#[command(name = "obsearch", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Args)]
struct Global {
    /// The folder of notes, instead of the one in the configuration file
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    vault: Option<PathBuf>,
    /// The vault of this name, where the configuration file has several; `serve`, `setup`, `index`, `status` and
    /// `doctor` take several names, and all vaults without one
    #[arg(long = "vault-name", global = true, value_name = "NAME", help_heading = "Global options")]
    vault_names: Vec<String>,
    /// The configuration file [default: ~/.config/obsearch/config.toml]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    config: Option<PathBuf>,
    /// Who asks: `public` sees what AI clients see, `full` sees every note
    /// [default: public; for `index`: both]
    #[arg(long, global = true, value_enum, help_heading = "Global options", verbatim_doc_comment)]
    profile: Option<Profile>,
    /// Say more on standard error; never a note's name or text
    #[arg(long, short, global = true, help_heading = "Global options")]
    verbose: bool,
    /// Colours in the output
    #[arg(long, global = true, value_enum, default_value = "auto", help_heading = "Global options")]
    color: Color,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Profile {
    /// Private notes do not exist
    Public,
    /// Every note
    Full,
}

impl From<Profile> for vault::Profile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Public => vault::Profile::Public,
            Profile::Full => vault::Profile::Full,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the configuration file
    Init(init::InitArgs),
    /// Build the index, or bring it up to date
    Index(index::IndexArgs),
    /// Find passages by words and meaning
    Search(search::SearchArgs),
    /// Gather what the notes say about a question
    Pack(pack::PackArgs),
    /// Print a note, or a part of it
    Read(read::ReadArgs),
    /// List notes or folders
    List(list::ListArgs),
    /// List tags with the number of notes that carry each
    Tags(tags::TagsArgs),
    /// Show what a note links to and what links to it
    Links(links::LinksArgs),
    /// Find notes like a note or a text, links, duplicates and tags
    Similar(similar::SimilarArgs),
    /// Find what to mend: orphans, links that lead nowhere, double titles and the like
    Health(health::HealthArgs),
    /// Show how the vault is kept: its guide notes, else folders, tags and hubs
    Guide(guide::GuideArgs),
    /// Tell whether quoted words still stand where they were cited
    Verify(verify::VerifyArgs),
    /// Show the state of the index
    Status(status::StatusArgs),
    /// Show what AI clients cannot see, and why
    Privacy(privacy::PrivacyArgs),
    /// Show in your browser what an agent can see, beside what you can
    Console(page::ConsoleArgs),
    /// Find what is wrong with the configuration, the notes and the index
    Doctor(doctor::DoctorArgs),
    /// Measure how well questions are answered
    Eval(eval::EvalArgs),
    /// List, fetch and check models
    Model(model::ModelArgs),
    /// Find the weight of meaning that suits your notes
    Tune(tune::TuneArgs),
    /// Register the server with an AI client, or show how to
    Setup(setup::SetupArgs),
    /// Serve AI clients over MCP, on standard input and output or over HTTP
    Serve(serve::ServeArgs),
    /// Connect a client that speaks over standard input and output to a running server
    Connect(connect::ConnectArgs),
    /// Show and check the record of what was served to whom
    Ledger(ledger::LedgerArgs),
    /// Make, list and revoke tokens for clients over HTTP
    Token(token::TokenArgs),
    /// Print what a shell needs to complete commands
    Completions(manual::CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(manual::ManArgs),
}

impl Command {
    /// Is the owner to be told where the time went?
    fn takes_times(&self) -> bool {
        match self {
            Command::Index(args) => args.takes_times(),
            Command::Search(args) => args.takes_times(),
            Command::Console(_) => true,
            _ => false,
        }
    }

    /// Was it started by an AI client, which keeps what is said on standard error?
    fn has_a_client(&self) -> bool {
        match self {
            Command::Serve(args) => args.is_stdio(),
            Command::Connect(_) => true,
            _ => false,
        }
    }
}

/// Runs a command and says how it went; errors are told on standard error.
pub fn run(cli: &Cli, environment: &Environment) -> Exit {
    let timings = cli.command.takes_times().then(Timings::default);
    log::start(cli.global.verbose, timings.as_ref());
    let console = Console::new(cli.global.color);
    let context = Context { environment, global: &cli.global, console, timings };
    match dispatch(&cli.command, &context) {
        Ok(exit) => exit,
        Err(error) => {
            let audience = if cli.command.has_a_client() { Audience::Others } else { Audience::Owner };
            report(&error, audience, context.console)
        }
    }
}

fn dispatch(command: &Command, context: &Context) -> Result<Exit, CliError> {
    match command {
        Command::Init(args) => init::run(args, context),
        Command::Index(args) => index::run(args, context),
        Command::Search(args) => search::run(args, context),
        Command::Pack(args) => pack::run(args, context),
        Command::Read(args) => read::run(args, context),
        Command::List(args) => list::run(args, context),
        Command::Tags(args) => tags::run(args, context),
        Command::Links(args) => links::run(args, context),
        Command::Similar(args) => similar::run(args, context),
        Command::Health(args) => health::run(args, context),
        Command::Guide(args) => guide::run(args, context),
        Command::Verify(args) => verify::run(args, context),
        Command::Status(args) => status::run(args, context),
        Command::Privacy(args) => privacy::run(args, context),
        Command::Console(args) => page::run(args, context),
        Command::Doctor(args) => doctor::run(args, context),
        Command::Eval(args) => eval::run(args, context),
        Command::Model(args) => model::run(args, context),
        Command::Tune(args) => tune::run(args, context),
        Command::Setup(args) => setup::run(args, context),
        Command::Serve(args) => serve::run(args, context),
        Command::Connect(args) => connect::run(args, context),
        Command::Ledger(args) => ledger::run(args, context),
        Command::Token(args) => token::run(args, context),
        Command::Completions(args) => manual::completions(args, context),
        Command::Man(args) => manual::man(args, context),
    }
}

/// Who reads standard error.
#[derive(Clone, Copy)]
enum Audience {
    /// The owner, at a terminal.
    Owner,
    /// The log of an AI client, which the client may read: no path, no rule.
    Others,
}

fn report(error: &CliError, audience: Audience, console: Console) -> Exit {
    if !error.is_broken_pipe() {
        let (message, hint) = match audience {
            Audience::Owner => (error.to_string(), error.hint()),
            Audience::Others => (error.brief(), "Run `obsearch status` in a terminal to see why.".to_owned()),
        };
        console.error(&message, &hint);
    }
    error.exit()
}

/// What every command needs.
struct Context<'a> {
    environment: &'a Environment,
    global: &'a Global,
    console: Console,
    /// Where the time goes, if the command takes times.
    timings: Option<Timings>,
}

impl Context<'_> {
    fn overrides(&self) -> Overrides {
        Overrides {
            vault: self.global.vault.clone(),
            vault_name: self.global.vault_names.first().cloned(),
            config_file: self.global.config.clone(),
            data_dir: None,
        }
    }

    /// The same for a command that is about one vault.
    fn overrides_of_one(&self) -> Result<Overrides, CliError> {
        if self.global.vault_names.len() > 1 {
            return Err(CliError::Failed {
                message: "Several vaults are named, and this is about one.".to_owned(),
                hint: "Give `--vault-name` once.".to_owned(),
            });
        }
        Ok(self.overrides())
    }

    fn config(&self) -> Result<Config, CliError> {
        Ok(Config::resolve(self.environment, &self.overrides_of_one()?)?)
    }

    fn profile(&self) -> vault::Profile {
        self.global.profile.map_or(vault::Profile::Public, Into::into)
    }

    fn service(&self) -> Result<Service, CliError> {
        open::service(&self.config()?, self.profile())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:\n  obsearch"), "{}", command.get_name());
        }
    }
}
