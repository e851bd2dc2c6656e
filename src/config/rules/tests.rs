//! The rules while the owner edits the file under a running server.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use super::*;

struct Setup {
    folder: tempfile::TempDir,
    rules: FileRules,
}

impl Setup {
    /// A configuration file with `text`, or none, beside an empty vault.
    fn new(text: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("vault")).unwrap();
        let file = folder.path().join("config.toml");
        if let Some(text) = text {
            write(&file, text);
        }
        let user_id = rustix::process::getuid().as_raw();
        let read = trust::read_file(&file, user_id).unwrap();
        let chosen = Chosen::Unnamed { others: Vec::new() };
        let vault = folder.path().join("vault");
        let rules = FileRules::open(&file, read.as_ref(), &vault, chosen, user_id).unwrap();
        Setup { folder, rules }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("config.toml")
    }

    fn write(&self, text: &str) {
        write(&self.file(), text);
    }

    /// What the next request is told: the address of the rules, or the words of the refusal.
    fn next_request(&self) -> Result<Arc<Rules>, String> {
        self.rules.current().map_err(|error| error.0)
    }

    #[track_caller]
    fn check_refused(&self, words: &str) {
        let refusal = self.next_request().unwrap_err();
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[expect(clippy::disallowed_methods, reason = "the test is the owner's editor")]
fn write(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
    fs::set_permissions(file, Permissions::from_mode(0o600)).unwrap();
}

const GOOD: &str = "[privacy]\ntags = [\"private\"]\n";

#[test]
fn an_edit_counts_for_the_next_request() {
    let setup = Setup::new(Some(GOOD));
    let before = setup.next_request().unwrap();
    setup.write("[privacy]\ntags = [\"private\", \"secret\"]\n");
    let after = setup.next_request().unwrap();
    assert!(!Arc::ptr_eq(&before, &after));
}

#[test]
fn an_invalid_file_serves_nothing_until_it_is_mended() {
    let setup = Setup::new(Some(GOOD));
    for _ in 0..2 {
        setup.write("[privacy]\ntag = [\"private\"]\n");
        setup.check_refused("Did you mean `tags`?");
        setup.check_refused("Did you mean `tags`?");
        setup.write("");
        setup.check_refused("the file is empty");
        setup.write(GOOD);
        setup.next_request().unwrap();
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the owner's editor")]
fn a_deleted_file_serves_nothing_until_it_is_back() {
    let setup = Setup::new(Some(GOOD));
    fs::remove_file(setup.file()).unwrap();
    setup.check_refused("was deleted");
    setup.write(GOOD);
    setup.next_request().unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the owner's editor")]
fn a_file_that_appears_counts_and_may_not_vanish_again() {
    let setup = Setup::new(None);
    setup.next_request().unwrap();
    setup.write("[privacy]\ntag = []\n");
    setup.check_refused("unknown key `tag`");
    fs::remove_file(setup.file()).unwrap();
    setup.check_refused("was deleted");
}

#[test]
fn a_file_that_others_may_write_serves_nothing() {
    let setup = Setup::new(Some(GOOD));
    fs::set_permissions(setup.file(), Permissions::from_mode(0o620)).unwrap();
    setup.check_refused("chmod go-w");
    fs::set_permissions(setup.file(), Permissions::from_mode(0o600)).unwrap();
    setup.next_request().unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the owner's editor")]
fn a_file_that_becomes_a_link_into_the_vault_serves_nothing() {
    let setup = Setup::new(Some(GOOD));
    let inside = setup.folder.path().join("vault/config.toml");
    write(&inside, GOOD);
    fs::remove_file(setup.file()).unwrap();
    std::os::unix::fs::symlink(&inside, setup.file()).unwrap();
    setup.check_refused("inside the vault");
}

#[test]
fn a_folder_in_its_place_serves_nothing() {
    let setup = Setup::new(None);
    fs::create_dir(setup.file()).unwrap();
    setup.check_refused("is not a file");
}

#[test]
fn a_file_is_read_again_only_if_it_changed_or_changed_a_moment_ago() {
    let setup = Setup::new(Some(GOOD));
    let in_an_hour = SystemTime::now() + Duration::from_hours(1);
    let first = setup.next_request().unwrap();
    assert!(Arc::ptr_eq(&first, &setup.rules.read(in_an_hour).unwrap()), "nothing changed");
    let now = setup.next_request().unwrap();
    assert!(!Arc::ptr_eq(&first, &now), "it was written a moment ago");
    setup.write("[privacy]\ntags = [\"privati\"]\n");
    assert!(!Arc::ptr_eq(&now, &setup.rules.read(in_an_hour).unwrap()), "it changed");
}

#[test]
fn two_edits_within_one_tick_of_the_clock_are_both_seen() {
    let setup = Setup::new(Some("[privacy]\ntags = [\"aaaa\"]\n"));
    for _ in 0..50 {
        setup.write("[privacy]\ntags = [\"bbbb\"]\n");
        setup.next_request().unwrap();
        setup.write("[privacy]\ntagz = [\"bbbb\"]\n");
        setup.check_refused("unknown key `tagz`");
    }
}

#[test]
fn requests_of_many_threads_agree() {
    let setup = Setup::new(Some(GOOD));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| assert!(setup.next_request().is_ok())));
        }
    });
    setup.write("[privacy]\ntag = []\n");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| setup.check_refused("unknown key `tag`"));
        }
    });
}
