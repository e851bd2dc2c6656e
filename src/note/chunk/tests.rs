//! How notes are cut.
#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::note::parse;

/// One line for each chunk: lines, heading path, and the text, shortened in the middle.
#[expect(clippy::needless_pass_by_value, reason = "expect![..] reads best inline")]
fn check(text: &str, expected: Expect) {
    let document = parse(text);
    let mut found = String::new();
    for chunk in split(text, &document) {
        let path = heading_path(&document, &chunk).join(" > ");
        let shown = visible_text(text, &document, chunk.range.clone()).replace('\n', "⏎");
        writeln!(found, "{}-{} [{path}] {}", chunk.lines.0, chunk.lines.1, shorten(&shown)).unwrap();
    }
    expected.assert_eq(&found);
}

fn shorten(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= 70 {
        return text.to_owned();
    }
    let (head, tail) = (&letters[..40], &letters[letters.len() - 20..]);
    format!("{} … {}", head.iter().collect::<String>(), tail.iter().collect::<String>())
}

/// Text of about `tokens` tokens in sentences of ten words.
fn prose(tokens: usize) -> String {
    let sentence = "The mill by the river grinds bread grain all day. ";
    sentence.repeat(tokens / 10)
}

#[test]
fn every_note_has_a_chunk() {
    check(
        "",
        expect![[r#"
        1-1 [] 
    "#]],
    );
    check(
        "---\ntags: [a]\n---\n",
        expect![[r#"
        3-3 [] 
    "#]],
    );
    check(
        " \n\n\t\u{200b}\u{feff}\n",
        expect![[r#"
        1-1 [] 
    "#]],
    );
    check(
        "%% only a comment %%\n",
        expect![[r#"
        1-1 [] 
    "#]],
    );
    check(
        "Plum\n",
        expect![[r#"
        1-1 [] Plum
    "#]],
    );
    check(
        "---\n",
        expect![[r#"
        1-1 [] ---
    "#]],
    );
    check(
        "# Only a heading\n## And another\n",
        expect![[r#"
        1-2 [Only a heading] # Only a heading⏎## And another
    "#]],
    );
    check(
        "---\na: 1\n---\n\nBody\n",
        expect![[r#"
        5-5 [] Body
    "#]],
    );
}

#[test]
fn small_sections_join_their_relatives() {
    check(
        "# Title\n\n## One\n\na\n\n## Two\n\nb\n",
        expect![[r#"
        1-9 [Title] # Title⏎⏎## One⏎⏎a⏎⏎## Two⏎⏎b
    "#]],
    );
    check(
        &format!("# Title\n\n## One\n\n{}\n\n## Two\n\nb\n", prose(60)),
        expect![[r#"
            1-9 [Title > One] # Title⏎⏎## One⏎⏎The mill by the river g … all day. ⏎⏎## Two⏎⏎b
        "#]],
    );
    check(
        &format!("preamble\n\n# Title\n\n{}\n", prose(60)),
        expect![[r#"
            1-5 [Title] preamble⏎⏎# Title⏎⏎The mill by the river … bread grain all day.
        "#]],
    );
    check(
        &format!("# A\n\n{0}\n\n### Deep\n\n{0}\n\n## Up\n\nsmall\n\n# B\n\n{0}\n", prose(60)),
        expect![[r#"
        1-3 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
        5-7 [A > Deep] ### Deep⏎⏎The mill by the river grinds b … bread grain all day.
        9-11 [A > Up] ## Up⏎⏎small
        13-15 [B] # B⏎⏎The mill by the river grinds bread  … bread grain all day.
    "#]],
    );
    check(
        &format!("# A\n\n{0}\n\n## Bare\n\n### Under it\n\n{0}\n\n## Last bare\n", prose(60)),
        expect![[r#"
            1-3 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
            5-11 [A > Bare > Under it] ## Bare⏎⏎### Under it⏎⏎The mill by the r …  day. ⏎⏎## Last bare
        "#]],
    );
    check(
        &format!("# A\n\n{0}\n\n# B\n\n{0}\n", prose(60)),
        expect![[r#"
        1-3 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
        5-7 [B] # B⏎⏎The mill by the river grinds bread  … bread grain all day.
    "#]],
    );
    check(
        &format!("## A\n\nsmall\n\n## B\n\n{}\n", prose(210)),
        expect![[r#"
        1-3 [A] ## A⏎⏎small
        5-7 [B] ## B⏎⏎The mill by the river grinds bread … bread grain all day.
        7-7 [B] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
}

#[test]
fn long_sections_are_cut_between_blocks_and_sentences() {
    check(
        &format!("# A\n\n{0}\n\n{0}\n\n{0}\n", prose(150)),
        expect![[r#"
        1-3 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
        5-5 [A] The mill by the river grinds bread grain … bread grain all day.
        7-7 [A] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    check(
        &format!("# A\n\n{}\n", prose(500)),
        expect![[r#"
        1-3 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
        3-3 [A] The mill by the river grinds bread grain … bread grain all day.
        3-3 [A] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    check(
        &format!("# A\n\n{}\n", prose(500).replace("day. ", "day.\n")),
        expect![[r#"
        1-19 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
        20-36 [A] The mill by the river grinds bread grain … bread grain all day.
        37-52 [A] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    check(
        &format!("# A\n\n{}\n", prose(500).replace(". ", " ")),
        expect![[r#"
        1-3 [A] # A⏎⏎The mill by the river grinds bread  …  by the river grinds
        3-3 [A] bread grain all day The mill by the rive …  day The mill by the
        3-3 [A] river grinds bread grain all day The mil …  bread grain all day
    "#]],
    );
    check(
        &"河石面灯椅草轮纸云山水火土木金。".repeat(30),
        expect![[r#"
        1-1 [] 河石面灯椅草轮纸云山水火土木金。河石面灯椅草轮纸云山水火土木金。河石面灯椅草轮纸 … 土木金。河石面灯椅草轮纸云山水火土木金。
        1-1 [] 河石面灯椅草轮纸云山水火土木金。河石面灯椅草轮纸云山水火土木金。河石面灯椅草轮纸 … 土木金。河石面灯椅草轮纸云山水火土木金。
        1-1 [] 河石面灯椅草轮纸云山水火土木金。河石面灯椅草轮纸云山水火土木金。河石面灯椅草轮纸 … 土木金。河石面灯椅草轮纸云山水火土木金。
    "#]],
    );
    check(
        &"x".repeat(2000),
        expect![[r#"
        1-1 [] xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … xxxxxxxxxxxxxxxxxxxx
        1-1 [] xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … xxxxxxxxxxxxxxxxxxxx
        1-1 [] xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx … xxxxxxxxxxxxxxxxxxxx
    "#]],
    );
}

#[test]
fn blocks_stay_whole_unless_too_long() {
    let code = |lines: usize| "```rust\n".to_owned() + &"let grain = mill(river);\n".repeat(lines) + "```\n";
    check(
        &format!("{}\n{}", prose(180), code(8)),
        expect![[r#"
        1-1 [] The mill by the river grinds bread grain … bread grain all day.
        2-11 [] ```rust⏎let grain = mill(river);⏎let gra … n = mill(river);⏎```
    "#]],
    );
    check(
        &format!("# Code\n\n{}", code(60)),
        expect![[r#"
        1-23 [Code] # Code⏎⏎```rust⏎let grain = mill(river); … grain = mill(river);
        24-43 [Code] let grain = mill(river);⏎let grain = mil … grain = mill(river);
        44-64 [Code] let grain = mill(river);⏎let grain = mil … n = mill(river);⏎```
    "#]],
    );
    let table = "| mill | river |\n| --- | --- |\n".to_owned() + &"| grain | bread |\n".repeat(12);
    check(
        &format!("{}\n\n{table}\n{}", prose(150), prose(150)),
        expect![[r#"
        1-1 [] The mill by the river grinds bread grain … bread grain all day.
        3-16 [] | mill | river |⏎| --- | --- |⏎| grain | …  |⏎| grain | bread |
        18-18 [] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    let item = format!("- {}\n  - {}\n", prose(50), prose(50));
    check(
        &item.repeat(4),
        expect![[r#"
        1-4 [] - The mill by the river grinds bread gra … bread grain all day.
        5-8 [] - The mill by the river grinds bread gra … bread grain all day.
    "#]],
    );
    check(
        &format!("> {}\n>\n> {}\n", prose(150), prose(150)),
        expect![[r#"
            1-2 [] > The mill by the river grinds bread gra … ad grain all day. ⏎>
            3-3 [] > The mill by the river grinds bread gra … bread grain all day.
        "#]],
    );
    let item = format!("- {0}\n  - {0}\n  - {0}\n", prose(50));
    check(
        &format!("{}\n\n{item}\n{}\n", prose(120), prose(60)),
        expect![[r#"
        1-1 [] The mill by the river grinds bread grain … bread grain all day.
        3-5 [] - The mill by the river grinds bread gra … bread grain all day.
        7-7 [] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    check(
        &item.repeat(3),
        expect![[r#"
        1-3 [] - The mill by the river grinds bread gra … bread grain all day.
        4-6 [] - The mill by the river grinds bread gra … bread grain all day.
        7-9 [] - The mill by the river grinds bread gra … bread grain all day.
    "#]],
    );
    check(
        &format!("- {}\n\n  ```\n  code\n  ```\n- short\n", prose(250)),
        expect![[r#"
        1-1 [] - The mill by the river grinds bread gra … bread grain all day.
        1-6 [] The mill by the river grinds bread grain …   code⏎  ```⏎- short
    "#]],
    );
}

#[test]
fn marks_go_with_what_they_mark() {
    check(
        &format!("- {}\n- {}\n", prose(150), prose(400)),
        expect![[r#"
        1-2 [] - The mill by the river grinds bread gra … bread grain all day.
        2-2 [] The mill by the river grinds bread grain … bread grain all day.
        2-2 [] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    check(
        &format!("> {}\n>\n> - {}\n> - {}\n", prose(150), prose(150), prose(150)),
        expect![[r#"
        1-2 [] > The mill by the river grinds bread gra … ad grain all day. ⏎>
        3-3 [] > - The mill by the river grinds bread g … bread grain all day.
        4-4 [] > - The mill by the river grinds bread g … bread grain all day.
    "#]],
    );
}

#[test]
fn no_cut_falls_on_a_mark_or_in_a_comment() {
    for (left, right) in (100..=200).step_by(10).flat_map(|left| [(left, 200), (left, 250), (left, 400)]) {
        let (left, right) = (prose(left), prose(right));
        for text in [
            format!("{left} %%one. two. three. four.%% {right}"),
            format!("- {left}\n- {right}\n"),
            format!("- {left}\n\n- {right}\n\n  {left}\n"),
            format!("> {left}\n>\n> - {right}\n"),
        ] {
            let document = parse(&text);
            let hidden = &document.layout.hidden;
            for chunk in split(&text, &document) {
                let cuts = |offset: usize| hidden.iter().any(|one| one.start < offset && offset < one.end);
                assert!(!cuts(chunk.range.start) && !cuts(chunk.range.end), "{chunk:?} cuts {hidden:?}");
                assert!(!text[chunk.range.clone()].ends_with(['-', '\n']), "{chunk:?} of {text}");
            }
        }
    }
}

#[test]
fn a_heading_goes_with_its_text() {
    check(
        &format!("# A\n\n{}\n\n## B\n\n{}\n", prose(215), prose(300)),
        expect![[r#"
        1-3 [A] # A⏎⏎The mill by the river grinds bread  … bread grain all day.
        3-3 [A] The mill by the river grinds bread grain … bread grain all day.
        5-7 [A > B] ## B⏎⏎The mill by the river grinds bread … bread grain all day.
        7-7 [A > B] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
    check(
        &format!("# Long\n\n{}\n", "A paragraph of one sentence ".repeat(60)),
        expect![[r#"
        1-3 [Long] # Long⏎⏎A paragraph of one sentence A pa … raph of one sentence
        3-3 [Long] A paragraph of one sentence A paragraph  … raph of one sentence
    "#]],
    );
    check(
        &format!("- ## A\n\t- {0}\n\t- ### B\n\t\t- {0}\n- ## C\n\t- {0}\n", prose(60)),
        expect![[r#"
        1-2 [A] - ## A⏎	- The mill by the river grinds b … bread grain all day.
        3-4 [A > B] - ### B⏎		- The mill by the river grinds … bread grain all day.
        5-6 [C] - ## C⏎	- The mill by the river grinds b … bread grain all day.
    "#]],
    );
    check(
        &"# Nothing but headings\n".repeat(80),
        expect![[r#"
        1-42 [] # Nothing but headings⏎# Nothing but hea … Nothing but headings
        43-80 [] # Nothing but headings⏎# Nothing but hea … Nothing but headings
    "#]],
    );
}

#[test]
fn hidden_text_is_not_shown() {
    check(
        "Shown %%hidden%% again.\n\n%%\nhidden\n%%\n\n<!-- hidden -->\n\nMore.",
        expect![[r#"
        1-9 [] Shown  again.⏎⏎⏎More.
    "#]],
    );
    check(
        "a\n\n\n\n\n\nb\n   \n\t\n\n \nc",
        expect![[r#"
        1-12 [] a⏎⏎⏎b⏎   ⏎	⏎c
    "#]],
    );
    let image = "aB3/".repeat(600);
    check(
        &format!("Before.\n\n![x](data:image/png;base64,{image})\n\nAfter."),
        expect![[r#"
        1-5 [] Before.⏎⏎![x]()⏎⏎After.
    "#]],
    );
    check(
        &format!("Hash {} and words {}.", "aB3d".repeat(16), "word".repeat(300)),
        expect![[r#"
        1-1 [] Hash aB3daB3daB3daB3daB3daB3daB3daB3daB3 … 3daB3daB3d and words
        1-1 [] wordwordwordwordwordwordwordwordwordword … wordwordwordwordword
        1-1 [] wordwordwordwordwordwordwordwordwordword … ordwordwordwordword.
    "#]],
    );
    check(
        &format!("{} %%hidden. hidden. {}%% {}", prose(150), prose(400), prose(150)),
        expect![[r#"
        1-1 [] The mill by the river grinds bread grain … bread grain all day.
        1-1 [] The mill by the river grinds bread grain … bread grain all day.
    "#]],
    );
}

#[test]
fn only_what_looks_like_base64_is_data() {
    for (run, is_hidden) in
        [("aB3/", true), ("0a1b2c3d", false), ("AAAA", false), ("ABcd", false), ("----", false)]
    {
        let text = format!("before {} after", run.repeat(2000 / run.len()));
        assert_eq!(parse(&text).layout.hidden.len(), usize::from(is_hidden), "{run}");
    }
    assert!(parse(&"aB3/".repeat(200)).layout.hidden.is_empty(), "a short run");
}

#[test]
fn estimates_follow_the_kind_of_text() {
    for (text, tokens) in
        [("four", 1), ("河石", 2), ("20", 1), ("été", 1), (" \n\t\u{a0}\u{200b}", 0), ("🌱", 2), ("....", 3)]
    {
        assert_eq!(Costs::new(text, 0, &[]).of(0..text.len()) / cost::TOKEN, tokens, "{text:?}");
    }
}

#[test]
fn no_chunk_is_far_above_the_limit() {
    for text in [
        prose(3000),
        format!("# {}\n\n{}", prose(500), prose(500)),
        "word ".repeat(3000),
        "- item\n".repeat(900),
        "| a | b |\n".repeat(600),
        "# Heading\n".repeat(500),
        "> ".repeat(700) + "x",
    ] {
        let document = parse(&text);
        let costs = Costs::new(&text, 0, &[]);
        for chunk in split(&text, &document) {
            let tokens = costs.of(chunk.range.clone()) / cost::TOKEN;
            assert!(tokens <= MAX_TOKENS + MIN_TOKENS, "{tokens} tokens at lines {:?}", chunk.lines);
        }
    }
}

#[test]
fn code_is_cut_at_its_blank_lines() {
    let function = |name: &str| format!("fn {name}() {{\n{}}}\n\n", "    grind(grain);\n".repeat(25));
    check(
        &format!("```rust\n{}{}{}```\n", function("a"), function("b"), function("c")),
        expect![[r#"
            1-28 [] ```rust⏎fn a() {⏎    grind(grain);⏎    g … ⏎    grind(grain);⏎}
            30-56 [] fn b() {⏎    grind(grain);⏎    grind(gra … ⏎    grind(grain);⏎}
            58-86 [] fn c() {⏎    grind(grain);⏎    grind(gra … grind(grain);⏎}⏎⏎```
        "#]],
    );
}
