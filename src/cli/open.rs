//! From a configuration to the things that work: the service, an index run, the MCP server.

use std::sync::Arc;

use crate::cli::CliError;
use crate::config::{Backend, Config, ModelChoice};
use crate::embed::{BuiltinModel, BuiltinModels, ModelPolicy};
use crate::index::IndexError;
use crate::mcp::{self, ReindexAccess, ServerOptions};
use crate::ops::{Service, Settings};
use crate::sync::{Mode, Progress, SyncError, TreeSummary};
use crate::vault::{Profile, VaultError};

/// The operations over this vault for this profile.
pub(super) fn service(config: &Config, profile: Profile) -> Result<Service, CliError> {
    let settings = Settings {
        vault: config.vault.clone(),
        rules: Arc::clone(&config.rules),
        profile,
        data_dir: config.data_dir.clone(),
        models: Arc::new(BuiltinModels::new(policy(config))),
        allow_reindex: config.server.allow_reindex,
    };
    Service::open(settings).map_err(|error| vault_error(&error))
}

/// Builds the trees of these profiles or brings them up to date.
pub(super) fn run_index(
    config: &Config,
    profiles: &[Profile],
    mode: Mode,
    progress: &dyn Progress,
) -> Result<Vec<TreeSummary>, CliError> {
    let service = service(config, Profile::Public)?;
    service.index(profiles, mode, progress).map_err(|error| sync_error(&error))
}

/// Serves one client on standard input and output until it goes away. The model and the index are
/// seen to meanwhile, so that the handshake waits for neither.
pub(super) fn serve_stdio(config: &Config, profile: Profile) -> Result<(), CliError> {
    let service = Arc::new(service(config, profile)?);
    service.refresh_in_background();
    let reindex = if config.server.allow_reindex { ReindexAccess::Allowed } else { ReindexAccess::Refused };
    mcp::serve_stdio(service, ServerOptions { reindex }).map_err(|error| CliError::Failed {
        message: sentence(&error),
        hint: "Register `obsearch serve` with an MCP client; `obsearch init` prints how.".to_owned(),
    })
}

fn policy(config: &Config) -> ModelPolicy {
    match (config.embeddings.backend, config.embeddings.model) {
        (Backend::None, _) => ModelPolicy::None,
        (Backend::Builtin, ModelChoice::Auto) => ModelPolicy::Auto,
        (Backend::Builtin, ModelChoice::Multilingual) => ModelPolicy::Fixed(BuiltinModel::Multilingual),
        (Backend::Builtin, ModelChoice::English) => ModelPolicy::Fixed(BuiltinModel::English),
    }
}

fn vault_error(error: &VaultError) -> CliError {
    let hint = match error {
        VaultError::Missing(_) => "Check the path: `[vault] path` in the configuration file, or `--vault`.",
        VaultError::NotAFolder(_) => "The vault is the folder that holds your notes.",
        VaultError::Denied(_) => "Give your user the right to read and enter the folder.",
        VaultError::Io { .. } => "Look whether the disk is there and mounted.",
    };
    CliError::Failed { message: sentence(error), hint: hint.to_owned() }
}

fn sync_error(error: &SyncError) -> CliError {
    let hint = match error {
        SyncError::Rules(_) => {
            "Nothing is indexed without valid rules; `obsearch status` says when they are."
        }
        SyncError::Vault(_) => "Look whether the vault is still there and mounted.",
        SyncError::EmptyVault { .. } => {
            "If the vault is not mounted, mount it. If it is really empty now, run `obsearch index --rebuild`."
        }
        SyncError::Index(error) => index_hint(error),
    };
    CliError::Failed { message: sentence(error), hint: hint.to_owned() }
}

fn index_hint(error: &IndexError) -> &'static str {
    match error {
        IndexError::Locked => {
            "Wait until it is done (a running `obsearch serve` indexes too), then try again."
        }
        IndexError::Busy => "Try again in a moment.",
        IndexError::DiskFull => "Make room on the disk; the index that was there before still works.",
        IndexError::Corrupt(_) | IndexError::Foreign(_) | IndexError::OtherFormat { .. } => {
            "Run `obsearch index --rebuild`; your notes are not touched."
        }
        IndexError::Io { .. } | IndexError::Sql(_) => {
            "Check the data folder: it must be yours, and writable."
        }
    }
}

/// The error as a sentence.
fn sentence(error: &dyn std::error::Error) -> String {
    let text = error.to_string();
    let mut characters = text.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str())
}
