//! R22, R24: one body over every resolver.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, Instant};

use super::*;
use crate::vault::resolve::{ComponentWalk, FOLDER_FLAGS, Openat2, Resolver};

/// Runs a body over both resolvers, named.
pub(super) fn with_each(body: impl Fn(&str, &dyn Resolver)) {
    body("openat2", &Openat2);
    body("component walk", &ComponentWalk);
}

pub(super) fn open_root(vault: &TestVault) -> OwnedFd {
    rustix::fs::open(vault.root(), FOLDER_FLAGS, rustix::fs::Mode::empty()).unwrap()
}

fn read(resolver: &dyn Resolver, vault: &TestVault, name: &str) -> io::Result<String> {
    let file = resolver.open(open_root(vault).as_fd(), &note(name))?;
    io::read_to_string(fs::File::from(file))
}

#[test]
fn plain_names_are_opened_and_links_are_not() {
    with_each(|resolver_name, resolver| {
        let vault =
            TestVault::of(&[("a.md", "a"), ("f/g/b.md", "b"), ("journal/j.md", "j"), ("x.md/in.md", "in")]);
        vault.write("../outside/o.md", "o");
        vault.hard_link("a.md", "f/hard.md");
        vault.symlink("a.md", "link.md");
        vault.symlink("journal", "folder");
        vault.symlink("../outside", "away");
        vault.symlink("../outside/o.md", "o.md");
        vault.symlink("/etc/hostname", "abs.md");
        vault.symlink("/proc/self/root", "magic");
        vault.symlink("loop.md", "loop.md");
        for (name, text) in [("a.md", "a"), ("f/g/b.md", "b"), ("f/hard.md", "a"), ("x.md/in.md", "in")] {
            assert_eq!(read(resolver, &vault, name).unwrap(), text, "{resolver_name} {name}");
        }
        for name in [
            "link.md",
            "folder/j.md",
            "away/o.md",
            "o.md",
            "abs.md",
            "magic/etc/x.md",
            "loop.md",
            "loop.md/x.md",
            "missing.md",
            "missing/x.md",
            "a.md/x.md",
        ] {
            assert!(read(resolver, &vault, name).is_err(), "{resolver_name} {name}");
        }
    });
}

#[test]
fn a_folder_swapped_for_a_link_is_not_followed() {
    with_each(|resolver_name, resolver| {
        let vault = TestVault::of(&[("f/x.md", "public"), ("journal/x.md", "private")]);
        assert_eq!(read(resolver, &vault, "f/x.md").unwrap(), "public");
        vault.rename("f", "g");
        vault.symlink("journal", "f");
        assert!(read(resolver, &vault, "f/x.md").is_err(), "{resolver_name}");
        vault.remove("f");
        vault.rename("g", "f");
        assert_eq!(read(resolver, &vault, "f/x.md").unwrap(), "public", "{resolver_name}");
    });
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    for resolver in [true, false] {
        let vault = TestVault::of(&[("folder.md/inside.md", "in")]);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            vault.at("pipe.md"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(vault.at("socket.md")).unwrap();
        fs::File::create(vault.at("sparse.md")).unwrap().set_len(1 << 40).unwrap();
        fs::File::create(vault.at("placeholder.md")).unwrap().set_len(10_000).unwrap();
        let mut gate = vault.guarded();
        if resolver {
            gate.resolver = Box::new(ComponentWalk);
        }
        let table = [
            ("pipe.md", Refusal::NotAFile),
            ("socket.md", Refusal::Absent),
            ("folder.md", Refusal::NotAFile),
            ("sparse.md", Refusal::TooLarge),
            ("placeholder.md", Refusal::Placeholder),
        ];
        for (name, refusal) in table {
            for profile in [Profile::Public, Profile::Full] {
                let began = Instant::now();
                assert_eq!(admit(&gate, profile, name), Err(refusal), "{name}");
                assert!(began.elapsed() < Duration::from_millis(50), "{name}");
            }
        }
        assert!(is_served(&gate, "folder.md/inside.md"));
        assert_eq!(walked(&gate, Profile::Public), ["folder.md/inside.md", "placeholder.md", "sparse.md"]);
    }
}

/// Root may read everything, so the test proves something for other users only; see
/// `as_another_user`.
#[test]
fn what_may_not_be_read_is_refused_and_the_rest_goes_on() {
    if TestVault::new().root().metadata().unwrap().uid() == 0 {
        as_another_user("vault::tests::resolve::what_may_not_be_read_is_refused_and_the_rest_goes_on");
        return;
    }
    let chmod = |vault: &TestVault, name: &str, mode: u32| {
        fs::set_permissions(vault.at(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    with_each(|resolver_name, resolver| {
        let vault = TestVault::of(&[
            ("a.md", "a"),
            ("secret.md", "s"),
            ("locked/x.md", "x"),
            ("unlisted/y.md", "y"),
            ("linked/y.md", "y"),
        ]);
        vault.symlink("linked", "people");
        for (name, mode) in [("secret.md", 0), ("locked", 0), ("unlisted", 0o111), ("linked", 0o111)] {
            chmod(&vault, name, mode);
        }
        for name in ["secret.md", "locked/x.md"] {
            let kind = read(resolver, &vault, name).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::PermissionDenied, "{resolver_name} {name}");
        }
        assert_eq!(read(resolver, &vault, "unlisted/y.md").unwrap(), "y", "{resolver_name}");
        let gate = vault.guarded();
        assert_eq!(admit(&gate, Profile::Public, "secret.md"), Err(Refusal::Denied));
        assert_eq!(
            admit(&gate, Profile::Public, "linked/y.md"),
            Err(Refusal::Private),
            "people/y.md leads to it"
        );
        assert!(is_served(&gate, "a.md"));
        let walk = gate.request(Profile::Public, |session| session.walk()).unwrap().unwrap();
        let unreadable: Vec<_> = walk
            .passed_over
            .iter()
            .filter(|(_, why)| *why == PassedOver::Unreadable)
            .map(|(name, _)| &**name)
            .collect();
        assert_eq!(unreadable, ["linked", "locked", "unlisted"]);
        for name in ["locked", "unlisted", "linked"] {
            chmod(&vault, name, 0o755);
        }
    });
}

/// Runs one test of this binary as an unprivileged user, who may not reach the build folder.
fn as_another_user(test: &str) {
    let copy = tempfile::tempdir().unwrap();
    fs::set_permissions(copy.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let program = copy.path().join("tests");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let folder = format!("TMPDIR={}", copy.path().display());
    let wrapper = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", &folder];
    rerun_program(&program, test, &wrapper);
}

/// A folder of the same file system mounted a second time inside the vault has the same device.
#[test]
fn mounts_inside_the_vault_are_not_crossed() {
    let test = "vault::tests::resolve::mounts_inside_the_vault_are_not_crossed";
    if std::env::var_os("OBSEARCH_TEST_OWN_MOUNTS").is_none() {
        let wrapper = ["unshare", "--mount", "--propagation=private", "env", "OBSEARCH_TEST_OWN_MOUNTS=1"];
        rerun(test, &wrapper);
        return;
    }
    let vault =
        TestVault::of(&[("journal/j.md", "j"), ("pub/x.md", "x"), ("other/y.md", "y"), ("file.md", "f")]);
    vault.mkdir("again");
    vault.mkdir("people");
    let bind = |from: &str, to: &str| {
        let status = std::process::Command::new("mount")
            .arg("--bind")
            .args([vault.at(from), vault.at(to)])
            .status()
            .unwrap();
        assert!(status.success());
    };
    bind("journal", "again");
    bind("pub", "people");
    bind("journal/j.md", "file.md");
    with_each(|resolver_name, resolver| {
        assert!(read(resolver, &vault, "again/j.md").is_err(), "{resolver_name}");
        assert!(read(resolver, &vault, "file.md").is_err(), "{resolver_name}");
        assert!(read(resolver, &vault, "pub/x.md").is_ok(), "{resolver_name}");
    });
    let gate = vault.guarded();
    assert!(!is_served(&gate, "pub/x.md"), "people/x.md is the same file");
    assert!(is_served(&gate, "other/y.md"));
}
