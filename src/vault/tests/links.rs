//! R16, R23, R28: a note is as private as the most private of its names.

use std::os::unix::ffi::OsStrExt;

use super::*;

#[test]
fn links_with_private_names_make_public_notes_private() {
    // (link, target, notes that turn private, notes that stay public); `pub/x.md` and
    // `pub/sub/y.md` exist, so do `other/z.md` and `journal/j.md`.
    type Case = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);
    let table: &[Case] = &[
        ("journal/p", "../pub", &["pub/x.md", "pub/sub/y.md"], &["other/z.md"]),
        ("people", "pub", &["pub/x.md", "pub/sub/y.md"], &["other/z.md"]),
        ("PEOPLE", "pub", &["pub/x.md"], &["other/z.md"]),
        ("people", "pub/sub", &["pub/sub/y.md"], &["pub/x.md"]),
        ("people", ".", &["pub/x.md", "pub/sub/y.md", "other/z.md"], &[]),
        ("people", "..", &["pub/x.md", "pub/sub/y.md", "other/z.md"], &[]),
        ("people", "/", &["pub/x.md", "pub/sub/y.md", "other/z.md"], &[]),
        ("journal/x.md", "../pub/x.md", &["pub/x.md"], &["pub/sub/y.md"]),
        ("journal/odd:name.txt", "../pub/x.md", &["pub/x.md"], &["pub/sub/y.md"]),
        ("other/link", "../pub", &[], &["pub/x.md", "other/z.md"]),
        ("other/link.md", "../pub/x.md", &[], &["pub/x.md", "other/z.md"]),
        ("people", "nowhere", &[], &["pub/x.md", "other/z.md"]),
        ("self", ".", &[], &["pub/x.md", "other/z.md"]),
        ("pub/up", "..", &[], &["pub/x.md", "pub/sub/y.md", "other/z.md"]),
        ("pub/loop", "loop", &[], &["pub/x.md"]),
    ];
    for (link, target, private, public) in table {
        let vault = TestVault::of(&[
            ("pub/x.md", "x"),
            ("pub/sub/y.md", "y"),
            ("other/z.md", "z"),
            ("journal/j.md", "j"),
        ]);
        vault.symlink(target, link);
        let gate = vault.guarded();
        for name in *private {
            assert_eq!(
                admit(&gate, Profile::Public, name),
                Err(Refusal::Private),
                "{link} -> {target}: {name}"
            );
            assert!(admit(&gate, Profile::Full, name).is_ok(), "{link} -> {target}: {name}");
        }
        for name in *public {
            assert!(is_served(&gate, name), "{link} -> {target}: {name}");
        }
        assert!(!is_served(&gate, "journal/j.md"), "{link} -> {target}");
    }
}

#[test]
fn no_name_through_a_link_is_ever_opened() {
    let vault = TestVault::of(&[("pub/x.md", "x"), ("journal/j.md", "j")]);
    vault.write("../outside/o.md", "o");
    vault.symlink("../journal/j.md", "pub/file.md");
    vault.symlink("../journal", "pub/folder");
    vault.symlink("../outside", "away");
    vault.symlink("x.md", "pub/harmless.md");
    let gate = vault.guarded();
    for profile in [Profile::Public, Profile::Full] {
        for name in ["pub/file.md", "pub/folder/j.md", "away/o.md", "pub/harmless.md"] {
            assert_eq!(admit(&gate, profile, name), Err(Refusal::Absent), "{profile:?} {name}");
            assert!(!walked(&gate, profile).contains(&name.to_owned()), "{profile:?} {name}");
        }
    }
    assert!(is_served(&gate, "pub/x.md"), "links to it have public names");
}

#[test]
fn links_to_links_are_followed_to_the_end() {
    let vault = TestVault::of(&[("pub/x.md", "x"), ("outer/inner/y.md", "y"), ("free/z.md", "z")]);
    vault.mkdir("journal");
    // journal/two -> one -> pub
    vault.symlink("pub", "one");
    vault.symlink("../one", "journal/two");
    // people -> outer, outer/l -> ../free: people/l/z.md leads to free/z.md
    vault.symlink("outer", "people");
    vault.symlink("../free", "outer/l");
    let gate = vault.guarded();
    for name in ["pub/x.md", "outer/inner/y.md", "free/z.md"] {
        assert!(!is_served(&gate, name), "{name}");
    }
}

#[test]
fn a_file_link_below_a_linked_folder_counts() {
    let vault = TestVault::of(&[("pub/x.md", "x"), ("outer/o.md", "o"), ("pub/y.md", "y")]);
    vault.symlink("../pub/x.md", "outer/f.md");
    vault.symlink("outer", "people");
    let gate = vault.guarded();
    assert!(!is_served(&gate, "pub/x.md"));
    assert!(is_served(&gate, "pub/y.md"));
}

#[test]
fn a_way_through_a_hidden_folder_counts() {
    let vault = TestVault::of(&[("pub/x.md", "x")]);
    vault.mkdir(".hidden");
    vault.symlink("../pub", ".hidden/way");
    vault.symlink(".hidden/way", "people");
    assert!(!is_served(&vault.guarded(), "pub/x.md"));
}

#[test]
fn links_in_folders_and_under_names_that_cannot_be_served_count() {
    let odd_name = std::ffi::OsStr::from_bytes(b"odd\xff");
    let private_link = |place: &Path, target: &str| {
        let vault = TestVault::of(&[("pub/x.md", "x"), ("pub2/y.md", "y")]);
        fs::create_dir_all(vault.at("journal").join(place).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, vault.at("journal").join(place)).unwrap();
        let gate = vault.guarded();
        assert!(is_served(&gate, "pub2/y.md"), "{place:?}");
        assert!(!is_served(&gate, "pub/x.md"), "{place:?}");
    };
    private_link(Path::new("odd:name/link"), "../../pub");
    private_link(Path::new("dot./link.md"), "../../pub/x.md");
    private_link(Path::new(odd_name), "../pub");
    private_link(&Path::new(odd_name).join("link.md"), "../../pub/x.md");
}

#[test]
fn hard_links_are_served_when_all_names_are_known_and_public() {
    let vault = TestVault::of(&[
        ("two.md", "two public names"),
        ("laundered.md", "a private name too"),
        ("hidden.md", "a name in a hidden folder"),
        ("ignored.md", "a name in an ignored folder"),
        ("abroad.md", "a name outside"),
        ("attached.md", "an attachment has the same bytes"),
        ("kept.md", "a private attachment has the same bytes"),
        ("sub/deep.md", "one name only"),
    ]);
    for folder in ["journal", ".obsidian", "sub", "skip"] {
        vault.mkdir(folder);
    }
    vault.hard_link("two.md", "sub/two again.md");
    vault.hard_link("laundered.md", "journal/l.md");
    vault.hard_link("hidden.md", ".obsidian/h.md");
    vault.hard_link("ignored.md", "skip/i.md");
    vault.hard_link("abroad.md", "../abroad.md");
    vault.hard_link("attached.md", "sub/a.txt");
    vault.hard_link("kept.md", "journal/k.txt");
    let ignoring = RuleText { ignore_patterns: vec!["skip".into()], ..usual_rules() };
    let gate = vault.open(ignoring);
    for name in ["two.md", "sub/two again.md", "attached.md", "sub/deep.md"] {
        assert!(is_served(&gate, name), "{name}");
    }
    for name in ["laundered.md", "hidden.md", "ignored.md", "abroad.md", "kept.md"] {
        assert_eq!(admit(&gate, Profile::Public, name), Err(Refusal::Private), "{name}");
        assert!(admit(&gate, Profile::Full, name).is_ok(), "{name}");
    }
}

#[test]
fn hard_links_below_linked_folders_count() {
    let vault = TestVault::of(&[("a.md", "a"), ("sub/own.md", "own")]);
    vault.hard_link("a.md", "sub/a.md");
    vault.symlink("sub", "people");
    let gate = vault.guarded();
    assert!(!is_served(&gate, "a.md"), "people/a.md leads to it");
}

#[test]
fn the_next_request_sees_a_link_however_soon_it_is_planted() {
    for round in 0..40 {
        let vault = TestVault::of(&[("pub/x.md", "x"), ("pub/y.md", "y")]);
        vault.mkdir("journal");
        if round % 2 == 0 {
            // Old enough for the map to be kept between requests.
            std::thread::sleep(std::time::Duration::from_millis(120));
        }
        let gate = vault.guarded();
        assert!(is_served(&gate, "pub/x.md") && is_served(&gate, "pub/y.md"));
        match round % 4 {
            0 | 1 => vault.symlink("../pub", "journal/link"),
            2 => vault.hard_link("pub/x.md", "journal/x.md"),
            _ => vault.symlink("../pub/x.md", "journal/x.md"),
        }
        assert!(!is_served(&gate, "pub/x.md"), "round {round}");
    }
}

#[test]
fn the_next_request_sees_that_a_link_leads_elsewhere() {
    let vault = TestVault::of(&[("pub/x.md", "x"), ("decoy/d.md", "d")]);
    vault.mkdir(".hidden");
    vault.symlink("../decoy", ".hidden/way");
    vault.symlink(".hidden/way", "people");
    std::os::unix::fs::symlink(vault.at("decoy"), vault.outside("way")).unwrap();
    vault.mkdir("journal");
    std::os::unix::fs::symlink(vault.outside("way"), vault.at("journal/way")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(120));
    let gate = vault.guarded();
    assert!(is_served(&gate, "pub/x.md"));
    for way in [vault.at(".hidden/way"), vault.outside("way")] {
        // No folder that belongs to the vault changes.
        let before = fs::read_link(&way).unwrap();
        fs::remove_file(&way).unwrap();
        std::os::unix::fs::symlink(vault.at("pub"), &way).unwrap();
        assert!(!is_served(&gate, "pub/x.md"), "{}", way.display());
        fs::remove_file(&way).unwrap();
        std::os::unix::fs::symlink(before, &way).unwrap();
        assert!(is_served(&gate, "pub/x.md"), "{}", way.display());
    }
}

#[test]
fn a_removed_link_frees_the_note_again() {
    let vault = TestVault::of(&[("pub/x.md", "x")]);
    vault.symlink("pub", "people");
    let gate = vault.guarded();
    assert!(!is_served(&gate, "pub/x.md"));
    vault.remove("people");
    assert!(is_served(&gate, "pub/x.md"));
}

#[test]
fn too_many_names_are_private() {
    let vault = TestVault::of(&[("pub/x.md", "x"), ("other/z.md", "z")]);
    for number in 0..70 {
        vault.symlink("pub", &format!("name{number}"));
    }
    let gate = vault.guarded();
    assert!(!is_served(&gate, "pub/x.md"));
    assert!(is_served(&gate, "other/z.md"));
}

#[test]
fn a_folder_deeper_than_the_walk_goes_is_not_served() {
    let vault = TestVault::new();
    let deepest = "d/".repeat(64);
    vault.write(&format!("{deepest}x.md"), "deepest");
    vault.write(&format!("{deepest}d/x.md"), "too deep");
    let gate = vault.guarded();
    assert!(is_served(&gate, &format!("{deepest}x.md")));
    assert_eq!(walked(&gate, Profile::Public), [format!("{deepest}x.md")]);
    assert!(NotePath::parse(&format!("{deepest}d/x.md")).is_err());
    vault.symlink(deepest.trim_end_matches('/'), "people");
    assert!(!is_served(&gate, &format!("{deepest}x.md")));
}

#[test]
fn a_walk_leaves_loops_alone_and_reports_links() {
    let vault = TestVault::of(&[("a/x.md", "x")]);
    vault.symlink("..", "a/up");
    vault.symlink("self.md", "self.md");
    vault.symlink(".", "a/here.md");
    let gate = vault.guarded();
    let walk = gate.request(Profile::Full, |session| session.walk()).unwrap().unwrap();
    assert_eq!(walk.notes.iter().map(|note| note.path.as_str()).collect::<Vec<_>>(), ["a/x.md"]);
    let links: Vec<_> = walk.passed_over.iter().map(|(name, why)| (&**name, *why)).collect();
    assert_eq!(links, [("a/here.md", PassedOver::Link), ("self.md", PassedOver::Link)]);
}

/// With a limit on open handles that is far below the number of folders.
#[test]
fn thousands_of_folders_use_few_handles() {
    if std::env::var_os("OBSEARCH_TEST_FEW_HANDLES").is_none() {
        rerun(
            "vault::tests::links::thousands_of_folders_use_few_handles",
            &["sh", "-c", "ulimit -n 256; export OBSEARCH_TEST_FEW_HANDLES=1; exec \"$@\"", "sh"],
        );
        return;
    }
    let vault = TestVault::new();
    for number in 0..1000 {
        vault.write(&format!("wide/f{number}/x.md"), "x");
    }
    vault.mkdir("wide/f7/in");
    vault.symlink("../../f9", "wide/f7/in/people");
    let gate = vault.guarded();
    let walk = gate.request(Profile::Public, |session| session.walk()).unwrap().unwrap();
    assert_eq!((walk.notes.len(), walk.passed_over.len()), (999, 1));
    assert!(!is_served(&gate, "wide/f9/x.md") && is_served(&gate, "wide/f8/x.md"));
}

#[test]
fn many_links_cost_time_in_proportion() {
    let seconds_for = |links: usize| {
        let vault = TestVault::new();
        for number in 0..links {
            vault.write(&format!("f{number}/x.md"), "x");
            vault.symlink(&format!("f{number}"), &format!("l{number}"));
        }
        std::thread::sleep(std::time::Duration::from_millis(120));
        let gate = vault.guarded();
        let began = std::time::Instant::now();
        gate.request(Profile::Public, |session| {
            for number in 0..links {
                assert!(session.open(&note(&format!("f{number}/x.md"))).is_ok());
            }
        })
        .unwrap();
        began.elapsed().as_secs_f64()
    };
    let (few, many) = (seconds_for(200), seconds_for(1600));
    // Eight times the links; sixty-four times the time would be quadratic.
    assert!(many < few.max(0.002) * 30.0, "{few} s, then {many} s");
}
