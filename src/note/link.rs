//! Links as written, and Obsidian's rules for which note a link means.
//!
//! Names are compared case-folded and in NFC. A back slash in a target counts as a slash, which is
//! harmless because a name that holds one cannot be told from a path on every system. An alias as
//! a bare target does not resolve, as in Obsidian. Must not know which notes exist: the caller
//! brings the candidates.
mod same_named;

use std::ops::Range;

pub use self::same_named::{Named, SameNamed};
pub use super::anchor::Anchors;
use super::markdown::RawLink;
use super::{Document, fold, outline, spans};

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target#anchor|label]]`
    Wiki,
    /// `[label](target.md#anchor)`
    Markdown,
}

/// The part of a note that a link names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// `#Heading`, or `#Parent#Child`: the names from the outer to the inner.
    Heading(Vec<String>),
    /// `#^id`
    Block(String),
}

/// A link to a note of the vault. Links to the web and to attachments are not links here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// `![[…]]` or `![…](…)`.
    pub embed: bool,
    /// The target as written, percent-decoded for Markdown links, without anchor and label;
    /// empty for a link within the note.
    pub target: String,
    /// The part of the target.
    pub anchor: Option<Anchor>,
    /// The text shown, where one is given.
    pub label: Option<String>,
    /// Where the link stands.
    pub range: Range<usize>,
}

/// The key under which a path or a link target is looked up: its last segment without `.md`,
/// NFC, case-folded.
pub fn name_key(path_or_target: &str) -> String {
    let folded = comparable(path_or_target);
    folded.rsplit('/').next().unwrap_or_default().to_owned()
}

/// A path or target in the form in which paths are compared: folded, with slashes, without `.md`.
fn comparable(path_or_target: &str) -> String {
    let folded = fold(path_or_target.trim()).replace('\\', "/");
    folded.strip_suffix(".md").unwrap_or(&folded).to_owned()
}

/// Chooses the note that `link` in note `from` means, among `candidates`; see [`SameNamed::choose`], which is for many
/// links.
pub fn choose(candidates: &[&str], link: &Link, from: &str) -> Option<usize> {
    SameNamed::new(candidates.to_vec()).choose(link, from)
}

/// The range of the section or block that `anchor` names in `document`, if it exists; see [`Anchors`] for many anchors.
pub fn find_anchor(document: &Document, anchor: &Anchor) -> Option<Range<usize>> {
    Anchors::new(document).find(anchor)
}

/// Reads what stands between `[[` and `]]`. `None` for an empty link and for an attachment.
pub(super) fn read_wikilink(inner: &str, embed: bool, range: Range<usize>) -> Option<Link> {
    let (path, label) = match inner.split_once('|') {
        // In a table the bar is escaped.
        Some((path, label)) => (path.strip_suffix('\\').unwrap_or(path), label.trim()),
        None => (inner, ""),
    };
    let (target, anchor) = match path.split_once('#') {
        Some((target, anchor)) => (target.trim(), read_anchor(anchor)),
        None => (path.trim(), None),
    };
    let names_something = !target.is_empty() || anchor.is_some();
    (names_something && !target.contains("://") && !is_attachment(target)).then(|| Link {
        kind: LinkKind::Wiki,
        embed,
        target: target.to_owned(),
        anchor,
        label: some_text(label),
        range,
    })
}

/// Reads what stands after the first `#` of a target.
fn read_anchor(text: &str) -> Option<Anchor> {
    let names: Vec<&str> = text.split('#').map(str::trim).filter(|name| !name.is_empty()).collect();
    match names.last()?.strip_prefix('^') {
        Some("") => None,
        Some(id) => Some(Anchor::Block(id.to_owned())),
        None => Some(Anchor::Heading(names.into_iter().map(str::to_owned).collect())),
    }
}

/// Adds the Markdown links to the wikilinks and sorts all by position.
pub(super) fn in_reading_order(
    mut links: Vec<Link>,
    markdown: &[RawLink],
    comments: &[Range<usize>],
) -> Vec<Link> {
    let wikilinks: Vec<Range<usize>> = links.iter().map(|link| link.range.clone()).collect();
    // `[[name]]` is also the reference link `[name]` where the note defines one: the wikilink wins.
    let is_inside_wikilink = |link: &RawLink| spans::contains(&wikilinks, link.range.start);
    let is_hidden = |link: &RawLink| spans::overlaps(comments, &link.range);
    let shown = markdown.iter().filter(|link| !is_inside_wikilink(link) && !is_hidden(link));
    links.extend(shown.filter_map(|link| read_markdown_link(link, comments)));
    links.sort_by_key(|link| link.range.start);
    links
}

fn read_markdown_link(raw: &RawLink, comments: &[Range<usize>]) -> Option<Link> {
    if raw.is_autolink || has_scheme(&raw.target) || raw.target.starts_with("//") {
        return None;
    }
    let (path, anchor) = raw.target.split_once('#').unwrap_or((&raw.target, ""));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let (target, anchor) = (percent_decode(path), read_anchor(&percent_decode(anchor)));
    let names_something = !target.trim().is_empty() || anchor.is_some();
    (names_something && !target.ends_with('/') && !is_attachment(&target)).then(|| Link {
        kind: LinkKind::Markdown,
        embed: raw.embed,
        target: target.trim().to_owned(),
        anchor,
        label: some_text(outline::join_pieces(&raw.pieces, comments).trim()),
        range: raw.range.clone(),
    })
}

fn some_text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// `https:`, `mailto:`, `obsidian:`, but not `Note: part two`.
fn has_scheme(target: &str) -> bool {
    target.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
            && !rest.starts_with(' ')
    })
}

/// Decodes `%20` and the like once. Text that is not UTF-8 after that stays as it is.
fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).expect("two hexadecimal digits fit a byte"));
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

/// What vaults hold beside notes. Any other ending may be part of a note's name (`notes.v2`).
const ATTACHMENT_EXTENSIONS: &str = " 3gp 7z aac apng avi avif base bib bmp c cfg conf cpp cs css csv \
    canvas doc docx epub excalidraw flac gif go gz h heic htm html ico ics ini ipynb java jpeg jpg js \
    json key log m4a m4v mid mkv mov mp3 mp4 mpeg mpg numbers odp ods odt ogg ogv opus otf pages pdf \
    php png ppt pptx ps1 psd py rar rb rs rtf sh sql svg tar tex tif tiff toml ts tsv ttf txt wav webm \
    webp woff woff2 xls xlsx xml yaml yml zip ";

fn is_attachment(target: &str) -> bool {
    target.rsplit_once('.').is_some_and(|(name, extension)| {
        let listed = || ATTACHMENT_EXTENSIONS.contains(&format!(" {} ", extension.to_ascii_lowercase()));
        !name.is_empty() && !extension.is_empty() && !extension.contains(' ') && listed()
    })
}

/// Text with each `[[target|label]]` replaced by its label, or by its target.
pub(super) fn without_brackets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((inner, after_link)) = after.split_once("]]") else { break };
        out.push_str(before);
        out.push_str(inner.split_once('|').map_or(inner, |(_, label)| label));
        rest = after_link;
    }
    out + rest
}

#[cfg(test)]
mod tests;
