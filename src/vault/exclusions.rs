//! What the owner excluded in Obsidian itself (Settings, Files and links, Excluded files): hidden from
//! the public as if a rule said so. It only ever takes away.
//!
//! An entry is the beginning of a path, or a JavaScript regular expression between slashes. A list that
//! cannot be read or understood serves nothing, as with any other rules.

use std::io::{self, Read};
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fancy_regex::{Regex, RegexBuilder};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use super::RulesUnavailable;
use super::fold::fold;
use super::rules::Rules;

/// Where Obsidian keeps its settings.
const SETTINGS: &str = ".obsidian/app.json";
const SETTINGS_FOLDER: &str = ".obsidian";
/// Settings are a page or two.
const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;
/// Obsidian does not write them in one go: half a file is looked at again.
const READ_TRIES: usize = 5;
const WRITER_PAUSE: Duration = Duration::from_millis(20);
/// A pattern that tries more than this on one name counts as one that matches.
const BACKTRACK_LIMIT: usize = 100_000;

/// The list, compiled.
#[derive(Debug, Clone, Default)]
pub(super) struct Exclusions(Vec<Exclusion>);

#[derive(Debug, Clone)]
struct Exclusion {
    written: String,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// How the names begin, folded.
    Prefix(String),
    /// The pattern as written, and without regard to case.
    Patterns(Box<[Regex; 2]>),
}

impl Exclusions {
    fn compile(filters: Vec<String>) -> Result<Exclusions, RulesUnavailable> {
        let filters = filters.into_iter().filter(|filter| !filter.trim().is_empty());
        filters.map(Exclusion::compile).collect::<Result<_, _>>().map(Exclusions)
    }

    /// The first entry that covers the name.
    pub(super) fn matching(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|exclusion| exclusion.matcher.covers(path)).map(|exclusion| &*exclusion.written)
    }

    /// The entries as they stand in the settings.
    pub(super) fn written(&self) -> Vec<&str> {
        self.0.iter().map(|exclusion| &*exclusion.written).collect()
    }

    /// The fingerprint of rules together with this list.
    pub(super) fn fingerprint(&self, of_rules: &str) -> String {
        blake3::hash(format!("{of_rules} {:?}", self.written()).as_bytes()).to_hex()[..16].to_owned()
    }
}

impl Exclusion {
    fn compile(written: String) -> Result<Exclusion, RulesUnavailable> {
        let inside = written.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let matcher = match inside.filter(|pattern| !pattern.is_empty()) {
            None => Matcher::Prefix(fold(written.trim_start_matches('/'))),
            Some(pattern) => compile_patterns(pattern).map(Matcher::Patterns).map_err(|_| {
                unavailable(&format!(
                    "the pattern `{written}` among Obsidian's excluded files is not understood"
                ))
            })?,
        };
        Ok(Exclusion { written, matcher })
    }
}

/// Whether Obsidian minds the case is not documented: what either way covers is hidden. Without regard to case
/// alone a pattern that excludes all *but* something would hide less.
fn compile_patterns(pattern: &str) -> Result<Box<[Regex; 2]>, fancy_regex::Error> {
    let compile = |pattern: &str| RegexBuilder::new(pattern).backtrack_limit(BACKTRACK_LIMIT).build();
    Ok(Box::new([compile(pattern)?, compile(&format!("(?i){pattern}"))?]))
}

impl Matcher {
    fn covers(&self, path: &str) -> bool {
        match self {
            Matcher::Prefix(prefix) => fold(path).starts_with(&**prefix),
            // Obsidian composes accents; a disk may keep them apart.
            Matcher::Patterns(patterns) => {
                let composed: String = path.nfc().collect();
                let is_match =
                    |regex: &Regex| [path, &composed].iter().any(|name| regex.is_match(name).unwrap_or(true));
                patterns.iter().any(is_match)
            }
        }
    }
}

/// The rules of the last request with the list of the last request, so that both are compiled once.
#[derive(Default)]
pub(super) struct ExclusionCache(Mutex<Option<Known>>);

struct Known {
    base: Arc<Rules>,
    settings: Vec<u8>,
    combined: Arc<Rules>,
}

impl ExclusionCache {
    /// The rules, with what Obsidian's settings in this vault exclude as they stand now.
    pub(super) fn add_to(
        &self,
        base: Arc<Rules>,
        root: BorrowedFd<'_>,
    ) -> Result<Arc<Rules>, RulesUnavailable> {
        let mut outcome = Ok(None);
        for attempt in 0..READ_TRIES {
            if attempt > 0 {
                std::thread::sleep(WRITER_PAUSE);
            }
            outcome = self.try_add(&base, root);
            if outcome.is_ok() {
                break;
            }
        }
        Ok(outcome?.unwrap_or(base))
    }

    fn try_add(
        &self,
        base: &Arc<Rules>,
        root: BorrowedFd<'_>,
    ) -> Result<Option<Arc<Rules>>, RulesUnavailable> {
        let Some(settings) = read_settings(root)? else { return Ok(None) };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.as_ref()
            && Arc::ptr_eq(&known.base, base)
            && known.settings == settings
        {
            return Ok(Some(Arc::clone(&known.combined)));
        }
        let exclusions = Exclusions::compile(parse(&settings)?)?;
        let combined = if exclusions.0.is_empty() {
            Arc::clone(base)
        } else {
            Arc::new(base.with_exclusions(exclusions))
        };
        *known = Some(Known { base: Arc::clone(base), settings, combined: Arc::clone(&combined) });
        Ok(Some(combined))
    }
}

/// The one key that concerns us.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    user_ignore_filters: Option<Vec<String>>,
}

fn parse(settings: &[u8]) -> Result<Vec<String>, RulesUnavailable> {
    let settings: Settings = serde_json::from_slice(settings)
        .map_err(|_| unavailable(&format!("{SETTINGS} in the vault is not the JSON that Obsidian writes")))?;
    Ok(settings.user_ignore_filters.unwrap_or_default())
}

/// `None` where there are no settings. Links are followed: many share one settings folder between
/// vaults, and nothing of it is shown to anyone.
fn read_settings(root: BorrowedFd<'_>) -> Result<Option<Vec<u8>>, RulesUnavailable> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let fail = |error: io::Error| unavailable(&format!("{SETTINGS} in the vault cannot be read ({error})"));
    let file = match rustix::fs::openat(root, SETTINGS, flags, Mode::empty()) {
        Err(Errno::NOENT | Errno::NOTDIR) if leads_nowhere(root) => {
            return Err(unavailable(&format!("{SETTINGS} in the vault is a link that leads to nothing")));
        }
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        opened => opened.map_err(|error| fail(error.into()))?,
    };
    let stat = rustix::fs::fstat(&file).map_err(|error| fail(error.into()))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(unavailable(&format!("{SETTINGS} in the vault is not a file")));
    }
    let mut settings = Vec::new();
    let mut limited = std::fs::File::from(file).take(MAX_SETTINGS_BYTES + 1);
    limited.read_to_end(&mut settings).map_err(fail)?;
    if settings.len() as u64 > MAX_SETTINGS_BYTES {
        return Err(unavailable(&format!("{SETTINGS} in the vault is too large")));
    }
    Ok(Some(settings))
}

/// Is the settings folder or the file a link to something that is not there, such as a disk that is not mounted?
fn leads_nowhere(root: BorrowedFd<'_>) -> bool {
    [SETTINGS_FOLDER, SETTINGS].iter().any(|name| {
        let is_there = |flags| rustix::fs::statat(root, *name, flags).is_ok();
        is_there(AtFlags::SYMLINK_NOFOLLOW) && !is_there(AtFlags::empty())
    })
}

fn unavailable(problem: &str) -> RulesUnavailable {
    RulesUnavailable(format!("{problem}; mend it in Obsidian's settings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_cover_what_obsidian_excludes_and_rather_more() {
        let table: &[(&str, &[&str], &[&str])] = &[
            ("Templates/", &["Templates/a.md", "templates/b/c.md"], &["x/Templates/a.md", "Template.md"]),
            ("Daily", &["Daily/a.md", "Daily note.md"], &["My daily.md"]),
            ("/^daily\\/\\d{4}/", &["daily/2024-01.md", "Daily/1999.md"], &["daily/x.md"]),
            ("/secret(?!s)/", &["a/secret.md"], &["a/secrets.md"]),
            ("/^Journ\u{e9}e/", &["Journe\u{301}e/a.md", "Journ\u{e9}e/a.md"], &["a/Journ\u{e9}e.md"]),
            ("/^(?!Open\\/)/", &["open/a.md", "OPEN/a.md", "x.md"], &["Open/a.md"]),
            ("/draft/", &["a/my DRAFT.md", "draft/x.md"], &["a.md"]),
            ("Journ\u{e9}e", &["journe\u{301}e/a.md"], &["journee/a.md"]),
            ("/", &["a.md"], &[]),
        ];
        for (filter, covered, free) in table {
            let exclusions = Exclusions::compile(vec![(*filter).to_owned()]).unwrap();
            for path in *covered {
                assert_eq!(exclusions.matching(path), Some(*filter), "{filter} should cover {path}");
            }
            for path in *free {
                assert_eq!(exclusions.matching(path), None, "{filter} should not cover {path}");
            }
        }
    }

    #[test]
    fn a_pattern_that_would_never_end_matches() {
        let exclusions = Exclusions::compile(vec!["/(?=(a+)+$)(a+)+b\\1/".to_owned()]).unwrap();
        assert!(exclusions.matching(&"a".repeat(60)).is_some());
    }

    #[test]
    fn lists_that_cannot_be_understood_are_refused() {
        for settings in ["", "{", "[]x", "{\"userIgnoreFilters\": \"x\"}", "{\"userIgnoreFilters\": [1]}"] {
            assert!(parse(settings.as_bytes()).is_err(), "{settings}");
        }
        assert!(Exclusions::compile(vec!["/(/".to_owned()]).is_err());
        assert_eq!(parse(b"{\"alwaysUpdateLinks\": true}").unwrap(), [""; 0]);
        assert_eq!(parse(b"{\"userIgnoreFilters\": null}").unwrap(), [""; 0]);
        assert_eq!(parse(b"{\"userIgnoreFilters\": [\"a/\"]}").unwrap(), ["a/"]);
    }
}
