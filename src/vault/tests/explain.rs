//! Every reason is told, with the rule as written and the line, and none where there is none.

use super::*;

fn explain(gate: &Vault, name: &str) -> Explanation {
    gate.request(Profile::Full, |session| session.explain(&note(name))).unwrap()
}

fn place(gate: &Vault, name: &str) -> Place {
    gate.request(Profile::Full, |session| session.place(&note(name))).unwrap()
}

fn folder(rule: &str, name: &str) -> Ground {
    Ground::Folder { rule: rule.to_owned(), name: name.to_owned() }
}

#[test]
fn all_reasons_are_told() {
    let tag = |line| Ground::Tag { rule: "#Private".to_owned(), line };
    let flag = |line| Ground::Flag { property: "Hidden".to_owned(), line };
    let table: Vec<(&str, &str, Vec<Ground>)> = vec![
        ("a.md", "nothing", vec![]),
        ("Journal/a.md", "x #private", vec![folder("journal/", "Journal/a.md"), tag(1)]),
        ("b.md", "---\nx: 1\nhidden: yes\n---\n\nx #private/deep\ny #PRIVATE", vec![tag(6), tag(7), flag(3)]),
        ("c.md", "---\n\"\\x68idden\": 1\n---\n", vec![flag(2)]),
        ("d.md", "---\nt: {{x}}: y\nhidden\n---\n", vec![flag(3)]),
        ("e.md", "a\n%%private%%\nx\ny\n%%/private%%\n\n## P #private\nz\n\n## Q\n#private\n", vec![tag(11)]),
        ("f.excalidraw.md", "x", vec![Ground::Drawing]),
    ];
    let rules = RuleText {
        folders: vec!["journal/".into()],
        tags: vec!["#Private".into()],
        frontmatter_flag: Some("Hidden".into()),
        ..RuleText::default()
    };
    for (name, text, grounds) in table {
        let vault = TestVault::of(&[(name, text)]);
        let gate = vault.open(rules.clone());
        assert_eq!(explain(&gate, name).grounds, grounds, "{name}");
        assert_eq!(is_served(&gate, name), grounds.is_empty(), "{name}");
    }
}

#[test]
fn private_parts_masks_and_missing_permissions_are_told() {
    let text = "a 12\n%%private%%\nx\n%%/private%%\n\n> [!private]\n> 34\n\nb\n";
    let vault = TestVault::of(&[("a.md", text)]);
    let redact = RuleText { redact_patterns: vec![r"\d\d".into()], ..RuleText::default() };
    let explanation = explain(&vault.open(redact.clone()), "a.md");
    assert_eq!((explanation.private_parts, explanation.masked), (vec![(2, 4), (6, 7)], 2));
    let private = RuleText { default: Standing::Private, ..redact };
    assert_eq!(explain(&vault.open(private), "a.md").grounds, [Ground::NotAllowed]);
    vault.write("a.md", b"caf\xE9 %%private%%");
    assert_eq!(explain(&vault.guarded(), "a.md").grounds, [Ground::Ambiguous]);
}

#[test]
fn every_name_of_a_file_is_told_and_where_links_lead() {
    let vault = TestVault::of(&[("a.md", "a"), ("journal/b.md", "b"), ("d/c.md", "c")]);
    vault.hard_link("a.md", "journal/a.md");
    vault.symlink("journal/b.md", "b.md");
    vault.symlink("journal", "j");
    vault.symlink("/etc/passwd", "out.md");
    vault.symlink("nowhere.md", "broken.md");
    vault.hard_link("d/c.md", "../c.md");
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["d/"]}"#);
    let gate = vault.guarded();
    let a = explain(&gate, "a.md");
    assert_eq!(a.grounds, [folder("journal", "j/a.md"), folder("journal", "journal/a.md")][1..]);
    let mut names = a.names;
    names.sort();
    assert_eq!(names, ["a.md", "j/a.md", "journal/a.md"]);
    let excluded = Ground::Excluded { filter: "d/".into(), name: "d/c.md".into() };
    assert_eq!(explain(&gate, "d/c.md").grounds, [excluded, Ground::UnknownNames]);
    assert_eq!(explain(&gate, "b.md").refusal, Some(Refusal::Absent));
    let places = ["a.md", "b.md", "j/b.md", "out.md", "broken.md", "none.md"].map(|name| place(&gate, name));
    let to = |name: &str| Place::LinkTo(name.to_owned());
    let expected =
        [Place::Here, to("journal/b.md"), to("journal/b.md"), Place::LinkOut, Place::LinkOut, Place::Nowhere];
    assert_eq!(places, expected);
    let ignoring = vault.open(RuleText { ignore_patterns: vec!["d".into()], ..RuleText::default() });
    assert_eq!(place(&ignoring, "d/c.md"), Place::Ignored("d".to_owned()));
}

#[test]
fn the_cost_of_an_explanation_grows_with_the_note_and_no_faster() {
    let lines = |bytes: usize| "#private\n%%private%%%%/private%%\n".repeat(bytes / 33);
    let vault = TestVault::of(&[("few.md", &*lines(1 << 14)), ("many.md", &*lines(1 << 19))]);
    let gate = vault.guarded();
    let time = |name: &str| {
        let began = std::time::Instant::now();
        explain(&gate, name);
        began.elapsed()
    };
    let (few, many) = (time("few.md"), time("many.md"));
    assert!(many < few * 128 + std::time::Duration::from_millis(200), "{few:?}, {many:?}");
}
