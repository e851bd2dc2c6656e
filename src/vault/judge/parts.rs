//! The private parts of a note that is otherwise public: a `> [!private]` callout, a section under a
//! heading that carries a private tag, and `%%private%%` … `%%/private%%`. They are taken out before
//! anything else sees the text. Wherever programs could differ about the end of a part, it ends at the
//! last of their ends.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};

use super::area::areas;
use super::inline::private_tags;
use crate::vault::fold::{fold, is_ignorable};
use crate::vault::rules::Rules;

/// The word of callouts and ranges, whatever the rules say.
const PRIVATE: &str = "private";
/// No marker is longer, in bytes.
const MAX_MARKER_BYTES: usize = 128;

/// The parts, in order, none touching another. Where rules were joined of sections, the parts of each section
/// are among them, as far as they reach for that section alone.
pub(in crate::vault) fn private_parts(rules: &Rules, text: &str) -> Vec<Range<usize>> {
    let mut parts = ranges(text);
    for rules in rules.sections().iter().chain([rules]) {
        parts.extend(callouts(rules, text));
        parts.extend(sections(rules, text));
    }
    parts.sort_by_key(|part| part.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for part in parts {
        match joined.last_mut() {
            Some(last) if part.start <= last.end => last.end = last.end.max(part.end),
            _ => joined.push(part),
        }
    }
    joined
}

/// The text around the parts.
pub(super) fn without(text: &str, parts: &[Range<usize>]) -> String {
    let starts = std::iter::once(0).chain(parts.iter().map(|part| part.end));
    let ends = parts.iter().map(|part| part.start).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

/// Tells where in the file a place of the text without its parts is.
pub(super) fn places_in_file(parts: &[Range<usize>]) -> impl Fn(usize) -> usize + use<> {
    let mut left_out = 0;
    let gap = |part: &Range<usize>| {
        let at = part.start - left_out;
        left_out += part.len();
        (at, left_out)
    };
    let gaps: Vec<(usize, usize)> = parts.iter().map(gap).collect();
    move |at| {
        let before = gaps.partition_point(|(gap, _)| *gap <= at);
        at + before.checked_sub(1).map_or(0, |last| gaps[last].1)
    }
}

/// From the line of the marker to the next blank line: a line without `>` may still belong to it.
fn callouts(rules: &Rules, text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = None;
    // Beside line feeds, not every program takes a lone carriage return for the end of a line.
    let has_line_feeds = text.contains('\n');
    for line in if text.contains("[!") { lines(text) } else { lines("") } {
        let content = &text[line.clone()];
        let is_line = !(has_line_feeds && text[..line.start].ends_with('\r'));
        if start.is_some() && is_line && content.trim_matches([' ', '\t']).is_empty() {
            parts.extend(start.take().map(|start| start..line.start));
        } else if start.is_none() && is_private_callout(rules, content) {
            start = Some(line.start);
        }
    }
    parts.extend(start.map(|start| start..text.len()));
    parts
}

/// `> [!private]`, in lists and other quotes too.
fn is_private_callout(rules: &Rules, line: &str) -> bool {
    let content = line.trim_start_matches(is_nesting_mark);
    let is_quoted = line[..line.len() - content.len()].contains('>');
    is_quoted && content.strip_prefix("[!").is_some_and(|name| names_private(rules, name))
}

/// Marks of quotes and lists, and what stands between them.
fn is_nesting_mark(c: char) -> bool {
    c.is_whitespace() || is_ignorable(c) || c.is_ascii_digit() || ">-*+.)".contains(c)
}

fn names_private(rules: &Rules, behind: &str) -> bool {
    let Some(name) = until(behind, &["]", "|"]) else { return false };
    let name = fold(name);
    let name = name.trim();
    name == PRIVATE || rules.flag.as_deref() == Some(name) || rules.hiding_tag(name).is_some()
}

/// Markers may be nested; one that is never closed reaches to the end of the note. In code, or behind a
/// backslash, Obsidian sees none: there a marker closes only what was opened in the same manner.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    // Of each marker that is open: does Obsidian see it?
    let mut open: Vec<bool> = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut code = if text.contains("%%") { code(text) } else { Vec::new() }.into_iter().peekable();
    while let Some(found) = text[at..].find("%%").map(|found| at + found) {
        let Some((is_closing, end)) = range_marker(text, found) else {
            at = found + 1; // `%%%private%%`
            continue;
        };
        while code.next_if(|code| code.end <= found).is_some() {}
        let is_in_code = code.peek().is_some_and(|code| code.start <= found);
        let is_seen = !is_in_code && !text[..found].ends_with('\\');
        if !is_closing {
            start = if open.is_empty() { found } else { start };
            open.push(is_seen);
        } else if open.pop_if(|opened| is_seen || !*opened).is_some() && open.is_empty() {
            parts.push(whole_lines(text, start..end));
        }
        at = end;
    }
    if !open.is_empty() {
        parts.push(start..text.len());
    }
    parts
}

/// Code blocks and code spans, in order.
fn code(text: &str) -> Vec<Range<usize>> {
    let is_code = |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    Parser::new(text).into_offset_iter().filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

/// `%%private%%` or `%%/private%%` at this place: does it close, and where does it end?
fn range_marker(text: &str, at: usize) -> Option<(bool, usize)> {
    let inside = until(&text[at + 2..], &["%%"])?;
    let word = fold(inside);
    let word = word.trim();
    let opened = word.strip_prefix('/').map_or(word, str::trim_start);
    (opened == PRIVATE).then_some((opened.len() < word.len(), at + 2 + inside.len() + 2))
}

/// A range that fills its lines takes the end of the last one along, as if it had never been there.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let begins_line = range.start == 0 || text[..range.start].ends_with(['\n', '\r']);
    let ending = ["\r\n", "\n", "\r"].iter().find(|ending| text[range.end..].starts_with(**ending));
    match ending {
        Some(ending) if begins_line => range.start..range.end + ending.len(),
        _ => range,
    }
}

/// A heading of the second level or deeper that carries a private tag, and all up to the next heading of
/// its level or above. A tag in the title of the note speaks of the whole note, and is left for the judge.
fn sections(rules: &Rules, text: &str) -> Vec<Range<usize>> {
    let mut marks: Vec<usize> = private_tags(rules, text).map(|mark| mark.at).collect();
    if marks.is_empty() {
        return Vec::new();
    }
    marks.sort_unstable();
    let body = areas(text).last().map_or(0, |area| area.start + area.text.len());
    let headings = headings(text);
    let carries_tag = |line: &Range<usize>| {
        let next = marks.partition_point(|at| *at < line.start);
        marks.get(next).is_some_and(|at| *at <= line.end)
    };
    let is_private =
        |heading: &&Heading| heading.line.start >= body && heading.level > 1 && carries_tag(&heading.line);
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (number, heading) in headings.iter().enumerate().filter(|(_, heading)| is_private(heading)) {
        let is_known = parts.last().is_some_and(|part| heading.line.start < part.end);
        if !is_known {
            parts.push(heading.line.start..section_end(text, heading, &headings[number + 1..]));
        }
    }
    parts
}

/// A heading on a line of its own that begins with `#`.
struct Heading {
    level: u8,
    /// Without its end.
    line: Range<usize>,
}

/// The headings that no quote, list or code block holds.
fn headings(text: &str) -> Vec<Heading> {
    let mut depth = 0_usize;
    let mut headings = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let line = line_start(text, range.start)..line_end(text, range.start);
                if depth == 0 && begins_heading(&text[line.clone()]) {
                    headings.push(Heading { level: level_number(level), line });
                }
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    headings
}

/// `## Title`. A line of tags above a `---`, which Markdown takes for a heading too, is none.
fn begins_heading(line: &str) -> bool {
    let line = line.trim_start();
    let title = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - title.len())) && (title.is_empty() || title.starts_with([' ', '\t']))
}

fn level_number(level: HeadingLevel) -> u8 {
    level as u8
}

/// Where the next heading of the same level or above begins that every program takes for one. A section
/// that holds a comment or display mathematics has none: programs differ about where those end.
fn section_end(text: &str, heading: &Heading, later: &[Heading]) -> usize {
    let mut later = later.iter().filter(|next| next.level <= heading.level).peekable();
    let mut fence = Fence::default();
    let mut end = text.len();
    for line in lines_from(text, heading.line.start) {
        let content = &text[line.clone()];
        let is_heading = later.next_if(|next| next.line.start == line.start).is_some();
        if is_heading && !fence.is_open() && is_unmistakable(content) {
            end = line.start;
            break;
        }
        fence.pass(content);
    }
    let has_comment = ["%%", "<!--", "$$"].iter().any(|mark| text[heading.line.start..end].contains(mark));
    if has_comment { text.len() } else { end }
}

/// `## Title` from the first column on.
fn is_unmistakable(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    title.len() < line.len() && title.starts_with(' ') && !title.trim().is_empty()
}

/// Code fences line by line, counting those in lists and quotes.
#[derive(Default)]
struct Fence<'a>(Option<&'a str>);

impl<'a> Fence<'a> {
    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn pass(&mut self, line: &'a str) {
        let content = line.trim_start_matches(is_nesting_mark);
        let mark = |letter: char| &content[..content.len() - content.trim_start_matches(letter).len()];
        let Some(fence) = [mark('`'), mark('~')].into_iter().find(|fence| fence.len() >= 3) else { return };
        match self.0 {
            None => self.0 = Some(fence),
            Some(opening) if fence.starts_with(opening) && content.trim_end() == fence => self.0 = None,
            Some(_) => {}
        }
    }
}

/// The text before the first of these ends, if it comes soon enough and on the same line.
fn until<'a>(text: &'a str, ends: &[&str]) -> Option<&'a str> {
    let mut limit = text.len().min(MAX_MARKER_BYTES);
    while !text.is_char_boundary(limit) {
        limit -= 1;
    }
    let near = &text[..limit];
    let end = ends.iter().filter_map(|end| near.find(end)).min()?;
    Some(&near[..end]).filter(|inside| !inside.contains(['\n', '\r']))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find(['\n', '\r']).map_or(text.len(), |length| at + length)
}

/// The lines, as Markdown counts them, without their ends.
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    lines_from(text, 0)
}

fn lines_from(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut next = Some(start);
    std::iter::from_fn(move || {
        let start = next.filter(|start| *start < text.len())?;
        let end = line_end(text, start);
        next = Some(end + if text[end..].starts_with("\r\n") { 2 } else { 1 });
        Some(start..end)
    })
}

#[cfg(test)]
mod tests;
