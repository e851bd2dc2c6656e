//! THE WALL: the only code that reads the vault.

pub mod rules;

use std::sync::Arc;

pub use rules::{RuleError, RuleText, Rules};

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

/// The rules could not be read or understood: every request fails closed.
#[derive(Debug, thiserror::Error)]
#[error("the privacy rules cannot be read: {0}")]
pub struct RulesUnavailable(pub String);

/// Where the current rules come from. Asked on every request.
pub trait RulesSource: Send + Sync {
    /// The rules as they stand now; an error serves nothing.
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable>;
}

/// Rules that never change, for a vault without a configuration file.
pub struct FixedRules(pub Arc<Rules>);

impl RulesSource for FixedRules {
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable> {
        Ok(Arc::clone(&self.0))
    }
}
