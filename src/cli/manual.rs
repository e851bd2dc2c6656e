//! `obsearch completions` and `obsearch man`: what the command line knows of itself, for shells and for `man`.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, CliError, Context, Exit, vaults};
use crate::config::ConfigError;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  obsearch completions bash > ~/.local/share/bash-completion/completions/obsearch
  obsearch completions zsh > ~/.zfunc/_obsearch       # a folder of your fpath
  obsearch completions fish > ~/.config/fish/completions/obsearch.fish";

#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  obsearch man | man -l -
  obsearch man ~/.local/share/man/man1    # all pages, one for each command";

#[derive(Debug, clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(super) struct ManArgs {
    /// Write the pages of all commands into this folder, which must be there
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs, context: &Context) -> Result<Exit, CliError> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    // Into memory first: the generator does not expect that a reader goes away.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    print(&script, context)
}

pub(super) fn man(args: &ManArgs, context: &Context) -> Result<Exit, CliError> {
    let Some(folder) = &args.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page)?;
        return print(&page, context);
    };
    let is_in_vault = match vaults::any(context) {
        Ok(config) => config.is_in_vault(folder, context.environment),
        // Without a configuration there is no vault to keep out of.
        Err(CliError::Config(
            ConfigError::NoHome | ConfigError::NoFile { .. } | ConfigError::NoVault { .. },
        )) => false,
        Err(error) => return Err(error),
    };
    if is_in_vault {
        return Err(CliError::Failed {
            message: format!("{} lies in the vault, where nothing is ever written.", folder.display()),
            hint: "Choose a folder outside the vault.".to_owned(),
        });
    }
    if has_links(folder) {
        return Err(CliError::Failed {
            message: format!(
                "A page in {} is a link, and what it leads to would be overwritten.",
                folder.display()
            ),
            hint: "Remove the links there whose names begin with `obsearch`.".to_owned(),
        });
    }
    clap_mangen::generate_to(Cli::command(), folder).map_err(|error| CliError::Failed {
        message: format!("The pages cannot be written to {} ({error}).", folder.display()),
        hint: "Check that the folder is there and that you may write to it.".to_owned(),
    })?;
    Ok(Exit::Done)
}

#[expect(clippy::disallowed_methods, reason = "looks at a folder of manual pages, outside the vault")]
fn has_links(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let is_page = entry.file_name().to_string_lossy().starts_with("obsearch");
            is_page && entry.file_type().is_ok_and(|kind| kind.is_symlink())
        })
    })
}

fn print(text: &[u8], context: &Context) -> Result<Exit, CliError> {
    let mut out = context.console.out();
    out.write_all(text)?;
    out.flush()?;
    Ok(Exit::Done)
}
