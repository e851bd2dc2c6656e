//! Inputs that broke other tools: the cases under `data/bugs` that are about names, walking and
//! opening, each with its expectations in `expect.json`.

use serde_json::Value;

use super::*;

const CASES: [&str; 9] = [
    "09-nfd-names",
    "10-case-only-rename",
    "27-lossy-paths",
    "28-md-directory",
    "33-symlink-escape",
    "34-path-traversal",
    "36-private-folder",
    "37-permission-denied",
    "48-windows-paths",
];

#[test]
fn inputs_that_broke_other_tools() {
    let Some(cases) = case_folder() else {
        eprintln!("skipped: the bug cases are not on this machine (set OBSEARCH_SHARED)");
        return;
    };
    for case in CASES {
        check(case, &cases.join(case));
    }
}

fn case_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("OBSEARCH_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join("data/bugs")).filter(|folder| folder.is_dir())
}

fn check(case: &str, folder: &Path) {
    let expect: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("expect.json")).unwrap()).unwrap();
    let vault = TestVault::new();
    copy_folder(&folder.join("vault"), &vault.root());
    if folder.join("setup.sh").exists() {
        let run =
            std::process::Command::new("sh").arg(folder.join("setup.sh")).arg(vault.root()).output().unwrap();
        assert!(run.status.success(), "{case}: {run:?}");
    }
    let gate = vault.open(rules_of(&expect));
    let indexed =
        |name: &str| walked(&gate, Profile::Public).contains(&name.to_owned()) && is_served(&gate, name);
    for lists in [&expect["index"], &expect["after"]] {
        for name in texts(&lists["indexed"]) {
            assert!(indexed(&name), "{case}: {name} must be indexed");
        }
        for name in texts(&lists["notIndexed"]) {
            assert!(!indexed(&name), "{case}: {name} must not be indexed");
        }
    }
    for read in expect["read"].as_array().into_iter().flatten() {
        check_read(case, &gate, read);
    }
}

fn check_read(case: &str, gate: &Vault, read: &Value) {
    let name = read["path"].as_str().unwrap();
    let is_read = NotePath::parse(name).is_ok_and(|path| is_served(gate, path.as_str()));
    if read["mustFail"] == true {
        assert!(!is_read, "{case}: {name} must not be read");
    }
    // Another form of a name is found through the catalogue, not by the wall.
    if read["mustSucceed"] == true && read["form"].is_null() {
        assert!(is_read, "{case}: {name} must be read");
    }
}

fn rules_of(expect: &Value) -> RuleText {
    let config = &expect["config"];
    RuleText {
        folders: texts(&config["excludeGlobs"]),
        tags: texts(&config["excludeTags"]),
        ..RuleText::default()
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::write(&target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
