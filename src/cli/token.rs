//! `obsearch token`: secrets for clients that reach the server over a network or a socket.

use std::io::Write;

use crate::cli::render::escape;
use crate::cli::{CliError, Context, Exit, Profile, console};
use crate::config::{TokenBook, TokenProfile};

const EXAMPLES: &str = "\
Examples:
  obsearch token new sandbox                  # printed once; public profile
  obsearch token new my-editor --profile full
  obsearch token list
  obsearch token revoke sandbox";

/// Make, list and revoke tokens for clients over HTTP
///
/// A token says what its client may see, and the server gives it nothing more. Tokens are kept as hashes;
/// a revoked one is void from the next request on.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct TokenArgs {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TokenCommand {
    /// Make a token and print it, once
    #[command(after_help = EXAMPLES)]
    New {
        /// What to call it
        name: String,
    },
    /// List the tokens; their texts are not known any more
    #[command(after_help = EXAMPLES)]
    List {
        /// Print the answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a token void
    #[command(after_help = EXAMPLES)]
    Revoke {
        /// Its name
        name: String,
    },
}

pub(super) fn run(args: &TokenArgs, context: &Context) -> Result<Exit, CliError> {
    let book = TokenBook::open(context.environment)?;
    match &args.command {
        TokenCommand::New { name } => new(&book, name, context),
        TokenCommand::List { json } => list(&book, *json, context),
        TokenCommand::Revoke { name } => revoke(&book, name, context),
    }
}

fn new(book: &TokenBook, name: &str, context: &Context) -> Result<Exit, CliError> {
    let profile = match context.global.profile {
        Some(Profile::Full) => TokenProfile::Full,
        _ => TokenProfile::Public,
    };
    let token = book.add(name, profile)?;
    let mut out = context.console.out();
    writeln!(out, "{token}")?;
    out.flush()?;
    context.console.notice("This is shown once. A client sends it as `Authorization: Bearer …`.");
    Ok(Exit::Done)
}

fn list(book: &TokenBook, is_json: bool, context: &Context) -> Result<Exit, CliError> {
    let tokens = book.list()?;
    if is_json {
        let shown: Vec<_> = tokens
            .iter()
            .map(|token| serde_json::json!({ "name": token.name, "profile": token.profile, "created": token.created }))
            .collect();
        console::json(&shown)?;
    } else {
        let mut out = context.console.out();
        for token in &tokens {
            let profile = crate::vault::Profile::from(token.profile).as_str();
            writeln!(out, "{profile:6}  {}  {}", token.created, escape::line(&token.name))?;
        }
        out.flush()?;
    }
    if tokens.is_empty() {
        context.console.message("There are no tokens.");
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

fn revoke(book: &TokenBook, name: &str, context: &Context) -> Result<Exit, CliError> {
    if book.revoke(name)? {
        context.console.message("Revoked; it is void from the next request on.");
        return Ok(Exit::Done);
    }
    context.console.message("There is no token of this name.");
    Ok(Exit::NothingFound)
}
