//! Private by default, and text that is masked.

use super::*;
use crate::vault::rules::Standing;

fn private_by_default() -> RuleText {
    RuleText {
        default: Standing::Private,
        allow_folders: vec!["published".into()],
        allow_tags: vec!["public".into()],
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
        ("published/drafts/a.md", "text", false),
        ("published/s.md", "text #secret", false),
        ("published/m.md", "---\ntitle: {{a: b}\n---\ntext", true),
        ("tagged.md", "---\ntags: [public]\n---\ntext", true),
        ("nested.md", "---\ntags: public/site, x\n---\ntext", true),
        ("cased.md", "---\nTags:\n  - \"#PUBLIC\"\n---\ntext", true),
        ("both.md", "---\ntags: [public, secret]\n---\ntext", false),
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
fn masks_that_mean_nothing_are_refused() {
    for pattern in ["(", "", "x*", "[", "a{99999}{99999}"] {
        let text = RuleText { redact_patterns: vec![pattern.into()], ..RuleText::default() };
        assert!(Rules::compile(&text).is_err(), "{pattern:?}");
    }
}
