//! One server into a TOML text, as Codex keeps it: what is there stays as it is, byte for byte. Pure.

use std::ops::Range;

use toml::de::DeTable;
use toml::{Table, Value};

use super::{Launch, NAME, OTHER_KIND, Problem, UNSURE};

const NOT_TOML: Problem = Problem("is not valid TOML");
const SECTION: &str = "mcp_servers";

/// The text with the server in it; none if it is there as wanted.
pub(super) fn with_server(text: &str, launch: &Launch) -> Result<Option<String>, Problem> {
    let before: Table = toml::from_str(text).map_err(|_| NOT_TOML)?;
    let command = Value::from(launch.command.clone());
    let arguments = Value::from(launch.arguments.clone());
    let wanted = wanted(before.clone(), &command, &arguments)?;
    if wanted == before {
        return Ok(None);
    }
    let is_there = before.get(SECTION).is_some_and(|servers| servers.get(NAME).is_some());
    let edited = if is_there {
        changed(text, &command, &arguments).ok_or(UNSURE)?
    } else {
        appended(text, &command, &arguments)
    };
    let says: Option<Table> = toml::from_str(&edited).ok();
    if says.as_ref() == Some(&wanted) { Ok(Some(edited)) } else { Err(UNSURE) }
}

/// What the text is to mean.
fn wanted(mut before: Table, command: &Value, arguments: &Value) -> Result<Table, Problem> {
    let empty = || Value::Table(Table::new());
    let servers = before.entry(SECTION).or_insert_with(empty).as_table_mut().ok_or(UNSURE)?;
    let server = servers.entry(NAME).or_insert_with(empty).as_table_mut().ok_or(OTHER_KIND)?;
    if server.contains_key("url") {
        return Err(OTHER_KIND);
    }
    server.insert("command".to_owned(), command.clone());
    server.insert("args".to_owned(), arguments.clone());
    Ok(before)
}

fn appended(text: &str, command: &Value, arguments: &Value) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = match text {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let lines = [
        format!("[{SECTION}.{NAME}]"),
        format!("command = {command}"),
        format!("args = {arguments}"),
        String::new(),
    ];
    format!("{text}{gap}{}", lines.join(newline))
}

/// Both values where they stand.
fn changed(text: &str, command: &Value, arguments: &Value) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let server = table.get_ref().get(SECTION)?.get_ref().as_table()?.get(NAME)?.get_ref().as_table()?;
    let place = |key: &str| server.get(key).map(toml::Spanned::span);
    let mut changes: Vec<(Range<usize>, &Value)> =
        vec![(place("command")?, command), (place("args")?, arguments)];
    changes.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, value) in changes {
        text.replace_range(range, &value.to_string());
    }
    Some(text)
}
