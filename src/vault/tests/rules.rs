//! Rules that change while the vault is open.

use super::*;

#[test]
fn rules_count_from_the_next_request_on() {
    let vault =
        TestVault::of(&[("a/x.md", "x"), ("b/y.md", "y #secret"), ("c/z.md", "---\nhush: yes\n---\n")]);
    let rules = SwitchedRules::new(&RuleText::default());
    let gate = Vault::open(&vault.root(), Box::new(rules.clone())).unwrap();
    let served = || ["a/x.md", "b/y.md", "c/z.md"].map(|name| is_served(&gate, name));
    assert_eq!(served(), [true, true, true]);
    let table = [
        (RuleText { folders: vec!["a".into()], ..RuleText::default() }, [false, true, true]),
        (RuleText { tags: vec!["secret".into()], ..RuleText::default() }, [true, false, true]),
        (RuleText { frontmatter_flag: Some("hush".into()), ..RuleText::default() }, [true, true, false]),
        (RuleText { ignore_patterns: vec!["b".into()], ..RuleText::default() }, [true, false, true]),
        (RuleText { max_note_bytes: 1, ..RuleText::default() }, [true, false, false]),
        (RuleText::default(), [true, true, true]),
    ];
    for (text, expected) in table {
        rules.set(Some(&text));
        assert_eq!(served(), expected, "{text:?}");
    }
}

#[test]
fn a_request_keeps_the_rules_it_began_with() {
    let vault = TestVault::of(&[("a/x.md", "x")]);
    let rules = SwitchedRules::new(&RuleText::default());
    let gate = Vault::open(&vault.root(), Box::new(rules.clone())).unwrap();
    gate.request(Profile::Public, |session| {
        let before = session.rules_fingerprint().to_owned();
        rules.set(Some(&RuleText { folders: vec!["a".into()], ..RuleText::default() }));
        assert_eq!(session.rules_fingerprint(), before);
        assert!(session.open(&note("a/x.md")).is_ok());
    })
    .unwrap();
    assert!(!is_served(&gate, "a/x.md"));
}

#[test]
fn rules_that_cannot_be_read_serve_nothing_on_any_profile() {
    let vault = TestVault::of(&[("x.md", "x")]);
    let rules = SwitchedRules::new(&RuleText::default());
    let gate = Vault::open(&vault.root(), Box::new(rules.clone())).unwrap();
    rules.set(None);
    for profile in [Profile::Public, Profile::Full] {
        let run = gate.request(profile, |_| unreachable!("no request may run"));
        assert_eq!(run.map_err(|error| error.0), Err::<(), _>("broken".to_owned()));
    }
    rules.set(Some(&RuleText::default()));
    assert!(is_served(&gate, "x.md"));
}

#[test]
fn ignoring_a_folder_takes_its_links_along_once_the_rules_change() {
    let vault = TestVault::of(&[("pub/x.md", "x")]);
    vault.mkdir("skip");
    vault.symlink("../pub", "skip/people");
    let rules = SwitchedRules::new(&usual_rules());
    let gate = Vault::open(&vault.root(), Box::new(rules.clone())).unwrap();
    assert!(!is_served(&gate, "pub/x.md"));
    rules.set(Some(&RuleText { ignore_patterns: vec!["skip".into()], ..usual_rules() }));
    assert!(is_served(&gate, "pub/x.md"), "what is ignored does not exist");
    rules.set(Some(&usual_rules()));
    assert!(!is_served(&gate, "pub/x.md"));
}

#[test]
fn absent_and_forbidden_are_one_answer() {
    let vault =
        TestVault::of(&[("x.md", "#private"), ("journal/j.md", "j"), ("zero.md", "\0"), ("f.md/x.md", "x")]);
    vault.symlink("journal/j.md", "link.md");
    vault
        .guarded()
        .request(Profile::Public, |session| {
            for name in
                ["x.md", "journal/j.md", "zero.md", "f.md", "link.md", "missing.md", "journal/missing.md"]
            {
                assert_eq!(session.open(&note(name)).err(), Some(NotFound), "{name}");
            }
        })
        .unwrap();
}
