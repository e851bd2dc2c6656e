//! The configuration file as written: TOML text -> [`ConfigFile`]. Pure; every key is known or
//! refused, because a misspelt privacy rule must never run as no rule.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::models::{EmbeddingsSection, RerankSection};
use super::vaults::{self, NamedVault};
use crate::config::explain::{self, Refusal};
use crate::vault::{RuleError, RuleText, Rules, Standing};

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ConfigFile {
    pub(super) vault: VaultSection,
    /// Instead of `[vault]`: `[vaults.NAME]` for each.
    pub(super) vaults: BTreeMap<String, NamedVault>,
    pub(super) privacy: PrivacySection,
    pub(super) embeddings: EmbeddingsSection,
    pub(super) rerank: RerankSection,
    pub(super) search: Search,
    pub(super) server: Server,
    pub(super) ledger: Ledger,
}

/// `[vault]`: which folder, and what of it exists for obsearch at all.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct VaultSection {
    pub(super) path: Option<Spanned<String>>,
    pub(super) name: Option<String>,
    pub(super) ignore_patterns: Option<Vec<Spanned<String>>>,
    pub(super) max_note_bytes: Option<NonZeroU64>,
}

/// `[privacy]`: which notes AI clients never see.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PrivacySection {
    pub(super) folders: Vec<Spanned<String>>,
    pub(super) tags: Vec<Spanned<String>>,
    pub(super) frontmatter_flag: Option<Spanned<String>>,
    pub(super) strict: bool,
    pub(super) default: DefaultStanding,
    pub(super) allow_folders: Vec<Spanned<String>>,
    pub(super) allow_tags: Vec<Spanned<String>>,
    pub(super) allow_flag: Option<Spanned<String>>,
    pub(super) redact_patterns: Vec<Spanned<String>>,
}

/// What a note is that no rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DefaultStanding {
    /// Everybody may see it.
    #[default]
    Public,
    /// Only the owner may, unless something allows it.
    Private,
}

/// `[search]`: how what is found is ranked.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// How much meaning counts beside words, 0 to 1; left out, as suits the model.
    #[serde(deserialize_with = "share")]
    pub meaning_weight: Option<f64>,
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let is_share = (0.0..=1.0).contains(&number);
    if is_share { Ok(Some(number)) } else { Err(D::Error::custom("it goes from 0 to 1")) }
}

/// `[server]`: what clients may ask of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Clients may bring the index up to date.
    pub allow_reindex: bool,
}

/// `[ledger]`: what was served to whom, kept for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Ledger {
    /// Servers keep it.
    pub(super) enabled: bool,
}

impl Default for Ledger {
    fn default() -> Self {
        Ledger { enabled: true }
    }
}

impl ConfigFile {
    /// Understands the text of a configuration file, or says which line it cannot.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let text =
            std::str::from_utf8(bytes).map_err(|error| explain::not_utf8(bytes, error.valid_up_to()))?;
        if text.trim().is_empty() {
            return Err(explain::empty());
        }
        let file = toml::from_str(text).map_err(|error| explain::toml_error(text, &error))?;
        match explain::section_that_is_none(text) {
            Some(refusal) => Err(refusal),
            None => vaults::check(text, &file).map(|()| file),
        }
    }

    /// The rules of the vault of this name, or of the one without, compiled; a bad one is refused with its line
    /// in `bytes`, the text this file was parsed from.
    pub(super) fn compile_rules(&self, vault: Option<&str>, bytes: &[u8]) -> Result<Rules, Refusal> {
        let general = self.rule_text(vault);
        let refused = |error: &RuleError, own: Option<&NamedVault>| {
            let mut rules = own.into_iter().flat_map(NamedVault::rules).chain(self.rules());
            let place = rules.find(|rule| *rule.get_ref() == error.rule).map(Spanned::span);
            explain::rule_error(&String::from_utf8_lossy(bytes), place, error)
        };
        let named = vault.and_then(|name| self.vaults.get(name));
        let compiled = Rules::compile(&general).map_err(|error| refused(&error, named))?;
        match named.and_then(NamedVault::own_rules) {
            None => Ok(compiled),
            Some(own) => Rules::joined(&general, &own).map_err(|error| refused(&error, named)),
        }
    }

    /// The rules for every vault as written, with the limits of this one.
    pub(super) fn rule_text(&self, vault: Option<&str>) -> RuleText {
        let limits = match vault.and_then(|name| self.vaults.get(name)) {
            Some(named) => named.limits(),
            None => limits(self.vault.ignore_patterns.as_deref(), self.vault.max_note_bytes),
        };
        RuleText {
            folders: texts(&self.privacy.folders),
            tags: texts(&self.privacy.tags),
            frontmatter_flag: text(self.privacy.frontmatter_flag.as_ref()),
            strict: self.privacy.strict,
            default: self.privacy.default.into(),
            allow_folders: texts(&self.privacy.allow_folders),
            allow_tags: texts(&self.privacy.allow_tags),
            allow_flag: text(self.privacy.allow_flag.as_ref()),
            redact_patterns: texts(&self.privacy.redact_patterns),
            ..limits
        }
    }

    /// The vaults of `[vaults]` with their folders as written.
    pub(super) fn named_paths(&self) -> Vec<(String, String)> {
        self.vaults.iter().map(|(name, vault)| (name.clone(), vault.path().to_owned())).collect()
    }

    fn rules(&self) -> impl Iterator<Item = &Spanned<String>> {
        let ignored = self.vault.ignore_patterns.iter().flatten();
        let privacy = &self.privacy;
        let denied = privacy.folders.iter().chain(&privacy.tags).chain(&privacy.frontmatter_flag);
        let allowed = privacy.allow_folders.iter().chain(&privacy.allow_tags).chain(&privacy.allow_flag);
        denied.chain(allowed).chain(&privacy.redact_patterns).chain(ignored)
    }

    /// The line, from 1, of a rule below this key of `[privacy]`, or of the section of this vault; `bytes` is the
    /// text of the file.
    pub(super) fn line_of(&self, vault: Option<&str>, key: &str, rule: &str, bytes: &[u8]) -> Option<usize> {
        let own = vault.and_then(|name| self.vaults.get(name)?.privacy.as_ref());
        let general = &self.privacy;
        let rules: Vec<&Spanned<String>> = match key {
            "folders" => general.folders.iter().chain(own.iter().flat_map(|own| &own.folders)).collect(),
            "tags" => general.tags.iter().chain(own.iter().flat_map(|own| &own.tags)).collect(),
            "frontmatter_flag" => {
                let own = own.iter().flat_map(|own| &own.frontmatter_flag);
                general.frontmatter_flag.iter().chain(own).collect()
            }
            _ => Vec::new(),
        };
        let place = rules.into_iter().find(|written| written.get_ref() == rule)?.span().start;
        Some(bytes[..place].iter().fold(1, |line, byte| line + usize::from(*byte == b'\n')))
    }
}

impl From<DefaultStanding> for Standing {
    fn from(written: DefaultStanding) -> Standing {
        match written {
            DefaultStanding::Public => Standing::Public,
            DefaultStanding::Private => Standing::Private,
        }
    }
}

/// Rules that hide nothing, with these limits or those that hold where nothing is said.
pub(super) fn limits(ignored: Option<&[Spanned<String>]>, most_bytes: Option<NonZeroU64>) -> RuleText {
    let default = RuleText::default();
    RuleText {
        ignore_patterns: ignored.map_or(default.ignore_patterns, texts),
        max_note_bytes: most_bytes.map_or(default.max_note_bytes, NonZeroU64::get),
        ..default
    }
}

pub(super) fn text(rule: Option<&Spanned<String>>) -> Option<String> {
    rule.map(|rule| rule.get_ref().clone())
}

pub(super) fn texts(rules: &[Spanned<String>]) -> Vec<String> {
    rules.iter().map(|rule| rule.get_ref().clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> ConfigFile {
        ConfigFile::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn every_key_is_understood() {
        let text = r#"
            [vault]
            path = "~/Notes"
            name = "Mine"
            ignore_patterns = ["templates"]
            max_note_bytes = 1000
            [privacy]
            folders = ["journal", "people/*"]
            tags = ["private"]
            frontmatter_flag = "secret"
            strict = true
            default = "private"
            allow_folders = ["published"]
            allow_tags = ["public"]
            allow_flag = "publish"
            redact_patterns = ['\d{4}']
            [embeddings]
            backend = "openai"
            model = "english"
            runtime = "/usr/lib/libonnxruntime.so"
            base_url = "http://localhost:8080/v1"
            api_key_env = "KEY"
            query_prefix = "query: "
            passage_prefix = "passage: "
            allow_remote = true
            allow_remote_full = true
            [rerank]
            backend = "http"
            model = "reranker"
            runtime = "/usr/lib/libonnxruntime.so"
            base_url = "http://localhost:8081/rerank"
            api_key_env = "KEY"
            allow_remote = true
            allow_remote_full = true
            [search]
            meaning_weight = 0.55
            [server]
            allow_reindex = true
            [ledger]
            enabled = false
        "#;
        let file = parse(text);
        assert_eq!(file.vault.name.as_deref(), Some("Mine"));
        assert_eq!(file.search.meaning_weight, Some(0.55));
        assert!(file.server.allow_reindex && !file.ledger.enabled);
        let expected = RuleText {
            folders: vec!["journal".into(), "people/*".into()],
            tags: vec!["private".into()],
            frontmatter_flag: Some("secret".into()),
            strict: true,
            default: Standing::Private,
            allow_folders: vec!["published".into()],
            allow_tags: vec!["public".into()],
            allow_flag: Some("publish".into()),
            redact_patterns: vec![r"\d{4}".into()],
            ignore_patterns: vec!["templates".into()],
            max_note_bytes: 1000,
        };
        assert_eq!(file.rule_text(None), expected);
    }

    #[test]
    fn what_is_left_out_has_the_stated_default() {
        let file = parse("[vault]\n");
        assert_eq!(file.rule_text(None), RuleText::default());
        assert_eq!(file.search.meaning_weight, None);
        assert!(!file.server.allow_reindex && file.ledger.enabled);
    }

    #[test]
    fn a_byte_order_mark_and_windows_line_ends_are_fine() {
        assert_eq!(texts(&parse("\u{feff}[privacy]\r\ntags = [\"a\"]\r\n").privacy.tags), ["a"]);
    }
}
