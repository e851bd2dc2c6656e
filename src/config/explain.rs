//! What the TOML reader says -> what the owner should do: which line, what is wrong with it, and
//! what to write instead. Pure.

use std::ops::Range;

use crate::vault::RuleError;

/// A refused line of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// From 1.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) problem: String,
    /// The line as written, shortened.
    pub(super) text: String,
    /// What to write instead, a sentence.
    pub(super) fix: String,
}

/// A key of the file and how it is written. The examples are checked by a test.
struct Key {
    section: &'static str,
    name: &'static str,
    example: &'static str,
}

const KEYS: [Key; 32] = [
    Key { section: "vault", name: "path", example: r#"path = "~/Documents/MyVault""# },
    Key { section: "vault", name: "name", example: r#"name = "My notes""# },
    Key { section: "vault", name: "ignore_patterns", example: r#"ignore_patterns = ["templates"]"# },
    Key { section: "vault", name: "max_note_bytes", example: "max_note_bytes = 16777216" },
    Key { section: "privacy", name: "folders", example: r#"folders = ["journal", "people/*"]"# },
    Key { section: "privacy", name: "tags", example: r#"tags = ["private"]"# },
    Key { section: "privacy", name: "frontmatter_flag", example: r#"frontmatter_flag = "private""# },
    Key { section: "privacy", name: "strict", example: "strict = true" },
    Key { section: "privacy", name: "default", example: r#"default = "public" or "private""# },
    Key { section: "privacy", name: "allow_folders", example: r#"allow_folders = ["published"]"# },
    Key { section: "privacy", name: "allow_tags", example: r#"allow_tags = ["public"]"# },
    Key { section: "privacy", name: "allow_flag", example: r#"allow_flag = "publish""# },
    Key { section: "privacy", name: "redact_patterns", example: r"redact_patterns = ['\d{4}-\d{4}']" },
    Key {
        section: "embeddings",
        name: "backend",
        example: r#"backend = "builtin", "local", "fastembed", "ollama", "openai" or "none""#,
    },
    Key { section: "embeddings", name: "model", example: r#"model = "auto""# },
    Key { section: "embeddings", name: "runtime", example: r#"runtime = "/usr/lib/libonnxruntime.so""# },
    Key { section: "embeddings", name: "base_url", example: r#"base_url = "http://127.0.0.1:11434""# },
    Key { section: "embeddings", name: "api_key_env", example: r#"api_key_env = "OPENAI_API_KEY""# },
    Key { section: "embeddings", name: "query_prefix", example: r#"query_prefix = "query: ""# },
    Key { section: "embeddings", name: "passage_prefix", example: r#"passage_prefix = "passage: ""# },
    Key { section: "embeddings", name: "allow_remote", example: "allow_remote = true" },
    Key { section: "embeddings", name: "allow_remote_full", example: "allow_remote_full = true" },
    Key {
        section: "rerank",
        name: "backend",
        example: r#"backend = "none", "local", "fastembed" or "http""#,
    },
    Key { section: "rerank", name: "model", example: r#"model = "bge-reranker-v2-m3""# },
    Key { section: "rerank", name: "runtime", example: r#"runtime = "/usr/lib/libonnxruntime.so""# },
    Key { section: "rerank", name: "base_url", example: r#"base_url = "http://127.0.0.1:8080/v1/rerank""# },
    Key { section: "rerank", name: "api_key_env", example: r#"api_key_env = "COHERE_API_KEY""# },
    Key { section: "rerank", name: "allow_remote", example: "allow_remote = true" },
    Key { section: "rerank", name: "allow_remote_full", example: "allow_remote_full = true" },
    Key {
        section: "search",
        name: "meaning_weight",
        example: "meaning_weight = 0.4 or any number from 0 to 1",
    },
    Key { section: "server", name: "allow_reindex", example: "allow_reindex = true" },
    Key { section: "ledger", name: "enabled", example: "enabled = true" },
];

/// Sections, keys and values that are described elsewhere but not in this version.
const NOT_YET: [(&str, &str); 2] = [
    ("index", "Remove the section: it has no settings."),
    ("api_key", "Put the key into an environment variable and name that: api_key_env = \"MY_KEY\"."),
];

/// Longer lines are cut when they are quoted.
const MAX_QUOTED_CHARS: usize = 120;

/// A file that is not UTF-8 from `offset` on.
pub(super) fn not_utf8(bytes: &[u8], offset: usize) -> Refusal {
    let text = String::from_utf8_lossy(bytes);
    // Replacement characters come after `offset`, so the lines before it are counted the same.
    let fix = "Save the file as UTF-8.".to_owned();
    refusal(&text, offset, "the file is not UTF-8 text".to_owned(), fix)
}

/// A file with nothing in it. It is refused, because an editor that is about to write its rules
/// leaves the file empty for a moment.
pub(super) fn empty() -> Refusal {
    let fix = "Run `obsearch init --force` to write a new one, or put [vault] in it.".to_owned();
    refusal("", 0, "the file is empty".to_owned(), fix)
}

/// A rule that cannot be compiled, at `place` in the text.
pub(super) fn rule_error(text: &str, place: Option<Range<usize>>, error: &RuleError) -> Refusal {
    let offset = place.map_or(0, |span| span.start);
    let problem = format!("`{}` is not a valid rule", error.rule);
    refusal(text, offset, problem, sentence(&error.reason))
}

/// A line that names a folder in a way that cannot be used.
pub(super) fn bad_path(bytes: &[u8], place: &Range<usize>, problem: &str, fix: String) -> Refusal {
    refusal(&String::from_utf8_lossy(bytes), place.start, problem.to_owned(), fix)
}

/// A line that says something that cannot be.
pub(super) fn bad_line(bytes: &[u8], place: &Range<usize>, problem: &str, fix: &str) -> Refusal {
    bad_path(bytes, place, problem, fix.to_owned())
}

/// A section without a key that it needs.
pub(super) fn missing_key(bytes: &[u8], section: &str, name: &str, example: &str) -> Refusal {
    let text = String::from_utf8_lossy(bytes);
    let place = text.find(&format!("[{section}]")).unwrap_or_default();
    refusal(&text, place, format!("[{section}] needs a `{name}`"), format!("Write it like this: {example}."))
}

/// What the TOML reader refused.
pub(super) fn toml_error(text: &str, error: &toml::de::Error) -> Refusal {
    let span = error.span().unwrap_or(0..0);
    let found = text.get(span.clone()).unwrap_or_default().trim_matches(['"', '\'']);
    let message = error.message();
    let (problem, fix) = if message.starts_with("unknown field") {
        unknown_key(found, &names_expected(message), &key_path(error).unwrap_or_default())
    } else if message == "duplicate key" {
        (format!("`{found}` is there twice"), "Keep one of them.".to_owned())
    } else if let Some(path) = key_path(error) {
        wrong_value(found, &path)
    } else {
        (format!("this is not TOML ({message})"), SYNTAX_FIX.to_owned())
    };
    refusal(text, span.start, problem, fix)
}

const SYNTAX_FIX: &str = r#"Write sections as [vault], texts in quotes, lists as ["a", "b"]."#;

/// A section written as a list: serde takes one for a table without keys, so `privacy = []` would
/// run without rules.
pub(super) fn section_that_is_none(text: &str) -> Option<Refusal> {
    let table = toml::de::DeTable::parse(text).ok()?;
    let (path, place) = none_in(table.get_ref(), "")?;
    let (problem, fix) = wrong_value("", &path);
    Some(refusal(text, place, problem, fix))
}

/// The first value that is no table where a section is wanted: at the top, in `vaults`, and `privacy` of a vault.
fn none_in(table: &toml::de::DeTable<'_>, above: &str) -> Option<(String, usize)> {
    let is_section = |name: &str| match above.split('.').count() {
        _ if above.is_empty() || above == "vaults" => true,
        2 => name == "privacy",
        _ => false,
    };
    table.iter().filter(|(name, _)| is_section(name.get_ref())).find_map(|(name, value)| {
        let path =
            if above.is_empty() { name.get_ref().to_string() } else { format!("{above}.{}", name.get_ref()) };
        match value.get_ref().as_table() {
            None => Some((path, value.span().start)),
            Some(inside) if path == "vaults" || path.starts_with("vaults.") => none_in(inside, &path),
            Some(_) => None,
        }
    })
}

fn unknown_key(name: &str, expected: &[&str], section: &str) -> (String, String) {
    if let Some(fix) = not_yet(name) {
        return (format!("`{name}` is not in this version"), fix);
    }
    let problem = match section {
        "" => format!("unknown section or key `{name}`"),
        section => format!("unknown key `{name}` in [{section}]"),
    };
    let fix = if let Some(near) = nearest(name, expected) {
        format!("Did you mean `{near}`?")
    } else if let Some(place) = right_place(name, section) {
        place
    } else {
        format!("Remove it, or use one of {}.", quoted(expected))
    };
    (problem, fix)
}

/// Where a key of another section belongs.
fn right_place(name: &str, section: &str) -> Option<String> {
    let key = KEYS.iter().find(|key| key.name == name)?;
    let vault = section.strip_prefix("vaults.").map(|rest| rest.strip_suffix(".privacy").unwrap_or(rest));
    Some(match (vault, key.section) {
        (Some(_), "vault") if name == "name" => {
            "Remove it: the vault is called as its section is.".to_owned()
        }
        (Some(vault), "vault") => format!("Move it below [vaults.{vault}]."),
        (Some(vault), "privacy") => format!("Move it below [vaults.{vault}.privacy]."),
        _ => format!("Move it below [{}].", key.section),
    })
}

fn wrong_value(found: &str, path: &str) -> (String, String) {
    if let Some(fix) = not_yet(found) {
        return (format!("`{found}` is not in this version"), fix);
    }
    let (section, name) = path.rsplit_once('.').unwrap_or(("", path));
    let of_section = KEYS.iter().find(|key| key.section == section && key.name == name);
    let of_any = || KEYS.iter().find(|key| section != "vaults" && key.name == name);
    let fix = match of_section.or_else(of_any) {
        Some(key) => format!("Write it like this: {}.", key.example),
        None => format!("Write it as a section: [{path}]."),
    };
    (format!("`{name}` cannot have this value"), fix)
}

fn not_yet(name: &str) -> Option<String> {
    NOT_YET.iter().find(|(planned, _)| *planned == name).map(|(_, fix)| (*fix).to_owned())
}

/// The names in backticks after "expected" in a message of serde.
fn names_expected(message: &str) -> Vec<&str> {
    let list = message.rsplit_once("expected ").map_or("", |(_, list)| list);
    list.split('`').skip(1).step_by(2).collect()
}

/// Where in the file a value stands, such as `privacy.folders`. The reader tells it only in its
/// own rendering of an error without its source.
fn key_path(error: &toml::de::Error) -> Option<String> {
    let mut bare = error.clone();
    bare.set_input(None);
    let rendered = bare.to_string();
    let last = rendered.lines().last()?;
    Some(last.strip_prefix("in `")?.strip_suffix('`')?.to_owned())
}

/// The name that was probably meant: few edits away, or the same word with something around it.
fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let close =
        |candidate: &&&str| strsim::levenshtein(&name, candidate) <= 1 + candidate.chars().count() / 4;
    let related = |candidate: &&&str| {
        let stem = candidate.trim_end_matches('s');
        name.contains(stem) || (name.len() >= 4 && candidate.contains(name.as_str()))
    };
    let by_edits =
        candidates.iter().filter(close).min_by_key(|candidate| strsim::levenshtein(&name, candidate));
    by_edits.or_else(|| candidates.iter().find(related)).copied()
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn refusal(text: &str, offset: usize, problem: String, fix: String) -> Refusal {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let written = text.lines().nth(line - 1).unwrap_or_default().trim();
    Refusal { line, problem, text: shortened(written), fix }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "(nothing there)".to_owned(),
        None => line.to_owned(),
    }
}

/// A reason as a sentence: capital letter first, full stop last.
fn sentence(reason: &str) -> String {
    let mut letters = reason.chars();
    let Some(first) = letters.next() else { return String::new() };
    let stop = if reason.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), letters.as_str())
}

#[cfg(test)]
mod tests;
