//! (Rules, text of a note) -> what of it the public may see, or nothing. Pure; fails closed; linear
//! time.
//!
//! The judge sees more than any reader of Markdown does: tags in code, comments and broken
//! properties count, the properties block is looked for more widely than Obsidian looks, and a
//! flag is on unless it is plainly off. Whatever a display parser takes for a private tag or flag
//! must be one here.

mod area;
mod inline;
mod node;
mod parts;
mod properties;

use std::ops::Range;

pub(super) use parts::private_parts;

use super::decode::Decoded;
use super::rules::Rules;

/// A place in a note's text that makes the note private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// What stands there.
    pub(super) word: Word,
    /// Where, in bytes.
    pub(super) at: usize,
}

/// What a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    /// A tag that the tag rule of this number makes private.
    Tag(usize),
    /// The flag.
    Flag,
    /// Properties that cannot be read, where the rules are strict.
    Malformed,
    /// Private parts, or text to be masked, in bytes that can be read in two ways.
    Ambiguous,
}

/// All that makes a note of this text private, looked for only as far as it is asked for.
pub(super) fn marks<'a>(rules: &'a Rules, text: &'a str) -> impl Iterator<Item = Mark> + 'a {
    inline::private_tags(rules, text).chain(marks_in_properties(rules, text))
}

fn marks_in_properties<'a>(rules: &'a Rules, text: &'a str) -> impl Iterator<Item = Mark> + 'a {
    std::iter::once_with(|| area::areas(text)).flatten().flat_map(|area| properties::marks(rules, &area))
}

/// The text as the public may see it, its private parts taken out and what redactions match masked; `None`
/// for a private note. Rules that were joined of sections take out what each of them does.
pub(super) fn public_text(rules: &Rules, decoded: Decoded) -> Option<String> {
    let is_public = rules.sections().iter().chain([rules]).all(|rules| lets_pass(rules, &decoded));
    is_public.then(|| {
        let parts = private_parts(rules, &decoded.text);
        // Masked as it stands in the file, and as it stands once the parts are gone: a match may need a part, or
        // be parted by one. A mask is as long as what it hides, so the parts stay where they are.
        let masked = if rules.masks_text() { masked_in_file(rules, &decoded.text) } else { decoded.text };
        if parts.is_empty() { masked } else { rules.redact(&parts::without(&masked, &parts)) }
    })
}

/// Does nothing make the whole note private?
fn lets_pass(rules: &Rules, decoded: &Decoded) -> bool {
    let parts = private_parts(rules, &decoded.text);
    let rest = (!parts.is_empty()).then(|| parts::without(&decoded.text, &parts));
    decisive_marks(rules, decoded, &parts, rest.as_deref()).next().is_none()
}

/// The text of the file, masked. What a section masks once its own parts are gone stays masked, though the
/// parts of another section may break it up.
fn masked_in_file(rules: &Rules, text: &str) -> String {
    let mut masked = rules.redact(text).into_bytes();
    for section in rules.sections() {
        let parts = private_parts(section, text);
        let rest = parts::without(&section.redact(text), &parts);
        let place_in_file = parts::places_in_file(&parts);
        for at in section.redacted_places(&rest).flatten() {
            masked[place_in_file(at)] = b'*';
        }
    }
    String::from_utf8(masked).expect("matches begin and end between characters")
}

/// All that makes the note private, in the order of the text; for the owner.
pub(super) fn all_marks(rules: &Rules, decoded: &Decoded) -> Vec<Mark> {
    let mut marks = marks_of(rules, decoded);
    let mut tags_before = 0;
    for section in rules.sections() {
        marks.extend(marks_of(section, decoded).into_iter().map(|mark| mark.renumbered(tags_before)));
        tags_before += section.tags.len();
    }
    marks.sort_by_key(|mark| (mark.at, mark.word));
    marks.dedup();
    marks
}

fn marks_of(rules: &Rules, decoded: &Decoded) -> Vec<Mark> {
    let parts = private_parts(rules, &decoded.text);
    let rest = (!parts.is_empty()).then(|| parts::without(&decoded.text, &parts));
    decisive_marks(rules, decoded, &parts, rest.as_deref()).collect()
}

impl Mark {
    /// The mark as rules know it that hold this many tags before those of its own section.
    fn renumbered(self, tags_before: usize) -> Mark {
        let word = match self.word {
            Word::Tag(rule) => Word::Tag(rule + tags_before),
            other => other,
        };
        Mark { word, ..self }
    }
}

/// `rest` is the text without its private parts, if it has any.
fn decisive_marks<'a>(
    rules: &'a Rules,
    decoded: &'a Decoded,
    parts: &'a [Range<usize>],
    rest: Option<&'a str>,
) -> impl Iterator<Item = Mark> + 'a {
    let Decoded { text, lossy } = decoded;
    // Properties count as they stand in the file, and as they stand once the parts are gone.
    let of_file = rest.map(|_| marks_in_properties(rules, text));
    let place_in_file = parts::places_in_file(parts);
    let of_rest =
        marks(rules, rest.unwrap_or(text)).map(move |mark| Mark { at: place_in_file(mark.at), ..mark });
    let of_other = lossy.iter().flat_map(move |other| {
        // Two readings need not agree about where a part ends, or about what is to be masked.
        let is_whole = rest.is_none()
            && private_parts(rules, other).is_empty()
            && rules.redacted(other).eq(rules.redacted(text));
        let ambiguous = (!is_whole).then_some(Mark { word: Word::Ambiguous, at: 0 });
        ambiguous.into_iter().chain(marks(rules, other))
    });
    of_file.into_iter().flatten().chain(of_rest).chain(of_other)
}

/// Does the note say of itself, in properties that nobody can misread, that it is public? Narrow where
/// the rest of the judge is wide: only the top of a well-formed block that begins the note counts.
pub(super) fn is_allowed_by_text(rules: &Rules, text: &str) -> bool {
    let begins_with_block = text.starts_with("---\n") || text.starts_with("---\r\n");
    let ends_as_begun = |area: &area::Area<'_>| {
        let behind = &text[area.start + area.text.len()..];
        let fence = behind.split('\n').next().unwrap_or_default();
        fence.trim_end_matches(['\r', ' ', '\t']) == "---"
            && text[..area.start + area.text.len()].ends_with('\n')
    };
    let areas = if begins_with_block { area::areas(text) } else { Vec::new() };
    areas.first().is_some_and(|area| ends_as_begun(area) && properties::allow(rules, area))
}

#[cfg(test)]
mod tests;
