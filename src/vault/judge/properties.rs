//! Flags and tags in the properties: read as YAML and, beside it, as raw text. Either may say
//! private. Where YAML cannot be read, the raw text alone decides and its net is wide.

use super::area::{Area, Lines};
use super::node::Node;
use super::{Mark, Word};
use crate::vault::fold::fold;
use crate::vault::rules::Rules;

/// Larger blocks are not read as YAML.
const MAX_YAML_BYTES: usize = 64 * 1024;

/// What in these properties makes the note private. A word that only YAML finds is placed at the
/// first line with it, or at the beginning of the block.
pub(super) fn marks(rules: &Rules, area: &Area<'_>) -> Vec<Mark> {
    if !rules.strict && cannot_mention(rules, area.text) {
        return Vec::new();
    }
    let yaml = if area.is_yaml { read_yaml(area.text) } else { None };
    let mut marks = match &yaml {
        Some(node) => {
            let mut marks = line_marks(rules, area.text);
            for word in node_words(rules, node) {
                if marks.iter().all(|mark| mark.word != word) {
                    marks.push(Mark { word, at: first_line_with(rules, area.text, word) });
                }
            }
            marks
        }
        None if rules.strict => vec![Mark { word: Word::Malformed, at: 0 }],
        None => word_marks(rules, area.text),
    };
    for mark in &mut marks {
        mark.at += area.start;
    }
    marks
}

/// The words that make a note private, folded.
fn private_words(rules: &Rules) -> impl Iterator<Item = (Word, &str)> {
    let tags = rules.tags.iter().enumerate().map(|(rule, tag)| (Word::Tag(rule), &**tag));
    tags.chain(rules.flag.as_deref().map(|flag| (Word::Flag, flag)))
}

fn first_line_with(rules: &Rules, text: &str, word: Word) -> usize {
    let written = private_words(rules).find(|(candidate, _)| *candidate == word).map_or("", |(_, text)| text);
    (Lines { text, at: 0 }).find(|line| fold(line.text).contains(written)).map_or(0, |line| line.start)
}

/// Neither the flag nor a private tag stands in the text, not even as a part of a word. Every way
/// for YAML to put together a word that is not written as such takes a backslash, so such a block is
/// not asked further; most are not.
fn cannot_mention(rules: &Rules, text: &str) -> bool {
    let folded = fold(text);
    !text.contains('\\') && !private_words(rules).any(|(_, word)| folded.contains(word))
}

/// A tag or the flag at the top of a well-formed block that makes the note public where notes are
/// private by default.
pub(super) fn allow(rules: &Rules, area: &Area<'_>) -> bool {
    let yaml = if area.is_yaml { read_yaml(area.text) } else { None };
    let Some(Node::Map(entries)) = yaml else { return false };
    let named = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&Node> {
        let is_it = |key: &Node| matches!(key, Node::Text(key) if is_meant(fold(key).trim()));
        entries.iter().filter(|(key, _)| is_it(key)).map(|(_, value)| value).collect()
    };
    let tags = named(&is_tags);
    let flags = named(&|key| rules.allow_flag.as_deref() == Some(key));
    // A property that is there in two spellings must say the same in both.
    let all = |values: &[&Node], allows: &dyn Fn(&Node) -> bool| {
        !values.is_empty() && values.iter().all(|value| allows(value))
    };
    all(&tags, &|value| allows_tags(rules, value)) || all(&flags, &is_plainly_on)
}

/// Is one of the tags allowed? In a list each text is one tag, if it is one at all.
fn allows_tags(rules: &Rules, value: &Node) -> bool {
    match value {
        Node::Text(text) => split_tags(text).iter().any(|tag| rules.allows_folded_tag(tag)),
        Node::List(items) => items.iter().any(|item| {
            let Node::Text(text) = item else { return false };
            matches!(&*split_tags(text.trim()), [tag] if rules.allows_folded_tag(tag))
        }),
        Node::Empty | Node::Map(_) => false,
    }
}

fn is_tags(folded_key: &str) -> bool {
    matches!(folded_key, "tags" | "tag")
}

fn is_plainly_on(value: &Node) -> bool {
    let Node::Text(value) = value else { return false };
    matches!(fold(value).trim(), "true" | "yes" | "on" | "y" | "1")
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

/// The flag and private tags, at any depth.
fn node_words(rules: &Rules, node: &Node) -> Vec<Word> {
    match node {
        Node::Empty | Node::Text(_) => Vec::new(),
        Node::List(items) => items.iter().flat_map(|item| node_words(rules, item)).collect(),
        Node::Map(entries) => {
            let mut words = Vec::new();
            for (key, value) in entries {
                words.extend(entry_words(rules, key, value));
                words.extend(node_words(rules, key));
                words.extend(node_words(rules, value));
            }
            words
        }
    }
}

fn entry_words(rules: &Rules, key: &Node, value: &Node) -> Vec<Word> {
    let Node::Text(key) = key else { return Vec::new() };
    let key = fold(key);
    let key = key.trim();
    let mut words = Vec::new();
    if rules.flag.as_deref() == Some(key) && !matches!(value, Node::Text(value) if is_plainly_off(value)) {
        words.push(Word::Flag);
    }
    if is_tags(key) {
        let tags = value.texts().flat_map(split_tags);
        words.extend(tags.filter_map(|tag| rules.hiding_tag(&tag)).map(Word::Tag));
    }
    words
}

/// `false`, `no`, `off`, `n` or `0`, in any case, quoted or not.
fn is_plainly_off(value: &str) -> bool {
    let folded = fold(value);
    matches!(folded.trim().trim_matches(['"', '\'']).trim(), "false" | "no" | "off" | "n" | "0")
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
fn line_marks(rules: &Rules, text: &str) -> Vec<Mark> {
    let mut in_tags = false;
    let mut marks = Vec::new();
    for line in (Lines { text, at: 0 }) {
        let at = line.start;
        let line = fold(line.text);
        let content = line.trim_start_matches([' ', '\t', '#']);
        let continues = line.trim().is_empty() || line.starts_with([' ', '\t', '-', '#']);
        in_tags = is_tag_key(content) || (in_tags && continues);
        let is_set = |word: Word, written: &str| match word {
            Word::Tag(_) => in_tags && has_word(&line, written),
            _ => sets_flag(&line, written),
        };
        let words = private_words(rules).filter(|(word, written)| is_set(*word, written));
        marks.extend(words.map(|(word, _)| Mark { word, at }));
    }
    marks
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
fn word_marks(rules: &Rules, text: &str) -> Vec<Mark> {
    let readings = [fold(text), fold(&unescape(text))];
    private_words(rules)
        .filter(|(_, written)| readings.iter().any(|text| has_word(text, written)))
        .map(|(word, _)| Mark { word, at: first_line_with(rules, text, word) })
        .collect()
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
