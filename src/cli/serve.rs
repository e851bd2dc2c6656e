//! `obsearch serve`: the MCP server, on standard input and output or over HTTP. In the first case standard
//! output belongs to the protocol from here on.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::open::{self, FileTokens};
use crate::cli::vaults::{self, Vaults};
use crate::cli::{CliError, Context, Exit, console};
use crate::config::{TokenBook, TokenProfile, names};
use crate::http::{self, Listening, NoAddress, Place};
use crate::vault::Profile;

const EXAMPLES: &str = "\
Examples:
  obsearch serve                                   # started by the client, not by hand
  obsearch setup claude-code --write               # registers it with Claude Code
  obsearch serve --vault-name work                 # one of several vaults; all of them without it
  obsearch serve --transport http                  # http://127.0.0.1:9000/mcp, this machine only
  obsearch token new sandbox && obsearch serve --transport http --host docker0
  obsearch serve --socket ~/.local/state/obsearch/socket";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeArgs {
    /// How clients reach it
    #[arg(long, value_enum, default_value = "stdio")]
    transport: Transport,
    /// The address to listen on, or the interface that has it; any other than this machine's own needs a token
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS|INTERFACE", value_parser = host)]
    host: IpAddr,
    /// The port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = 9000)]
    port: u16,
    /// A further `Host` header to accept, besides the names of this machine; may be given several times
    #[arg(long = "allowed-host", value_name = "HOST:PORT", value_parser = host_and_port)]
    allowed_hosts: Vec<String>,
    /// Listen on a Unix socket instead of a port, for your user alone
    #[arg(long, value_name = "PATH", conflicts_with_all = ["host", "port", "allowed_hosts"])]
    socket: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Transport {
    /// Standard input and output, for the client that started it
    Stdio,
    /// Streamable HTTP at /mcp
    Http,
    /// As `http`, and /sse for clients that know only the transport of MCP's first revisions
    Sse,
}

fn host(text: &str) -> Result<IpAddr, NoAddress> {
    text.parse().or_else(|_| http::address_of(text))
}

fn host_and_port(text: &str) -> Result<String, String> {
    let port = text.rsplit_once(':').map(|(host, port)| (!host.is_empty(), port.parse::<u16>().is_ok()));
    match port {
        Some((true, true)) => Ok(text.to_owned()),
        _ => Err("write the port too, such as notes.example:9000".to_owned()),
    }
}

impl ServeArgs {
    /// Does it speak with the client that started it?
    pub(super) fn is_stdio(&self) -> bool {
        self.socket.is_none() && self.transport == Transport::Stdio
    }
}

pub(super) fn run(args: &ServeArgs, context: &Context) -> Result<Exit, CliError> {
    let chosen = vaults::chosen(context)?;
    let place = match (&args.socket, args.transport) {
        (Some(path), _) => Place::Socket(path.clone()),
        (None, Transport::Http | Transport::Sse) => Place::Tcp { host: args.host, port: args.port },
        (None, Transport::Stdio) => return stdio(&chosen, context),
    };
    listen(&chosen, place, args, context)
}

fn stdio(chosen: &Vaults, context: &Context) -> Result<Exit, CliError> {
    if console::is_typed() {
        context.console.notice("Waiting for an MCP client on standard input; Ctrl-D ends it.");
    }
    if context.environment.model_prints_timing {
        return Err(CliError::Failed {
            message: format!("`{}` is set, so the model would write into the protocol.", names::RTEN_TIMING),
            hint: "Unset it, then start the server again.".to_owned(),
        });
    }
    let config = chosen.usable()?;
    if config.config_file.is_none() && context.profile() == Profile::Public {
        let what = "There is no configuration file, so only notes with the tag or the property `private` are private.";
        context.console.notice(what);
    }
    let ledger = open::ledger(config, context)?;
    open::serve_stdio(chosen, context, ledger)?;
    Ok(Exit::Done)
}

/// Refuses to start where somebody could reach notes without a token that ought to have one.
fn listen(chosen: &Vaults, place: Place, args: &ServeArgs, context: &Context) -> Result<Exit, CliError> {
    let book = TokenBook::open(context.environment)?;
    let has_tokens = book.has_tokens()?;
    let has_full = book.list()?.iter().any(|token| token.profile == TokenProfile::Full);
    if let Place::Tcp { host, .. } = &place
        && !host.is_loopback()
        && !has_tokens
    {
        return Err(CliError::Failed {
            message: format!("Other machines or containers could reach {host}, and there is no token."),
            hint: "Make one with `obsearch token new NAME`, or listen on 127.0.0.1.".to_owned(),
        });
    }
    if context.profile() == Profile::Full && !has_full {
        return Err(CliError::Failed {
            message: "The full profile is served to nobody without a token.".to_owned(),
            hint: "Make one with `obsearch token new NAME --profile full`.".to_owned(),
        });
    }
    let allowed_hosts = args.allowed_hosts.clone();
    let listening =
        Listening { place, allowed_hosts, tokens: Arc::new(FileTokens(book)), needs_token: has_tokens };
    let setup = open::HttpSetup { listening, sse: args.transport == Transport::Sse, has_full };
    let ledger = open::ledger(chosen.usable()?, context)?;
    open::serve_http(chosen, context, setup, ledger, |reach| context.console.message(reach))?;
    Ok(Exit::Done)
}
