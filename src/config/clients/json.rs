//! One server into a JSON text: what is there stays as it is, byte for byte. Pure.
//!
//! The text is read twice: by the JSON reader, which says what it means, and by a scanner, which says where that
//! stands. What is written must mean what was wanted, or nothing is.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Value, json};

use super::{NAME, OTHER_KIND, Problem, UNSURE};

const NOT_JSON: Problem = Problem("is not plain JSON; it may hold comments, which would be lost");
/// What an entry has to say; the rest of one that is there is its owner's.
const KEYS: [&str; 2] = ["command", "args"];

/// The text with the server in the object `section`; none if it is there as wanted. A text of blanks counts as none.
pub(super) fn with_server(text: &str, section: &str, entry: &Value) -> Result<Option<String>, Problem> {
    if text.trim().is_empty() {
        let whole = json!({ section: { NAME: entry } });
        return Ok(Some(pretty(&whole, "  ", "\n") + "\n"));
    }
    let before: Value = serde_json::from_str(text).map_err(|_| NOT_JSON)?;
    let wanted = wanted(before.clone(), section, entry)?;
    if wanted == before {
        return Ok(None);
    }
    let edited = edited(text, section, entry).ok_or(UNSURE)?;
    let says: Option<Value> = serde_json::from_str(&edited).ok();
    if says.as_ref() == Some(&wanted) { Ok(Some(edited)) } else { Err(UNSURE) }
}

/// What the text is to mean.
fn wanted(mut before: Value, section: &str, entry: &Value) -> Result<Value, Problem> {
    let root = before.as_object_mut().ok_or(UNSURE)?;
    let servers = root.entry(section).or_insert_with(|| json!({})).as_object_mut().ok_or(UNSURE)?;
    let Some(server) = servers.get_mut(NAME) else {
        servers.insert(NAME.to_owned(), entry.clone());
        return Ok(before);
    };
    let server = server.as_object_mut().ok_or(OTHER_KIND)?;
    if server.contains_key("url") || server.get("type").is_some_and(|kind| kind != "stdio") {
        return Err(OTHER_KIND);
    }
    for key in KEYS {
        server.insert(key.to_owned(), entry[key].clone());
    }
    Ok(before)
}

fn edited(text: &str, section: &str, entry: &Value) -> Option<String> {
    if find(text, &[section]).is_none() {
        set(text, &[], section, &json!({ NAME: entry }))
    } else if find(text, &[section, NAME]).is_none() {
        set(text, &[section], NAME, entry)
    } else {
        KEYS.iter().try_fold(text.to_owned(), |text, key| set(&text, &[section, NAME], key, &entry[key]))
    }
}

/// The text with a member of an object set.
fn set(text: &str, path: &[&str], key: &str, value: &Value) -> Option<String> {
    let object = find(text, path)?;
    let layout = Layout::of(text);
    if let Some(member) = object.member(key) {
        let written = &text[member.value.clone()];
        if serde_json::from_str::<Value>(written).is_ok_and(|written| written == *value) {
            return Some(text.to_owned());
        }
        return Some(replaced(text, member.value.clone(), &layout.value(value, &member.lead)));
    }
    let key = Value::from(key);
    let Some(last) = object.members.last() else {
        let (lead, end) = layout.inside(text, object.inside.start);
        let member = layout.member(&key, value, &lead);
        return Some(replaced(text, object.inside, &format!("{member}{end}")));
    };
    let at = last.value.end;
    Some(replaced(text, at..at, &format!(",{}", layout.member(&key, value, &last.lead))))
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// How a text is set out.
struct Layout {
    newline: &'static str,
    unit: String,
    /// All on one line.
    is_compact: bool,
}

impl Layout {
    fn of(text: &str) -> Layout {
        let first = find(text, &[]).and_then(|root| root.members.into_iter().next());
        let indent = first.map(|first| indent(&first.lead).to_owned()).unwrap_or_default();
        Layout {
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            unit: if indent.is_empty() { "  ".to_owned() } else { indent },
            is_compact: !text.trim().contains('\n') && text.trim() != "{}",
        }
    }

    /// What stands before the first member of an object that was empty, and after it; the object opens at `at`.
    fn inside(&self, text: &str, at: usize) -> (String, String) {
        if self.is_compact {
            return (String::new(), String::new());
        }
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        let outer = &line[..line.len() - line.trim_start().len()];
        let newline = self.newline;
        (format!("{newline}{outer}{}", self.unit), format!("{newline}{outer}"))
    }

    fn member(&self, key: &Value, value: &Value, lead: &str) -> String {
        let colon = if self.is_compact { ":" } else { ": " };
        format!("{lead}{key}{colon}{}", self.value(value, lead))
    }

    /// A value behind a key that `lead` stands before.
    fn value(&self, value: &Value, lead: &str) -> String {
        if !lead.contains('\n') {
            return value.to_string();
        }
        pretty(value, &self.unit, &format!("{}{}", self.newline, indent(lead)))
    }
}

/// What stands on the line before a key.
fn indent(lead: &str) -> &str {
    lead.rsplit_once('\n').map_or("", |(_, indent)| indent)
}

fn pretty(value: &Value, unit: &str, newline: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    value.serialize(&mut serializer).expect("a JSON value can be written as JSON");
    // No text within JSON holds a line end as such.
    String::from_utf8(bytes).expect("JSON is UTF-8").replace('\n', newline)
}

/// Where an object of a valid text stands.
struct Object {
    /// From behind the opening brace to the closing one.
    inside: Range<usize>,
    members: Vec<Member>,
}

struct Member {
    key: String,
    /// The blanks before the key, from the brace or the comma on.
    lead: String,
    value: Range<usize>,
}

impl Object {
    /// The last member of this name, which is the one that counts.
    fn member(&self, key: &str) -> Option<&Member> {
        self.members.iter().rfind(|member| member.key == key)
    }
}

/// The object at the end of a path of keys, from the outermost one on.
fn find(text: &str, path: &[&str]) -> Option<Object> {
    let mut object = object_at(text, blanks_end(text, 0))?;
    for key in path {
        object = object_at(text, object.member(key)?.value.start)?;
    }
    Some(object)
}

fn object_at(text: &str, open: usize) -> Option<Object> {
    let bytes = text.as_bytes();
    if bytes.get(open) != Some(&b'{') {
        return None;
    }
    let mut members = Vec::new();
    let mut at = open + 1;
    loop {
        let start = at;
        at = blanks_end(text, at);
        if bytes.get(at) == Some(&b'}') {
            return Some(Object { inside: open + 1..at, members });
        }
        let lead = text[start..at].to_owned();
        let key_end = value_end(text, at)?;
        let key = serde_json::from_str(&text[at..key_end]).ok()?;
        let colon = blanks_end(text, key_end);
        let value_start = blanks_end(text, colon + 1);
        let value = value_start..value_end(text, value_start)?;
        at = blanks_end(text, value.end);
        members.push(Member { key, lead, value });
        if bytes.get(at) == Some(&b',') {
            at += 1;
        }
    }
}

fn blanks_end(text: &str, at: usize) -> usize {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    at + text.as_bytes().iter().skip(at).take_while(|byte| is_blank(byte)).count()
}

/// The end of the value that begins here.
fn value_end(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate().skip(start);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => {
                let mut is_escaped = false;
                bytes.find(|(_, byte)| {
                    let is_end = *byte == b'"' && !is_escaped;
                    is_escaped = *byte == b'\\' && !is_escaped;
                    is_end
                });
                if depth == 0 {
                    return bytes.next().map_or(Some(text.len()), |(next, _)| Some(next));
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    (depth == 0).then_some(text.len())
}
