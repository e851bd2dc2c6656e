//! Where the properties of a note may stand: wider than Obsidian's own rule, so that no reader
//! finds properties that the judge did not.

use std::ops::Range;

use crate::vault::fold::is_ignorable;

/// Lines looked at when a block never ends.
const OPEN_BLOCK_LINES: usize = 200;
/// Lines a second block may have.
const SECOND_BLOCK_LINES: usize = 64;

/// A piece of a note that may hold properties.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Area<'a> {
    /// The lines between the fences.
    pub(super) text: &'a str,
    /// Where they begin in the note, in bytes.
    pub(super) start: usize,
    /// It stands between `---` fences, both there: worth reading as YAML.
    pub(super) is_yaml: bool,
}

/// The areas at the head of a note.
pub(super) fn areas(text: &str) -> Vec<Area<'_>> {
    let mut lines = Lines { text, at: 0 }.skip_while(|line| bare(line.text).is_empty());
    let Some(first) = lines.next() else { return Vec::new() };
    let opening = bare(first.text);
    if is_fence(&opening, '-') || names_language(&opening) {
        yaml_areas(text, first.end)
    } else if is_fence(&opening, '+') {
        vec![Area { text: block(text, first.end, '+').0, start: first.end, is_yaml: false }]
    } else if opens_json(&opening) {
        vec![Area { text: head(&text[first.start..]), start: first.start, is_yaml: false }]
    } else {
        Vec::new()
    }
}

/// A `---` block, and another right behind it: some tools stack them.
fn yaml_areas(text: &str, start: usize) -> Vec<Area<'_>> {
    let (first, end) = block(text, start, '-');
    let mut areas = vec![Area { text: first, start, is_yaml: end.is_some() }];
    if let Some(lines) = end.and_then(|end| second_block(text, end)) {
        areas.push(Area { start: lines.start, text: &text[lines], is_yaml: true });
    }
    areas
}

/// The text up to the closing fence and where the fence ends; without a fence, up to `...`; without
/// either, the first lines. A `...` before the fence is part of the text: some readers stop there
/// and some do not.
fn block(text: &str, start: usize, mark: char) -> (&str, Option<usize>) {
    let mut dots = None;
    for line in (Lines { text, at: start }) {
        let line_text = bare(line.text);
        if is_fence(&line_text, mark) {
            return (&text[start..line.start], Some(line.end));
        }
        if line_text == "..." && dots.is_none() {
            dots = Some(line);
        }
    }
    // A reader that knows only `---` finds no block here at all.
    match dots {
        Some(line) => (&text[start..line.start], Some(line.end)),
        None => (head(&text[start..]), None),
    }
}

/// Lines right behind the first block that look like properties and end with a fence; they may
/// begin with one of their own.
fn second_block(text: &str, after: usize) -> Option<Range<usize>> {
    let mut start = after;
    let mut is_begun = false;
    for line in (Lines { text, at: after }).take(SECOND_BLOCK_LINES) {
        let line_text = bare(line.text);
        match (is_fence(&line_text, '-'), is_begun) {
            (true, true) => return Some(start..line.start),
            (true, false) => (start, is_begun) = (line.end, true),
            (false, _) if line_text.is_empty() => {}
            (false, _) if looks_like_property(&line_text) => is_begun = true,
            (false, _) => return None,
        }
    }
    None
}

fn looks_like_property(bare_line: &str) -> bool {
    bare_line.contains(':') || bare_line.starts_with(['-', '#'])
}

/// The first lines of a text.
fn head(text: &str) -> &str {
    let end = Lines { text, at: 0 }.take(OPEN_BLOCK_LINES).last().map_or(0, |line| line.end);
    &text[..end]
}

/// Three marks or more, and nothing else.
fn is_fence(bare_line: &str, mark: char) -> bool {
    bare_line.len() >= 3 && bare_line.chars().all(|c| c == mark)
}

/// `---yaml`, `--- # comment`: some readers name the language of the block behind its fence.
fn names_language(bare_line: &str) -> bool {
    let Some(rest) = bare_line.strip_prefix("---").map(str::trim_start) else { return false };
    rest.starts_with('#') || (!rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// `{` alone, or before a quoted key or the end of the map.
fn opens_json(bare_line: &str) -> bool {
    let inside = bare_line.strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '\'', '}']))
}

/// A line without what cannot be seen. Only the beginning: longer lines are no fences.
fn bare(line: &str) -> String {
    line.chars().filter(|c| !is_ignorable(*c)).take(256).collect::<String>().trim().to_owned()
}

/// A line and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    /// After the line end.
    end: usize,
}

/// The lines of a text, ended by anything that any program takes for a line end.
pub(super) struct Lines<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = &self.text[self.at..];
        if rest.is_empty() {
            return None;
        }
        let start = self.at;
        let (length, ending) =
            rest.char_indices().find_map(|(at, c)| line_end(rest, at, c)).unwrap_or((rest.len(), 0));
        self.at = start + length + ending;
        Some(Line { text: &rest[..length], start, end: self.at })
    }
}

/// `(length of the line, length of its end)` where `c` ends a line.
fn line_end(rest: &str, at: usize, c: char) -> Option<(usize, usize)> {
    match c {
        '\r' if rest[at + 1..].starts_with('\n') => Some((at, 2)),
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some((at, c.len_utf8())),
        _ => None,
    }
}
