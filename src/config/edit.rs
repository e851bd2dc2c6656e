//! One setting into the configuration file that is there: nothing else of it changes, comments and blank lines
//! included. What cannot be put there for sure is left to its owner.

use std::ops::Range;
use std::path::Path;

use toml::de::DeTable;

use crate::config::file::ConfigFile;
use crate::config::{ConfigError, Environment, disk, trust};

const SECTION: &str = "search";
const KEY: &str = "meaning_weight";

/// Sets `[search] meaning_weight` in a configuration file, with two decimals. The file is replaced as a whole; it
/// keeps its mode and its place behind links.
pub fn write_meaning_weight(environment: &Environment, file: &Path, weight: f64) -> Result<(), ConfigError> {
    let refused = |problem: String| ConfigError::File {
        file: file.to_owned(),
        problem,
        fix: format!("Write `{KEY} = {weight:.2}` below [{SECTION}] yourself."),
    };
    let Some(read) = trust::read_file(file, environment.user_id)? else {
        return Err(ConfigError::NoFile { file: file.to_owned() });
    };
    let text = std::str::from_utf8(&read.bytes).ok();
    let Some(text) = text.and_then(|text| with_meaning_weight(text, weight)) else {
        return Err(refused("is written in a way in which the line cannot be added for sure".to_owned()));
    };
    if read.access.owner != environment.user_id {
        return Err(refused("belongs to another user".to_owned()));
    }
    disk::replace(&read, &text).map_err(|error| refused(format!("cannot be written ({error})")))
}

/// The text with this weight, and the same as before in all else that it says.
fn with_meaning_weight(text: &str, weight: f64) -> Option<String> {
    let value = format!("{weight:.2}");
    let edited = edited(text, &value)?;
    let mut wanted: toml::Table = toml::from_str(text).ok()?;
    let section = wanted.entry(SECTION).or_insert_with(|| toml::Table::new().into());
    section.as_table_mut()?.insert(KEY.to_owned(), toml::Value::Float(value.parse().ok()?));
    let says: toml::Table = toml::from_str(&edited).ok()?;
    (says == wanted && ConfigFile::parse(edited.as_bytes()).is_ok()).then_some(edited)
}

/// The value where one stands; else a line below the section's; else both at the end.
fn edited(text: &str, value: &str) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some((name, section)) = table.get_ref().iter().find(|(name, _)| name.get_ref() == SECTION) else {
        let gap = if text.ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
        return Some(format!("{text}{gap}[{SECTION}]{newline}{KEY} = {value}{newline}"));
    };
    if let Some(written) = section.get_ref().as_table()?.get(KEY) {
        return Some(replaced(text, written.span(), value));
    }
    let line_end = text[name.span().end..].find('\n').map(|at| name.span().end + at + 1);
    let line = format!("{KEY} = {value}{newline}");
    Some(match line_end {
        Some(at) => replaced(text, at..at, &line),
        None => format!("{text}{newline}{line}"),
    })
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

#[cfg(test)]
mod tests {
    use super::with_meaning_weight;

    #[test]
    fn one_line_changes_and_no_other() {
        let rows = [
            ("[vault]\n", "[vault]\n\n[search]\nmeaning_weight = 0.55\n"),
            ("[vault] # no end", "[vault] # no end\n\n[search]\nmeaning_weight = 0.55\n"),
            ("[vault]\r\n", "[vault]\r\n\r\n[search]\r\nmeaning_weight = 0.55\r\n"),
            ("\u{feff}[vault]\n", "\u{feff}[vault]\n\n[search]\nmeaning_weight = 0.55\n"),
            (
                "[search] # mine\n# meaning_weight = 0.4\n\n[vault]\n",
                "[search] # mine\nmeaning_weight = 0.55\n# meaning_weight = 0.4\n\n[vault]\n",
            ),
            ("[search]", "[search]\nmeaning_weight = 0.55\n"),
            (
                "# [search]\n[search]\n  meaning_weight=1 # was .4\n[server]\n",
                "# [search]\n[search]\n  meaning_weight=0.55 # was .4\n[server]\n",
            ),
            ("search.meaning_weight = 0.4\n[vault]\n", "search.meaning_weight = 0.55\n[vault]\n"),
            ("search = { meaning_weight = 0.4 }\n", "search = { meaning_weight = 0.55 }\n"),
            (
                "[vault]\nname = '''\n[search]\n'''\n",
                "[vault]\nname = '''\n[search]\n'''\n\n[search]\nmeaning_weight = 0.55\n",
            ),
        ];
        for (before, after) in rows {
            assert_eq!(with_meaning_weight(before, 0.55).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn what_cannot_be_sure_is_refused() {
        for text in
            ["search = {}\n", "search = { }\n[vault]\n", "[search\n", "[search]\nweight = 1\n", "search = 1"]
        {
            assert_eq!(with_meaning_weight(text, 0.55), None, "{text}");
        }
    }
}
