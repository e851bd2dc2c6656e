//! The judge against every spelling we know.
#![expect(clippy::disallowed_methods, reason = "a test reads the clock of its thread")]

use super::*;
use crate::vault::rules::RuleText;

fn rules() -> Rules {
    Rules::compile(&RuleText {
        tags: vec!["private".into(), "work/pay".into(), "dünn".into()],
        frontmatter_flag: Some("private".into()),
        ..RuleText::default()
    })
    .unwrap()
}

fn is_private(text: &str) -> bool {
    hides(&rules(), text)
}

/// The verdict over the text as a whole, private parts included.
fn hides(rules: &Rules, text: &str) -> bool {
    marks(rules, text).next().is_some()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn private_notes() {
    let table = [
        "---\nprivate: true\n---\n",
        "---\nprivate: \"true\"\n---\n",
        "---\nprivate: 'true'\n---\n",
        "---\nprivate: yes\n---\n",
        "---\nprivate: on\n---\n",
        "---\nprivate: y\n---\n",
        "---\nprivate: 1\n---\n",
        "---\nprivate: 01\n---\n",
        "---\nprivate: 1.0\n---\n",
        "---\nprivate: 0.0\n---\n",
        "---\nprivate: TRUE\n---\n",
        "---\nprivate: !!bool true\n---\n",
        "---\nprivate: !!bool false\n---\n",
        "---\nprivate: [true]\n---\n",
        "---\nprivate: [false]\n---\n",
        "---\nprivate: {}\n---\n",
        "---\nprivate: null\n---\n",
        "---\nprivate: ~\n---\n",
        "---\nprivate:\n---\n",
        "---\nprivate: 2024-01-01\n---\n",
        "---\nPrivate: true\n---\n",
        "---\n\"private\": true\n---\n",
        "---\n'PRIVATE' : yes\n---\n",
        "---\n\"\\x70rivate\": true\n---\n",
        "---\n\"\\u0070rivate\": true\n---\n",
        "---\nｐｒｉｖａｔｅ: true\n---\n",
        "---\npri\u{200b}vate: true\n---\n",
        "---\nprivate :true\n---\n",
        "---\nprivate\ttrue\n---\n",
        "---\nprivate:\ttrue\n---\n",
        "---\nprivate:\u{a0}true\n---\n",
        "---\n\u{a0}private: true\n---\n",
        "---\nmeta: {private: true}\n---\n",
        "---\nmeta:\n  deep:\n    private: true\n---\n",
        "---\nlist:\n  - private: true\n---\n",
        "---\nbase: &b {private: true}\nx:\n  <<: *b\n---\n",
        "---\n? private\n: true\n---\n",
        "---\n{private: true}\n---\n",
        "---\n{\"private\": true}\n---\n",
        "---\nprivate: false\nprivate: true\n---\n",
        "---\nprivate: true\nprivate: false\n---\n",
        "---\n# private: true\n---\n",
        "---\ndescription: |\n  private: true\n---\n",
        "---\ntitle: {{title}}\nprivate: true\n---\n",
        "---\ntitle: {{a: b}\nprivate: false\n---\n",
        "---\ntitle: <% tp %>: x: y\nkeywords: private\n---\n",
        "---\nprivate: true\n",
        "---\nprivate: true\n...\n",
        "---\na: b\n...\nprivate: true\n---\n",
        "---\na: b\n---\nprivate: true\n---\n",
        "---\na: b\n---\n\n---\nprivate: true\n---\n",
        "\u{feff}---\nprivate: true\n---\n",
        "\n\n---\nprivate: true\n---\n",
        "  \n---  \nprivate: true\n---\t\n",
        "---\r\nprivate: true\r\n---\r\n",
        "---\rprivate: true\r---\r",
        "---\u{2028}private: true\u{2028}---\u{2028}",
        "----\nprivate: true\n----\n",
        "+++\nprivate = true\n+++\n",
        "{\n\"private\": true\n}\n",
        "{\"private\": true}\n",
        "{ \"private\": true }\n",
        "{'private': 1}\n",
        "---json\n{\"private\": true}\n---\n",
        "--- yaml\nprivate: true\n---\n",
        "--- # properties\nprivate: true\n---\n",
        // The rest of the list at the end of the leak catalogue.
        "---\nprivate: \"\"\n---\n",
        "---\nprivate: 00\n---\n",
        "---\nprivate: 0x0\n---\n",
        "---\nprivate: !!bool \"true\"\n---\n",
        "---\nprivate: !x y\n---\n",
        "---\n!!str private: true\n---\n",
        "---\n&k private: true\n---\n",
        "---\nx: &v true\nprivate: *v\n---\n",
        "---\nx: &v false\nprivate: *v\n---\n",
        "---\nx: &k private\n*k : true\n---\n",
        "---\nprivate: >\n  folded\n---\n",
        "---\nprivate: |\n  false\n  true\n---\n",
        "---\nnote: >-\n  private: true\n---\n",
        "---\n{a: 1, private: true}\n---\n",
        "---\n{a: {b: [{private: true}]}}\n---\n",
        "---\n? {private: true}\n: x\n---\n",
        "---\n<% tp.file.title %>\nprivate: true\n---\n",
        "---\n{{#if x}}\nprivate: true\n{{/if}}\n---\n",
        "---\nprivate: {{value}}\n---\n",
        "---\nprivate: <% x %>\n---\n",
        "---\n\u{1f512} key: 1\nprivate: true\n---\n",
        "---\n\u{1f512}private: true\n---\n",
        "---\n\tprivate: true\n---\n",
        "---\n\u{a0}\u{a0}private\u{a0}:\u{a0}true\n---\n",
        "---\nprivate\u{ff1a}true\n---\n",
        "---\nPRIVATE : 'On'\n---\n",
        "--- \t\nprivate: true\n---\u{a0}\n",
        "-----\nprivate: true\n-----\n",
        "\u{feff}\u{feff}---\nprivate: true\n---\n",
        "\u{200b}\n---\nprivate: true\n---\n",
        "\u{2029}---\u{2029}private: true\u{2029}---",
        "---\u{b}private: true\u{b}---",
        "---\u{85}private: true\u{85}---",
        "---\nprivate: true",
        "---\na: 1\nprivate: true\n...\nbody\n",
        "---\na: 1\n---\n---\nb: 2\nprivate: yes\n---\n",
        "+++\n[extra]\nprivate = true\n+++\n",
        "+++\ntags = [\"private\"]\n",
        "{\n  \"meta\": {\"private\": true}\n}\n",
        "{\n  \"tags\": [\"private\"]\n}\n",
        "{\n  \"\\u0070rivate\": true\n}\n",
        "---\ntags:\n\n# - private\n---\n",
        "---\ntags: [[a, [b, [private]]]]\n---\n",
        "---\ntags: >\n  a\n  private\n---\n",
        "---\ntags: a,private\n---\n",
        "---\ntags: ['#private/x']\n---\n",
        "---\n\"tags\": [private]\n---\n",
        "---\ntags:\n  private: 1\n---\n",
        "---\ntags: &t [private]\nx: *t\n---\n",
        "---\ntags: [private]\ntags: [x]\n---\n",
        "---\ntags: [x]\ntags: [private]\n---\n",
        "---\ntags: [private]\n---\n",
        "---\ntags: private\n---\n",
        "_#private and more_",
        "#/private/x",
        "#private\u{200b}x",
        "an **_#private_** word is none, but _#private is",
        "---\ntags: a, private\n---\n",
        "---\ntags: a private\n---\n",
        "---\ntags: \"#private\"\n---\n",
        "---\ntags: #private\n---\n",
        "---\ntags: [#private]\n---\n",
        "---\ntags:\n  - a\n  - private\n---\n",
        "---\ntags:\n- private\n---\n",
        "---\ntags:\n  - #private\n---\n",
        "---\ntags:\n  # - private\n---\n",
        "---\ntags:\n  - [a, [private]]\n---\n",
        "---\ntags:\n  - {x: private}\n---\n",
        "---\ntag: PRIVATE\n---\n",
        "---\nTags: [Private/x]\n---\n",
        "---\ntags: [work/pay]\n---\n",
        "---\ntags: [work/pay/2024]\n---\n",
        "---\ntags: [du\u{308}nn]\n---\n",
        "---\nmeta:\n  tags: [private]\n---\n",
        "---\ntags: [pri\u{ad}vate]\n---\n",
        "---\ntags: [a\n  private\n---\n",
        "#private",
        "text #private.",
        "(#private)",
        "a\n#private/deep/er\n",
        "#PRIVATE",
        "#Private-ish but #private too",
        "`#private`",
        "```\n#private\n```\n",
        "    #private\n",
        "%% #private %%",
        "<!-- #private -->",
        "$#private$",
        "> [!note] #private",
        "[x](y.md #private)",
        "\\#private",
        "a.#private",
        "日本。#private",
        "\u{ff03}private",
        "#pri\u{200b}vate",
        "#\u{200b}private",
        "#ｐrivate",
        "#private\u{1f600}",
        "#private!",
        "#du\u{308}nn",
        "#DÜNN/x",
        "#work/pay",
    ];
    for text in table {
        assert!(is_private(text), "{text:?}");
    }
}

#[test]
fn public_notes() {
    let table = [
        "",
        "just text about private matters",
        "{{title}} is private",
        "{braces} around private words",
        "--- a private title ---\ntext\n",
        "---\na: b\n...\nA private matter.\n",
        "---\na: b\n...\nbody\nprivate: true\n",
        "---\nprivate: N\n---\n",
        "---\nprivate: OFF\n---\n",
        "---\nprivate: ' no '\n---\n",
        "---\n\"private\": false\n---\n",
        "---\ntitle: {{title}}\ncreated: <% x %>\n---\nbody\n",
        "---\na: 1\na: 2\n---\nA private matter.\n",
        "---\n\u{1f512}: 1\n---\n",
        "---\nprivate: false\n---\n",
        "---\nprivate: False\n---\n",
        "---\nprivate: \"false\"\n---\n",
        "---\nprivate: no\n---\n",
        "---\nprivate: 'NO'\n---\n",
        "---\nprivate: off\n---\n",
        "---\ntitle: {{title}}\nprivate: false\n---\n",
        "---\nprivate: n\n---\n",
        "---\nprivate: 0\n---\n",
        "---\nprivate: false # for now\n---\n",
        "---\n{private: false, a: 1}\n---\n",
        "---\ntitle: My private thoughts\n---\n",
        "---\nmeta-private: true\n---\n",
        "---\nprivate_x: true\n---\n",
        "---\nprivateer: true\n---\n",
        "---\ntags: [privateer, work]\n---\n",
        "---\ntags: []\nkeywords: private\n---\n",
        "---\ntitle: {{title}}\n---\nbody\n",
        "---\ntags: [a\n---\nprivate: true in the body\n",
        "---\na: b\n---\nA sentence.\nprivate: true\n---\n",
        "text\n---\nprivate: true\n---\n",
        "-- -\nprivate: true\n---\n",
        "#privateer",
        "#private-eye",
        "#private_x",
        "#work",
        "#work/payment",
        "word#private",
        "[x](y.md#private)",
        "a/#private",
        "##private",
        "## private",
        "# private",
        "#x/private",
        "#dunn",
        "price #1",
    ];
    for text in table {
        assert!(!is_private(text), "{text:?}");
    }
}

#[test]
fn strict_hides_every_block_that_cannot_be_read() {
    let rules = Rules::compile(&RuleText { strict: true, ..RuleText::default() }).unwrap();
    for (text, expected) in [
        ("---\ntitle: {{a: b}\n---\n", true),
        ("---\nplain\n---\n", true),
        ("---\na: 1\na: 2\n---\n", true),
        ("---\na: 1\n---\n", false),
        ("---\n---\n", false),
        ("no block", false),
    ] {
        assert_eq!(hides(&rules, text), expected, "{text:?}");
    }
}

/// A mebibyte of properties, and inputs that make careless parsers slow, `size` bytes or so each.
fn hostile(size: usize) -> Vec<String> {
    let of = |piece: &str| piece.repeat(size / piece.len());
    vec![
        format!("---\nk: {}\n---\n", of("[")),
        format!("---\nk: {}\n---\n", of("{a: ")),
        format!("---\n{}\n", of("private")),
        format!("---\n{}---\n", of("private \n")),
        format!("---\n{}---\n", of("a: 1\n")),
        format!("---\n{}", of("a\n")),
        format!("---\n{}", of("---\n")),
        format!("---\n{}", of("...\n")),
        format!("---\ntags:\n{}---\n", of(" - x\n")),
        format!("---\n\"{}\": 1\n---\n", of("\\x70")),
        of("#"),
        of("#p"),
        of("# #pri\u{301}"),
        of("#\u{200b}"),
        format!("#p{}", of("\u{301}")),
        of("#privat "),
        of("\\"),
        of("\n"),
        of("\u{feff}"),
        of("\u{2028}"),
        format!("{{\n{}", of("\"a\": 1,\n")),
        format!("+++\n{}", of("a = 1\n")),
    ]
}

/// Seconds this thread has computed, where the system tells: other programs do not count.
fn thread_seconds(began: std::time::Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| began.elapsed().as_secs_f64(), |spent| spent as f64 / 1e9)
}

/// Four times the size may take four times as long; sixteen times would be quadratic.
#[test]
fn the_time_grows_with_the_size_and_no_faster() {
    let began = std::time::Instant::now();
    let seconds = |text: &str| {
        let run = |_| {
            let before = thread_seconds(began);
            let _ = public_text(&rules(), Decoded { text: text.to_owned(), lossy: None });
            thread_seconds(began) - before
        };
        (0..3).map(run).fold(f64::INFINITY, f64::min)
    };
    for (small, large) in hostile(1 << 15).iter().zip(hostile(1 << 17)) {
        let start: String = small.chars().take(20).collect();
        // Caches are shared with whoever else is at work: what is quadratic is so every time.
        let measured: Vec<(f64, f64)> = (0..5)
            .map(|_| (seconds(small), seconds(&large)))
            .take_while(|(once, four_times)| *four_times >= once.max(0.002) * 9.0)
            .collect();
        assert!(measured.len() < 5, "{start:?}: {measured:?}");
    }
}

#[test]
fn aliases_do_not_explode() {
    let bomb: String = std::iter::once("---\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain(('b'..='i').map(|c| {
            let before = char::from(c as u8 - 1);
            format!("{c}: &{c} [{}]\n", vec![format!("*{before}"); 9].join(","))
        }))
        .chain(["---\n".to_owned()])
        .collect();
    let began = std::time::Instant::now();
    assert!(!is_private(&bomb));
    // Twenty milliseconds in a release build on an idle machine; expanded, it would take minutes.
    assert!(began.elapsed().as_secs() < 1);
    assert!(is_private(&bomb.replace("i: &i", "private: &i")));
}

/// Text as it might stand in a note, with a weight on what the judge looks at.
fn any_text() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let piece = prop_oneof![
        any::<String>(),
        proptest::sample::select(vec![
            "---\n", "...\n", "+++\n", "{", "}", "[", "]", "\"", "'", ": ", "\n", "\r", "- ", "tags: ",
            "tag:\n", "private", "#", "# ", "\\x", "\\u00", "&a ", "*a ", "|\n  ", "false", "\u{200b}",
            "\u{301}", "\u{feff}", "\u{2028}", "\t", "%%", "```\n", "a: b\n",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A readable property.
fn any_property() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    proptest::sample::select(vec![
        "title: {{title}}",
        "aliases: [a, b]",
        "x: |\n  text",
        "# comment",
        "a: 'b",
        "created: 2024-01-01",
        "x: {y: [z]}",
        "a: 1\na: 2",
        "\tx: 1",
        "x: \"\\q\"",
        "list:\n  - one\n  - two",
        "tags:\n  - one",
        "&a x: *a",
        "private: false",
        "",
        "\u{1f512}: \u{1f511}",
        "<% tp %>",
    ])
    .prop_map(str::to_owned)
}

proptest::proptest! {
    #[test]
    fn judging_never_panics(text in any_text()) {
        let _ = public_text(&rules(), Decoded { text, lossy: None });
    }

    #[test]
    fn the_reasons_are_none_where_the_verdict_is_public(text in any_text(), other in any_text()) {
        for lossy in [None, Some(other)] {
            let decoded = Decoded { text: text.clone(), lossy };
            let reasons = all_marks(&rules(), &decoded);
            proptest::prop_assert_eq!(public_text(&rules(), decoded).is_some(), reasons.is_empty());
        }
    }

    #[test]
    fn a_private_tag_anywhere_makes_any_note_private(before in any_text(), after in any_text()) {
        let text = format!("{before} #private {after}");
        proptest::prop_assert!(is_private(&text), "{:?}", text);
    }

    #[test]
    fn a_flag_line_anywhere_makes_any_properties_private(
        before in proptest::collection::vec(any_property(), 0..6),
        after in proptest::collection::vec(any_property(), 0..6),
        body in any_text(),
        ending in proptest::sample::select(vec!["\n", "\r\n", "\r", "\u{2028}"]),
    ) {
        let lines = [vec!["---".to_owned()], before, vec!["private: true".to_owned()], after, vec!["---".to_owned(), body]];
        let text = lines.concat().join("\n").replace('\n', ending);
        proptest::prop_assert!(is_private(&text), "{:?}", text);
    }
}
