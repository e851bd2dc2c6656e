//! `obsearch connect`: a bridge from standard input and output to a running server.

use std::path::PathBuf;

use crate::cli::{CliError, Context, Exit, console};
use crate::http::{Target, connect};

const EXAMPLES: &str = "\
Examples:
  obsearch connect --socket ~/.local/state/obsearch/socket
  OBSEARCH_TOKEN=… obsearch connect --url http://host.docker.internal:9000/mcp
  claude mcp add obsearch -- obsearch connect --socket ~/.local/state/obsearch/socket

The token is read from OBSEARCH_TOKEN, never from the command line.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[group(required = true, multiple = false)]
pub(super) struct ConnectArgs {
    /// The socket on which `obsearch serve --socket` listens
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// The address of `obsearch serve --transport http`
    #[arg(long, value_name = "URL", value_parser = Target::parse_url)]
    url: Option<Target>,
}

pub(super) fn run(args: &ConnectArgs, context: &Context) -> Result<Exit, CliError> {
    let target = match (&args.socket, &args.url) {
        (Some(path), _) => Target::Socket(path.clone()),
        (None, Some(target)) => target.clone(),
        (None, None) => return Ok(Exit::Failed), // clap asks for one of them
    };
    if console::is_typed() {
        context.console.notice("Waiting for an MCP client on standard input; Ctrl-D ends it.");
    }
    let token = context.environment.token.as_ref().map(|token| token.expose().to_owned());
    connect(target, token)?;
    Ok(Exit::Done)
}
