//! The judge against every spelling we know.

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
    judge(&rules(), text) == Verdict::Private
}

#[test]
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
        "---\ntags: [private]\n---\n",
        "---\ntags: private\n---\n",
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
    for (text, verdict) in [
        ("---\ntitle: {{a: b}\n---\n", Verdict::Private),
        ("---\nplain\n---\n", Verdict::Private),
        ("---\na: 1\na: 2\n---\n", Verdict::Private),
        ("---\na: 1\n---\n", Verdict::Public),
        ("---\n---\n", Verdict::Public),
        ("no block", Verdict::Public),
    ] {
        assert_eq!(judge(&rules, text), verdict, "{text:?}");
    }
}

#[test]
fn hostile_blocks_are_judged_in_time() {
    let bomb: String = std::iter::once("---\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned())
        .chain(('b'..='i').map(|c| {
            let before = char::from(c as u8 - 1);
            format!("{c}: &{c} [{}]\n", vec![format!("*{before}"); 9].join(","))
        }))
        .chain(["---\n".to_owned()])
        .collect();
    let inputs = [
        bomb,
        format!("---\nk: {}\n---\n", "[".repeat(60_000)),
        format!("---\n{}\n", "private".repeat(150_000)),
        "#".repeat(1 << 20),
        "#p".repeat(1 << 19),
        "# #pri\u{301}".repeat(1 << 16),
        format!("---\n{}", "a\n".repeat(1 << 19)),
        format!("---\n{}---\n", "private \n".repeat(1 << 16)),
        "\\".repeat(1 << 20),
    ];
    for text in inputs {
        let began = std::time::Instant::now();
        judge(&rules(), &text);
        // Ten times the bound of a release build: tests run unoptimised.
        assert!(began.elapsed().as_millis() < 500, "{:?} for {:?}", began.elapsed(), &text[..20]);
    }
}
