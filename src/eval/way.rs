//! The ways of searching that are held side by side.

use serde::{Deserialize, Serialize};

use crate::ops::search::{Mode, Rerank};

/// A way of searching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// Words only.
    Keyword,
    /// Meaning only.
    Semantic,
    /// Words and meaning, fused.
    Hybrid,
    /// The same, and a reranker looks at the best.
    Reranked,
}

impl Way {
    /// What is asked for.
    pub fn mode(self) -> Mode {
        match self {
            Way::Keyword => Mode::Keyword,
            Way::Semantic => Mode::Semantic,
            Way::Hybrid | Way::Reranked => Mode::Hybrid,
        }
    }

    pub(super) fn rerank(self) -> Rerank {
        if self == Way::Reranked { Rerank::IfConfigured } else { Rerank::Off }
    }
}
