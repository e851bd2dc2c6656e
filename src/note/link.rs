//! Links as written, and Obsidian's rules for which note a link means.
//!
//! Names are compared case-folded and in NFC. A back slash in a target counts as a slash, which is
//! harmless because a name that holds one cannot be told from a path on every system. An alias as
//! a bare target does not resolve, as in Obsidian. Must not know which notes exist: the caller
//! brings the candidates.
use std::ops::Range;

use super::markdown::RawLink;
use super::{Document, anchor, fold, outline, spans};

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

/// Chooses the note that `link` in note `from` means, among `candidates`: the vault paths that
/// share `name_key(&link.target)`. Order of the rules: a Markdown link, or one that begins with a
/// dot, from the note's own folder; the exact path; then, among the paths that end in the target,
/// the note's own folder, the shortest path, and the first in order; at last, which is our rule and
/// not Obsidian's, a path that the target ends in. All comparisons fold case and NFC; where several paths differ only in
/// that, the one written exactly like the target wins.
///
/// `None` also for a link within the note, whose target is empty.
pub fn choose(candidates: &[&str], link: &Link, from: &str) -> Option<usize> {
    let paths: Vec<String> = candidates.iter().map(|path| comparable(path)).collect();
    let target = comparable(&link.target);
    let folder = folder_of(&comparable(from)).to_owned();
    let exact = |wanted: &str| exact_match(candidates, &paths, wanted, &link.target);
    let is_dotted = target.starts_with("./") || target.starts_with("../");
    if is_dotted || (link.kind == LinkKind::Markdown && !target.starts_with('/')) {
        let found = join(&folder, &target).and_then(|path| exact(&path));
        if found.is_some() || is_dotted {
            return found;
        }
    }
    if let Some(path) = target.strip_prefix('/') {
        return exact(path);
    }
    if target.is_empty() {
        return None;
    }
    let nearest = || nearest(&paths, &target, &folder);
    exact(&target).or_else(nearest).or_else(|| from_above_the_vault(&paths, &target))
}

/// The candidate equal to `wanted`; if several differ only in case or form, the one as `written`.
fn exact_match(candidates: &[&str], paths: &[String], wanted: &str, written: &str) -> Option<usize> {
    let mut equal = (0..paths.len()).filter(|&index| paths[index] == wanted);
    let first = equal.next()?;
    let written = written.trim_end_matches(".md");
    let as_written = |&index: &usize| candidates[index].trim_end_matches(".md").ends_with(written);
    Some(std::iter::once(first).chain(equal).find(as_written).unwrap_or(first))
}

/// Among the paths that end in `target`: the note's own folder, then the shortest path.
fn nearest(paths: &[String], target: &str, folder: &str) -> Option<usize> {
    let ends_in_target = |path: &str| {
        path.strip_suffix(target).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    (0..paths.len()).filter(|&index| ends_in_target(&paths[index])).min_by_key(|&index| {
        let path = &paths[index];
        (folder_of(path) != folder, path.matches('/').count(), path.chars().count(), index)
    })
}

/// The longest path that the target ends in, if it has a folder: a link written from a folder above
/// the vault, as in a repository of which only a part was opened.
fn from_above_the_vault(paths: &[String], target: &str) -> Option<usize> {
    let ends_target = |path: &str| target.strip_suffix(path).is_some_and(|before| before.ends_with('/'));
    let fitting = (0..paths.len()).filter(|&index| paths[index].contains('/') && ends_target(&paths[index]));
    fitting.max_by_key(|&index| paths[index].len())
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a relative path to a folder. `None` if it leaves the vault.
fn join(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

/// The range of the section or block that `anchor` names in `document`, if it exists.
pub fn find_anchor(document: &Document, anchor: &Anchor) -> Option<Range<usize>> {
    match anchor {
        Anchor::Block(id) => document
            .blocks
            .iter()
            .find(|block| block.id.eq_ignore_ascii_case(id))
            .map(|block| block.range.clone()),
        Anchor::Heading(names) => anchor::find_heading(&document.headings, names)
            .map(|index| document.headings[index].section.clone()),
    }
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
