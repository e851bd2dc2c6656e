//! The properties block at the top of a note.
//!
//! The block opens with a first line of exactly `---` (blanks after it are tolerated, a byte order
//! mark may stand before it) and ends with the next such line; without that second line there is
//! no block. What the block says is never an error: invalid YAML, and YAML over the budget, leave
//! all properties empty and set `malformed`. Must not know what the body says.
//!
//! Tags here are looser than in the body, because people bring tags from other tools: any word
//! without blanks, commas, `#`, quotes or brackets is one (`c++`, `node.js`). `true` is a tag, as it
//! is a word; 2031 and 1.5 are none, as a number is not a name. A text that holds a template
//! placeholder (`{{…}}`, `<%…%>`) gives no tag, alias or title.
use std::collections::HashSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::lines::first_line;
use super::link::{self, Link};
use super::{fold, inline, yaml};

/// Properties as Obsidian shows them, and the few that obsearch uses by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Frontmatter {
    /// All properties in written order, as JSON values (dates and leading-zero numbers stay text).
    pub properties: Map<String, Value>,
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

/// Where the parts of a note's head lie.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The YAML between the fences, if there are fences.
    pub(super) yaml: Option<Range<usize>>,
    /// After the closing fence, else after the byte order mark, else 0.
    pub(super) body_start: usize,
}

/// Finds the properties block.
pub(super) fn locate(text: &str) -> Head {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let none = Head { yaml: None, body_start: start };
    let (line, opening_bytes) = first_line(&text[start..]);
    if !is_fence(line) {
        return none;
    }
    let yaml_start = start + opening_bytes;
    let mut at = yaml_start;
    while at < text.len() {
        let (line, line_bytes) = first_line(&text[at..]);
        if is_fence(line) {
            return Head { yaml: Some(yaml_start..at), body_start: at + line_bytes };
        }
        at += line_bytes;
    }
    none
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.trim_matches([' ', '\t']).is_empty())
}

/// Reads the YAML between the fences.
pub(super) fn read(yaml_text: &str) -> Frontmatter {
    let Ok(properties) = yaml::read_map(yaml_text) else {
        return Frontmatter { malformed: true, ..Frontmatter::default() };
    };
    let named = |names: [&str; 2]| -> Vec<&Value> {
        properties
            .iter()
            .filter(|(key, _)| names.contains(&&*fold(key.trim())))
            .map(|(_, value)| value)
            .collect()
    };
    let first_text = |names| named(names).into_iter().find_map(one_text);
    let title = first_text(["title", "title"]);
    let description = first_text(["description", "summary"]);
    let aliases = distinct(named(["aliases", "alias"]).into_iter().flat_map(alias_names));
    let tags = distinct(named(["tags", "tag"]).into_iter().flat_map(tag_names));
    Frontmatter { title, description, aliases, tags, properties, malformed: false }
}

/// The wikilinks in the texts of properties, which Obsidian counts as links of the note.
pub(super) fn links(text: &str, yaml: Range<usize>, properties: &Map<String, Value>) -> Vec<Link> {
    let linking: Vec<String> =
        properties.values().flat_map(texts_in_all).filter(|text| text.contains("[[")).collect();
    let linked: HashSet<&str> =
        linking.iter().flat_map(|text| wikilinks(text)).map(|(_, link)| link).collect();
    if linked.is_empty() {
        return Vec::new();
    }
    let found = wikilinks(&text[yaml.clone()]).into_iter().filter(|(_, link)| linked.contains(link));
    let read = |(at, link): (usize, &str)| {
        let start = yaml.start + at;
        link::read_wikilink(&link[2..link.len() - 2], false, start..start + link.len())
    };
    found.filter_map(read).collect()
}

/// Every `[[…]]` in a text and where it begins.
fn wikilinks(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("[[")).map(|offset| at + offset) {
        let end = inline::wikilink_end(text, start);
        found.extend(end.map(|end| (start, &text[start..end])));
        at = end.unwrap_or(start + 1);
    }
    found
}

/// All texts in a value, also those in maps.
fn texts_in_all(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts_in_all).collect(),
        Value::Object(map) => map.values().flat_map(texts_in_all).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The value as one line of text, if it is a scalar with something in it.
fn one_text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty() && !has_placeholder(text))
}

/// All texts in a scalar or in a list, however nested. Maps give nothing.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(flag) => vec![flag.to_string()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Null | Value::Object(_) => Vec::new(),
    }
}

/// A single text is cut at commas; an item of a list may hold one (`- Smith, Jane`).
fn alias_names(value: &Value) -> Vec<String> {
    let usable = |name: &&str| !name.is_empty() && !has_placeholder(name);
    let separators: &[char] = if value.is_array() { &['\n'] } else { &['\n', ','] };
    let cut =
        |text: &String| text.split(separators).map(str::trim).filter(usable).map(str::to_owned).collect();
    texts(value).iter().flat_map(|text| -> Vec<String> { cut(text) }).collect()
}

/// A number by itself is no tag.
fn tag_names(value: &Value) -> Vec<String> {
    match value {
        Value::Number(_) => Vec::new(),
        Value::Array(items) => items.iter().flat_map(tag_names).collect(),
        other => texts(other).iter().flat_map(|text| split_tags(text)).collect(),
    }
}

fn split_tags(text: &str) -> Vec<String> {
    // Blanks inside a placeholder must not cut it into harmless-looking words.
    let text = blank_placeholders(text);
    text.split(|c: char| c == ',' || c.is_whitespace()).filter_map(tag_name).collect()
}

/// The tag that a word of the `tags` property means, if it means one.
fn tag_name(word: &str) -> Option<String> {
    let name = word.trim_start_matches('#').trim_matches('/');
    let allowed = |c: char| !c.is_control() && !"#\"'`[]{}()<>|\\\u{0}".contains(c);
    let is_number = name.chars().all(|c| c.is_numeric() || c == '.');
    (name.contains(inline::is_name_char) && name.chars().all(allowed) && !is_number).then(|| name.to_owned())
}

const PLACEHOLDERS: [(&str, &str); 2] = [("{{", "}}"), ("<%", "%>")];

fn has_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|(open, close)| text.contains(open) || text.contains(close))
}

/// Replaces each placeholder by NUL, which no tag may hold.
fn blank_placeholders(text: &str) -> String {
    let mut text = text.to_owned();
    for (open, close) in PLACEHOLDERS {
        let mut out = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some((before, after)) = rest.split_once(open) {
            out.push_str(before);
            out.push('\0');
            rest = after.split_once(close).map_or("", |(_, after)| after);
        }
        out.push_str(rest);
        text = out;
    }
    text
}

/// The first of several that are equal under case folding.
pub(super) fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.into_iter().filter(|name| seen.insert(fold(name))).collect()
}

#[cfg(test)]
mod tests;
