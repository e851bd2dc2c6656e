//! The properties block at the top of a note.

/// Properties as Obsidian shows them, and the few that obsearch uses by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frontmatter {
    /// All properties in written order, as JSON values (dates and leading-zero numbers stay text).
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// The `title` property.
    pub title: Option<String>,
    /// The `description` property (or `summary`).
    pub description: Option<String>,
    /// `aliases` or `alias`, list or string.
    pub aliases: Vec<String>,
    /// `tags` or `tag`, list or string, without `#`.
    pub tags: Vec<String>,
    /// The block is there but is not valid YAML: properties are empty.
    pub malformed: bool,
}
