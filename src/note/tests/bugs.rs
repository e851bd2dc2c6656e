//! Cases with machine-readable expectations, one small vault each, kept outside the project.
//! Skipped where they are absent.
#![expect(clippy::disallowed_methods, reason = "test vaults are no one's vault")]
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::note::{Anchor, Document, Link, chunk, fold, link, parse};

const CASES: [&str; 16] = [
    "09-nfd-names",
    "10-case-only-rename",
    "12-yaml-dates",
    "13-bom-crlf",
    "15-templates-in-yaml",
    "16-tag-shapes",
    "18-tags-in-code",
    "21-duplicate-basenames",
    "22-embed-cycle",
    "24-heading-anchors",
    "25-block-refs",
    "30-empty-tiny",
    "31-very-large",
    "48-windows-paths",
    "52-comments",
    "55-yaml-hazards",
];

#[test]
fn notes_of_the_cases_read_as_expected() {
    let Some(cases) = shared("data/bugs") else { return };
    let failures: Vec<String> = CASES.iter().flat_map(|case| check_case(&cases.join(case))).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A folder of the shared test data.
fn shared(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let root = std::env::var_os("OBSEARCH_SHARED").map_or(beside, PathBuf::from);
    let found = root.join(path).canonicalize().ok();
    if found.is_none() {
        eprintln!("skipped: {} is not there; set OBSEARCH_SHARED", root.join(path).display());
    }
    found
}

/// A parsed vault: path to text and structure.
type Vault = BTreeMap<String, (String, Document)>;

fn check_case(case: &Path) -> Vec<String> {
    let expected: Value = serde_json::from_slice(&std::fs::read(case.join("expect.json")).unwrap()).unwrap();
    let vault = read_vault(&case.join("vault"));
    let mut checker = Checker { case: expected["id"].to_string(), vault: &vault, failures: Vec::new() };
    checker.whole_vault(&expected);
    let after = expected["after"]["notes"].as_object();
    for (path, wanted) in expected["notes"].as_object().into_iter().chain(after).flatten() {
        checker.note(path, wanted);
    }
    checker.failures
}

fn read_vault(root: &Path) -> Vault {
    let mut vault = Vault::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "md") {
                let path = entry.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                let text = std::fs::read_to_string(&entry).unwrap();
                let document = parse(&text);
                vault.insert(path, (text, document));
            }
        }
    }
    vault
}

struct Checker<'v> {
    case: String,
    vault: &'v Vault,
    failures: Vec<String>,
}

impl Checker<'_> {
    fn expect(&mut self, holds: bool, what: &str) {
        if !holds {
            self.failures.push(format!("{}: {what}", self.case));
        }
    }

    /// What holds for every note of a case.
    fn whole_vault(&mut self, expected: &Value) {
        for (path, (text, document)) in self.vault {
            for piece in strings(&expected["tagsMustNotContain"]) {
                let absent = !document.tags.iter().any(|tag| tag.contains(&piece));
                self.expect(absent, &format!("{path} has a tag with {piece}: {:?}", document.tags));
            }
            let chunks = chunk::split(text, document);
            self.expect(!chunks.is_empty(), &format!("{path} has no chunk"));
            for chunk in chunks {
                let shown = chunk::visible_text(text, document, chunk.range);
                for word in strings(&expected["outputMustNotContain"]) {
                    self.expect(!shown.contains(&word), &format!("{path} shows {word}"));
                }
            }
            // Words that searches look for must be left in some chunk.
            let json = serde_json::to_string(&document.frontmatter.properties).unwrap();
            self.expect(serde_json::from_str::<Value>(&json).is_ok(), &format!("{path}: {json}"));
        }
    }

    fn note(&mut self, path: &str, wanted: &Value) {
        let Some((_, document)) = self.vault.get(path) else {
            return self.expect(false, &format!("{path} is not in the vault"));
        };
        let titles: Vec<String> = document.headings.iter().map(|heading| heading.text.clone()).collect();
        let blocks: Vec<String> = document.blocks.iter().map(|block| block.id.clone()).collect();
        let title = vec![document.title("stem").to_owned()];
        for (key, found) in [
            ("tags", &document.tags),
            ("aliases", &document.frontmatter.aliases),
            ("headings", &titles),
            ("blocks", &blocks),
            ("title", &title),
        ] {
            self.list(path, key, found, wanted);
        }
        for (key, value) in wanted["properties"].as_object().into_iter().flatten() {
            let found = document.frontmatter.properties.get(key);
            let same = found.is_some_and(|found| *found == without_remark(value));
            self.expect(same, &format!("{path}: property {key} is {found:?}, wanted {value}"));
        }
        for link in wanted["links"].as_array().into_iter().flatten() {
            self.link(path, document, link);
        }
        let targets: Vec<&str> =
            document.links.iter().filter_map(|link| resolve(self.vault, link, path)).collect();
        for target in strings(&wanted["linksTo"]) {
            self.expect(targets.contains(&&*target), &format!("{path} links to {targets:?}, not {target}"));
        }
    }

    /// The list under `key`, without order; what is undecided may be there or not.
    fn list(&mut self, path: &str, key: &str, found: &[String], wanted: &Value) {
        let is_folded = wanted[format!("{key}CaseInsensitive")] == true;
        let form = |name: &String| if is_folded { fold(name) } else { name.clone() };
        for name in strings(&wanted[format!("{key}MustNotContain")]) {
            self.expect(!found.contains(&name), &format!("{path}: {key} has {name}"));
        }
        if wanted[key].is_null() {
            return;
        }
        let undecided = strings(&wanted[format!("{key}Undecided")]);
        let mut left: Vec<String> = found.iter().filter(|name| !undecided.contains(name)).map(form).collect();
        let mut right: Vec<String> = strings(&wanted[key]).iter().map(form).collect();
        left.sort();
        right.sort();
        self.expect(left == right, &format!("{path}: {key} is {left:?}, wanted {right:?}"));
    }

    fn link(&mut self, path: &str, document: &Document, wanted: &Value) {
        let is_meant = |link: &&Link| {
            let target = wanted["target"].as_str().is_none_or(|target| link.target == target);
            let anchor = wanted["anchor"].as_str().is_none_or(|anchor| written(link) == anchor);
            target && anchor && wanted["embed"].as_bool().is_none_or(|embed| link.embed == embed)
        };
        let Some(found) = document.links.iter().find(is_meant) else {
            return self.expect(false, &format!("{path} has no link {wanted}: {:?}", document.links));
        };
        let resolved = resolve(self.vault, found, path).is_some_and(|target| {
            let document = &self.vault[target].1;
            found.anchor.as_ref().is_none_or(|anchor| link::find_anchor(document, anchor).is_some())
        });
        self.expect(wanted["resolved"] == resolved, &format!("{path}: {wanted} resolves: {resolved}"));
    }
}

fn resolve<'v>(vault: &'v Vault, link: &Link, from: &'v str) -> Option<&'v str> {
    if link.target.is_empty() {
        return Some(from);
    }
    let key = link::name_key(&link.target);
    let shares_key = |path: &&str| link::name_key(path) == key;
    let candidates: Vec<&str> = vault.keys().map(String::as_str).filter(shares_key).collect();
    link::choose(&candidates, link, from).map(|index| candidates[index])
}

/// The anchor as the expectations write it.
fn written(link: &Link) -> String {
    match &link.anchor {
        Some(Anchor::Heading(names)) => names.join("#"),
        Some(Anchor::Block(id)) => format!("^{id}"),
        None => String::new(),
    }
}

/// The strings in a list or the one string.
fn strings(value: &Value) -> Vec<String> {
    let one = value.as_str().map(str::to_owned).into_iter();
    let many = value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned));
    one.chain(many).collect()
}

/// Expected values carry remarks for the reader: `00420 (text kept)`.
fn without_remark(value: &Value) -> Value {
    let text = value.as_str().and_then(|text| text.split_once(" (")).map(|(text, _)| text);
    text.map_or_else(|| value.clone(), Value::from)
}

/// Case 31 is made by a script; these are smaller notes of the same kinds.
#[test]
fn very_large_notes_are_cut_into_chunks_that_fit() {
    let words = |count: usize| "mill river stone bread lamp chair ".repeat(count / 6);
    let random: String =
        (0..200_000_u64).map(|i| base64_digit(i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)).collect();
    let sections = (0..600).map(|i| format!("## Part {i}\n\n{}", words(40))).collect::<Vec<_>>().join("\n\n");
    let quotes: String = (0..800).map(|i| "> ".repeat(400.min(i)) + "x\n").collect();
    let items: String = (0..600).map(|i| "  ".repeat(300.min(i)) + "- y\n").collect();
    let deep = format!("# Deep\n\n{quotes}\n{items}{}{}\n\n", "[".repeat(5000), "]".repeat(5000));
    for (name, text, expected) in [
        ("one line", format!("# One line\n\n{}\n", words(60_000)), 300..600),
        ("headings", sections, 200..700),
        ("no blanks", "a".repeat(100_000), 100..200),
        ("CJK", "# 长\n\n".to_owned() + &"河石面灯椅草轮纸云山水火土木金".repeat(2000), 130..200),
        ("base64", format!("# Pic\n\n![x](data:image/png;base64,{random})\n\nafterimagequark\n"), 1..2),
        ("deep", deep, 10..5000),
    ] {
        let document = parse(&text);
        let chunks = chunk::split(&text, &document);
        assert!(expected.contains(&chunks.len()), "{name}: {} chunks", chunks.len());
        for chunk in &chunks {
            let shown = chunk::visible_text(&text, &document, chunk.range.clone());
            let bytes: usize = shown.split_whitespace().map(str::len).sum();
            assert!(bytes <= 1500, "{name}: a chunk of {bytes} bytes at lines {:?}", chunk.lines);
        }
    }
}

fn base64_digit(value: u64) -> char {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char::from(digits[usize::try_from(value).unwrap()])
}
