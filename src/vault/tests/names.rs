//! R25-R27 and the names a walk finds.

use super::*;

#[test]
fn hidden_trees_do_not_exist_on_any_profile() {
    let vault = TestVault::of(&[("a.md", "a")]);
    let hidden = [
        ".obsidian/workspace.md",
        ".trash/old.md",
        ".git/x.md",
        ".smart-env/multi/x.md",
        "sub/.stversions/x.md",
        "sub/.x.md",
        ".a.md.icloud",
        "\u{200c}.zero/x.md",
    ];
    for name in hidden {
        vault.write(name, "canary");
    }
    let gate = vault.open(RuleText { ignore_patterns: Vec::new(), ..usual_rules() });
    for profile in [Profile::Public, Profile::Full] {
        assert_eq!(walked(&gate, profile), ["a.md"], "{profile:?}");
    }
    for name in hidden {
        assert!(NotePath::parse(name).is_err(), "{name}");
    }
}

#[test]
fn only_notes_are_listed_and_drawings_are_no_notes_for_the_public() {
    let vault = TestVault::of(&[
        ("a.md", "a"),
        ("B.MD", "b"),
        ("board.canvas", "c"),
        ("view.base", "c"),
        ("paper.pdf", "c"),
        ("a.md.txt", "c"),
        ("a.markdown", "c"),
        ("md", "c"),
        ("Draw.Excalidraw.md", "d"),
    ]);
    let gate = vault.guarded();
    assert_eq!(walked(&gate, Profile::Public), ["B.MD", "a.md"]);
    assert_eq!(walked(&gate, Profile::Full), ["B.MD", "Draw.Excalidraw.md", "a.md"]);
    assert_eq!(admit(&gate, Profile::Public, "Draw.Excalidraw.md"), Err(Refusal::Private));
    for name in ["board.canvas", "a.md.txt", "a.markdown", "md"] {
        assert!(NotePath::parse(name).is_err(), "{name}");
    }
}

#[test]
fn ignored_names_do_not_exist_on_any_profile() {
    let vault = TestVault::of(&[
        ("a.md", "a"),
        ("templates/t.md", "t"),
        ("sub/Templates/t.md", "t"),
        ("sub/draft one.md", "d"),
        ("sub/b.md", "b"),
    ]);
    let gate = vault
        .open(RuleText { ignore_patterns: vec!["templates".into(), "draft *.md".into()], ..usual_rules() });
    for profile in [Profile::Public, Profile::Full] {
        assert_eq!(walked(&gate, profile), ["a.md", "sub/b.md"], "{profile:?}");
        for name in ["templates/t.md", "TEMPLATES/t.md", "sub/Templates/t.md", "sub/draft one.md"] {
            assert_eq!(admit(&gate, profile, name), Err(Refusal::Absent), "{profile:?} {name}");
        }
    }
}

#[test]
fn private_folders_are_recognised_in_every_spelling() {
    let rules = RuleText { folders: vec!["Journée".into(), "people/*".into()], ..RuleText::default() };
    let private = [
        "Journée/a.md",
        "Journe\u{301}e/a.md",
        "JOURNÉE/a.md",
        "sub/journée/a.md",
        "journée\u{200b}/a.md",
        "People/a.md",
        "people/sub/b.md",
    ];
    let public = ["Journee/a.md", "peoples/a.md", "people.md"];
    let vault = TestVault::new();
    for name in private.iter().chain(&public) {
        vault.write(name, "text");
    }
    let gate = vault.open(rules);
    for name in private {
        assert_eq!(admit(&gate, Profile::Public, name), Err(Refusal::Private), "{name}");
        assert!(admit(&gate, Profile::Full, name).is_ok(), "{name}");
    }
    assert_eq!(walked(&gate, Profile::Public), ["Journee/a.md", "people.md", "peoples/a.md"]);
}

#[test]
fn both_forms_of_a_name_stay_reachable() {
    let vault = TestVault::of(&[("cafe\u{301}.md", "decomposed"), ("caf\u{e9}.md", "composed")]);
    let gate = vault.guarded();
    assert_eq!(walked(&gate, Profile::Public).len(), 2);
    assert_eq!(admit(&gate, Profile::Public, "cafe\u{301}.md").as_deref(), Ok("decomposed"));
    assert_eq!(admit(&gate, Profile::Public, "caf\u{e9}.md").as_deref(), Ok("composed"));
}

#[test]
fn a_walk_names_what_it_passes_over_once() {
    use std::os::unix::ffi::OsStrExt;
    let vault =
        TestVault::of(&[("a.md", "a"), ("bad:name.md", "b"), ("odd./x.md", "x"), ("journal/j.md", "j")]);
    fs::write(vault.at(std::ffi::OsStr::from_bytes(b"raw\xff.md")), "raw").unwrap();
    // The name that the one above is shown as.
    vault.write("raw\u{fffd}.md", "shown");
    let gate = vault.guarded();
    let walk = gate.request(Profile::Public, |session| session.walk()).unwrap().unwrap();
    let notes: Vec<_> = walk.notes.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(notes, ["a.md", "raw\u{fffd}.md"]);
    let passed_over: Vec<_> = walk.passed_over.iter().map(|(name, why)| (&**name, *why)).collect();
    assert_eq!(
        passed_over,
        [
            ("bad:name.md", PassedOver::Name),
            ("journal/j.md", PassedOver::Private),
            ("odd.", PassedOver::Name),
            ("odd./x.md", PassedOver::Name),
            ("raw\u{fffd}.md", PassedOver::Name),
        ]
    );
}

#[test]
fn a_walk_tells_the_stat_that_opening_tells() {
    let vault = TestVault::of(&[("f/a.md", "text")]);
    let gate = vault.guarded();
    gate.request(Profile::Public, |session| {
        let listed = session.walk().unwrap().notes.remove(0);
        let opened = session.open(&listed.path).ok().unwrap();
        assert_eq!(listed.stat, opened.stat());
        assert_eq!(listed.stat.size, 4);
    })
    .unwrap();
}

#[test]
fn a_vault_that_cannot_be_opened_says_why() {
    let vault = TestVault::of(&[("a.md", "a")]);
    let open = |path: &Path| Vault::open(path, Box::new(FixedRules(compile(&usual_rules())))).err();
    assert!(matches!(open(&vault.at("none")), Some(VaultError::Missing(_))));
    assert!(matches!(open(&vault.at("a.md")), Some(VaultError::NotAFolder(_))));
    vault.symlink("vault", "../way in");
    assert!(open(&vault.outside("way in")).is_none());
}

/// What a server that stays up has open is not what the owner sees at the path any more.
#[test]
fn a_vault_that_was_moved_or_replaced_is_not_served() {
    let vault = TestVault::of(&[("a.md", "a")]);
    let gate = vault.guarded();
    assert!(is_served(&gate, "a.md"));
    let id = gate.root_id().unwrap();
    fs::rename(vault.root(), vault.outside("moved")).unwrap();
    assert!(gate.request(Profile::Public, |_| ()).is_err());
    assert_eq!(gate.root_id().unwrap(), id);
    fs::create_dir(vault.root()).unwrap();
    assert!(gate.request(Profile::Full, |_| ()).is_err());
    fs::remove_dir(vault.root()).unwrap();
    fs::rename(vault.outside("moved"), vault.root()).unwrap();
    assert!(is_served(&gate, "a.md"));
}
