//! The models of each profile: what may see public notes may be more than what may see all.

use std::sync::Arc;

use crate::embed::Models;
use crate::vault::Profile;

/// Where the vectors of each tree come from.
#[derive(Clone)]
pub struct ModelsByProfile {
    /// For texts of public notes.
    pub public: Arc<dyn Models>,
    /// For texts of all notes.
    pub full: Arc<dyn Models>,
}

impl ModelsByProfile {
    /// Those of one profile.
    pub fn of(&self, profile: Profile) -> &Arc<dyn Models> {
        match profile {
            Profile::Public => &self.public,
            Profile::Full => &self.full,
        }
    }
}
