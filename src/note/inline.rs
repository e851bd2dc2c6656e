//! Wikilinks, embeds, tags and comments inside the text of a note.
//!
//! Linear scans over the raw text that step over what the Markdown pass found to be code, maths or
//! HTML. Must not know which notes exist.
//!
//! Decisions where Obsidian is loose or undocumented:
//! - A `%%` without a second one comments out the rest of the note if it starts its line, and is
//!   plain text in mid-line (`50%% of`). The same goes for `<!--`.
//! - A tag may follow white space, the start of a line, a table bar, a quotation mark, an opening
//!   bracket (`(#tag)`) or an emphasis mark that itself follows one of those (`**#tag**`).
//! - A tag is made of letters and marks of any script, digits, emoji, `_`, `-` and `/`, with at
//!   least one letter, digit or emoji and at least one character that is no digit: `#2031` is none,
//!   `#2031-04` is one. A slash at either end is not part of it.
use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::link::{self, Link};
use super::markdown::Structure;
use super::spans;

/// The comments of a body, in order. `verbatim` is code and maths.
pub(super) fn comments(text: &str, body_start: usize, verbatim: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut scanner =
        CommentScanner { text, body_start, verbatim, next_verbatim: 0, html_closes: true, found: Vec::new() };
    let mut at = body_start;
    while at < text.len() {
        at = scanner.step(at);
    }
    scanner.found
}

struct CommentScanner<'t> {
    text: &'t str,
    body_start: usize,
    verbatim: &'t [Range<usize>],
    next_verbatim: usize,
    /// Once a `<!--` has no end, no later one has: searching again would not be linear. (After a
    /// `%%` without an end there is no other.)
    html_closes: bool,
    found: Vec<Range<usize>>,
}

impl CommentScanner<'_> {
    /// Looks at the byte at `at` and returns where to go on.
    fn step(&mut self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        match rest[0] {
            _ if self.enters_verbatim(at) => self.verbatim[self.next_verbatim].end,
            b'\\' => at + 2,
            b'%' if rest.starts_with(b"%%") => {
                let end = self.percent_end(at + 2);
                self.comment(at, at + 2, end)
            }
            b'<' if rest.starts_with(b"<!--") => {
                let end = if self.html_closes { self.html_end(at + 4) } else { None };
                self.html_closes = end.is_some();
                self.comment(at, at + 4, end)
            }
            _ => at + 1,
        }
    }

    fn enters_verbatim(&mut self, at: usize) -> bool {
        while self.verbatim.get(self.next_verbatim).is_some_and(|range| range.end <= at) {
            self.next_verbatim += 1;
        }
        self.verbatim.get(self.next_verbatim).is_some_and(|range| range.start <= at)
    }

    /// Notes the comment that opens at `start`, if it is one, and returns where to go on.
    fn comment(&mut self, start: usize, inner: usize, end: Option<usize>) -> usize {
        let end = end.or_else(|| self.starts_line(start).then_some(self.text.len()));
        self.found.extend(end.map(|end| start..end));
        end.unwrap_or(inner)
    }

    /// The end of a `%%` comment whose text begins at `from`. Marks in code do not end it.
    fn percent_end(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += self.text.get(at..)?.find("%%")?;
            match spans::at_or_after(self.verbatim, at).filter(|code| code.start <= at) {
                Some(code) => at = code.end,
                None => return Some(at + 2),
            }
        }
    }

    /// The end of an HTML comment whose text begins at `from`. Code means nothing inside one.
    fn html_end(&self, from: usize) -> Option<usize> {
        self.text[from..].find("-->").map(|at| from + at + 3)
    }

    /// Whether only blanks stand between the start of the line and `at`.
    fn starts_line(&self, at: usize) -> bool {
        let before = self.text[self.body_start..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', '\r'])
    }
}

/// What the scan of a body found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) links: Vec<Link>,
    pub(super) tags: Vec<String>,
}

/// Wikilinks, embeds and tags of the body.
pub(super) fn scan(text: &str, body_start: usize, structure: &Structure, comments: &[Range<usize>]) -> Found {
    let hidden = [&structure.verbatim, &structure.html, comments].concat();
    let link_ranges = structure.links.iter().map(|link| link.range.clone()).collect();
    let scanner = Scanner {
        text,
        body_start,
        hidden: spans::union(hidden),
        markdown_links: spans::union(link_ranges),
        url_until: 0,
        found: Found::default(),
    };
    scanner.run()
}

struct Scanner<'t> {
    text: &'t str,
    body_start: usize,
    hidden: Vec<Range<usize>>,
    markdown_links: Vec<Range<usize>>,
    /// Up to here the text is a bare web address.
    url_until: usize,
    found: Found,
}

impl Scanner<'_> {
    fn run(mut self) -> Found {
        let bytes = self.text.as_bytes();
        let mut at = self.body_start;
        let mut next_hidden = 0;
        while at < bytes.len() {
            while self.hidden.get(next_hidden).is_some_and(|range| range.end <= at) {
                next_hidden += 1;
            }
            if let Some(range) = self.hidden.get(next_hidden).filter(|range| range.start <= at) {
                at = range.end;
                continue;
            }
            at = match bytes[at] {
                b'\\' => at + 2,
                b'[' if bytes[at..].starts_with(b"[[") => self.wikilink(at),
                b'#' => self.tag(at),
                b':' if bytes[at..].starts_with(b"://") => self.web_address(at),
                _ => at + 1,
            };
        }
        self.found
    }

    /// Reads a wikilink at `at` and returns where to go on.
    fn wikilink(&mut self, at: usize) -> usize {
        let Some(end) = wikilink_end(self.text, at) else { return at + 1 };
        if spans::overlaps(&self.hidden, &(at..end)) {
            return at + 1;
        }
        let before = &self.text[self.body_start..at];
        let embed = before.ends_with('!') && !before.ends_with("\\!");
        let start = if embed { at - 1 } else { at };
        self.found.links.extend(link::read_wikilink(&self.text[at + 2..end - 2], embed, start..end));
        end
    }

    /// Reads a tag at `at` and returns where to go on.
    fn tag(&mut self, at: usize) -> usize {
        let rest = &self.text[at + 1..];
        let tag_bytes = rest.find(|c| !is_tag_char(c)).unwrap_or(rest.len());
        let name = rest[..tag_bytes].trim_matches('/');
        let in_link = at < self.url_until || spans::contains(&self.markdown_links, at);
        if is_tag_name(name) && !in_link && may_precede_tag(&self.text[self.body_start..at]) {
            self.found.tags.push(name.to_owned());
        }
        at + 1 + tag_bytes
    }

    fn web_address(&mut self, at: usize) -> usize {
        if at >= self.url_until {
            let rest = &self.text[at..];
            self.url_until = at + rest.find(char::is_whitespace).unwrap_or(rest.len());
        }
        at + 3
    }
}

/// The end of the wikilink that opens at `at`: its `]]` on the same line, with no other link inside.
pub(super) fn wikilink_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let inner = at + 2;
    if bytes.get(inner) == Some(&b'[') {
        return None;
    }
    let stop = bytes[inner..]
        .windows(2)
        .position(|pair| pair == b"]]" || pair == b"[[" || matches!(pair[0], b'\n' | b'\r'))?;
    bytes[inner + stop..].starts_with(b"]]").then_some(inner + stop + 2)
}

/// Whether a tag may stand right after `before`.
fn may_precede_tag(before: &str) -> bool {
    // Four marks are the most that emphasis stacks in practice; more would let the look back grow.
    let mut emphasis_left = 4;
    for c in before.chars().rev() {
        if matches!(c, '*' | '~' | '=' | '_') && emphasis_left > 0 {
            emphasis_left -= 1;
            continue;
        }
        return match c {
            '>' => before.ends_with('>') && quotes_line(before),
            _ => c.is_whitespace() || "([{|\"'«‹“‘„‚¿¡（「『【〈《、。，".contains(c),
        };
    }
    true
}

/// Whether the last line of `before` is nothing but marks of a block quote.
fn quotes_line(before: &str) -> bool {
    let other = before.bytes().rev().find(|byte| !matches!(byte, b'>' | b' ' | b'\t'));
    other.is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

fn is_tag_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '/') || is_combining_mark(c) || is_emoji(c)
}

fn is_tag_name(name: &str) -> bool {
    name.contains(is_name_char) && !name.chars().all(char::is_numeric)
}

/// A character that gives a tag its name, rather than joining others.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || is_emoji(c)
}

/// Pictographs, the joiner and the selector that build them.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{FE0F}' | '\u{200D}')
}

#[cfg(test)]
mod tests;
