//! R20, R22: names, links and contents change while notes are read. The same harness must catch a
//! resolver that resolves first and opens later, or it proves nothing.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::*;
use crate::vault::resolve::{ComponentWalk, Openat2, Resolver};

/// Set to a number of seconds for a longer run.
const SECONDS_VARIABLE: &str = "OBSEARCH_RACE_SECONDS";
const PRIVATE_TEXT: &str = "what only the owner may read";

/// What so many tools do.
struct ResolveThenOpen(PathBuf);

impl Resolver for ResolveThenOpen {
    fn open(&self, _: BorrowedFd<'_>, path: &NotePath) -> io::Result<OwnedFd> {
        let real = fs::canonicalize(self.0.join(path.as_str()))?;
        if !real.starts_with(&self.0) || real.starts_with(self.0.join("journal")) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(fs::File::open(self.0.join(path.as_str()))?.into())
    }
}

/// Ends the attack however the test ends: a failed assertion must not leave it running.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn attacked_vault() -> TestVault {
    let vault = TestVault::of(&[
        ("f/x.md", "public"),
        ("f/sub/x.md", "public"),
        ("y.md", "public"),
        ("journal/x.md", PRIVATE_TEXT),
        ("journal/sub/x.md", PRIVATE_TEXT),
    ]);
    vault.write("../outside/x.md", PRIVATE_TEXT);
    vault.write("../outside/sub/x.md", PRIVATE_TEXT);
    vault.symlink("journal", "link-to-journal");
    vault.symlink("../outside", "link-to-outside");
    vault.symlink("journal/x.md", "link-to-file");
    vault.symlink("../journal/sub", "link-to-sub");
    vault
}

/// Swaps folders and files for links and back, by renames in both directions.
fn swap_names(root: &Path, is_over: &AtomicBool) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let exchange = |a: &str, b: &str| {
        let _ = renameat_with(CWD, root.join(a), CWD, root.join(b), RenameFlags::EXCHANGE);
    };
    let pairs = [
        ("f", "link-to-journal"),
        ("y.md", "link-to-file"),
        ("f", "link-to-outside"),
        ("f/sub", "link-to-sub"),
    ];
    while !is_over.load(Ordering::Relaxed) {
        for (a, b) in pairs {
            exchange(a, b);
            exchange(a, b);
        }
    }
}

#[derive(Debug, Default)]
struct Outcome {
    opens: u64,
    served: u64,
    refused: u64,
    leaks: u64,
}

impl Outcome {
    fn add(&mut self, text: Option<&str>) {
        self.opens += 1;
        self.served += u64::from(text.is_some());
        self.refused += u64::from(text.is_none());
        self.leaks += u64::from(text == Some(PRIVATE_TEXT));
    }
}

/// Reads while names are swapped, until `is_enough` or the time is up.
fn race(
    vault: &TestVault,
    resolver: &dyn Resolver,
    limit: Duration,
    is_enough: impl Fn(&Outcome) -> bool,
) -> Outcome {
    let is_over = AtomicBool::new(false);
    let root = resolve::open_root(vault);
    let names = ["f/x.md", "f/sub/x.md", "y.md"].map(note);
    let mut outcome = Outcome::default();
    std::thread::scope(|scope| {
        scope.spawn(|| swap_names(&vault.root(), &is_over));
        let _ends = Ends(&is_over);
        let began = Instant::now();
        while began.elapsed() < limit && !is_enough(&outcome) {
            for name in &names {
                let file = resolver.open(std::os::fd::AsFd::as_fd(&root), name);
                let text = file.and_then(|file| io::read_to_string(fs::File::from(file))).ok();
                outcome.add(text.as_deref());
            }
        }
    });
    outcome
}

fn time_limit() -> Duration {
    let seconds = std::env::var(SECONDS_VARIABLE).ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(10.0))
}

fn assert_no_leak(resolver_name: &str, outcome: &Outcome) {
    eprintln!("{resolver_name}: {outcome:?}");
    assert_eq!(outcome.leaks, 0, "{resolver_name}");
    assert!(outcome.served > 0 && outcome.refused > 0, "{resolver_name}: the race must have been on");
}

#[test]
fn swapped_names_never_let_private_text_through() {
    let vault = attacked_vault();
    resolve::with_each(|resolver_name, resolver| {
        assert_no_leak(resolver_name, &race(&vault, resolver, time_limit(), |_| false));
    });
}

/// A million opens each, for the record.
#[test]
#[ignore = "takes minutes"]
fn a_million_opens_never_let_private_text_through() {
    let vault = attacked_vault();
    resolve::with_each(|resolver_name, resolver| {
        let outcome = race(&vault, resolver, Duration::from_mins(10), |outcome| outcome.opens >= 1_000_000);
        assert_no_leak(resolver_name, &outcome);
        assert!(outcome.opens >= 1_000_000, "{resolver_name}");
    });
}

#[test]
fn the_race_catches_a_resolver_that_resolves_first_and_opens_later() {
    let vault = attacked_vault();
    let weak = ResolveThenOpen(vault.root().canonicalize().unwrap());
    let outcome = race(&vault, &weak, Duration::from_secs(20), |outcome| outcome.leaks > 0);
    assert!(outcome.leaks > 0, "{outcome:?}");
}

#[test]
fn the_whole_gate_holds_while_names_are_swapped() {
    for is_fallback in [false, true] {
        let vault = attacked_vault();
        let mut gate = vault.guarded();
        gate.resolver = if is_fallback { Box::new(ComponentWalk) } else { Box::new(Openat2) };
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| swap_names(&vault.root(), &is_over));
            let _ends = Ends(&is_over);
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(500) {
                for name in ["f/x.md", "f/sub/x.md", "y.md"] {
                    let text = admit(&gate, Profile::Public, name);
                    assert_ne!(text.as_deref(), Ok(PRIVATE_TEXT));
                }
                for name in walked(&gate, Profile::Public) {
                    assert!(!name.starts_with("journal/"), "{name}");
                }
            }
        });
    }
}

/// The versions have the same size, and every part of a private one tells where it comes from: the
/// head by its tag, the rest by its letters. While it is rewritten the note may be empty.
#[test]
fn an_answer_is_one_whole_version_of_a_note_that_is_being_rewritten() {
    let public = format!("#opened! {}", "a".repeat(300_000));
    let private = format!("#private {}", "b".repeat(300_000));
    let vault = TestVault::of(&[("x.md", &public)]);
    let gate = vault.guarded();
    let is_over = AtomicBool::new(false);
    let mut served = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0_u64.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                fs::write(vault.at("x.md"), if round.is_multiple_of(2) { &private } else { &public })
                    .unwrap();
                // At times without a pause, at times with one that lets a reader in.
                std::thread::sleep(Duration::from_millis(if round % 5 < 3 { 0 } else { 35 }));
            }
        });
        let _ends = Ends(&is_over);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(2) {
            if let Ok(text) = admit(&gate, Profile::Public, "x.md") {
                assert!(text.is_empty() || text == public, "{} bytes", text.len());

                served += u64::from(!text.is_empty());
            }
        }
    });
    assert!(served > 0, "the public version must have been read now and then");
}

/// The usual way to save: a new file renamed over the old one.
#[test]
fn a_note_that_is_replaced_is_one_version_or_the_other() {
    let vault = TestVault::of(&[("x.md", "public version")]);
    let gate = vault.guarded();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0_u64.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let text =
                    if round.is_multiple_of(2) { "---\nprivate: true\n---\n" } else { "public version" };
                vault.write("new.tmp", text);
                std::thread::sleep(Duration::from_millis(25));
                vault.rename("new.tmp", "x.md");
            }
        });
        let _ends = Ends(&is_over);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(1) {
            let got = admit(&gate, Profile::Public, "x.md");
            let expected = [Ok("public version"), Err(Refusal::Private), Err(Refusal::Unstable)];
            assert!(expected.contains(&got.as_deref().map_err(|refusal| *refusal)), "{got:?}");
        }
    });
}
