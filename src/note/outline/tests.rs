//! Headings with their sections, and blocks with an id.
use super::*;
use crate::note::parse;

#[test]
fn headings_without_their_marks() {
    for (text, expected) in [
        ("# One\n## Two ##\n###### Six", vec!["1 One", "2 Two", "6 Six"]),
        ("One\n===\n\nTwo\nlines\n---\n", vec!["1 One", "2 Two lines"]),
        ("# **Bold** `code` *it* ~~st~~ $x$ [label](b.md)", vec!["1 Bold code it st x label"]),
        ("# A &amp; B \\# C", vec!["1 A & B # C"]),
        ("# See [[Note]] and [[Note|label]]", vec!["1 See Note and label"]),
        ("# With id ^abc", vec!["1 With id"]),
        ("# Tagged #tag", vec!["1 Tagged #tag"]),
        ("# a %%secret%% b <!-- secret --> c", vec!["1 a b c"]),
        ("#", vec!["1 "]),
        ("#NoBlank\n\n####### Seven\n\n    # code\n\n```\n# code\n```\n\n~~~\n# code\n~~~", vec![]),
        ("> # quoted\n\n[^1]: # note", vec![]),
        ("- # In a list\n  - ## Nested\n- text", vec!["1 In a list", "2 Nested"]),
        ("\u{feff}# After a mark", vec!["1 After a mark"]),
        ("# Old\r\rText\r\r## Mac\r", vec!["1 Old", "2 Mac"]),
        ("# a\r\n\n## b\r## c", vec!["1 a", "2 b", "2 c"]),
        ("---\n# yaml\n---\n# Body", vec!["1 Body"]),
    ] {
        let document = parse(text);
        let found = document.headings.iter().map(|heading| format!("{} {}", heading.level, heading.text));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text:?}");
    }
}

#[test]
fn sections_end_at_the_next_heading_of_the_same_or_a_higher_rank() {
    let text = "p\n# A\na\n### B\nb\n## C\nc\n# D\nd\n";
    let document = parse(text);
    let found: Vec<(&str, u32, Option<usize>)> =
        document.headings.iter().map(|one| (&text[one.section.clone()], one.line, one.parent)).collect();
    let expected = [
        ("# A\na\n### B\nb\n## C\nc\n", 2, None),
        ("### B\nb\n", 4, Some(0)),
        ("## C\nc\n", 6, Some(0)),
        ("# D\nd\n", 8, None),
    ];
    assert_eq!(found, expected);
}

#[test]
fn lines_count_in_the_whole_file() {
    for text in ["---\na: 1\n---\n\n# A\n", "---\r\na: 1\r\n---\r\n\r\n# A\r\n", "---\ra: 1\r---\r\r# A\r"] {
        assert_eq!(parse(text).headings[0].line, 5, "{text:?}");
    }
}

#[test]
fn ids_belong_to_the_block_before_them() {
    for (text, expected) in [
        ("First. ^p1\n\nSecond\nlines ^p-2\n", vec![("p1", "First. ^p1"), ("p-2", "Second\nlines ^p-2")]),
        ("- one ^a\n- two\n  - inner ^b\n", vec![("a", "- one ^a"), ("b", "- inner ^b")]),
        ("- one ^a\n  - inner\n- two\n", vec![("a", "- one ^a\n  - inner")]),
        ("- one ^a\n\n- two\n\n  more ^b\n", vec![("a", "- one ^a"), ("b", "more ^b")]),
        ("| a |\n| - |\n| 1 |\n\n^tbl\n", vec![("tbl", "| a |\n| - |\n| 1 |\n\n^tbl")]),
        ("| a |\n| - |\n| 1 |\n^tbl\n", vec![("tbl", "| a |\n| - |\n| 1 |\n^tbl")]),
        ("> quote\n\n^q\n", vec![("q", "> quote\n\n^q")]),
        ("> quote ^q\n", vec![("q", "quote ^q")]),
        ("```\ncode ^not\n```\n\n^c\n", vec![("c", "```\ncode ^not\n```\n\n^c")]),
        ("```\ncode\n```\n^c\n", vec![("c", "```\ncode\n```\n^c")]),
        ("- a\n- b\n\n^list\n", vec![("list", "- a\n- b\n\n^list")]),
        ("para\n\n^own\n", vec![("own", "para\n\n^own")]),
        ("# Head ^h\n", vec![("h", "# Head ^h")]),
        ("Is 2^10 and x^2 here\n\n2^10\n\nFoot[^1]\n\n[^1]: foot\n", vec![]),
        (
            "mid ^not\nline\n\na ^not x\n\na ^no_t\n\n^\n\n`a ^not`\n\n$a ^2$\n\n%% a ^not %%\n\n%%\n\na ^not\n\n%%\n",
            vec![],
        ),
        ("^first\n", vec![]),
        ("a ^x", vec![("x", "a ^x")]),
    ] {
        let document = parse(text);
        let found = document.blocks.iter().map(|block| (&*block.id, &text[block.range.clone()]));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text:?}");
    }
}

#[test]
fn an_id_is_split_off_only_at_the_end() {
    for (text, expected) in [
        ("a ^b", Some(("a ", "b"))),
        ("^b ", Some(("", "b"))),
        ("a^b", None),
        ("a ^", None),
        ("a ^b c", None),
        ("a ^ü", None),
    ] {
        assert_eq!(split_id(text), expected, "{text:?}");
    }
}
