//! Several vaults: what is refused, and what a vault's own section adds.

use expect_test::{Expect, expect};

use super::*;
use crate::config::explain::Refusal;
use crate::vault::public_version;

#[track_caller]
fn check_refused(texts: &[&str], expected: &Expect) {
    let told: Vec<String> = texts.iter().map(|text| told(text)).collect();
    expected.assert_eq(&told.join("\n"));
}

fn told(text: &str) -> String {
    let read = || {
        let file = ConfigFile::parse(text.as_bytes())?;
        file.vaults.keys().try_for_each(|name| file.compile_rules(Some(name), text.as_bytes()).map(drop))
    };
    match read() {
        Ok(()) => format!("accepted: {text}\n"),
        Err(Refusal { line, problem, text, fix }) => format!("{line}: {problem}: {text}\n   {fix}\n"),
    }
}

#[test]
fn names_and_sections_that_cannot_be_meant_are_refused() {
    check_refused(
        &[
            "[vault]\npath = \"/a\"\n[vaults.b]\npath = \"/b\"",
            "[vault]\n[vaults]",
            "[vaults.a]",
            "[vaults.a]\npath = \"/a\"\n[vaults.A]\npath = \"/b\"",
            "[vaults.\"my notes\"]\npath = \"/a\"",
            "[vaults.\"a.b\"]\npath = \"/a\"",
            "[vaults.\"\"]\npath = \"/a\"",
            "[vaults.n\u{f8}ter]\npath = \"/a\"",
            "[vaults]\nwork = \"/a\"",
            "[vaults]\npath = \"/a\"",
            "[vaults]\nwork = []",
            "[[vaults.work]]\npath = \"/a\"",
            "vaults = []",
            "[vaults.work]\npath = \"/a\"\nprivacy = []",
            "[vaults.work]\npath = \"/a\"\n[[vaults.work.privacy]]\nstrict = true",
            "[vaults.work]\npath = 1",
        ],
        &expect![[r#"
            3: there are [vault] and [vaults]: [vaults.b]
               Keep [vault] for a single vault, or write it as one more [vaults.NAME].

            2: there are [vault] and [vaults]: [vaults]
               Keep [vault] for a single vault, or write it as one more [vaults.NAME].

            1: [vaults.a] needs a `path`: [vaults.a]
               Write it like this: path = "~/Documents/MyVault".

            1: `a` and `A` differ in case alone: [vaults.a]
               Give one of them another name.

            1: `my notes` cannot name a vault: [vaults."my notes"]
               Take up to 64 letters (a to z), digits, `-` and `_`, such as [vaults.work].

            1: `a.b` cannot name a vault: [vaults."a.b"]
               Take up to 64 letters (a to z), digits, `-` and `_`, such as [vaults.work].

            1: `` cannot name a vault: [vaults.""]
               Take up to 64 letters (a to z), digits, `-` and `_`, such as [vaults.work].

            1: this is not TOML (invalid unquoted key, expected letters, numbers, `-`, `_`): [vaults.nøter]
               Write sections as [vault], texts in quotes, lists as ["a", "b"].

            2: `work` cannot have this value: work = "/a"
               Write it as a section: [vaults.work].

            2: `path` cannot have this value: path = "/a"
               Write it as a section: [vaults.path].

            2: `work` cannot have this value: work = []
               Write it as a section: [vaults.work].

            1: `work` cannot have this value: [[vaults.work]]
               Write it as a section: [vaults.work].

            1: `vaults` cannot have this value: vaults = []
               Write it as a section: [vaults].

            3: `privacy` cannot have this value: privacy = []
               Write it as a section: [vaults.work.privacy].

            3: `privacy` cannot have this value: [[vaults.work.privacy]]
               Write it as a section: [vaults.work.privacy].

            2: `path` cannot have this value: path = 1
               Write it like this: path = "~/Documents/MyVault".
        "#]],
    );
}

#[test]
fn unknown_keys_are_refused_with_their_section() {
    check_refused(
        &[
            "[vaults.work]\npaths = \"/a\"",
            "[vaults.work]\nname = \"Work\"",
            "[vaults.work]\nfolders = []",
            "[vaults.work]\nallow_reindex = true",
            "[vaults.work.privacy]\nfolder = []",
            "[vaults.work.privacy]\nignore_patterns = []",
            "[vaults.work.privacy]\nfolders = \"journal\"",
            "[vaults.work.privacy]\ndefault = \"secret\"",
            "[vaults.work]\npath = \"/a\"\nignore_patterns = [\"a[\"]",
            "[vaults.work]\npath = \"/a\"\n[vaults.work.privacy]\nfolders = [\"a[\"]",
        ],
        &expect![[r#"
            2: unknown key `paths` in [vaults.work]: paths = "/a"
               Did you mean `path`?

            2: unknown key `name` in [vaults.work]: name = "Work"
               Remove it: the vault is called as its section is.

            2: unknown key `folders` in [vaults.work]: folders = []
               Move it below [vaults.work.privacy].

            2: unknown key `allow_reindex` in [vaults.work]: allow_reindex = true
               Move it below [server].

            2: unknown key `folder` in [vaults.work.privacy]: folder = []
               Did you mean `folders`?

            2: unknown key `ignore_patterns` in [vaults.work.privacy]: ignore_patterns = []
               Move it below [vaults.work].

            2: `folders` cannot have this value: folders = "journal"
               Write it like this: folders = ["journal", "people/*"].

            2: `default` cannot have this value: default = "secret"
               Write it like this: default = "public" or "private".

            3: `a[` is not a valid rule: ignore_patterns = ["a["]
               A `[` needs a `]` behind it.

            4: `a[` is not a valid rule: folders = ["a["]
               A `[` needs a `]` behind it.
        "#]],
    );
}

/// `[privacy]` with the first text, and a vault's own section with the second.
fn configured(general: &str, own: &str) -> String {
    format!("[privacy]\n{general}\n[vaults.a]\npath = \"/a\"\n[vaults.a.privacy]\n{own}\n")
}

#[test]
fn what_would_show_more_is_refused() {
    let rows = [
        ("default = \"private\"", "default = \"public\""),
        ("default = \"private\"\nallow_folders = [\"a\"]", "allow_folders = [\"b\"]"),
        ("default = \"private\"", "default = \"private\"\nallow_tags = [\"open\"]"),
        ("default = \"private\"", "allow_flag = \"publish\""),
        ("strict = true", "strict = false"),
        ("frontmatter_flag = \"private\"", "frontmatter_flag = \"secret\""),
        ("allow_folders = [\"a\"]", "default = \"private\"\nallow_folders = [\"b\"]"),
        ("", "allow_folders = [\"b\"]"),
    ];
    let texts = rows.map(|(general, own)| configured(general, own));
    let texts = texts.each_ref().map(String::as_str);
    check_refused(
        &texts,
        &expect![[r#"
            6: [privacy] has `default = "private"` for every vault, and a vault's own section only hides more: default = "public"
               Remove the line, or move `default = "private"` from [privacy] to the vaults that need it.

            7: `b` is not a valid rule: allow_folders = ["b"]
               A vault's own section only hides more, and [privacy] makes every note private that it does not allow itself; write default = "private" in the vaults' own sections instead.

            7: `open` is not a valid rule: allow_tags = ["open"]
               A vault's own section only hides more, and [privacy] makes every note private that it does not allow itself; write default = "private" in the vaults' own sections instead.

            6: `publish` is not a valid rule: allow_flag = "publish"
               A vault's own section only hides more, and [privacy] makes every note private that it does not allow itself; write default = "private" in the vaults' own sections instead.

            6: [privacy] has `strict = true` for every vault, and a vault's own section only hides more: strict = false
               Remove the line, or move `strict = true` from [privacy] to the vaults that need it.

            6: `secret` is not a valid rule: frontmatter_flag = "secret"
               [privacy] has the flag `private` for every vault; take this one out, or name the flags in the vaults' own sections alone.

            2: `a` is not a valid rule: allow_folders = ["a"]
               It allows what is allowed already; write default = "private" beside it.

            6: `b` is not a valid rule: allow_folders = ["b"]
               It allows what is allowed already; write default = "private" beside it.
        "#]],
    );
}

#[test]
fn a_section_that_only_adds_is_understood() {
    let rows = [
        ("default = \"private\"", "default = \"private\""),
        ("default = \"private\"", "folders = [\"b\"]"),
        ("default = \"public\"", "default = \"private\"\nallow_folders = [\"b\"]\nallow_flag = \"open\""),
        ("strict = true", "strict = true"),
        ("strict = true", ""),
        ("frontmatter_flag = \"private\"", "frontmatter_flag = \"Private\""),
        ("", "frontmatter_flag = \"secret\""),
        ("tags = [\"a\"]", "tags = [\"a\"]"),
    ];
    for (general, own) in rows {
        let text = configured(general, own);
        assert!(told(&text).starts_with("accepted"), "{}", told(&text));
    }
}

#[test]
fn a_vault_has_the_rules_of_all_and_its_own() {
    let text = "[privacy]\ntags = [\"private\"]\n[vaults.a]\npath = \"/a\"\nmax_note_bytes = 9\n\
                [vaults.a.privacy]\ntags = [\"work\"]\nfrontmatter_flag = \"secret\"\n[vaults.b]\npath = \"/b\"\n";
    let file = ConfigFile::parse(text.as_bytes()).unwrap();
    let shown = |vault: &str, note: &str| {
        let rules = file.compile_rules(Some(vault), text.as_bytes()).unwrap();
        public_version(&rules, note.as_bytes()).is_some()
    };
    let rows = [
        ("#private", [false, false]),
        ("#work", [false, true]),
        ("---\nsecret: true\n---\n", [false, true]),
        ("plain", [true, true]),
    ];
    for (note, expected) in rows {
        assert_eq!(["a", "b"].map(|vault| shown(vault, note)), expected, "{note}");
    }
    assert_eq!(file.line_of(Some("a"), "tags", "work", text.as_bytes()), Some(7));
    assert_eq!(file.line_of(Some("b"), "tags", "work", text.as_bytes()), None);
    assert_eq!(file.rule_text(Some("a")).max_note_bytes, 9);
}
