//! The configuration file as written: TOML text -> [`ConfigFile`]. Pure; every key is known or
//! refused, because a misspelt privacy rule must never run as no rule.

use std::num::NonZeroU64;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::models::{EmbeddingsSection, RerankSection};
use crate::config::explain::{self, Refusal};
use crate::vault::{RuleText, Rules, Standing};

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ConfigFile {
    pub(super) vault: VaultSection,
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
        explain::section_that_is_none(text).map_or(Ok(file), Err)
    }

    /// The rules of the file, compiled; a bad one is refused with its line in `bytes`, the text
    /// this file was parsed from.
    pub(super) fn compile_rules(&self, bytes: &[u8]) -> Result<Rules, Refusal> {
        Rules::compile(&self.rule_text()).map_err(|error| {
            let place = self.rules().find(|rule| *rule.get_ref() == error.rule).map(Spanned::span);
            explain::rule_error(&String::from_utf8_lossy(bytes), place, &error)
        })
    }

    /// The rules as written.
    pub(super) fn rule_text(&self) -> RuleText {
        let default = RuleText::default();
        RuleText {
            folders: texts(&self.privacy.folders),
            tags: texts(&self.privacy.tags),
            frontmatter_flag: self.privacy.frontmatter_flag.as_ref().map(|flag| flag.get_ref().clone()),
            strict: self.privacy.strict,
            default: match self.privacy.default {
                DefaultStanding::Public => Standing::Public,
                DefaultStanding::Private => Standing::Private,
            },
            allow_folders: texts(&self.privacy.allow_folders),
            allow_tags: texts(&self.privacy.allow_tags),
            allow_flag: self.privacy.allow_flag.as_ref().map(|flag| flag.get_ref().clone()),
            redact_patterns: texts(&self.privacy.redact_patterns),
            ignore_patterns: self.vault.ignore_patterns.as_deref().map_or(default.ignore_patterns, texts),
            max_note_bytes: self.vault.max_note_bytes.map_or(default.max_note_bytes, NonZeroU64::get),
        }
    }

    fn rules(&self) -> impl Iterator<Item = &Spanned<String>> {
        let ignored = self.vault.ignore_patterns.iter().flatten();
        let privacy = &self.privacy;
        let denied = privacy.folders.iter().chain(&privacy.tags).chain(&privacy.frontmatter_flag);
        let allowed = privacy.allow_folders.iter().chain(&privacy.allow_tags).chain(&privacy.allow_flag);
        denied.chain(allowed).chain(&privacy.redact_patterns).chain(ignored)
    }

    /// The line, from 1, of a rule below this key of `[privacy]`; `bytes` is the text of the file.
    pub(super) fn line_of(&self, key: &str, rule: &str, bytes: &[u8]) -> Option<usize> {
        let rules: Vec<&Spanned<String>> = match key {
            "folders" => self.privacy.folders.iter().collect(),
            "tags" => self.privacy.tags.iter().collect(),
            "frontmatter_flag" => self.privacy.frontmatter_flag.iter().collect(),
            _ => Vec::new(),
        };
        let place = rules.into_iter().find(|written| written.get_ref() == rule)?.span().start;
        Some(bytes[..place].iter().fold(1, |line, byte| line + usize::from(*byte == b'\n')))
    }
}

fn texts(rules: &[Spanned<String>]) -> Vec<String> {
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
        assert_eq!(file.rule_text(), expected);
    }

    #[test]
    fn what_is_left_out_has_the_stated_default() {
        let file = parse("[vault]\n");
        assert_eq!(file.rule_text(), RuleText::default());
        assert_eq!(file.search.meaning_weight, None);
        assert!(!file.server.allow_reindex && file.ledger.enabled);
    }

    #[test]
    fn a_byte_order_mark_and_windows_line_ends_are_fine() {
        assert_eq!(texts(&parse("\u{feff}[privacy]\r\ntags = [\"a\"]\r\n").privacy.tags), ["a"]);
    }
}
