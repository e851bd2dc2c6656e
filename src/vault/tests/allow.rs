//! Private by default, what Obsidian excludes, and text that is masked or taken out.

use super::*;
use crate::vault::rules::Standing;

fn private_by_default() -> RuleText {
    RuleText {
        default: Standing::Private,
        allow_folders: vec!["published*".into(), "**/open".into()],
        allow_tags: vec!["public".into()],
        allow_flag: Some("publish".into()),
        folders: vec!["published/drafts".into()],
        tags: vec!["secret".into()],
        ..RuleText::default()
    }
}

#[test]
fn only_what_is_allowed_is_public_where_notes_are_private_by_default() {
    let table = [
        ("a.md", "text", false),
        ("published/a.md", "text", true),
        ("Published/deep/a.md", "text", true),
        ("published.md", "text", false),
        ("deep/published/a.md", "text", false),
        ("deep/open/a.md", "text", true),
        ("published/drafts/a.md", "text", false),
        ("published/s.md", "text #secret", false),
        ("published/m.md", "---\ntitle: {{a: b}\n---\ntext", true),
        ("tagged.md", "---\ntags: [public]\n---\ntext", true),
        ("nested.md", "---\ntags: public/site, x\n---\ntext", true),
        ("cased.md", "---\nTags:\n  - \"#PUBLIC\"\n---\ntext", true),
        ("both.md", "---\ntags: [public, secret]\n---\ntext", false),
        ("flag.md", "---\npublish: true\n---\ntext", true),
        ("flag2.md", "---\nPublish: \"Yes\"\n---\ntext", true),
        ("flag3.md", "---\npublish: 1\nsecret: x\n---\ntext #secret", false),
        ("flag4.md", "---\npublish: false\n---\n", false),
        ("flag5.md", "---\npublish:\n---\n", false),
        ("flag6.md", "---\npublish: [true]\n---\n", false),
        ("flag7.md", "---\npublish: 2024-01-01\n---\n", false),
        ("flag8.md", "---\nmeta: {publish: true}\n---\n", false),
        ("flag9.md", "---\npublish: false\npublish: true\n---\n", false),
        ("flag10.md", "---\n# publish: true\n---\n", false),
        ("flag11.md", "publish: true\n", false),
        // Whatever a reader could take otherwise allows nothing.
        ("inline.md", "text #public", false),
        ("code.md", "`#public`", false),
        ("other.md", "---\ntags: [publicity]\n---\n", false),
        ("deep.md", "---\nmeta:\n  tags: [public]\n---\n", false),
        ("comment.md", "---\ntags: #public\n---\n", false),
        ("broken.md", "---\ntags: [public\n---\n", false),
        ("open.md", "---\ntags: [public]\n", false),
        ("second.md", "---\na: b\n---\n---\ntags: [public]\n---\n", false),
        ("toml.md", "+++\ntags = [\"public\"]\n+++\n", false),
        ("blank.md", "\n---\ntags: [public]\n---\n", false),
        ("long.md", "----\ntags: [public]\n----\n", false),
        ("dots.md", "---\ntags: [public]\n...\ntext", false),
        ("longer.md", "---\ntags: [public]\n----\ntext", false),
        ("indented.md", "---\ntags: [public]\n ---\ntext", false),
        ("separator.md", "---\ntags: [public]\u{2028}---\u{2028}text\n", false),
        ("sentence.md", "---\ntags: [not public]\n---\n", false),
        ("map.md", "---\ntags: {public: false}\n---\n", false),
        ("map2.md", "---\ntags:\n  - public: false\n---\n", false),
        ("twice.md", "---\npublish: false\nPublish: true\n---\n", false),
        ("twice2.md", "---\ntags: [internal]\nTags: [public]\n---\n", false),
        ("published plan.md", "text", false),
        ("x/published.md", "text", false),
        ("blanks.md", "---\ntags: [public]\n--- \ntext", true),
        ("crlf.md", "---\r\ntags: [public]\r\n---\r\n", true),
        ("late.md", "text\n\n---\ntags: [public]\n---\n", false),
    ];
    let vault = TestVault::new();
    for (name, text, _) in table {
        vault.write(name, text);
    }
    let gate = vault.open(private_by_default());
    for (name, text, is_public) in table {
        assert_eq!(is_served(&gate, name), is_public, "{name} {text:?}");
        assert!(admit(&gate, Profile::Full, name).is_ok(), "{name}");
    }
}

#[test]
fn every_name_of_a_file_must_be_allowed() {
    let vault = TestVault::of(&[("published/a.md", "a"), ("published/b.md", "b"), ("published/c.md", "c")]);
    vault.symlink("published/a.md", "link.md");
    vault.mkdir("elsewhere");
    vault.hard_link("published/b.md", "elsewhere/b.md");
    let gate = vault.open(private_by_default());
    let served = ["published/a.md", "published/b.md", "published/c.md"].map(|name| is_served(&gate, name));
    assert_eq!(served, [false, false, true]);
}

#[test]
fn masked_text_leaves_the_gate_masked_for_the_public_only() {
    let vault = TestVault::of(&[("a.md", "Card 1234-5678, Café 9999-0000é.\n")]);
    let gate = vault.open(RuleText {
        redact_patterns: vec![r"\d{4}-\d{4}".into(), "Café".into()],
        ..RuleText::default()
    });
    let public = admit(&gate, Profile::Public, "a.md").unwrap();
    assert_eq!(public, "Card *********, ***** *********é.\n");
    assert_eq!(admit(&gate, Profile::Full, "a.md").unwrap(), "Card 1234-5678, Café 9999-0000é.\n");
    let hash = |profile| {
        gate.request(profile, |session| session.open(&note("a.md")).map(|note| note.content_hash()))
            .unwrap()
            .unwrap()
    };
    assert_ne!(hash(Profile::Public), hash(Profile::Full));
}

#[test]
fn no_mask_depends_on_another_or_on_a_part() {
    let table: [(&[u8], Option<&str>); 5] = [
        (b"code 1234 foxtrot", Some("*****************")),
        (b"BEGIN %%private%%x%%/private%% y END z", Some("************ z")),
        (b"> [!private]\n> BEGIN\n\nqqq END z", Some("******** z")),
        (b"12%%private%%x%%/private%%34", Some("****")),
        // `Zo\u{eb}` in UTF-8, and a byte that makes it no UTF-8.
        (b"Zo\xC3\xAB \xFF", None),
    ];
    let rules = RuleText {
        redact_patterns: [r"\d{4}", r"code \d{4} \w+", "Zo\u{eb}", "(?s)BEGIN.*END"]
            .map(str::to_owned)
            .to_vec(),
        ..RuleText::default()
    };
    for (text, expected) in table {
        let shown = public_version(&Rules::compile(&rules).unwrap(), text);
        assert_eq!(shown.as_deref(), expected, "{:?}", String::from_utf8_lossy(text));
    }
}

#[test]
fn settings_behind_a_link_to_nothing_serve_nothing() {
    let vault = TestVault::of(&[("a.md", "a")]);
    let gate = vault.guarded();
    let is_available = || gate.request(Profile::Public, |_| ()).is_ok();
    vault.symlink("../elsewhere", ".obsidian");
    assert!(!is_available());
    fs::create_dir(vault.outside("elsewhere")).unwrap();
    assert!(is_available(), "a folder without settings");
    vault.symlink("nothing.json", ".obsidian/app.json");
    assert!(!is_available());
}

#[test]
fn masks_that_mean_nothing_are_refused() {
    for pattern in ["(", "", "x*", "[", "a{99999}{99999}"] {
        let text = RuleText { redact_patterns: vec![pattern.into()], ..RuleText::default() };
        assert!(Rules::compile(&text).is_err(), "{pattern:?}");
    }
}

#[test]
fn what_allows_nothing_is_refused() {
    let refused = [
        RuleText { allow_folders: vec!["published".into()], ..RuleText::default() },
        RuleText { allow_tags: vec!["public".into()], ..RuleText::default() },
        RuleText { allow_flag: Some("publish".into()), ..RuleText::default() },
    ];
    for text in refused {
        assert!(Rules::compile(&text).is_err(), "{text:?}");
        assert!(Rules::compile(&RuleText { default: Standing::Private, ..text }).is_ok());
    }
}

#[test]
fn what_obsidian_excludes_is_private_and_nothing_else_changes() {
    let vault = TestVault::of(&[("a.md", "a"), ("Daily/b.md", "b"), ("journal/c.md", "c"), ("x1.md", "x")]);
    vault.symlink("../a.md", "Daily/link.md");
    let gate = vault.guarded();
    let served = || ["a.md", "Daily/b.md", "journal/c.md", "x1.md"].map(|name| is_served(&gate, name));
    let fingerprint =
        || gate.request(Profile::Public, |session| session.rules_fingerprint().to_owned()).unwrap();
    assert_eq!(served(), [true, true, false, true]);
    let before = fingerprint();
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["daily/", "/^x\\d/"]}"#);
    // One of the names of a.md lies in Daily.
    assert_eq!(served(), [false, false, false, false]);
    assert!(walked(&gate, Profile::Public).is_empty());
    assert_ne!(fingerprint(), before);
    assert!(admit(&gate, Profile::Full, "Daily/b.md").is_ok());
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": []}"#);
    assert_eq!((served(), fingerprint()), ([true, true, false, true], before));
}

#[test]
fn settings_of_obsidian_that_cannot_be_read_serve_nothing() {
    let vault = TestVault::of(&[("a.md", "a")]);
    let gate = vault.guarded();
    let is_available = || gate.request(Profile::Public, |_| ()).is_ok();
    for broken in ["{", "[1]", r#"{"userIgnoreFilters": "Daily"}"#, r#"{"userIgnoreFilters": ["/(/"]}"#] {
        vault.write(".obsidian/app.json", broken);
        assert!(!is_available(), "{broken}");
    }
    vault.remove(".obsidian/app.json");
    vault.mkdir(".obsidian/app.json");
    assert!(!is_available());
    fs::remove_dir(vault.at(".obsidian/app.json")).unwrap();
    assert!(is_available());
}

#[test]
fn private_parts_never_pass_the_gate_to_the_public() {
    let text = "---\ntitle: T\n---\nopen\n\n## Pay #private\nqqq\n\n## Next\nend\n\n> [!private]\n> qqq\n\n%%private%%qqq";
    let vault = TestVault::of(&[("a.md", text), ("whole.md", "# Title #private\n\n## Part\n")]);
    let gate = vault.guarded();
    let public = "---\ntitle: T\n---\nopen\n\n## Next\nend\n\n\n";
    assert_eq!(admit(&gate, Profile::Public, "a.md").as_deref(), Ok(public));
    assert_eq!(admit(&gate, Profile::Full, "a.md").as_deref(), Ok(text));
    assert!(!is_served(&gate, "whole.md"));
    // A flag inside a part still speaks of the note, and so does one that a part hid.
    for text in [
        "---\n%%private%%\nprivate: true\n%%/private%%\n---\n",
        "%%private%%x%%/private%%\n---\nprivate: true\n---\n",
        "## Pay #private\n\n## Next\n#private\n",
    ] {
        vault.write("b.md", text);
        assert!(!is_served(&gate, "b.md"), "{text:?}");
    }
    // Bytes with two readings have no parts that both agree about.
    vault.write("c.md", b"caf\xE9 %%private%%x%%/private%%");
    assert!(!is_served(&gate, "c.md"));
}
