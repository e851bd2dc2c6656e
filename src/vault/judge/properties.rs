//! Flags and tags in the properties: read as YAML and, beside it, as raw text. Either may say
//! private. Where YAML cannot be read, the raw text alone decides and its net is wide.

use super::area::{Area, Lines};
use super::node::Node;
use crate::vault::fold::fold;
use crate::vault::rules::Rules;

/// Larger blocks are not read as YAML.
const MAX_YAML_BYTES: usize = 64 * 1024;

/// Do these properties make the note private?
pub(super) fn is_private(rules: &Rules, area: &Area<'_>) -> bool {
    if !rules.strict && cannot_mention(rules, area.text) {
        return false;
    }
    let yaml = if area.is_yaml { read_yaml(area.text) } else { None };
    match yaml {
        Some(node) => node_is_private(rules, &node) || lines_are_private(rules, area.text),
        None => rules.strict || words_are_private(rules, area.text),
    }
}

/// Neither the flag nor a private tag stands in the text, not even as a part of a word. Every way
/// for YAML to put together a word that is not written as such takes a backslash, so such a block is
/// not asked further; most are not.
fn cannot_mention(rules: &Rules, text: &str) -> bool {
    let folded = fold(text);
    !text.contains('\\') && !rules.tags.iter().chain(&rules.flag).any(|word| folded.contains(&**word))
}

/// A tag property at the top of a well-formed block that makes the note public where notes are
/// private by default.
pub(super) fn has_allowed_tag(rules: &Rules, area: &Area<'_>) -> bool {
    let yaml = if area.is_yaml { read_yaml(area.text) } else { None };
    let Some(Node::Map(entries)) = yaml else { return false };
    let is_tags = |key: &Node| matches!(key, Node::Text(key) if matches!(fold(key).trim(), "tags" | "tag"));
    let tags = entries.iter().filter(|(key, _)| is_tags(key)).flat_map(|(_, value)| value.texts());
    tags.flat_map(split_tags).any(|tag| rules.allows_folded_tag(&tag))
}

/// The block as YAML: a map, or nothing at all. `None` for anything else.
fn read_yaml(text: &str) -> Option<Node> {
    if text.len() > MAX_YAML_BYTES {
        return None;
    }
    if text.trim().is_empty() {
        return Some(Node::Map(Vec::new()));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: 10_000,
            max_depth: 64,
            max_aliases: 100,
            max_documents: 1,
        },
        leading_zero_numbers_as_strings: true,
    };
    match serde_saphyr::from_str_with_options::<Node>(text, options) {
        Ok(node @ (Node::Map(_) | Node::Empty)) => Some(node),
        _ => None,
    }
}

/// The flag or a private tag, at any depth.
fn node_is_private(rules: &Rules, node: &Node) -> bool {
    match node {
        Node::Empty | Node::Text(_) => false,
        Node::List(items) => items.iter().any(|item| node_is_private(rules, item)),
        Node::Map(entries) => entries.iter().any(|(key, value)| {
            entry_is_private(rules, key, value)
                || node_is_private(rules, key)
                || node_is_private(rules, value)
        }),
    }
}

fn entry_is_private(rules: &Rules, key: &Node, value: &Node) -> bool {
    let Node::Text(key) = key else { return false };
    let key = fold(key);
    let key = key.trim();
    let flagged =
        rules.flag.as_deref() == Some(key) && !matches!(value, Node::Text(value) if is_plainly_off(value));
    let tagged = matches!(key, "tags" | "tag") && value.texts().any(|text| has_private_tag(rules, text));
    flagged || tagged
}

/// `false`, `no`, `off`, `n` or `0`, in any case, quoted or not.
fn is_plainly_off(value: &str) -> bool {
    let folded = fold(value);
    matches!(folded.trim().trim_matches(['"', '\'']).trim(), "false" | "no" | "off" | "n" | "0")
}

fn has_private_tag(rules: &Rules, text: &str) -> bool {
    split_tags(text).iter().any(|tag| rules.hides_folded_tag(tag))
}

/// The folded tags of a tag property: split at commas and blanks, with or without `#`.
fn split_tags(text: &str) -> Vec<String> {
    fold(text)
        .split(|c: char| c == ',' || c.is_whitespace())
        .map(|tag| tag.trim_start_matches('#').trim_matches(['"', '\'', '/']).to_owned())
        .collect()
}

/// The raw lines of a readable block: the flag as a key, comments included, and private tags on
/// the lines of a tag property.
fn lines_are_private(rules: &Rules, text: &str) -> bool {
    let mut in_tags = false;
    (Lines { text, at: 0 }).any(|line| {
        let line = fold(line.text);
        let content = line.trim_start_matches([' ', '\t', '#']);
        let continues = line.trim().is_empty() || line.starts_with([' ', '\t', '-', '#']);
        in_tags = is_tag_key(content) || (in_tags && continues);
        rules.flag.as_deref().is_some_and(|flag| sets_flag(&line, flag))
            || (in_tags && rules.tags.iter().any(|tag| has_word(&line, tag)))
    })
}

fn is_tag_key(content: &str) -> bool {
    let key = content.trim_start_matches(['"', '\'']);
    let rest = key.strip_prefix("tags").or_else(|| key.strip_prefix("tag"));
    rest.is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ', '\t']).starts_with(':'))
}

/// `flag:` on a line, as a key of its own, with a value that is not plainly off.
fn sets_flag(line: &str, flag: &str) -> bool {
    line.match_indices(flag).any(|(at, _)| {
        let starts =
            !line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
        let rest = line[at + flag.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
        starts && rest.strip_prefix(':').is_some_and(|value| !is_plainly_off(first_value(value)))
    })
}

/// The value behind a colon: up to a comment or the end of a flow map.
fn first_value(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len()).min(text.find([',', '}']).unwrap_or(text.len()));
    &text[..end]
}

/// The wide net: the flag or a private tag as a word, anywhere, escapes resolved.
fn words_are_private(rules: &Rules, text: &str) -> bool {
    let words = rules.tags.iter().chain(&rules.flag);
    let readings = [fold(text), fold(&unescape(text))];
    words.into_iter().any(|word| readings.iter().any(|text| has_word(text, word)))
}

/// Does `word` stand in `text` with no letter or digit around it?
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(char::is_alphanumeric)
            && !text[at + word.len()..].starts_with(char::is_alphanumeric)
    })
}

/// Resolves `\xNN`, `\uNNNN` and `\UNNNNNNNN`; leaves the rest alone.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let digits = match rest.as_bytes().get(at + 1) {
            Some(b'x') => 2,
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let code = rest.get(at + 2..at + 2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        if let Some(c) = code.and_then(char::from_u32).filter(|_| digits > 0) {
            plain.push(c);
            rest = &rest[at + 2 + digits..];
        } else {
            plain.push('\\');
            rest = &rest[at + 1..];
        }
    }
    plain + rest
}
