//! Who may see what. Pure: rule text and note bytes in, verdict out; fails closed.

/// The rules as the owner wrote them, `[privacy]` and the limits of `[vault]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// Private folders: globs per segment; with `/` anchored at the root, without at any depth.
    pub folders: Vec<String>,
    /// Private tags; nested tags match.
    pub tags: Vec<String>,
    /// The property that makes a note private.
    pub frontmatter_flag: Option<String>,
    /// Every note with a malformed properties block is private.
    pub strict: bool,
    /// Folders and files that do not exist for obsearch, on any profile: globs per segment.
    pub ignore_patterns: Vec<String>,
    /// Larger notes are not served.
    pub max_note_bytes: u64,
}

impl Default for RuleText {
    fn default() -> Self {
        RuleText {
            folders: Vec::new(),
            tags: Vec::new(),
            frontmatter_flag: None,
            strict: false,
            ignore_patterns: [".git", ".obsidian", ".trash"].map(str::to_owned).to_vec(),
            max_note_bytes: 16 * 1024 * 1024,
        }
    }
}

/// A rule that cannot be understood; nothing is served until it is mended.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{rule}` is not a valid rule: {reason}")]
pub struct RuleError {
    /// The rule as written.
    pub rule: String,
    /// What is wrong and what to write instead.
    pub reason: String,
}

/// The rules, compiled.
#[derive(Debug)]
pub struct Rules {}

impl Rules {
    /// Compiles the rules; one bad rule refuses them all.
    pub fn compile(text: &RuleText) -> Result<Rules, RuleError> {
        let _ = text;
        Ok(Rules {})
    }
}
