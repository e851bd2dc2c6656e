//! Every way to get a line wrong, and what the owner is told.

use expect_test::{Expect, expect};

use super::*;
use crate::config::file::ConfigFile;

/// Each text is refused; the refusals, one after the other.
#[track_caller]
fn check(texts: &[&str], expected: &Expect) {
    let told: Vec<String> = texts.iter().map(|text| told(text)).collect();
    expected.assert_eq(&told.join("\n"));
}

fn told(text: &str) -> String {
    match ConfigFile::parse(text.as_bytes()) {
        Ok(_) => format!("accepted: {text}\n"),
        Err(Refusal { line, problem, text, fix }) => format!("{line}: {problem}: {text}\n   {fix}\n"),
    }
}

#[test]
fn misspelt_keys_are_refused_with_the_key_that_was_meant() {
    check(
        &[
            "[privacy]\nfolder = [\"journal\"]",
            "[privacy]\nfodlers = []",
            "[privacy]\nFolders = []",
            "[privacy]\nexclude_folders = []",
            "[privacy]\ntag = [\"x\"]",
            "[privacy]\nprivate_tags = []",
            "[privacy]\nflag = \"private\"",
            "[privacy]\nfrontmatter-flag = \"private\"",
            "[privacy]\nsecret = true",
            "[vault]\npaths = \"/x\"",
            "[vault]\nignore = []",
            "[vault]\nmax_note_size = 1",
            "[embeddings]\nbackends = \"none\"",
            "[server]\nallow_reindexing = true",
            "[privacy]\n\"fol`ders\" = []",
            "privacy.folder = [\"journal\"]",
        ],
        &expect![[r#"
            2: unknown key `folder` in [privacy]: folder = ["journal"]
               Did you mean `folders`?

            2: unknown key `fodlers` in [privacy]: fodlers = []
               Did you mean `folders`?

            2: unknown key `Folders` in [privacy]: Folders = []
               Did you mean `folders`?

            2: unknown key `exclude_folders` in [privacy]: exclude_folders = []
               Did you mean `folders`?

            2: unknown key `tag` in [privacy]: tag = ["x"]
               Did you mean `tags`?

            2: unknown key `private_tags` in [privacy]: private_tags = []
               Did you mean `tags`?

            2: unknown key `flag` in [privacy]: flag = "private"
               Did you mean `frontmatter_flag`?

            2: unknown key `frontmatter-flag` in [privacy]: frontmatter-flag = "private"
               Did you mean `frontmatter_flag`?

            2: unknown key `secret` in [privacy]: secret = true
               Remove it, or use one of `folders`, `tags`, `frontmatter_flag`, `strict`, `default`, `allow_folders`, `allow_tags`, `allow_flag`, `redact_patterns`.

            2: unknown key `paths` in [vault]: paths = "/x"
               Did you mean `path`?

            2: unknown key `ignore` in [vault]: ignore = []
               Did you mean `ignore_patterns`?

            2: unknown key `max_note_size` in [vault]: max_note_size = 1
               Did you mean `max_note_bytes`?

            2: unknown key `backends` in [embeddings]: backends = "none"
               Did you mean `backend`?

            2: unknown key `allow_reindexing` in [server]: allow_reindexing = true
               Did you mean `allow_reindex`?

            2: unknown key `fol`ders` in [privacy]: "fol`ders" = []
               Did you mean `folders`?

            1: unknown key `folder` in [privacy]: privacy.folder = ["journal"]
               Did you mean `folders`?
        "#]],
    );
}

#[test]
fn keys_in_the_wrong_place_are_refused_with_the_right_one() {
    check(
        &[
            "folders = [\"journal\"]",
            "[vault]\ntags = [\"private\"]",
            "[privacy]\npath = \"/x\"",
            "[Privacy]\ntags = []",
            "[private]\ntags = []",
            "[http]\nport = 1",
            "[privacy.folders]\njournal = true",
            "[[privacy]]\nstrict = true",
            "privacy = \"strict\"",
            "[vault]\n[server]\n",
            "privacy = []",
            "privacy = [[\"journal\"]]",
        ],
        &expect![[r#"
            1: unknown section or key `folders`: folders = ["journal"]
               Move it below [privacy].

            2: unknown key `tags` in [vault]: tags = ["private"]
               Move it below [privacy].

            2: unknown key `path` in [privacy]: path = "/x"
               Move it below [vault].

            1: unknown section or key `Privacy`: [Privacy]
               Did you mean `privacy`?

            1: unknown section or key `private`: [private]
               Did you mean `privacy`?

            1: unknown section or key `http`: [http]
               Remove it, or use one of `vault`, `vaults`, `privacy`, `embeddings`, `rerank`, `search`, `server`, `ledger`.

            1: `folders` cannot have this value: [privacy.folders]
               Write it like this: folders = ["journal", "people/*"].

            1: `privacy` cannot have this value: [[privacy]]
               Write it as a section: [privacy].

            1: `privacy` cannot have this value: privacy = "strict"
               Write it as a section: [privacy].

            accepted: [vault]
            [server]


            1: `privacy` cannot have this value: privacy = []
               Write it as a section: [privacy].

            1: `privacy` cannot have this value: privacy = [["journal"]]
               Write it as a section: [privacy].
        "#]],
    );
}

#[test]
fn wrong_types_are_refused_with_an_example() {
    check(
        &[
            "[privacy]\nfolders = \"journal\"",
            "[privacy]\nfolders = [\n  \"journal\",\n  7,\n]",
            "[privacy]\ntags = [[\"private\"]]",
            "[privacy]\ntags = true",
            "[privacy]\nfrontmatter_flag = true",
            "[privacy]\nfrontmatter_flag = [\"private\"]",
            "[privacy]\nstrict = \"yes\"",
            "[vault]\npath = 1",
            "[vault]\nname = []",
            "[vault]\nignore_patterns = \".git\"",
            "[vault]\nmax_note_bytes = \"16 MB\"",
            "[vault]\nmax_note_bytes = 0",
            "[vault]\nmax_note_bytes = -1",
            "[embeddings]\nbackend = true",
            "[embeddings]\nbackend = \"gpu\"",
            "[rerank]\nbackend = \"ollama\"",
            "[server]\nallow_reindex = 1",
        ],
        &expect![[r#"
            2: `folders` cannot have this value: folders = "journal"
               Write it like this: folders = ["journal", "people/*"].

            4: `folders` cannot have this value: 7,
               Write it like this: folders = ["journal", "people/*"].

            2: `tags` cannot have this value: tags = [["private"]]
               Write it like this: tags = ["private"].

            2: `tags` cannot have this value: tags = true
               Write it like this: tags = ["private"].

            2: `frontmatter_flag` cannot have this value: frontmatter_flag = true
               Write it like this: frontmatter_flag = "private".

            2: `frontmatter_flag` cannot have this value: frontmatter_flag = ["private"]
               Write it like this: frontmatter_flag = "private".

            2: `strict` cannot have this value: strict = "yes"
               Write it like this: strict = true.

            2: `path` cannot have this value: path = 1
               Write it like this: path = "~/Documents/MyVault".

            2: `name` cannot have this value: name = []
               Write it like this: name = "My notes".

            2: `ignore_patterns` cannot have this value: ignore_patterns = ".git"
               Write it like this: ignore_patterns = ["templates"].

            2: `max_note_bytes` cannot have this value: max_note_bytes = "16 MB"
               Write it like this: max_note_bytes = 16777216.

            2: `max_note_bytes` cannot have this value: max_note_bytes = 0
               Write it like this: max_note_bytes = 16777216.

            2: `max_note_bytes` cannot have this value: max_note_bytes = -1
               Write it like this: max_note_bytes = 16777216.

            2: `backend` cannot have this value: backend = true
               Write it like this: backend = "builtin", "local", "fastembed", "ollama", "openai" or "none".

            2: `backend` cannot have this value: backend = "gpu"
               Write it like this: backend = "builtin", "local", "fastembed", "ollama", "openai" or "none".

            2: `backend` cannot have this value: backend = "ollama"
               Write it like this: backend = "none", "local", "fastembed" or "http".

            2: `allow_reindex` cannot have this value: allow_reindex = 1
               Write it like this: allow_reindex = true.
        "#]],
    );
}

#[test]
fn what_is_not_in_this_version_says_so() {
    check(
        &[
            "[privacy]\ndefault = \"private\"",
            "[privacy]\nredact_patterns = []",
            "[embeddings]\napi_key = \"k\"",
            "[search]\nlimit = 3",
            "[index]",
        ],
        &expect![[r#"
            accepted: [privacy]
            default = "private"

            accepted: [privacy]
            redact_patterns = []

            2: `api_key` is not in this version: api_key = "k"
               Put the key into an environment variable and name that: api_key_env = "MY_KEY".

            2: unknown key `limit` in [search]: limit = 3
               Remove it, or use one of `meaning_weight`.

            1: `index` is not in this version: [index]
               Remove the section: it has no settings.
        "#]],
    );
}

#[test]
fn a_weight_goes_from_0_to_1() {
    check(
        &[
            "[search]\nmeaning_weight = 1.01",
            "[search]\nmeaning_weight = -0.1",
            "[search]\nmeaning_weight = nan",
            "[search]\nmeaning_weight = \"0.4\"",
            "[search]\nmeaning_weight = 1",
        ],
        &expect![[r#"
            2: `meaning_weight` cannot have this value: meaning_weight = 1.01
               Write it like this: meaning_weight = 0.4 or any number from 0 to 1.

            2: `meaning_weight` cannot have this value: meaning_weight = -0.1
               Write it like this: meaning_weight = 0.4 or any number from 0 to 1.

            2: `meaning_weight` cannot have this value: meaning_weight = nan
               Write it like this: meaning_weight = 0.4 or any number from 0 to 1.

            2: `meaning_weight` cannot have this value: meaning_weight = "0.4"
               Write it like this: meaning_weight = 0.4 or any number from 0 to 1.

            accepted: [search]
            meaning_weight = 1
        "#]],
    );
}

#[test]
fn broken_toml_is_refused_with_its_line() {
    check(
        &[
            "",
            " \n\n",
            "[privacy]\nfolders = [\"journal\"\n",
            "[privacy]\nfolders = [journal]",
            "[privacy]\ntags = [\"a\"]\ntags = []",
            "[privacy]\n[privacy]",
            "[privacy\n",
            "just words",
            "[vault]\npath = \"C:\\Users\\ada\"",
        ],
        &expect![[r#"
            1: the file is empty: (nothing there)
               Run `obsearch init --force` to write a new one, or put [vault] in it.

            1: the file is empty: (nothing there)
               Run `obsearch init --force` to write a new one, or put [vault] in it.

            2: this is not TOML (unclosed array, expected `]`): folders = ["journal"
               Write sections as [vault], texts in quotes, lists as ["a", "b"].

            2: this is not TOML (string values must be quoted, expected literal string): folders = [journal]
               Write sections as [vault], texts in quotes, lists as ["a", "b"].

            3: `tags` is there twice: tags = []
               Keep one of them.

            2: `privacy` is there twice: [privacy]
               Keep one of them.

            1: this is not TOML (unclosed table, expected `]`): [privacy
               Write sections as [vault], texts in quotes, lists as ["a", "b"].

            1: this is not TOML (key with no value, expected `=`): just words
               Write sections as [vault], texts in quotes, lists as ["a", "b"].

            2: this is not TOML (too few unicode value digits, expected unicode hexadecimal value): path = "C:\Users\ada"
               Write sections as [vault], texts in quotes, lists as ["a", "b"].
        "#]],
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_line() {
    let refusal = ConfigFile::parse(b"[vault]\nname = \"caf\xe9\"\n").unwrap_err();
    assert_eq!((refusal.line, &*refusal.problem), (2, "the file is not UTF-8 text"));
}

#[test]
fn a_bad_rule_is_refused_at_its_line() {
    let text = "[privacy]\nfolders = [\n  \"journal\",\n  \"a[\",\n]\n";
    let place = text.find("\"a[\"").map(|start| start..start + 4);
    let error = RuleError { rule: "a[".to_owned(), reason: "the bracket is not closed".to_owned() };
    let refusal = rule_error(text, place, &error);
    assert_eq!(refusal.line, 4);
    assert_eq!(refusal.problem, "`a[` is not a valid rule");
    assert_eq!(refusal.text, "\"a[\",");
    assert_eq!(refusal.fix, "The bracket is not closed.");
}

#[test]
fn every_example_is_understood() {
    for Key { section, example, .. } in KEYS {
        let first_alternative = example.split(", \"local").next();
        let line = first_alternative.and_then(|line| line.split(" or ").next()).unwrap();
        ConfigFile::parse(format!("[{section}]\n{line}\n").as_bytes()).unwrap();
    }
}

#[test]
fn every_key_has_an_example() {
    for section in ["vault", "privacy", "embeddings", "rerank", "search", "server", "ledger"] {
        let error = toml::from_str::<ConfigFile>(&format!("[{section}]\nx = 1")).unwrap_err();
        let known: Vec<&str> = KEYS.iter().filter(|key| key.section == section).map(|key| key.name).collect();
        assert_eq!(names_expected(error.message()), known);
    }
}

#[test]
fn long_lines_are_shortened() {
    let text = format!("[privacy]\nfolder = [\"{}\"]", "é".repeat(500));
    let refusal = ConfigFile::parse(text.as_bytes()).unwrap_err();
    assert_eq!(refusal.text.chars().count(), MAX_QUOTED_CHARS + 1);
}
