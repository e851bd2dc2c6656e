//! YAML of the properties block -> JSON values, within a budget.
//!
//! Works on parser events, not through serde, so that scalars stay as they are written: a date, a
//! leading zero or `1.10` is text, and only a number that JSON would print the same way becomes a
//! number. Custom tags never construct anything: a tagged node is its plain content.
//! Knows nothing of which properties mean what.
//!
//! Decisions where YAML leaves a choice: `yes`, `no`, `on`, `off` are text (as in YAML 1.2); a list
//! as a key becomes its JSON text; a map as a key is refused, because in practice it is an unquoted
//! template placeholder such as `{{title}}`.
use std::collections::HashMap;

use serde_json::{Map, Number, Value};
use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle};

/// Longer blocks are not read.
pub(super) const MAX_INPUT_BYTES: usize = 64 * 1024;
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 64;
const MAX_ALIASES: usize = 100;

/// Why a block has no properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum YamlError {
    /// Not YAML, or not one document.
    #[error("not valid YAML")]
    Syntax,
    /// The document is not a map.
    #[error("the properties are not a map")]
    NotAMap,
    /// The same key twice in one map.
    #[error("a key is given twice")]
    DuplicateKey,
    /// A map as a key, or a merge of something that is no map.
    #[error("a key cannot be used")]
    BadKey,
    /// Over one of the limits above.
    #[error("the properties are too large")]
    Budget,
}

/// Reads one YAML map. An empty document is an empty map.
pub(super) fn read_map(text: &str) -> Result<Map<String, Value>, YamlError> {
    if text.len() > MAX_INPUT_BYTES {
        return Err(YamlError::Budget);
    }
    match Composer::new(text).document()? {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(YamlError::NotAMap),
    }
}

/// A value and the number of nodes in it, so that an alias costs what it expands to.
#[derive(Clone)]
struct Node {
    value: Value,
    nodes: usize,
    is_merge_key: bool,
}

/// Builds values from the parser's events, counting what they cost.
struct Composer<'t> {
    events: Parser<'t, serde_saphyr::granit_parser::StrInput<'t>>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    aliases: usize,
}

impl<'t> Composer<'t> {
    fn new(text: &'t str) -> Self {
        Self { events: Parser::new_from_str(text), anchors: HashMap::new(), nodes: 0, aliases: 0 }
    }

    fn document(&mut self) -> Result<Value, YamlError> {
        let mut root = None;
        loop {
            match self.next()? {
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                Event::StreamEnd => return Ok(root.unwrap_or(Value::Null)),
                _ if root.is_some() => return Err(YamlError::Syntax),
                event => root = Some(self.node(event, 0)?.value),
            }
        }
    }

    fn next(&mut self) -> Result<Event<'t>, YamlError> {
        loop {
            match self.events.next_event() {
                Some(Ok((Event::Comment(..), _))) => {}
                Some(Ok((event, _))) => return Ok(event),
                Some(Err(_)) | None => return Err(YamlError::Syntax),
            }
        }
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Result<Node, YamlError> {
        if depth > MAX_DEPTH {
            return Err(YamlError::Budget);
        }
        self.spend(1)?;
        let (anchor, node) = match event {
            Event::Alias(anchor) => return self.alias(anchor),
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let value = if plain { plain_value(&text) } else { Value::String(text.into_owned()) };
                let is_merge_key = plain && value == "<<";
                (anchor, Node { value, nodes: 1, is_merge_key })
            }
            Event::SequenceStart(_, anchor, _) => (anchor, self.sequence(depth)?),
            Event::MappingStart(_, anchor, _) => (anchor, self.mapping(depth)?),
            _ => return Err(YamlError::Syntax),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, anchor: usize) -> Result<Node, YamlError> {
        self.aliases += 1;
        if self.aliases > MAX_ALIASES {
            return Err(YamlError::Budget);
        }
        // An alias inside its own anchor has no value yet.
        let nodes = self.anchors.get(&anchor).ok_or(YamlError::Syntax)?.nodes;
        self.spend(nodes)?;
        self.anchors.get(&anchor).cloned().ok_or(YamlError::Syntax)
    }

    fn sequence(&mut self, depth: usize) -> Result<Node, YamlError> {
        let (mut items, mut nodes) = (Vec::new(), 1);
        loop {
            match self.next()? {
                Event::SequenceEnd => return Ok(Node { value: items.into(), nodes, is_merge_key: false }),
                event => {
                    let item = self.node(event, depth + 1)?;
                    nodes += item.nodes;
                    items.push(item.value);
                }
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Node, YamlError> {
        let (mut own, mut merged, mut nodes) = (Map::new(), Vec::new(), 1);
        loop {
            let key = match self.next()? {
                Event::MappingEnd => break,
                event => self.node(event, depth + 1)?,
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            nodes += key.nodes + value.nodes;
            if key.is_merge_key {
                merged.push(value.value);
            } else if own.insert(key_text(key.value)?, value.value).is_some() {
                return Err(YamlError::DuplicateKey);
            }
        }
        merged.into_iter().try_for_each(|source| merge(&mut own, source))?;
        Ok(Node { value: Value::Object(own), nodes, is_merge_key: false })
    }

    fn spend(&mut self, nodes: usize) -> Result<(), YamlError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES { Err(YamlError::Budget) } else { Ok(()) }
    }
}

/// Adds the pairs of a `<<` source, a map or a list of maps. What is already there wins.
fn merge(own: &mut Map<String, Value>, source: Value) -> Result<(), YamlError> {
    match source {
        Value::Object(map) => map.into_iter().for_each(|(key, value)| {
            own.entry(key).or_insert(value);
        }),
        Value::Array(sources) if sources.iter().all(Value::is_object) => {
            sources.into_iter().try_for_each(|source| merge(own, source))?;
        }
        _ => return Err(YamlError::BadKey),
    }
    Ok(())
}

fn key_text(key: Value) -> Result<String, YamlError> {
    match key {
        Value::String(text) => Ok(text),
        Value::Object(_) => Err(YamlError::BadKey),
        Value::Array(ref items) if items.iter().any(Value::is_object) => Err(YamlError::BadKey),
        Value::Null => Ok(String::new()),
        other => Ok(other.to_string()),
    }
}

/// The value of an unquoted scalar without a tag.
fn plain_value(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// A number only where JSON prints the very same text: not `007`, `1.10`, `1e3`, `.inf` or 30 digits.
fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') || text.len() > 32 {
        return None;
    }
    let parsed = match text.parse::<i64>() {
        Ok(whole) => Number::from(whole),
        Err(_) => Number::from_f64(text.parse().ok()?)?,
    };
    (parsed.to_string() == text).then_some(parsed)
}

#[cfg(test)]
mod tests;
