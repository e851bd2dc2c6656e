//! `[vaults.NAME]`: several vaults in one configuration, each with its folder, its limits and rules that only add
//! to those of `[privacy]`. Pure; what could be meant in two ways is refused with its line.

use std::num::NonZeroU64;

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeTable;

use crate::config::explain::{self, Refusal};
use crate::config::file::{ConfigFile, DefaultStanding, limits, text, texts};
use crate::vault::{RuleText, Standing};

/// Longer names are refused: they stand in addresses and lists of tools.
const MAX_NAME_CHARS: usize = 64;

/// `[vaults.NAME]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NamedVault {
    pub(super) path: Option<Spanned<String>>,
    pub(super) ignore_patterns: Option<Vec<Spanned<String>>>,
    pub(super) max_note_bytes: Option<NonZeroU64>,
    pub(super) privacy: Option<OwnPrivacy>,
}

/// `[vaults.NAME.privacy]`: what this vault hides besides what `[privacy]` hides in every vault.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OwnPrivacy {
    pub(super) folders: Vec<Spanned<String>>,
    pub(super) tags: Vec<Spanned<String>>,
    pub(super) frontmatter_flag: Option<Spanned<String>>,
    strict: Option<Spanned<bool>>,
    default: Option<Spanned<DefaultStanding>>,
    allow_folders: Vec<Spanned<String>>,
    allow_tags: Vec<Spanned<String>>,
    allow_flag: Option<Spanned<String>>,
    redact_patterns: Vec<Spanned<String>>,
}

impl NamedVault {
    /// Its folder as written; a file without one was refused.
    pub(super) fn path(&self) -> &str {
        self.path.as_ref().map_or("", |path| path.get_ref())
    }

    /// Its limits, and no rule.
    pub(super) fn limits(&self) -> RuleText {
        limits(self.ignore_patterns.as_deref(), self.max_note_bytes)
    }

    /// What its own section says, by itself; none where there is no such section.
    pub(super) fn own_rules(&self) -> Option<RuleText> {
        let own = self.privacy.as_ref()?;
        Some(RuleText {
            folders: texts(&own.folders),
            tags: texts(&own.tags),
            frontmatter_flag: text(own.frontmatter_flag.as_ref()),
            strict: own.strict.as_ref().is_some_and(|strict| *strict.get_ref()),
            default: own.default.as_ref().map_or(Standing::Public, |written| (*written.get_ref()).into()),
            allow_folders: texts(&own.allow_folders),
            allow_tags: texts(&own.allow_tags),
            allow_flag: text(own.allow_flag.as_ref()),
            redact_patterns: texts(&own.redact_patterns),
            ..self.limits()
        })
    }

    /// Every rule with its place.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.privacy.iter().flat_map(OwnPrivacy::rules).chain(self.ignore_patterns.iter().flatten())
    }
}

impl OwnPrivacy {
    fn rules(&self) -> impl Iterator<Item = &Spanned<String>> {
        let denied = self.folders.iter().chain(&self.tags).chain(&self.frontmatter_flag);
        let allowed = self.allow_folders.iter().chain(&self.allow_tags).chain(&self.allow_flag);
        denied.chain(allowed).chain(&self.redact_patterns)
    }
}

/// Refuses names and sections that cannot be meant. Whether folders are there is another question.
pub(super) fn check(text: &str, file: &ConfigFile) -> Result<(), Refusal> {
    let bytes = text.as_bytes();
    let refuse = |at: usize, problem: &str, fix: &str| Err(explain::bad_line(bytes, &(at..at), problem, fix));
    if let Some(at) = place(text, &["vaults"]).filter(|_| place(text, &["vault"]).is_some()) {
        let fix = "Keep [vault] for a single vault, or write it as one more [vaults.NAME].";
        return refuse(at, "there are [vault] and [vaults]", fix);
    }
    let mut names: Vec<&String> = Vec::new();
    for (name, vault) in &file.vaults {
        let at = place(text, &["vaults", name]).unwrap_or_default();
        if let Some((problem, fix)) = bad_name(name, &names) {
            return refuse(at, &problem, fix);
        }
        if vault.path.is_none() {
            let fix = "Write it like this: path = \"~/Documents/MyVault\".";
            return refuse(at, &format!("[vaults.{name}] needs a `path`"), fix);
        }
        check_privacy(text, file, vault)?;
        names.push(name);
    }
    Ok(())
}

/// What is wrong with a name, and the fix.
fn bad_name(name: &str, others: &[&String]) -> Option<(String, &'static str)> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
        let fix = "Take up to 64 letters (a to z), digits, `-` and `_`, such as [vaults.work].";
        return Some((format!("`{}` cannot name a vault", name.escape_debug()), fix));
    }
    let same = others.iter().find(|other| other.eq_ignore_ascii_case(name))?;
    Some((format!("`{name}` and `{same}` differ in case alone"), "Give one of them another name."))
}

/// A line that takes back what holds for every vault would do nothing, or too much.
fn check_privacy(text: &str, file: &ConfigFile, vault: &NamedVault) -> Result<(), Refusal> {
    let Some(own) = &vault.privacy else { return Ok(()) };
    let taken_back = |span, key: &str| {
        let problem =
            format!("[privacy] has `{key}` for every vault, and a vault's own section only hides more");
        let fix = format!("Remove the line, or move `{key}` from [privacy] to the vaults that need it.");
        Err(explain::bad_line(text.as_bytes(), &span, &problem, &fix))
    };
    match (&own.default, &own.strict) {
        (Some(default), _)
            if *default.get_ref() == DefaultStanding::Public
                && file.privacy.default == DefaultStanding::Private =>
        {
            taken_back(default.span(), "default = \"private\"")
        }
        (_, Some(strict)) if !*strict.get_ref() && file.privacy.strict => {
            taken_back(strict.span(), "strict = true")
        }
        _ => Ok(()),
    }
}

/// Where a key stands, in bytes: the key `b` of the section `a` for `["a", "b"]`.
fn place(text: &str, keys: &[&str]) -> Option<usize> {
    place_in(DeTable::parse(text).ok()?.get_ref(), keys)
}

fn place_in(table: &DeTable<'_>, keys: &[&str]) -> Option<usize> {
    let (first, deeper) = keys.split_first()?;
    let (name, value) = table.iter().find(|(name, _)| name.get_ref() == *first)?;
    if deeper.is_empty() { Some(name.span().start) } else { place_in(value.get_ref().as_table()?, deeper) }
}

#[cfg(test)]
mod tests;
