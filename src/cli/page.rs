//! `obsearch console`: a page in the owner's browser that shows what an agent can see. (The file is not named
//! after its command, since `console` is the terminal here.)

use std::io;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::cli::console::can_draw;
use crate::cli::timings::Timings;
use crate::cli::{CliError, Context, Exit, open};
use crate::config::{Config, ConfigError, Environment, fresh_token};
use crate::console::{Console, Recorded, Stage};
use crate::http::ConsoleServer;
use crate::ledger::{self, Filter};
use crate::vault::Profile;

const EXAMPLES: &str = "\
Examples:
  obsearch console                    # opens in your browser; Ctrl-C ends it
  obsearch console --no-open          # prints the link only
  obsearch console --port 8801        # a port that is free otherwise, such as for a tunnel";

/// Show in your browser what an agent can see, beside what you can
///
/// A page that this program serves on this machine's own address: a search asked as an agent and as you, the vault with
/// every note marked public or private and the rule that says so, how fresh the indexes are, any note as an agent gets
/// it, and what was served lately to whom. It opens only with the key in the link that is printed, and changes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConsoleArgs {
    /// The port to listen on, on this machine's own address; 0 takes any that is free
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Print the link, and start no browser
    #[arg(long)]
    no_open: bool,
}

pub(super) fn run(args: &ConsoleArgs, context: &Context) -> Result<Exit, CliError> {
    let config = context.config()?;
    let timings = context.timings.clone().unwrap_or_default();
    let (token, ticket) = (key()?, key()?);
    let console = Console {
        public: open::service(&config, Profile::Public)?,
        full: open::service(&config, Profile::Full)?,
        vault_name: config.vault_name.clone(),
        rule_lines: Box::new({
            let config = config.clone();
            move |key, rule| config.rule_line(key, rule)
        }),
        recorded: Box::new({
            let (config, environment) = (config.clone(), context.environment.clone());
            move |most| recorded(&config, &environment, most)
        }),
        stages: Box::new(move || taken(&timings)),
        searching: Mutex::new(()),
    };
    let server = ConsoleServer { console, port: args.port, token: token.clone(), ticket: ticket.clone() };
    open::serve_console(server, |address| {
        context.console.message(format_args!("Your console: {address}#{token}"));
        context.console.notice(
            "The link opens every note, private ones too: keep it to yourself. Nothing is changed; Ctrl-C ends it.",
        );
        // Only for somebody who is there to see it.
        if !args.no_open && can_draw() {
            open_in_browser(&format!("{address}#once-{ticket}"));
        }
    })?;
    Ok(Exit::Done)
}

fn key() -> Result<String, CliError> {
    fresh_token().map_err(|error| CliError::Failed {
        message: format!("No key can be made for the page ({error})."),
        hint: "The system gives no random numbers; try again later.".to_owned(),
    })
}

fn recorded(config: &Config, environment: &Environment, most: usize) -> Recorded {
    if !config.keeps_ledger {
        return Recorded::Off;
    }
    let read = || -> Result<_, ConfigError> {
        config.check_ledger(environment)?;
        let fail = |error: io::Error| open::ledger_error(&config.ledger, &error);
        let health = ledger::look(&config.ledger).map_err(fail)?;
        let own = Filter { vaults: vec![config.vault_name.clone()], ..Filter::default() };
        Ok((health, ledger::select(&config.ledger, &own, most).map_err(fail)?))
    };
    match read() {
        Ok((health, records)) => Recorded::Known(health, records),
        Err(error) => Recorded::Broken(error.to_string(), error.hint()),
    }
}

fn taken(timings: &Timings) -> Vec<Stage> {
    let stage = |stage: super::timings::Stage| Stage {
        name: stage.name,
        milliseconds: stage.milliseconds,
        count: stage.count,
    };
    timings.take().into_iter().map(stage).collect()
}

/// Starts what the desktop has for links. Other users of this machine can see the link while that runs, so that it
/// holds a ticket which is void after its first use. Where there is no desktop, the printed link is all.
#[expect(clippy::disallowed_methods, reason = "a browser is started; it gets a link and nothing else")]
fn open_in_browser(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = Command::new(program)
        .arg(link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut child) = quiet {
        std::thread::spawn(move || child.wait());
    }
}
