//! What is wrong with a vault and its indexes, each finding with its fix; for the owner at a terminal.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::error::vault_unavailable;
use super::privacy::{Looked, PrivacyList, RuleKind, RuleUse, look_at_all, owner};
use super::{OpError, Service, mentions};
use crate::index::{IndexError, Store, Tree, survey};
use crate::vault::{PassedOver, Profile, Session, Walk};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Something does not work, or may not do what the owner thinks.
    Problem,
    /// Worth a look.
    Advice,
}

/// Something that was found.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence.
    pub what: String,
    /// What to do, one sentence.
    pub fix: String,
    /// Names of what it is about.
    pub about: Vec<String>,
}

impl Finding {
    /// A finding about these names.
    pub fn new(
        severity: Severity,
        what: impl Into<String>,
        fix: impl Into<String>,
        about: Vec<String>,
    ) -> Finding {
        Finding { severity, what: what.into(), fix: fix.into(), about }
    }
}

/// How far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoroughness {
    /// What is quick to tell.
    Usual,
    /// Also which public notes name private ones.
    WithMentions,
}

pub(super) fn run(
    service: &Service,
    thoroughness: Thoroughness,
    other_vaults: &[PathBuf],
) -> Result<Vec<Finding>, OpError> {
    let rules = super::privacy::list(service)?;
    let mut findings = owner(service, |session| {
        let walk = session.walk().map_err(|error| vault_unavailable(error.to_string()))?;
        let notes = look_at_all(session, &walk);
        let mut findings = rules_that_do_nothing(&rules);
        findings.extend(unreadable(&notes));
        findings.extend(malformed(session, &notes));
        findings.extend(passed_over(&walk));
        if thoroughness == Thoroughness::WithMentions {
            let mentions = mentions::mentions(session, &notes);
            let fix = "What a public note says is public: reword it, or make the note private.";
            findings.extend(some(Severity::Advice, "Public notes name private ones", fix, mentions));
        }
        for profile in crate::sync::BOTH_PROFILES {
            findings.extend(index(service, session, profile, walk.notes.len()));
        }
        Ok(findings)
    })?;
    findings.extend(files(service, other_vaults)?);
    Ok(findings)
}

/// A finding, unless it is about nothing.
fn some(severity: Severity, what: &str, fix: &str, about: Vec<String>) -> Option<Finding> {
    (!about.is_empty()).then(|| Finding::new(severity, format!("{what}."), fix, about))
}

fn rules_that_do_nothing(list: &PrivacyList) -> Vec<Finding> {
    let idle: Vec<&RuleUse> = list.rules.iter().filter(|rule| rule.matches_nothing).collect();
    // What a new configuration begins with is there for notes to come.
    let (expected, idle): (Vec<&RuleUse>, Vec<&RuleUse>) =
        idle.into_iter().partition(|rule| rule.near.is_empty() && rule.written == "private");
    let told = |rule: &RuleUse| {
        let near: Vec<String> = rule.near.iter().map(|near| format!("`{near}`")).collect();
        let meant =
            if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", near.join(" or ")) };
        format!("{} \"{}\"{meant}", key(rule.rule), rule.written)
    };
    let told_of = |rules: Vec<&RuleUse>| rules.into_iter().map(told).collect();
    let fix = "A misspelt rule hides nothing: correct it, or take it out of the configuration.";
    let problem = some(Severity::Problem, "Privacy rules match nothing in this vault", fix, told_of(idle));
    let fix = "Give a note the tag or the property to hide it, or take the rule out of the configuration.";
    let advice = some(Severity::Advice, "No note is marked private yet", fix, told_of(expected));
    problem.into_iter().chain(advice).collect()
}

fn key(rule: RuleKind) -> &'static str {
    match rule {
        RuleKind::Folders => "folders",
        RuleKind::Tags => "tags",
        _ => "frontmatter_flag",
    }
}

fn unreadable(notes: &[Looked]) -> Vec<Finding> {
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for note in notes {
        if let Some(reason) = note.answer.refusal {
            by_reason.entry(reason).or_default().push(note.answer.path.clone());
        }
    }
    let fix = "They are private until they can be read; mend them, or ignore them with ignore_patterns.";
    let finding =
        |(reason, about)| some(Severity::Advice, &format!("Notes cannot be read: {reason}"), fix, about);
    by_reason.into_iter().filter_map(finding).collect()
}

fn malformed(session: &Session<'_>, notes: &[Looked]) -> Option<Finding> {
    let malformed = notes.iter().filter(|note| note.is_malformed && note.answer.public);
    let about = malformed.map(|note| note.answer.path.clone()).collect();
    let fix = "No privacy word stands in them, so the notes are public without their properties; mend them, or set \
               strict = true to make every such note private.";
    some(Severity::Advice, "Properties cannot be read as YAML", fix, about)
        .filter(|_| !session.rule_text().strict)
}

fn passed_over(walk: &Walk) -> Vec<Finding> {
    let of = |reason: PassedOver| -> Vec<String> {
        let names = walk.passed_over.iter().filter(|(_, found)| *found == reason);
        names.map(|(name, _)| name.clone()).collect()
    };
    let rows = [
        (PassedOver::Unreadable, "Folders cannot be read", "Give yourself the right to read and enter them."),
        (
            PassedOver::Name,
            "Names cannot be served",
            "Rename them: no control characters, `\\`, `:`, final dot or blank.",
        ),
        (
            PassedOver::Link,
            "Links with the name of a note are never followed",
            "Copy the note itself if it is to be found.",
        ),
        (PassedOver::NotAFile, "No files, though they have the name of a note", "Remove or rename them."),
    ];
    rows.into_iter().filter_map(|(reason, what, fix)| some(Severity::Advice, what, fix, of(reason))).collect()
}

/// The tree of one profile.
fn index(service: &Service, session: &Session<'_>, profile: Profile, notes: usize) -> Vec<Finding> {
    let name = profile.as_str();
    let finding = |severity, what: &str, fix: &str| {
        vec![Finding::new(severity, format!("The {name} index {what}."), fix, vec![])]
    };
    let run = "Run `obsearch index`.";
    let tree = match open(service, profile) {
        Ok(Some(tree)) => tree,
        Ok(None) if notes == 0 => return Vec::new(),
        Ok(None) => return finding(Severity::Advice, "is not there", run),
        Err(IndexError::OtherFormat { .. }) => {
            return finding(Severity::Advice, "is of another version", run);
        }
        Err(IndexError::Corrupt(_) | IndexError::Foreign(_)) => {
            return finding(Severity::Problem, "is damaged, or not of this vault", run);
        }
        Err(_) => {
            return finding(
                Severity::Problem,
                "cannot be opened",
                "Check who owns the data folder, and the disk.",
            );
        }
    };
    let mut findings = Vec::new();
    if tree.check_whole().is_err() {
        findings.extend(finding(Severity::Problem, "is damaged", "Run `obsearch index --rebuild`."));
    }
    if tree.header().rules != session.rules_fingerprint() {
        let fix =
            "Answers follow the rules of now all the same; run `obsearch index` to bring it up to date.";
        findings.extend(finding(Severity::Advice, "was built under other privacy rules", fix));
    }
    if !service.models_of(profile).accepts(tree.header().model.as_deref()) {
        findings.extend(finding(Severity::Advice, "was built with another embedding model", run));
    }
    let embedder =
        tree.header().model.as_deref().and_then(|model| service.models_of(profile).embedder(model));
    if let Some(Err(error)) = embedder.map(|embedder| embedder.check(tree.header().dimensions)) {
        findings.extend(finding(Severity::Problem, &format!("lacks its model: {error}"), error.fix()));
    }
    if tree.counts().is_ok_and(|(_, _, pending)| pending > 0 && tree.header().model.is_some()) {
        findings.extend(finding(Severity::Advice, "lacks vectors for some passages", run));
    }
    findings
}

fn open(service: &Service, profile: Profile) -> Result<Option<Tree>, IndexError> {
    let Some(store) = Store::find(&service.data_dir, service.vault.path())? else { return Ok(None) };
    let Some(path) = store.current(profile)? else { return Ok(None) };
    Tree::open(&path, profile, store.vault_id()).map(Some)
}

/// The files of the data folder.
fn files(service: &Service, other_vaults: &[PathBuf]) -> Result<Vec<Finding>, OpError> {
    let store = Store::find(&service.data_dir, service.vault.path())?;
    let known = other_vaults.iter().filter_map(|vault| Store::find(&service.data_dir, vault).ok().flatten());
    let found = survey(&service.data_dir, store.as_ref(), &known.collect::<Vec<_>>());
    let shown = |paths: Vec<PathBuf>| paths.into_iter().map(|path| path.display().to_string()).collect();
    let mib = |bytes: u64| bytes.div_ceil(1024 * 1024);
    let others = found
        .other_stores
        .into_iter()
        .map(|(path, bytes)| format!("{} ({} MiB)", path.display(), mib(bytes)));
    let locked = store.iter().flat_map(|store| {
        let is_locked = |profile: &Profile| matches!(store.lock(*profile), Err(IndexError::Locked));
        crate::sync::BOTH_PROFILES.into_iter().filter(is_locked)
    });
    let locked: Vec<String> = locked.map(|profile| format!("the {} index", profile.as_str())).collect();
    // What is being built lies there rightly while someone builds it.
    let leftovers = if locked.is_empty() { found.leftovers } else { Vec::new() };
    let rows = [
        some(
            Severity::Problem,
            "Other users may read or change files of the index",
            "Take the rights away: chmod -R go-rwx on the data folder.",
            shown(found.open_to_others),
        ),
        some(
            Severity::Advice,
            "An unfinished or damaged index is left over",
            "The next `obsearch index` takes it up or removes it.",
            shown(leftovers),
        ),
        some(
            Severity::Advice,
            "Another process is writing",
            "That is fine: a lock ends with its process, and is never left behind.",
            locked,
        ),
        some(
            Severity::Advice,
            "There are indexes of other vaults",
            "Remove the folders of vaults that you no longer have.",
            others.collect(),
        ),
    ];
    Ok(rows.into_iter().flatten().collect())
}
