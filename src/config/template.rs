//! The configuration file that `obsearch init` writes: every key, with its meaning.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::disk::{self, Existing};
use crate::config::{self, ConfigError, Environment, trust};
use crate::vault::RuleText;

/// What stands in [`SECTIONS`] for what the owner chose.
const FOLDERS: &str = "{folders}";
const TAGS: &str = "{tags}";
const FLAG: &str = "{flag}";

const SECTIONS: &str = r#"# name = "My notes"               # shown to people; the folder's name if left out
# ignore_patterns = [".git", ".obsidian", ".trash"]   # never read, by nobody
# max_note_bytes = 16777216        # larger notes are left out
# Several vaults: [vaults.NAME] for each instead of [vault], and [vaults.NAME.privacy] for what one hides besides.

# What AI clients never see. A note is private if any of these says so, or if it cannot be
# decided. Changes count from the next request on; nothing needs to be restarted.
[privacy]
# Folders: `journal` at any depth; with a slash from the top of the vault; `*` is one name.
folders = {folders}                       # e.g. ["journal", "people/*"]
# Tags, in properties and in the text; `private` covers `private/family` too.
tags = {tags}
# The property that makes a note private: `private: true`.
{flag}
# A note with malformed properties is private only if they mention the flag or a private tag.
# With true, every such note is private.
# strict = false
# With "private", every note is private that nothing below allows; the rules above still hold.
# default = "public"
# allow_folders = []               # e.g. ["published"]
# allow_tags = []                  # tags in well-formed properties, e.g. ["public"]
# allow_flag = "publish"           # a property: `publish: true`
# Regular expressions; what they match is masked for AI clients, in the index and in answers.
# redact_patterns = []             # e.g. ['\d{4} \d{4} \d{4}']

[embeddings]
# backend = "builtin"              # "local" or "fastembed" (a folder), "ollama", "openai" (any server like it), "none": words only
# model = "auto"                   # or "multilingual", "english"; a folder; the model's name on the server
# runtime = "/usr/lib/libonnxruntime.so"   # of "fastembed": where ONNX Runtime is, if not where libraries are
# base_url = "http://127.0.0.1:11434"   # of "ollama" and "openai"; a server on this machine
# api_key_env = "OPENAI_API_KEY"   # the environment variable that holds the server's key
# query_prefix = "query: "         # for models that want one and are not known to
# passage_prefix = "passage: "
# allow_remote = false             # with true, base_url may be elsewhere: public notes go there
# allow_remote_full = false        # with true, private notes go there too

[rerank]
# backend = "none"                 # orders passages anew: "local", "fastembed" (a cross-encoder in a folder), "http" (a server)
# runtime = "/usr/lib/libonnxruntime.so"
# base_url = "http://127.0.0.1:8080/v1/rerank"
# model = "bge-reranker-v2-m3"
# api_key_env = "COHERE_API_KEY"
# allow_remote = false
# allow_remote_full = false

[search]
# meaning_weight = 0.4             # 0 to 1: how much meaning counts beside words; left out, as suits
                                   # the model; `obsearch tune` measures it on your own notes

[server]
# allow_reindex = false            # with true, AI clients may ask for the index to be updated

[ledger]
# enabled = true                   # servers record which notes and lines they gave to whom, beside this
                                   # file in `ledger`; `obsearch ledger show` prints it
"#;

/// The rules that a new configuration begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstRules {
    /// `folders`.
    pub folders: Vec<String>,
    /// `tags`.
    pub tags: Vec<String>,
    /// `frontmatter_flag`.
    pub flag: Option<String>,
}

impl Default for FirstRules {
    fn default() -> Self {
        let private = || "private".to_owned();
        FirstRules { folders: Vec::new(), tags: vec![private()], flag: Some(private()) }
    }
}

impl FirstRules {
    /// As the rules of a whole configuration.
    pub fn text(&self) -> RuleText {
        RuleText {
            folders: self.folders.clone(),
            tags: self.tags.clone(),
            frontmatter_flag: self.flag.clone(),
            ..RuleText::default()
        }
    }
}

/// Refuses to go on if a file that is to stay is already there.
pub fn check_free(file: &Path, existing: Existing) -> Result<(), ConfigError> {
    if existing == Existing::Keep && file.symlink_metadata().is_ok() {
        return Err(not_written(file, &io::ErrorKind::AlreadyExists.into()));
    }
    Ok(())
}

/// Refuses a vault, a real folder, that holds its own configuration file or index, or that the file cannot name.
pub fn check_vault(environment: &Environment, file: &Path, vault: &Path) -> Result<(), ConfigError> {
    trust::check_file_outside(file, vault)?;
    config::storage(environment, None, vault)?;
    name_of(vault).map(drop)
}

fn name_of(vault: &Path) -> Result<&str, ConfigError> {
    vault.to_str().ok_or_else(|| ConfigError::Vault {
        path: vault.to_owned(),
        problem: "has a name that is not UTF-8, which the configuration file cannot hold".to_owned(),
        fix: "Rename the folder, or pass `--vault PATH` to every command.".to_owned(),
    })
}

/// Writes the configuration file of `vault`, a real folder, for the owner alone (file 0600,
/// folder 0700). A file that is there stays unless it is to be replaced.
pub fn write_template(
    environment: &Environment,
    file: &Path,
    vault: &Path,
    rules: &FirstRules,
    existing: Existing,
) -> Result<Option<PathBuf>, ConfigError> {
    check_free(file, existing)?;
    check_vault(environment, file, vault)?;
    let name = name_of(vault)?;
    let folder = file.parent().unwrap_or(Path::new("/"));
    let write = || {
        disk::create_private_folder(folder)?;
        let copy = disk::read(file)?.map(|read| disk::keep_copy(&read)).transpose()?;
        disk::write_private_file(file, &template(name, rules), existing)?;
        Ok(copy)
    };
    write().map_err(|error: io::Error| not_written(file, &error))
}

fn template(vault: &str, rules: &FirstRules) -> String {
    let path = toml::Value::String(vault.to_owned());
    let list = |words: &[String]| toml::Value::from(words.to_vec()).to_string();
    let flag = match &rules.flag {
        Some(flag) => format!("frontmatter_flag = {}", toml::Value::from(flag.as_str())),
        None => "# frontmatter_flag = \"private\"".to_owned(),
    };
    // Cut apart first, so that no word of the owner's is taken for a mark.
    let (before, after) = SECTIONS.split_once(FLAG).unwrap_or((SECTIONS, ""));
    let before = before.split_once(TAGS).map_or(before.to_owned(), |(folders, rest)| {
        format!("{}{}{rest}", folders.replace(FOLDERS, &list(&rules.folders)), list(&rules.tags))
    });
    format!(
        "# The configuration of obsearch. A key that is not known here is refused, so that a\n\
         # misspelt rule never counts as no rule.\n\n\
         [vault]\npath = {path}\n{before}{flag}{after}"
    )
}

fn not_written(file: &Path, error: &io::Error) -> ConfigError {
    let (problem, fix) = match error.kind() {
        io::ErrorKind::AlreadyExists => {
            ("is there already".to_owned(), "Edit it, or pass `--force` to replace it.".to_owned())
        }
        _ => (format!("cannot be written ({error})"), "Check the permissions of its folder.".to_owned()),
    };
    ConfigError::File { file: file.to_owned(), problem, fix }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::file::ConfigFile;

    #[test]
    fn the_template_is_a_configuration_and_keeps_any_path() {
        for path in ["/home/ada/My \"notes\"", "/a\\b", "/é\u{301}/'x'\n"] {
            let file = ConfigFile::parse(template(path, &FirstRules::default()).as_bytes()).unwrap();
            assert_eq!(file.vault.path.unwrap().get_ref(), path);
        }
    }

    #[test]
    fn the_template_holds_the_first_rules() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let rows = [
            FirstRules::default(),
            FirstRules {
                folders: words(&["a \"b\"", "{tags}", "{flag}"]),
                tags: words(&["{flag}"]),
                flag: None,
            },
            FirstRules { folders: vec![], tags: vec![], flag: Some("secret".to_owned()) },
        ];
        for rules in rows {
            let text = ConfigFile::parse(template("/v", &rules).as_bytes()).unwrap().rule_text(None);
            let held = FirstRules { folders: text.folders, tags: text.tags, flag: text.frontmatter_flag };
            assert_eq!(held, rules);
        }
    }

    #[test]
    fn what_is_commented_out_can_be_switched_on() {
        let switched_on: String = template("/v", &FirstRules::default()).lines().map(uncommented).collect();
        ConfigFile::parse(switched_on.as_bytes()).unwrap();
    }

    fn uncommented(line: &str) -> String {
        let setting = line.strip_prefix("# ").filter(|rest| rest.contains(" = "));
        format!("{}\n", setting.unwrap_or(line))
    }
}
