//! What holds for any text.
use std::fmt::Write as _;
use std::ops::Range;

use proptest::prelude::*;

use crate::note::{Document, chunk, parse, spans};

/// Text made of the pieces that mean something to the parser, joined at random.
fn note_like() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "---",
        "\n",
        "\r\n",
        "\r",
        "\u{feff}",
        "# ",
        "## ",
        "### Head",
        "text ",
        "word",
        "é",
        "河",
        "🌱",
        "\u{301}",
        "#tag",
        "[[",
        "]]",
        "|",
        "#",
        "^id",
        " ^",
        "%%",
        "<!--",
        "-->",
        "`",
        "```",
        "~~~",
        "$",
        "$$",
        "> ",
        "- ",
        "1. ",
        "    ",
        "\t",
        "| a | b |\n| - | - |\n",
        "[x](y.md)",
        "![",
        "](",
        ")",
        "<b>",
        "\\",
        "tags: [a]\n",
        "a: &a b\n",
        "*a",
        "{{t}}",
        "[^1]",
        "[^1]: ",
        "[r]: x.md\n",
        "[r]",
        "===",
        "\u{a0}",
        "\u{200b}",
        "http://x/#y",
        "**",
        "_",
        "&amp;",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => note_like(), 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ranges_are_ordered_in_bounds_and_at_letters(text in any_text()) {
        let document = parse(&text);
        for range in all_ranges(&text, &document) {
            prop_assert!(range.start <= range.end && range.end <= text.len(), "{range:?}");
            prop_assert!(text.get(range.clone()).is_some(), "{range:?} cuts a letter");
        }
        let headings = &document.headings;
        prop_assert!(headings.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        prop_assert!(headings.iter().all(|one| one.section.start == one.range.start && one.range.end <= one.section.end));
        prop_assert!(document.links.windows(2).all(|pair| pair[0].range.start <= pair[1].range.start));
    }

    #[test]
    fn chunks_hold_every_visible_byte_once(text in any_text()) {
        let document = parse(&text);
        let chunks = chunk::split(&text, &document);
        prop_assert!(!chunks.is_empty());
        prop_assert!(chunks.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        prop_assert!(chunks.windows(2).all(|pair| pair[0].lines.1 <= pair[1].lines.0));
        let ranges: Vec<Range<usize>> = chunks.iter().map(|chunk| chunk.range.clone()).collect();
        for (offset, c) in text.char_indices().filter(|(offset, _)| *offset >= document.body_start) {
            let is_blank = c.is_whitespace() || "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}".contains(c);
            let is_hidden = spans::contains(&document.comments, offset);
            prop_assert!(is_blank || is_hidden || spans::contains(&ranges, offset), "{c:?} at {offset} is lost");
        }
    }

    #[test]
    fn comments_and_properties_are_never_shown(text in any_text()) {
        let document = parse(&text);
        for chunk in chunk::split(&text, &document) {
            prop_assert!(chunk.range.start >= document.body_start);
            let shown = chunk::visible_text(&text, &document, chunk.range.clone());
            let hidden = spans::without(chunk.range, &document.comments);
            let bytes: usize = hidden.iter().map(ExactSizeIterator::len).sum();
            prop_assert!(shown.len() <= bytes);
        }
    }

    #[test]
    fn a_section_lies_within_its_parent(text in any_text()) {
        let document = parse(&text);
        for heading in &document.headings {
            let Some(parent) = heading.parent.map(|index| &document.headings[index]) else { continue };
            prop_assert!(parent.level < heading.level);
            prop_assert!(parent.section.start < heading.section.start && heading.section.end <= parent.section.end);
        }
    }

    /// A tag that a reader sees is one that stands in the text.
    #[test]
    fn tags_stand_in_the_text(text in any_text()) {
        for tag in parse(&text).tags {
            prop_assert!(text.contains(&tag), "{tag}");
        }
    }

    #[test]
    fn lines_end_the_same_whatever_the_mark(pieces in prop::collection::vec("[a-z#>= -]{0,6}", 0..12)) {
        let shape = |end: &str| {
            let text = pieces.join(end);
            let document = parse(&text);
            let mut shape = String::new();
            for heading in &document.headings {
                writeln!(shape, "{} {} {}", heading.level, heading.line, heading.text).unwrap();
            }
            for chunk in chunk::split(&text, &document) {
                writeln!(shape, "{:?} {:?}", chunk.lines, chunk.heading).unwrap();
            }
            shape
        };
        prop_assert_eq!(shape("\n"), shape("\r\n"));
        prop_assert_eq!(shape("\n"), shape("\r"));
    }
}

fn all_ranges(text: &str, document: &Document) -> Vec<Range<usize>> {
    let headings =
        document.headings.iter().flat_map(|heading| [heading.range.clone(), heading.section.clone()]);
    let links = document.links.iter().map(|link| link.range.clone());
    let blocks = document.blocks.iter().map(|block| block.range.clone());
    let chunks = chunk::split(text, document).into_iter().map(|chunk| chunk.range);
    headings.chain(links).chain(blocks).chain(document.comments.iter().cloned()).chain(chunks).collect()
}
