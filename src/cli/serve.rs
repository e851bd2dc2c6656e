//! `obsearch serve`: the MCP server. Standard output belongs to the protocol from here on.

use crate::config::names;

use crate::cli::{CliError, Context, Exit, console, open};

const EXAMPLES: &str = "\
Examples:
  obsearch serve                                   # started by the client, not by hand
  claude mcp add obsearch -- obsearch serve        # registers it with Claude Code";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ServeArgs {}

pub(super) fn run(_: &ServeArgs, context: &Context) -> Result<Exit, CliError> {
    let config = context.config()?;
    if console::is_typed() {
        context.console.notice("Waiting for an MCP client on standard input; Ctrl-D ends it.");
    }
    if context.environment.model_prints_timing {
        return Err(CliError::Failed {
            message: format!("`{}` is set, so the model would write into the protocol.", names::RTEN_TIMING),
            hint: "Unset it, then start the server again.".to_owned(),
        });
    }
    open::serve_stdio(&config, context.profile())?;
    Ok(Exit::Done)
}
