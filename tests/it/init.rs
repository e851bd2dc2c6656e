//! `obsearch init` in an empty home.

use expect_test::expect;

use crate::common::{Home, names_in};
use crate::terminal::{CTRL_D, dialogue};

const FILE: &str = ".config/obsearch/config.toml";

fn home() -> Home {
    let home = Home::new();
    home.write("My Notes/Alpha.md", "# Alpha\n");
    home
}

#[test]
fn it_writes_a_private_file_and_says_what_comes_next() {
    let home = home();
    let output = home.run(&["init", "--vault", "My Notes"]);
    expect![[r#"
        Wrote ~/.config/obsearch/config.toml; its [privacy] section says what AI clients never see.

        Next
          obsearch privacy list        # what is private, and rules that match nothing
          obsearch index
          obsearch search "a question to your notes"
          obsearch setup claude-code --write    # or claude-desktop, cursor, vscode, codex

        Claude Code
          claude mcp add --scope user obsearch -- [obsearch] serve

        Claude Desktop, in claude_desktop_config.json below
          macOS    ~/Library/Application Support/Claude/
          Windows  %APPDATA%\Claude\
          Linux    ~/.config/Claude/
        Cursor, in ~/.cursor/mcp.json
        {
          "mcpServers": {
            "obsearch": {
              "command": "[obsearch]",
              "args": [
                "serve"
              ]
            }
          }
        }
        --- stderr
        --- exit 0
    "#]]
    .assert_eq(&output.transcript());
    assert_eq!((home.mode(FILE), home.mode(".config/obsearch")), (0o600, 0o700));
    assert_eq!(names_in(&home.path(".config/obsearch")), ["config.toml"]);
    let path = home.path("My Notes");
    assert!(home.read(FILE).contains(&format!("path = \"{}\"\n", path.display())));
}

#[test]
fn it_never_overwrites_without_being_told() {
    let home = home();
    home.configure("# mine\n");
    let refused = home.run(&["init", "--vault", "My Notes"]);
    expect![[r"
        --- stderr
        error: ~/.config/obsearch/config.toml is there already.
        Edit it, or pass `--force` to replace it.
        --- exit 2
    "]]
    .assert_eq(&refused.transcript());
    assert_eq!(home.read(FILE), "# mine\n");
    let forced = home.run(&["init", "--vault", "My Notes", "--force"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    assert!(home.read(FILE).contains("[privacy]"));
    assert_eq!(names_in(&home.path(".config/obsearch")), ["config.toml", "config.toml.before-obsearch"]);
    assert_eq!(home.read(".config/obsearch/config.toml.before-obsearch"), "# mine\n");
    assert!(
        forced.stderr.contains("is kept as ~/.config/obsearch/config.toml.before-obsearch"),
        "{forced:?}"
    );
}

#[test]
fn without_a_vault_and_without_a_terminal_it_says_what_to_pass() {
    let home = home();
    expect![[r"
        --- stderr
        error: No vault was named.
        Run `obsearch init --vault ~/Documents/MyVault`.
        --- exit 2
    "]]
    .assert_eq(&home.run(&["init"]).transcript());
    let mut inside = home.command(&["init"]);
    home.write("My Notes/.obsidian/app.json", "{}");
    let output = home.output(inside.current_dir(home.path("My Notes")));
    expect![[r"
        --- stderr
        error: No vault was named.
        Run `obsearch init --vault '~/My Notes'`.
        --- exit 2
    "]]
    .assert_eq(&output.transcript());
    assert!(!home.path(FILE).exists());
}

#[test]
fn it_refuses_a_vault_that_holds_the_configuration_or_the_index() {
    let home = home();
    for vault in ["~", ".", "~/.config", "missing"] {
        let output = home.run(&["init", "--vault", vault]);
        assert_eq!(output.code, Some(2), "{vault}: {output:?}");
        assert!(!home.path(FILE).exists(), "{vault}");
    }
    expect![[r"
        --- stderr
        error: ~/.config/obsearch/config.toml lies inside the vault, so whatever writes notes could change the rules.
        Move it out of the vault, or choose a narrower folder as the vault.
        --- exit 2
    "]].assert_eq(&home.run(&["init", "--vault", "."]).transcript());
}

#[test]
fn another_file_shows_in_every_line_to_copy() {
    let home = home();
    let output = home.run(&["init", "--vault", "My Notes", "--config", "work/o.toml"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let told: Vec<&str> = output.stdout.lines().filter(|line| line.contains("work/o.toml")).collect();
    expect![[r#"
        Wrote ~/work/o.toml; its [privacy] section says what AI clients never see.
          obsearch privacy list --config ~/work/o.toml        # what is private, and rules that match nothing
          obsearch index --config ~/work/o.toml
          obsearch search --config ~/work/o.toml "a question to your notes"
          obsearch setup claude-code --write --config ~/work/o.toml    # or claude-desktop, cursor, vscode, codex
          claude mcp add --scope user obsearch -- [obsearch] serve --config ~/work/o.toml
                "~/work/o.toml""#]]
    .assert_eq(&told.join("\n"));
}

/// A home in which Obsidian knows a vault with something private in it, and one that is gone.
fn home_with_obsidian() -> Home {
    let home = home();
    home.write("My Notes/journal/Day.md", "# Day\n");
    home.write("My Notes/Tagged.md", "#secret\n");
    home.write("My Notes/Flagged.md", "---\nprivate: true\n---\n");
    let vault = |name: &str, opened: u64| serde_json::json!({ "path": home.path(name), "ts": opened });
    let list = serde_json::json!({ "vaults": { "a": vault("gone", 9), "b": vault("My Notes", 1) } });
    let folder = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    home.write(&format!("{folder}/obsidian/obsidian.json"), &list.to_string());
    home
}

#[test]
fn at_a_terminal_it_asks_and_tells_what_each_answer_hides() {
    let home = home_with_obsidian();
    let steps = [
        ("path [1]", "nowhere\n"),
        ("path [1]", "1\n"),
        ("folders [none]", "journal/../x\n"),
        ("folders [none]", "jornal, journal\n"),
        ("[y/N]", "\n"),
        ("folders [none]", "jornal, journal\n"),
        ("[y/N]", "y\n"),
        ("tags [private]", "secret\n"),
        ("`true` [private]", "\n"),
        ("[Y/n]", "perhaps\n"),
        ("[Y/n]", "n\n"),
    ];
    let Some(output) = dialogue(&home, &["init"], &steps) else { return };
    expect![[r#"
          1  ~/My Notes
        Which folder holds your notes? A number, or a path [1] nowhere
        error: The vault ~/nowhere does not exist.
        Check the path for typing errors, and that its disk is there.
        Which folder holds your notes? A number, or a path [1] 1

        What do AI clients never see? With commas between, `-` for none; all of it can be changed later.
        Private folders [none] journal/../x
        error: `journal/../x` is not a valid rule: it names a folder relative to the vault, without `.`, `..` or empty parts.
        Private folders [none] jornal, journal
          `jornal` hides no note. Did you mean `journal`?
          `journal` hides 1 note.
          1 of 4 notes are private so far.
        Keep what hides nothing now? [y/N] 
        Private folders [none] jornal, journal
          `jornal` hides no note. Did you mean `journal`?
          `journal` hides 1 note.
          1 of 4 notes are private so far.
        Keep what hides nothing now? [y/N] y
        Private tags [private] secret
          `secret` hides 1 note.
          2 of 4 notes are private so far.
        The property that makes a note private when it is `true` [private] 
          `private` hides 1 note.
          3 of 4 notes are private so far.
        Build the index now, so that searches are ready? [Y/n] perhaps
        Please type y or n.
        Build the index now, so that searches are ready? [Y/n] n

        Wrote ~/.config/obsearch/config.toml; its [privacy] section says what AI clients never see.

        Next
          obsearch index
          obsearch search "a question to your notes"
          obsearch privacy list
          obsearch setup claude-code --write    # or claude-desktop, cursor, vscode, codex
        --- stderr
        --- exit 0
    "#]].assert_eq(&output.transcript());
    let text = home.read(FILE);
    for line in
        ["folders = [\"jornal\", \"journal\"] ", "tags = [\"secret\"]\n", "frontmatter_flag = \"private\"\n"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(home.listed(&[]), ["Alpha.md"]);
}

#[test]
fn every_question_has_an_answer_already() {
    let home = home_with_obsidian();
    let enter = ["path [1]", "folders [none]", "tags [private]", "`true` [private]", "[Y/n]"];
    let Some(output) = dialogue(&home, &["init"], &enter.map(|question| (question, "\n"))) else { return };
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!home.tree_files("public").is_empty(), "the index was built: {output:?}");
    assert_eq!(home.listed(&[]), ["Alpha.md", "Tagged.md", "journal/Day.md"]);
}

#[test]
fn ctrl_d_at_any_question_writes_nothing() {
    let questions = ["path [1]", "folders [none]", "tags [private]", "`true` [private]", "[Y/n]"];
    for last in 0..questions.len() {
        let home = home_with_obsidian();
        let answered = questions[..last].iter().map(|question| (*question, "\n"));
        let steps: Vec<_> = answered.chain([(questions[last], CTRL_D)]).collect();
        let Some(output) = dialogue(&home, &["init"], &steps) else { return };
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stdout.contains("error: Nothing was written."), "{output:?}");
        assert!(!home.path(".config/obsearch").exists() && !home.path(".local").exists(), "{output:?}");
    }
}
