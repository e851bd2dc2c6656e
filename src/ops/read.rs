//! Read: a name -> the note, or a part of it.

use std::ops::Range;

use serde::Serialize;

use super::names::{self, Name};
use super::shown::{Shown, Shows};
use super::{Caller, OpError, Service};
use crate::index::Tree;
use crate::note::{self, Anchor, Document, chunk, link};
use crate::reply::Reply;
use crate::vault::{Note, Released, Session};

/// Which part of the note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// A section by its heading (`Heading` or `Parent#Child`).
    Section(String),
    /// A block by its id.
    Block(String),
    /// The outline only, no text.
    Outline,
}

/// How the note is named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Naming {
    /// As a person would: path, title, alias or wikilink; `#heading` or `#^block` in it count as the part.
    #[default]
    Loose,
    /// By its path, to the letter.
    Path,
}

/// A read as asked.
#[derive(Debug, Clone)]
pub struct ReadRequest {
    /// The note.
    pub name: String,
    /// How it is named.
    pub naming: Naming,
    /// Which part.
    pub part: Part,
    /// First line wanted, from 1, within the whole note.
    pub first_line: Option<u32>,
    /// Lines wanted.
    pub line_limit: Option<u32>,
    /// Upper bound of the text in the answer, in bytes.
    pub max_bytes: usize,
}

impl Default for ReadRequest {
    fn default() -> Self {
        ReadRequest {
            name: String::new(),
            naming: Naming::Loose,
            part: Part::Whole,
            first_line: None,
            line_limit: None,
            max_bytes: 64 * 1024,
        }
    }
}

/// A heading of the outline.
#[derive(Debug, Clone, Serialize)]
pub struct OutlineEntry {
    /// 1 to 6.
    pub level: u8,
    /// The heading's text.
    pub heading: String,
    /// Its line, from 1.
    pub line: u32,
}

/// A note, or a part of it.
#[derive(Debug, Clone, Serialize)]
pub struct ReadAnswer {
    /// Vault-relative path.
    pub path: String,
    /// The note's title.
    pub title: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Tags, without `#`.
    pub tags: Vec<String>,
    /// The properties as JSON.
    pub properties: serde_json::Map<String, serde_json::Value>,
    /// Headings of the whole note.
    pub outline: Vec<OutlineEntry>,
    /// The text of the part, comments cut out.
    pub text: String,
    /// First line of `text`, from 1; 0 with no text.
    pub line_start: u32,
    /// Last line of `text`.
    pub line_end: u32,
    /// Lines of the whole note.
    pub line_count: u32,
    /// The line to ask for next when `text` was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u32>,
    /// The last line of `text` is only its beginning: it is longer than `max_bytes`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub line_cut: bool,
}

impl ReadAnswer {
    /// There is more of the part than `text` holds.
    pub(super) fn is_cut(&self) -> bool {
        self.line_cut || self.next_line.is_some()
    }
}

impl Shows for ReadAnswer {
    /// Lines of the text; where only the outline was asked for, those of the headings.
    fn tell(&self, shown: &mut Shown) {
        shown.lines(&self.path, self.line_start, self.line_end);
        if self.line_start == 0 {
            self.outline.iter().for_each(|heading| shown.lines(&self.path, heading.line, heading.line));
        }
    }
}

pub(super) fn run(
    service: &Service,
    request: &ReadRequest,
    caller: &Caller<'_>,
) -> Result<Reply<ReadAnswer>, OpError> {
    service.request(caller, |session, tree| Ok(Reply::new(one(session, tree, request)?)))
}

/// The note that is asked for, within a session.
pub(super) fn one<'s>(
    session: &Session<'s>,
    tree: Option<&Tree>,
    request: &ReadRequest,
) -> Result<Released<'s, ReadAnswer>, OpError> {
    let name = match request.naming {
        Naming::Loose => Name::parse(&request.name),
        Naming::Path => Name { target: request.name.clone(), anchor: None },
    };
    let note = names::open(session, tree, &name.target)?;
    if request.naming == Naming::Path && note.path().as_str() != request.name {
        return Err(OpError::NotFound);
    }
    let answer = answer(&note, &name, request)?;
    Ok(session.release(&note, answer))
}

fn answer(note: &Note<'_>, name: &Name, request: &ReadRequest) -> Result<ReadAnswer, OpError> {
    let text = note.text();
    let document = note::parse(text);
    let lines = LineStarts::new(text);
    let range = range(&document, text, name, &request.part)?;
    let shown = lines.clip(text, range, request);
    let Document { headings, frontmatter, tags, .. } = &document;
    let outline = headings.iter().map(|heading| OutlineEntry {
        level: heading.level,
        heading: heading.text.clone(),
        line: heading.line,
    });
    Ok(ReadAnswer {
        path: note.path().as_str().to_owned(),
        title: document.title(note.path().stem()).to_owned(),
        aliases: frontmatter.aliases.clone(),
        tags: tags.clone(),
        properties: frontmatter.properties.clone(),
        outline: outline.collect(),
        text: chunk::visible_text(text, &document, shown.range),
        line_start: shown.lines.0,
        line_end: shown.lines.1,
        line_count: lines.count(),
        next_line: shown.next_line,
        line_cut: shown.is_line_cut,
    })
}

/// The bytes of the part that is asked for. The properties are told apart from the text, unless
/// they cannot be read.
fn range(document: &Document, text: &str, name: &Name, part: &Part) -> Result<Range<usize>, OpError> {
    let anchor = match part {
        Part::Whole => name.anchor.clone(),
        Part::Outline => return Ok(0..0),
        Part::Section(heading) => Some(names::parse_anchor(heading.trim_start_matches('#'))),
        Part::Block(id) => Some(Anchor::Block(id.trim().trim_start_matches(['#', '^']).to_owned())),
    };
    let start = if document.frontmatter.malformed { 0 } else { document.body_start };
    match anchor {
        None => Ok(start..text.len()),
        Some(anchor) => link::find_anchor(document, &anchor)
            .or_else(|| link::find_anchor(document, &as_one_heading(&anchor)?))
            .ok_or(OpError::InvalidArgument("the note has no such section or block; ask for its outline")),
    }
}

/// `C# basics` may be a heading, and not `basics` below `C`.
fn as_one_heading(anchor: &Anchor) -> Option<Anchor> {
    match anchor {
        Anchor::Heading(names) if names.len() > 1 => Some(Anchor::Heading(vec![names.join(" ")])),
        _ => None,
    }
}

/// What is shown of a part.
struct Clipped {
    range: Range<usize>,
    lines: (u32, u32),
    next_line: Option<u32>,
    /// The last line is longer than what fits; its rest is not to be had.
    is_line_cut: bool,
}

/// Where each line begins; lines end with `\n`, `\r\n` or `\r`.
pub(super) struct LineStarts {
    starts: Vec<usize>,
    end: usize,
}

impl LineStarts {
    pub(super) fn new(text: &str) -> LineStarts {
        let bytes = text.as_bytes();
        let ends = (0..bytes.len())
            .filter(|&at| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n')));
        let mut starts: Vec<usize> = std::iter::once(0).chain(ends.map(|at| at + 1)).collect();
        if starts.last() == Some(&text.len()) {
            starts.pop();
        }
        LineStarts { starts, end: text.len() }
    }

    fn count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The line, from 1, in which a byte stands.
    pub(super) fn line_of(&self, at: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    /// Where a line begins, or the end of the text.
    fn start_of(&self, line: u32) -> usize {
        let index = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        self.starts.get(index).copied().unwrap_or(self.end)
    }

    /// The lines of a part that are asked for and fit. A line too long to fit is cut.
    fn clip(&self, text: &str, part: Range<usize>, request: &ReadRequest) -> Clipped {
        let start =
            request.first_line.map_or(part.start, |line| self.start_of(line).max(part.start)).min(part.end);
        let first = self.line_of(start);
        let after = request.line_limit.map_or(part.end, |lines| self.start_of(first.saturating_add(lines)));
        let wanted = start..after.clamp(start, part.end);
        if wanted.is_empty() {
            return Clipped { range: wanted, lines: (0, 0), next_line: None, is_line_cut: false };
        }
        let mut end = wanted.end;
        if wanted.len() > request.max_bytes {
            let last = self.line_of(start + request.max_bytes);
            let within_line = text.floor_char_boundary(start + request.max_bytes);
            end = if last > first { self.start_of(last) } else { within_line };
        }
        let last = self.line_of(end.saturating_sub(1).max(start));
        let after = self.start_of(last.saturating_add(1));
        let next_line = (end < part.end && after < part.end).then_some(last.saturating_add(1));
        Clipped {
            range: start..end,
            lines: (first, last),
            next_line,
            is_line_cut: end < wanted.end && end < after,
        }
    }
}
