//! THE WALL: the only code that reads the vault.
//!
//! It resolves names, opens files, judges their bytes and hands out exactly the bytes it judged.
//! It knows nothing of Markdown beyond what a private note could hide in, and nothing of indexes,
//! protocols or the configuration file.

pub mod path;
pub mod rules;

mod decode;
mod examples;
mod exclusions;
mod explain;
mod fold;
mod gate;
mod glob;
mod judge;
mod links;
mod resolve;
mod scan;
mod walk;
mod watch;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use examples::{example_match, example_name};
pub use explain::{Explanation, Ground, Place, public_version};
pub use gate::{IsWanted, NotFound, Note, Refusal, Released, Session, Vault, VaultError};
pub use path::{InvalidPath, NotePath};
pub use rules::{RuleError, RuleText, Rules, Standing};
pub use scan::FileStat;
pub use walk::{Listed, PassedOver, Walk};
pub use watch::{Watch, WatchError};

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// AI clients: private notes do not exist.
    Public,
    /// The owner: every note.
    Full,
}

impl Profile {
    /// `public` or `full`.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Public => "public",
            Profile::Full => "full",
        }
    }
}

/// The rules could not be read or understood, or the vault is not where it was: every request fails
/// closed.
#[derive(Debug, thiserror::Error)]
#[error("nothing is served: {0}")]
pub struct RulesUnavailable(pub String);

/// Where the current rules come from. Asked on every request.
pub trait RulesSource: Send + Sync {
    /// The rules as they stand now; an error serves nothing.
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable>;
}

impl<T: RulesSource + ?Sized> RulesSource for Arc<T> {
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable> {
        (**self).current()
    }
}

/// Rules that never change, for a vault without a configuration file.
pub struct FixedRules(pub Arc<Rules>);

impl RulesSource for FixedRules {
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable> {
        Ok(Arc::clone(&self.0))
    }
}
