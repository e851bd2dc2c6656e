//! The wall under attack: real vaults on a real disk, opened through the gate.
#![expect(clippy::disallowed_methods, reason = "the tests build the vaults they attack")]
#![expect(clippy::needless_pass_by_value, reason = "rules written on the spot read better")]
#![expect(clippy::redundant_closure_for_method_calls, reason = "`Session::walk` is not general enough")]

mod allow;
mod bugs;
mod content;
mod explain;
mod joined;
mod links;
mod names;
mod race;
mod resolve;
mod rules;
mod types;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::*;

/// A vault in a folder of its own, beside which a test may put what lies outside.
struct TestVault {
    folder: tempfile::TempDir,
}

impl TestVault {
    /// An empty vault.
    fn new() -> TestVault {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("vault")).unwrap();
        TestVault { folder }
    }

    /// A vault of notes, each with its text.
    fn of(notes: &[(&str, &str)]) -> TestVault {
        let vault = TestVault::new();
        for (name, text) in notes {
            vault.write(name, text);
        }
        vault
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("vault")
    }

    fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root().join(name)
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    fn mkdir(&self, name: &str) {
        fs::create_dir_all(self.at(name)).unwrap();
    }

    /// `name -> target`, the target as it stands in the link.
    fn symlink(&self, target: &str, name: &str) {
        std::os::unix::fs::symlink(target, self.at(name)).unwrap();
    }

    fn hard_link(&self, from: &str, to: &str) {
        fs::hard_link(self.at(from), self.at(to)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.at(name)).unwrap();
    }

    fn open(&self, rules: RuleText) -> Vault {
        Vault::open(&self.root(), Box::new(FixedRules(compile(&rules)))).unwrap()
    }

    /// Under the rules that most tests use.
    fn guarded(&self) -> Vault {
        self.open(usual_rules())
    }
}

fn compile(rules: &RuleText) -> Arc<Rules> {
    Arc::new(Rules::compile(rules).unwrap())
}

/// `journal` and `people` are private folders, `private` is the tag and the flag.
fn usual_rules() -> RuleText {
    RuleText {
        folders: vec!["journal".into(), "people".into()],
        tags: vec!["private".into()],
        frontmatter_flag: Some("private".into()),
        ..RuleText::default()
    }
}

fn note(name: &str) -> NotePath {
    NotePath::parse(name).unwrap()
}

/// What a request of its own gets for a name.
fn admit(vault: &Vault, profile: Profile, name: &str) -> Result<String, Refusal> {
    let admitted = |session: &Session<'_>| session.admit(&note(name)).map(|note| note.text().to_owned());
    vault.request(profile, admitted).unwrap()
}

/// Does the public get a note by this name?
fn is_served(vault: &Vault, name: &str) -> bool {
    admit(vault, Profile::Public, name).is_ok()
}

/// The names a walk finds.
fn walked(vault: &Vault, profile: Profile) -> Vec<String> {
    let walk = vault.request(profile, |session| session.walk()).unwrap().unwrap();
    walk.notes.iter().map(|listed| listed.path.as_str().to_owned()).collect()
}

/// Runs one test of this binary again, by way of a command that changes what a process may do.
fn rerun(test: &str, wrapper: &[&str]) {
    rerun_program(&std::env::current_exe().unwrap(), test, wrapper);
}

/// Where the command is missing or has no right to do its work, the test is skipped.
fn rerun_program(program: &Path, test: &str, wrapper: &[&str]) {
    let (command, arguments) = wrapper.split_first().unwrap();
    let test_arguments = ["--exact", test];
    let run = std::process::Command::new(command).args(arguments).arg(program).args(test_arguments).output();
    let output = match run {
        Ok(output) if !String::from_utf8_lossy(&output.stderr).starts_with(&format!("{command}:")) => output,
        _ => return eprintln!("skipped: `{command}` cannot be used here"),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Rules that a test changes between requests; `None` stands for a broken configuration.
#[derive(Clone)]
struct SwitchedRules(Arc<Mutex<Option<Arc<Rules>>>>);

impl SwitchedRules {
    fn new(rules: &RuleText) -> SwitchedRules {
        SwitchedRules(Arc::new(Mutex::new(Some(compile(rules)))))
    }

    fn set(&self, rules: Option<&RuleText>) {
        *self.0.lock().unwrap() = rules.map(compile);
    }
}

impl RulesSource for SwitchedRules {
    fn current(&self) -> Result<Arc<Rules>, RulesUnavailable> {
        self.0.lock().unwrap().clone().ok_or_else(|| RulesUnavailable("broken".to_owned()))
    }
}
