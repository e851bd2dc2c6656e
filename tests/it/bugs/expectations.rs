//! The machine-readable part of a case: what must be true of a vault, and the checks that say
//! whether it is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::common::{Home, Output, paths, shared, text};

/// What a case expects; what belongs to other tests is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Expectations {
    config: Rules,
    index: IndexExpectation,
    searches: Vec<SearchExpectation>,
    read: Vec<ReadExpectation>,
    filters: Vec<FilterExpectation>,
    notes: BTreeMap<String, NoteExpectation>,
    tags_must_not_contain: Vec<String>,
    output_must_not_contain: Vec<String>,
    index_file_must_not_contain: Vec<String>,
    /// The same, once the steps are done.
    pub(super) after: Option<Box<Expectations>>,
    // In `after`, these stand without `index` around them.
    indexed: Vec<String>,
    not_indexed: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Rules {
    exclude_globs: Vec<String>,
    exclude_tags: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct IndexExpectation {
    must_finish_within_seconds: Option<u64>,
    indexed: Vec<String>,
    not_indexed: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SearchExpectation {
    query: String,
    must_include: Vec<String>,
    must_exclude: Vec<String>,
    #[serde(default)]
    top: Option<String>,
    #[serde(default)]
    mode: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadExpectation {
    path: String,
    #[serde(default)]
    must_fail: bool,
    #[serde(default)]
    must_succeed: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FilterExpectation {
    tag: Option<String>,
    must_include: Vec<String>,
    must_exclude: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct NoteExpectation {
    title: Option<String>,
    tags: Option<Vec<String>>,
    tags_must_not_contain: Vec<String>,
    aliases: Option<Vec<String>>,
    headings: Vec<String>,
    properties: BTreeMap<String, Value>,
    links: Vec<LinkExpectation>,
    links_to: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct LinkExpectation {
    target: Option<String>,
    anchor: Option<String>,
    resolved: bool,
}

/// A case, its vault copied to a home of its own.
pub(super) struct Case {
    folder: PathBuf,
    pub(super) home: Home,
    pub(super) expected: Expectations,
    /// Everything the binary said.
    said: RefCell<String>,
}

#[expect(clippy::disallowed_methods, reason = "a test copies the vault and prepares it")]
impl Case {
    /// The case, searched by words only. `None`, with a message, where the collection is absent.
    pub(super) fn open(name: &str) -> Option<Case> {
        Case::with_embeddings(name, "backend = \"none\"")
    }

    /// The case with this text in the `[embeddings]` section.
    pub(super) fn with_embeddings(name: &str, embeddings: &str) -> Option<Case> {
        let folder = shared("data/bugs")?.join(name);
        let expected: Expectations =
            serde_json::from_slice(&std::fs::read(folder.join("expect.json")).unwrap()).unwrap();
        let home = Home::new();
        run(Command::new("cp").arg("-R").arg(folder.join("vault")).arg(home.vault()));
        let case = Case { folder, home, expected, said: RefCell::default() };
        case.configure(embeddings);
        Some(case)
    }

    pub(super) fn configure(&self, embeddings: &str) {
        let Rules { exclude_globs: folders, exclude_tags: tags } = &self.expected.config;
        self.home.configure(&format!(
            "[vault]\npath = \"~/Notes\"\n[privacy]\nfolders = {folders:?}\ntags = {tags:?}\n[embeddings]\n{embeddings}\n"
        ));
    }

    /// Does to the vault what its files alone cannot say.
    pub(super) fn set_up(&self) {
        let script = self.folder.join("setup.sh");
        if script.exists() {
            run(Command::new("sh").arg(script).arg(self.home.vault()));
        }
    }

    /// Runs the binary and keeps what it says.
    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        let output = self.home.run(arguments);
        self.said.borrow_mut().extend([&*output.stdout, &*output.stderr]);
        output
    }
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

/// Indexes and checks all that is expected.
pub(super) fn check(case: &Case) {
    let began = Instant::now();
    let indexed = case.run(&["index", "--json"]);
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    if let Some(seconds) = case.expected.index.must_finish_within_seconds {
        assert!(began.elapsed() < Duration::from_secs(seconds), "{:?}", began.elapsed());
    }
    check_answers(case, &case.expected);
    check_bytes(case);
}

/// Checks what can be asked of an index that is there.
pub(super) fn check_answers(case: &Case, expected: &Expectations) {
    check_list(case, expected);
    expected.searches.iter().for_each(|search| check_search(case, search));
    expected.read.iter().for_each(|read| check_read(case, read));
    expected.filters.iter().for_each(|filter| check_filter(case, filter));
    expected.notes.iter().for_each(|(path, note)| check_note(case, path, note));
    let tags = case.run(&["tags", "--json"]).stdout;
    let held: Vec<_> = expected.tags_must_not_contain.iter().filter(|tag| tags.contains(*tag)).collect();
    assert!(held.is_empty(), "{held:?} in {tags}");
}

/// Nothing that must stay hidden stands in any output or in any byte of the public tree.
pub(super) fn check_bytes(case: &Case) {
    let said = case.said.borrow().to_lowercase();
    let told: Vec<_> = case
        .expected
        .output_must_not_contain
        .iter()
        .filter(|word| said.contains(&word.to_lowercase()))
        .collect();
    assert!(told.is_empty(), "{told:?} in {said}");
    let words: Vec<&str> = case.expected.index_file_must_not_contain.iter().map(String::as_str).collect();
    assert_eq!(case.home.words_in_tree("public", &words), [""; 0]);
}

fn check_list(case: &Case, expected: &Expectations) {
    let listed = composed(&case.home.listed(&[]));
    case.said.borrow_mut().extend(listed.iter().map(String::as_str));
    let indexed = expected.indexed.iter().chain(&expected.index.indexed);
    let missing: Vec<_> = indexed.filter(|path| !listed.contains(path)).collect();
    let not_indexed = expected.not_indexed.iter().chain(&expected.index.not_indexed);
    let unwanted: Vec<_> = not_indexed.filter(|path| listed.contains(path)).collect();
    assert!(missing.is_empty() && unwanted.is_empty(), "{missing:?}, {unwanted:?} in {listed:?}");
}

fn check_search(case: &Case, search: &SearchExpectation) {
    let mode = search.mode.as_deref().unwrap_or("hybrid");
    let output = case.run(&["search", "--json", "--mode", mode, "--", &search.query]);
    assert!(matches!(output.code, Some(0 | 1)), "{search:?}: {output:?}");
    let found = composed(&paths(&output.json()));
    let is_wanted = |path: &String| found.contains(&path.replace(" (NFD on disk)", ""));
    assert!(search.must_include.iter().all(is_wanted), "{search:?}: {found:?}");
    assert!(!search.must_exclude.iter().any(is_wanted), "{search:?}: {found:?}");
    assert!(search.top.is_none() || search.top.as_ref() == found.first(), "{search:?}: {found:?}");
}

fn check_read(case: &Case, read: &ReadExpectation) {
    if read.path.contains('\0') {
        return; // the system passes no such argument; an MCP client can, and the wall's own tests do
    }
    let output = case.run(&["read", "--json", "--", &read.path]);
    if read.must_succeed {
        assert_eq!(output.code, Some(0), "{read:?}: {output:?}");
    }
    if read.must_fail {
        assert_eq!((output.code, &*output.stdout), (Some(1), ""), "{read:?}: {output:?}");
        assert_eq!(output.stderr, case.home.run(&["read", "no such note"]).stderr, "{read:?}");
    }
}

fn check_filter(case: &Case, filter: &FilterExpectation) {
    let Some(tag) = &filter.tag else { return }; // there is no filter that leaves a tag out
    let listed = case.home.listed(&["--tag", tag]);
    assert!(filter.must_include.iter().all(|path| listed.contains(path)), "{filter:?}: {listed:?}");
    assert!(!filter.must_exclude.iter().any(|path| listed.contains(path)), "{filter:?}: {listed:?}");
}

fn check_note(case: &Case, path: &str, expected: &NoteExpectation) {
    let note = case.run(&["read", "--json", path]).json();
    let texts = |key: &str| note[key].as_array().unwrap().iter().map(text).collect::<Vec<_>>();
    let folded = |texts: &[String]| texts.iter().map(|text| text.to_lowercase()).collect::<Vec<_>>();
    let headings: Vec<String> =
        note["outline"].as_array().unwrap().iter().map(|at| text(&at["heading"])).collect();
    assert!(expected.title.iter().all(|title| note["title"] == **title), "{path}: {note}");
    assert!(expected.headings.iter().all(|heading| headings.contains(heading)), "{path}: {note}");
    if let Some(tags) = &expected.tags {
        let shown = folded(&texts("tags"));
        assert!(folded(tags).iter().all(|tag| shown.contains(tag)), "{path}: {note}");
    }
    assert!(!expected.tags_must_not_contain.iter().any(|tag| texts("tags").contains(tag)), "{path}: {note}");
    if let Some(aliases) = &expected.aliases {
        assert_eq!(&texts("aliases"), aliases, "{path}");
    }
    for (key, value) in &expected.properties {
        // Some are followed by a remark.
        let wanted = value.as_str().map(|text| Value::from(text.split(" (").next().unwrap_or_default()));
        assert_eq!(&note["properties"][key], &wanted.unwrap_or_else(|| value.clone()), "{path}: {key}");
    }
    check_links(case, path, expected);
}

fn check_links(case: &Case, path: &str, expected: &NoteExpectation) {
    if expected.links.is_empty() && expected.links_to.is_empty() {
        return;
    }
    let output = case.run(&["links", "--json", "--direction", "outgoing", path]);
    let answer = output.json();
    let unresolved: Vec<String> = answer["unresolved"].as_array().unwrap().iter().map(text).collect();
    let mut ends: Vec<String> =
        answer["outgoing"].as_array().unwrap().iter().map(|end| text(&end["path"])).collect();
    for link in &expected.links {
        let target = link.target.clone().unwrap_or_default();
        assert_eq!(!unresolved.contains(&target), link.resolved || target.is_empty(), "{link:?}: {answer}");
        assert!(target.is_empty() || !ends.is_empty() || !link.resolved, "{link:?}: {answer}");
    }
    ends.push(path.to_owned());
    for path in &expected.links_to {
        assert!(ends.contains(path), "{path}: {answer}");
    }
    // An anchor leads somewhere if it can be read in one of the notes.
    for (link, anchor) in expected.links.iter().filter_map(|link| Some((link, link.anchor.as_ref()?))) {
        let reads = |end: &String| case.run(&["read", &format!("{end}#{anchor}")]).code == Some(0);
        assert_eq!(ends.iter().any(reads), link.resolved, "{link:?}");
    }
}

/// Names as a composed text: some disks keep them taken apart.
fn composed(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.nfc().collect()).collect()
}
