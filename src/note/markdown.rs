//! One pass of the Markdown parser over the body, reduced to what the rest needs to know: where
//! code, HTML and links lie, the headings, and the blocks.
//!
//! All offsets are into the whole text of the note. Must not know Obsidian's own syntax, except
//! that tables, footnotes, task lists, strikethrough and maths are part of its Markdown.
use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::spans;

/// What the body is made of.
#[derive(Debug, Default)]
pub(super) struct Structure {
    /// Code blocks, code spans and maths, sorted: nothing in there is a link, a tag or a comment.
    pub(super) verbatim: Vec<Range<usize>>,
    /// HTML tags and blocks, and definitions of reference links, sorted.
    pub(super) html: Vec<Range<usize>>,
    /// Headings of the note itself, in order.
    pub(super) headings: Vec<RawHeading>,
    /// Links and images with a target, in order of their ends.
    pub(super) links: Vec<RawLink>,
    /// Every run of text that may end in a block id, in order of their ends.
    pub(super) leaves: Vec<Leaf>,
    /// Where blocks begin and how deep they are nested, sorted by offset.
    pub(super) block_starts: Vec<BlockStart>,
    /// Code blocks, tables and HTML blocks, in order: their lines mean more than their sentences.
    pub(super) line_based: Vec<Range<usize>>,
}

/// A piece of shown text and where it stands.
pub(super) type Piece = (Range<usize>, String);

/// A heading whose text is not yet joined.
#[derive(Debug)]
pub(super) struct RawHeading {
    pub(super) level: u8,
    pub(super) range: Range<usize>,
    pub(super) pieces: Vec<Piece>,
}

/// A Markdown link with its target as written.
#[derive(Debug)]
pub(super) struct RawLink {
    pub(super) range: Range<usize>,
    pub(super) embed: bool,
    pub(super) target: String,
    pub(super) pieces: Vec<Piece>,
    /// `<https://…>` or an e-mail address: shown as it is, never a note.
    pub(super) is_autolink: bool,
}

/// A run of text within one block.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) text: Range<usize>,
    /// The block that it belongs to: the paragraph, heading, table, or the whole list item.
    pub(super) owner: Range<usize>,
    /// The block before it at the same depth.
    pub(super) previous: Option<Range<usize>>,
}

/// The begin of a block. The first block in a list item or quote has none of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockStart {
    pub(super) offset: usize,
    pub(super) depth: u32,
}

/// Reads the body that begins at `body_start`.
pub(super) fn read(text: &str, body_start: usize) -> Structure {
    let body = with_line_feeds(&text[body_start..]);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH;
    let parser = Parser::new_ext(&body, options);
    let mut reader = Reader::new(text, body_start);
    let definitions = parser.reference_definitions().iter().map(|(_, definition)| &definition.span);
    reader.out.html.extend(definitions.map(|span| span.start + body_start..span.end + body_start));
    for (event, range) in parser.into_offset_iter() {
        reader.event(event, range.start + body_start..range.end + body_start);
    }
    reader.finish()
}

/// The parser does not know lone carriage returns as line ends; a line feed has the same length.
fn with_line_feeds(body: &str) -> std::borrow::Cow<'_, str> {
    let bytes = body.as_bytes();
    let is_lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !(0..bytes.len()).any(is_lone) {
        return body.into();
    }
    let replaced = body.char_indices().map(|(at, c)| if c == '\r' && is_lone(at) { '\n' } else { c });
    replaced.collect::<String>().into()
}

/// A block that is open.
struct Open {
    range: Range<usize>,
    kind: Kind,
    /// The last block that was closed inside it.
    last_child: Option<Range<usize>>,
    /// Text directly in a list item, while it goes on.
    run: Option<Range<usize>>,
}

/// What a block may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The note itself.
    Root,
    List,
    /// A list item. Text directly in it is a leaf of its own.
    Item,
    Other,
}

struct Reader<'t> {
    text: &'t str,
    out: Structure,
    open: Vec<Open>,
    heading: Option<RawHeading>,
    links: Vec<RawLink>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, body_start: usize) -> Self {
        let root = Open { range: body_start..text.len(), kind: Kind::Root, last_child: None, run: None };
        Self { text, out: Structure::default(), open: vec![root], heading: None, links: Vec::new() }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, range),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.out.verbatim.push(range.clone());
                self.text(&text, range);
            }
            Event::Html(_) => self.out.html.push(range),
            Event::InlineHtml(_) => {
                self.extend_run(&range);
                self.out.html.push(range);
            }
            Event::SoftBreak | Event::HardBreak => self.text(&CowStr::Borrowed(" "), range),
            Event::FootnoteReference(_) => self.extend_run(&range),
            Event::Rule => {
                self.open_block(range, Kind::Other);
                self.close_block();
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } => self.start_link(&dest_url, link_type, range),
            Tag::Image { link_type, dest_url, .. } => {
                self.start_link(&dest_url, link_type, range);
                self.links.iter_mut().next_back().into_iter().for_each(|link| link.embed = true);
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => {
                self.extend_run(&range);
            }
            Tag::TableHead | Tag::TableRow | Tag::TableCell => {}
            Tag::Heading { level, .. } => self.start_heading(level as u8, range),
            Tag::List(_) => self.open_block(self.without_lead(range), Kind::List),
            Tag::Item => self.open_block(self.without_lead(range), Kind::Item),
            tag => {
                match tag {
                    Tag::CodeBlock(_) => self.out.verbatim.push(range.clone()),
                    Tag::HtmlBlock => self.out.html.push(range.clone()),
                    _ => {}
                }
                if matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_)) {
                    self.out.line_based.push(range.clone());
                }
                self.open_block(range, Kind::Other);
            }
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                self.out.links.extend(self.links.pop());
            }
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::TableCell => {}
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Table => {
                self.out.headings.extend(self.heading.take());
                let previous = self.close_block();
                let opens_item = self.top().kind == Kind::Item && previous.is_none();
                let owner = if opens_item { self.top().range.clone() } else { range.clone() };
                self.out.leaves.push(Leaf { text: range, owner, previous });
            }
            _ => {
                self.close_block();
            }
        }
    }

    /// A heading may stand in a list item, as outliners write it, but not in a quote or a footnote.
    fn start_heading(&mut self, level: u8, range: Range<usize>) {
        let in_lists = self.open.iter().all(|open| open.kind != Kind::Other);
        // The marks of the items go with the heading, not with the section before.
        let opened_here = |open: &&Open| open.kind != Kind::Root && self.opens(open, range.start);
        let outermost = self.open.iter().rev().take_while(opened_here).last();
        let start = outermost.map_or(range.start, |open| open.range.start);
        self.heading = in_lists.then(|| RawHeading { level, range: start..range.end, pieces: Vec::new() });
        self.open_block(range, Kind::Other);
    }

    /// The parser lets a nested list begin at the end of the line before it.
    fn without_lead(&self, range: Range<usize>) -> Range<usize> {
        let blanks = self.text[range.clone()].bytes().take_while(u8::is_ascii_whitespace).count();
        range.start + blanks..range.end
    }

    /// Whether what begins at `offset` is the first thing in `open`, on the same line.
    fn opens(&self, open: &Open, offset: usize) -> bool {
        let is_first = open.last_child.is_none() && open.run.is_none();
        is_first && !self.text[open.range.start..offset].contains(['\n', '\r'])
    }

    fn start_link(&mut self, target: &str, link_type: LinkType, range: Range<usize>) {
        self.extend_run(&range);
        let is_autolink = matches!(link_type, LinkType::Autolink | LinkType::Email);
        self.links.push(RawLink {
            range,
            embed: false,
            target: target.to_owned(),
            pieces: Vec::new(),
            is_autolink,
        });
    }

    fn text(&mut self, text: &CowStr<'_>, range: Range<usize>) {
        if let Some(heading) = &mut self.heading {
            heading.pieces.push((range.clone(), text.to_string()));
        }
        // Only the innermost link: text copied into every one of many nested images would not be
        // linear.
        if let Some(link) = self.links.last_mut() {
            link.pieces.push((range.clone(), text.to_string()));
        }
        self.extend_run(&range);
    }

    /// Text directly in a list item grows the item's current run.
    fn extend_run(&mut self, range: &Range<usize>) {
        let top = self.top();
        if top.kind == Kind::Item {
            let run = top.run.get_or_insert_with(|| range.clone());
            run.end = run.end.max(range.end);
        }
    }

    /// Closes the run of text of the list item on top.
    fn end_run(&mut self) {
        let top = self.top();
        if let Some(run) = top.run.take() {
            let previous = top.last_child.replace(run.clone());
            let owner = top.range.clone();
            self.out.leaves.push(Leaf { text: run, owner, previous });
        }
    }

    fn open_block(&mut self, range: Range<usize>, kind: Kind) {
        self.end_run();
        let depth = u32::try_from(self.open.len() - 1).unwrap_or(u32::MAX);
        let parent = self.open.last().expect("the root is never closed");
        if parent.kind == Kind::Root || !self.opens(parent, range.start) {
            self.out.block_starts.push(BlockStart { offset: range.start, depth });
        }
        self.open.push(Open { range, kind, last_child: None, run: None });
    }

    /// Closes the block on top and gives the block before it at the same depth.
    fn close_block(&mut self) -> Option<Range<usize>> {
        self.end_run();
        let closed = if self.open.len() > 1 { self.open.pop() } else { None };
        closed.and_then(|closed| self.top().last_child.replace(closed.range))
    }

    fn top(&mut self) -> &mut Open {
        self.open.last_mut().expect("the root is never closed")
    }

    fn finish(mut self) -> Structure {
        self.out.verbatim = spans::union(self.out.verbatim);
        self.out.html = spans::union(self.out.html);
        self.out.block_starts.sort_by_key(|start| (start.offset, start.depth));
        self.out.leaves.sort_by_key(|leaf| leaf.text.start);
        self.out
    }
}
