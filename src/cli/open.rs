//! From a configuration to the things that work: the service, an index run, the MCP server.

use crate::cli::CliError;
use crate::config::Config;
use crate::ops::Service;
use crate::ops::reindex::ReindexMode;
use crate::sync::{Progress, TreeSummary};
use crate::vault::Profile;

/// The operations over this vault for this profile.
pub(super) fn service(config: &Config, profile: Profile) -> Result<Service, CliError> {
    let _ = (config, profile);
    Err(not_built_yet())
}

/// Builds the trees of these profiles or brings them up to date, one after the other.
pub(super) fn run_index(
    config: &Config,
    profiles: &[Profile],
    mode: ReindexMode,
    progress: &dyn Progress,
) -> Result<Vec<TreeSummary>, CliError> {
    let _ = (config, profiles, mode, progress);
    Err(not_built_yet())
}

/// Serves one client on standard input and output until it goes away.
pub(super) fn serve_stdio(config: &Config, profile: Profile) -> Result<(), CliError> {
    let _ = (config, profile);
    Err(not_built_yet())
}

fn not_built_yet() -> CliError {
    CliError::Failed { message: "This is not built yet.".to_owned(), hint: String::new() }
}
