//! `obsearch init` in an empty home.

use expect_test::expect;

use crate::common::{Home, names_in};

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

        Claude Code
          claude mcp add obsearch -- [obsearch] serve

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
    assert_eq!(names_in(&home.path(".config/obsearch")), ["config.toml"]);
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
          claude mcp add obsearch -- [obsearch] serve --config ~/work/o.toml
                "~/work/o.toml""#]]
    .assert_eq(&told.join("\n"));
}
