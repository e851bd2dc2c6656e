//! Resolving a configuration: each refusal with its words, and what wins over what.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use expect_test::{Expect, expect};

use super::*;

/// A home folder of its own, with a vault in `Notes`.
struct Home {
    root: PathBuf,
    _folder: tempfile::TempDir,
    environment: Environment,
}

impl Home {
    #[expect(clippy::disallowed_methods, reason = "temporary folders lie behind a link on macOS")]
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("Notes")).unwrap();
        let environment = Environment {
            home: Some(root.clone()),
            current_dir: Some(root.clone()),
            user_id: rustix::process::getuid().as_raw(),
            ..Environment::default()
        };
        Home { root, _folder: folder, environment }
    }

    fn with(config: &str) -> Self {
        let home = Home::new();
        home.write(".config/obsearch/config.toml", config);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "the test is the owner's editor")]
    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        self.chmod(name, 0o600);
    }

    #[expect(clippy::disallowed_methods, reason = "the test looks for what was left behind")]
    fn entries(&self, folder: &str) -> usize {
        fs::read_dir(self.path(folder)).unwrap().count()
    }

    fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path(name), Permissions::from_mode(mode)).unwrap();
    }

    fn resolve(&self, vault: Option<&str>) -> Result<Config, ConfigError> {
        let overrides = Overrides { vault: vault.map(PathBuf::from), ..Overrides::default() };
        Config::resolve(&self.environment, &overrides)
    }

    fn resolved(&self, vault: Option<&str>) -> Config {
        self.resolve(vault).map_err(|error| error.to_string()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The refusal in the words for the owner, the home folder written as `~`.
    fn refusal(&self, vault: Option<&str>) -> String {
        let error = self.resolve(vault).err().expect("it should be refused");
        let words = format!("{error}\n{}\n", error.hint());
        words.replace(&*self.root.to_string_lossy(), "~")
    }

    #[track_caller]
    fn check_refused(&self, vault: Option<&str>, expected: &Expect) {
        expected.assert_eq(&self.refusal(vault));
    }
}

const NOTES: &str = "[vault]\npath = \"~/Notes\"\n";

#[test]
fn a_file_is_resolved_with_its_defaults() {
    let home = Home::with(NOTES);
    let config = home.resolved(None);
    assert_eq!(config.vault, home.path("Notes"));
    assert_eq!(config.vault_name, "Notes");
    assert_eq!(config.embeddings, Embeddings::Builtin(ModelChoice::Auto));
    assert!(!config.server.allow_reindex);
    assert_eq!(config.data_dir, home.path(".local/share/obsearch"));
    assert_eq!(config.cache_dir, home.path(".cache/obsearch"));
    assert_eq!(config.config_file, Some(home.path(".config/obsearch/config.toml")));
    assert!(config.rules.current().is_ok());
}

#[test]
fn the_command_line_names_a_vault_without_a_file() {
    let home = Home::new();
    for name in ["Notes", "./Notes", "~/Notes", home.path("Notes").to_str().unwrap()] {
        let config = home.resolved(Some(name));
        assert_eq!((config.vault, config.config_file), (home.path("Notes"), None));
    }
}

#[test]
fn the_command_line_wins_over_a_file_whose_rules_still_count() {
    let home = Home::with(&format!("{NOTES}name = \"Mine\"\n[embeddings]\nbackend = \"none\"\n"));
    fs::create_dir(home.path("Other")).unwrap();
    let other = home.resolved(Some("Other"));
    assert_eq!((other.vault, &*other.vault_name), (home.path("Other"), "Other"));
    assert_eq!(other.embeddings, Embeddings::None);
    assert_eq!(home.resolved(Some("Notes")).vault_name, "Mine");
    home.write(".config/obsearch/config.toml", "[privacy]\ntag = []\n");
    assert!(other.rules.current().is_err(), "the file is still watched");
    assert!(home.resolve(Some("Other")).is_err());
}

#[test]
fn a_vault_behind_a_link_is_the_folder_it_leads_to() {
    let home = Home::with("[vault]\npath = \"~/link\"\nname = \"Mine\"\n");
    symlink(home.path("Notes"), home.path("link")).unwrap();
    assert_eq!(home.resolved(None).vault, home.path("Notes"));
    assert_eq!(home.resolved(Some("Notes")).vault_name, "Mine");
}

#[test]
fn another_file_can_be_named_but_must_exist() {
    let home = Home::new();
    home.write("work/o.toml", NOTES);
    let resolve = |file: &str| {
        let overrides = Overrides { config_file: Some(PathBuf::from(file)), ..Overrides::default() };
        Config::resolve(&home.environment, &overrides)
    };
    assert_eq!(resolve("work/o.toml").ok().unwrap().config_file, Some(home.path("work/o.toml")));
    assert!(matches!(resolve("absent.toml"), Err(ConfigError::NoFile { .. })));
}

#[test]
fn no_vault_is_refused() {
    Home::new().check_refused(
        None,
        &expect![[r"
        There is no configuration file at ~/.config/obsearch/config.toml.
        Run `obsearch init --vault PATH` once, or pass `--vault PATH`.
    "]],
    );
    Home::with("[privacy]\n").check_refused(
        None,
        &expect![[r#"
        ~/.config/obsearch/config.toml names no vault.
        Add `path = "~/Documents/MyVault"` under [vault] there, or pass `--vault PATH`.
    "#]],
    );
}

#[test]
fn paths_that_are_not_whole_are_refused() {
    let rows = ["Notes", "./Notes", "$HOME/Notes", "~ada/Notes", ""];
    let refusals = rows.map(|path| Home::with(&format!("[vault]\npath = \"{path}\"\n")).refusal(None));
    let expected = expect![[r#"
        ~/.config/obsearch/config.toml:2: the path is relative: path = "Notes"
        Write the whole path, such as "~/Notes".

        ~/.config/obsearch/config.toml:2: the path is relative: path = "./Notes"
        Write the whole path, such as "~/Notes".

        ~/.config/obsearch/config.toml:2: the path is relative: path = "$HOME/Notes"
        Write the whole path, such as "~/Notes".

        ~/.config/obsearch/config.toml:2: the home folders of other users are not known: path = "~ada/Notes"
        Write the whole path, from `/` on.

        ~/.config/obsearch/config.toml:2: the path is relative: path = ""
        Write the whole path, such as "~/Documents/MyVault".
    "#]];
    expected.assert_eq(&refusals.join("\n"));
}

#[test]
fn a_line_that_makes_no_sense_is_refused_with_its_place() {
    let home = Home::with(&format!("{NOTES}\n[privacy]\nfolder = [\"journal\"]\n"));
    home.check_refused(
        None,
        &expect![[r#"
        ~/.config/obsearch/config.toml:5: unknown key `folder` in [privacy]: folder = ["journal"]
        Did you mean `folders`?
    "#]],
    );
    assert!(home.resolve(Some("Notes")).is_err(), "a vault on the command line does not hide it");
}

#[test]
fn a_vault_that_cannot_be_used_is_refused() {
    let home = Home::with("[vault]\npath = \"~/Missing\"\n");
    home.check_refused(
        None,
        &expect![[r"
        The vault ~/Missing does not exist.
        Check the path for typing errors, and that its disk is there.
    "]],
    );
    home.write("file.md", "");
    home.check_refused(
        Some("file.md"),
        &expect![[r"
        The vault ~/file.md is not a folder.
        Name the folder that holds the notes.
    "]],
    );
}

#[test]
fn a_vault_without_permission_is_refused() {
    if rustix::process::getuid().is_root() {
        eprintln!("skipped: permissions do not bind root");
        return;
    }
    let home = Home::with(NOTES);
    home.chmod("Notes", 0o000);
    let refusal = home.refusal(None);
    assert!(
        refusal.starts_with(
            "The vault ~/Notes may not be read.
"
        ),
        "{refusal}"
    );
    home.chmod("Notes", 0o700);
}

#[test]
fn a_file_that_others_can_change_is_refused() {
    let home = Home::with(NOTES);
    home.chmod(".config/obsearch/config.toml", 0o664);
    home.check_refused(
        None,
        &expect![[r"
        ~/.config/obsearch/config.toml can be changed by other users.
        Run `chmod go-w ~/.config/obsearch/config.toml`.
    "]],
    );
    home.chmod(".config/obsearch/config.toml", 0o644);
    home.chmod(".config/obsearch", 0o777);
    home.check_refused(
        None,
        &expect![[r"
        ~/.config/obsearch can be changed by other users.
        Run `chmod go-w ~/.config/obsearch`.
    "]],
    );
}

#[test]
fn a_file_of_another_user_is_refused() {
    let mut home = Home::with(NOTES);
    if rustix::process::getuid().is_root() {
        std::os::unix::fs::chown(home.path(".config/obsearch/config.toml"), Some(4242), None).unwrap();
    } else {
        home.environment.user_id += 1;
    }
    let refusal = home.refusal(None);
    assert!(refusal.contains("belongs to another user.\nRun `sudo chown "), "{refusal}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes a second name")]
fn a_file_with_a_second_name_is_refused() {
    let home = Home::with(NOTES);
    fs::hard_link(home.path(".config/obsearch/config.toml"), home.path("Notes/copy.md")).unwrap();
    home.check_refused(None, &expect![[r"
        ~/.config/obsearch/config.toml has hard links, so it could be changed under another name.
        Run `cp -p ~/.config/obsearch/config.toml ~/.config/obsearch/config.copy && mv ~/.config/obsearch/config.copy ~/.config/obsearch/config.toml`.
    "]]);
}

#[test]
fn a_file_inside_the_vault_is_refused() {
    let home = Home::new();
    home.write("Notes/obsearch/config.toml", NOTES);
    fs::create_dir(home.path(".config")).unwrap();
    symlink(home.path("Notes/obsearch"), home.path(".config/obsearch")).unwrap();
    home.check_refused(
        None,
        &expect![[r"
            ~/.config/obsearch/config.toml lies inside the vault, so whatever writes notes could change the rules.
            Move it out of the vault, or choose a narrower folder as the vault.
        "]],
    );
    let whole_home = Home::with("[vault]\npath = \"~\"\n");
    whole_home.check_refused(
        None,
        &expect![[r"
            ~/.config/obsearch/config.toml lies inside the vault, so whatever writes notes could change the rules.
            Move it out of the vault, or choose a narrower folder as the vault.
        "]],
    );
}

#[test]
fn data_and_cache_inside_the_vault_are_refused() {
    let mut home = Home::with(NOTES);
    home.environment.data_home = Some(home.path("Notes/data"));
    home.check_refused(
        None,
        &expect![[r"
        ~/Notes/data/obsearch lies inside the vault, so the index would become part of the notes.
        Set XDG_DATA_HOME to a folder outside the vault.
    "]],
    );
    // Once the folder is made, the way leads back out of it.
    home.environment.data_home = Some(home.path("missing/deep/../../Notes/data"));
    home.check_refused(
        None,
        &expect![[r"
        ~/missing/deep/../../Notes/data/obsearch lies inside the vault, so the index would become part of the notes.
        Set XDG_DATA_HOME to a folder outside the vault.
    "]],
    );
    home.environment.data_home = None;
    symlink(home.path("Notes"), home.path(".cache")).unwrap();
    home.check_refused(
        None,
        &expect![[r"
        ~/.cache/obsearch lies inside the vault, so the index would become part of the notes.
        Set XDG_CACHE_HOME to a folder outside the vault.
    "]],
    );
}

#[test]
fn a_data_folder_that_others_can_write_is_refused() {
    let home = Home::with(NOTES);
    fs::create_dir_all(home.path(".local/share/obsearch")).unwrap();
    home.chmod(".local/share/obsearch", 0o775);
    home.check_refused(
        None,
        &expect![[r"
        ~/.local/share/obsearch can be changed by other users.
        Run `chmod go-w ~/.local/share/obsearch`.
    "]],
    );
}

#[test]
fn without_a_home_folder_nothing_can_be_found() {
    let error = Config::resolve(&Environment::default(), &Overrides::default()).err();
    assert_eq!(error, Some(ConfigError::NoHome));
}

#[test]
fn the_brief_text_of_a_refusal_names_neither_path_nor_rule() {
    let refused = [
        Home::new(),
        Home::with("[privacy]\n"),
        Home::with("[privacy]\nfolder = [\"canary\"]\n"),
        Home::with("[vault]\npath = \"~/canary\"\n"),
        Home::with("[vault]\npath = \"~\"\n"),
    ];
    for home in refused {
        let brief = home.resolve(None).err().unwrap().brief();
        let folder = home.root.to_string_lossy().into_owned();
        assert!(!brief.contains(&folder) && !brief.contains("canary") && !brief.is_empty(), "{brief}");
    }
}

#[test]
fn a_weight_is_written_behind_links_and_with_the_mode_that_was_there() {
    let home = Home::new();
    home.write("dotfiles/obsearch.toml", NOTES);
    home.chmod("dotfiles/obsearch.toml", 0o644);
    fs::create_dir_all(home.path(".config/obsearch")).unwrap();
    let file = home.path(".config/obsearch/config.toml");
    symlink(home.path("dotfiles/obsearch.toml"), &file).unwrap();
    write_meaning_weight(&home.environment, &file, 0.55).unwrap();
    assert_eq!(home.resolved(None).search.meaning_weight, Some(0.55));
    assert!(file.symlink_metadata().unwrap().is_symlink());
    let mode = home.path("dotfiles/obsearch.toml").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert_eq!(home.entries("dotfiles"), 1, "nothing else is left there");
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written() {
    let home = Home::with(NOTES);
    let file = home.path(".config/obsearch/config.toml");
    let read = disk::read(&file).unwrap().unwrap();
    home.write(".config/obsearch/config.toml", &format!("{NOTES}name = \"Mine\"\n"));
    let error = disk::replace(&read, NOTES).unwrap_err();
    assert_eq!(error.to_string(), "it changed meanwhile");
    assert_eq!(home.resolved(None).vault_name, "Mine");
    assert_eq!(home.entries(".config/obsearch"), 1, "nothing else is left there");
}

#[test]
fn a_weight_that_cannot_be_written_for_sure_is_left_to_the_owner() {
    let home = Home::with("search = {}\n[vault]\npath = \"~/Notes\"\n");
    let file = home.path(".config/obsearch/config.toml");
    let error = write_meaning_weight(&home.environment, &file, 0.55).unwrap_err();
    assert!(error.to_string().ends_with("cannot be added for sure."), "{error}");
    assert_eq!(error.hint(), "Write `meaning_weight = 0.55` below [search] yourself.");
}

#[test]
fn a_vault_for_trial_asks_no_server() {
    let servers = "[embeddings]\nbackend = \"ollama\"\nmodel = \"m\"\n[rerank]\nbackend = \"http\"\n\
                   base_url = \"http://127.0.0.1:1/rerank\"\n";
    let home = Home::with(&format!("{NOTES}{servers}"));
    let text = home.resolved(None).text_for_vault(&home.path("Trial"));
    assert_eq!(text, format!("[vault]\npath = \"{}\"\n", home.path("Trial").display()));
    let words_only = Home::with(&format!("{NOTES}[embeddings]\nbackend = \"none\"\n"));
    assert!(words_only.resolved(None).text_for_vault(&words_only.path("Trial")).contains("none"));
}
