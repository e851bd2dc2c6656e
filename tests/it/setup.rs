//! `obsearch setup` in an empty home.

use std::os::unix::fs::symlink;

use expect_test::expect;

use crate::common::{Home, names_in};
use crate::terminal::{CTRL_D, dialogue};

const CURSOR: &str = ".cursor/mcp.json";
const BEFORE: &str =
    "{\n    \"mcpServers\": {\n        \"x\": {\"command\": \"y\"}\n    },\n    \"z\": 1.50\n}\n";

fn home() -> Home {
    Home::with_vault(&[("Alpha.md", "# Alpha\n")], "")
}

#[test]
fn without_write_it_shows_what_to_put_where() {
    let home = Home::new();
    expect![[r#"
        With its own command
          claude mcp add --scope user obsearch -- [obsearch] serve

        In its configuration file
          Linux    ~/.claude.json
          macOS    ~/.claude.json
          Windows  %USERPROFILE%\.claude.json

        {
          "mcpServers": {
            "obsearch": {
              "type": "stdio",
              "command": "[obsearch]",
              "args": [
                "serve"
              ]
            }
          }
        }
        --- stderr
        note: With `--write`, this is put into the file; all else in it stays.
        --- exit 0
    "#]]
    .assert_eq(&home.run(&["setup", "claude-code"]).transcript());
    expect![[r#"
        In its configuration file
          Linux    ~/.codex/config.toml
          macOS    ~/.codex/config.toml
          Windows  %USERPROFILE%\.codex\config.toml

        [mcp_servers.obsearch]
        command = "[obsearch]"
        args = ["serve", "--config", "~/o.toml"]
        --- stderr
        note: With `--write`, this is put into the file; all else in it stays.
        --- exit 0
    "#]]
    .assert_eq(&home.run(&["setup", "codex", "--config", "o.toml"]).transcript());
    assert_eq!(names_in(&home.path("")), [""; 0], "nothing is written");
}

#[test]
fn write_changes_the_file_once_and_keeps_a_copy() {
    let home = home();
    home.write(CURSOR, BEFORE);
    home.set_mode(CURSOR, 0o640);
    expect![[r#"
        ~/.cursor/mcp.json
          {
              "mcpServers": {
        -         "x": {"command": "y"}
        +         "x": {"command": "y"},
        +         "obsearch": {
        +             "type": "stdio",
        +             "command": "[obsearch]",
        +             "args": [
        +                 "serve"
        +             ]
        +         }
              },
              "z": 1.50
        --- stderr
        What was there is kept as ~/.cursor/mcp.json.before-obsearch.
        Done. Restart Cursor to see it.
        --- exit 0
    "#]]
    .assert_eq(&home.run(&["setup", "cursor", "--write", "--yes"]).transcript());
    let written = home.read(CURSOR);
    expect![[r"
        --- stderr
        obsearch is in ~/.cursor/mcp.json already, as wanted.
        --- exit 0
    "]]
    .assert_eq(&home.run(&["setup", "cursor", "--write"]).transcript());
    assert_eq!(home.read(CURSOR), written);
    assert_eq!(home.read(".cursor/mcp.json.before-obsearch"), BEFORE);
    assert_eq!((home.mode(CURSOR), home.mode(".cursor/mcp.json.before-obsearch")), (0o640, 0o600));
    assert_eq!(names_in(&home.path(".cursor")), ["mcp.json", "mcp.json.before-obsearch"]);
}

#[test]
fn every_client_gets_its_file() {
    let files = [
        ("claude-code", ".claude.json"),
        ("claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("cursor", CURSOR),
        ("vscode", ".config/Code/User/mcp.json"),
        ("codex", ".codex/config.toml"),
    ];
    let home = home();
    for (client, file) in files {
        if cfg!(target_os = "macos") && file.starts_with(".config") {
            continue;
        }
        let output = home.run(&["setup", client, "--write", "--yes"]);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(home.read(file).contains("\"serve\""), "{client}");
        assert_eq!(home.mode(file), 0o600, "{client}");
    }
}

#[test]
fn nobody_is_overruled_where_nobody_can_be_asked() {
    let home = home();
    expect![[r"
        --- stderr
        error: Nobody can be asked here whether to change the file.
        Add `--yes` to change it without a question.
        --- exit 2
    "]]
    .assert_eq(&home.run(&["setup", "cursor", "--write"]).transcript());
    assert!(!home.path(CURSOR).exists());
}

#[test]
fn at_a_terminal_it_asks_and_takes_no_for_an_answer() {
    for (answer, is_written) in
        [("y\n", true), ("what\ny\n", true), ("n\n", false), ("\n", false), (CTRL_D, false)]
    {
        let home = home();
        let Some(output) = dialogue(&home, &["setup", "cursor", "--write"], &[("[y/N]", answer)]) else {
            return;
        };
        assert_eq!(output.code, Some(i32::from(!is_written)), "{answer:?}: {output:?}");
        assert_eq!(home.path(CURSOR).exists(), is_written, "{answer:?}: {output:?}");
    }
}

#[test]
fn the_full_profile_is_asked_for_twice() {
    let home = home();
    for arguments in [&["setup", "cursor"][..], &["setup", "cursor", "--write", "--yes"]] {
        let arguments = [arguments, &["--profile", "full"]].concat();
        expect![[r"
            --- stderr
            error: With `--profile full`, Cursor would read your private notes.
            Leave it out, or add `--yes-private` if that is what you want.
            --- exit 2
        "]]
        .assert_eq(&home.run(&arguments).transcript());
        assert!(!home.path(CURSOR).exists());
    }
    let arguments = ["setup", "cursor", "--write", "--yes", "--profile", "full", "--yes-private"];
    let output = home.run(&arguments);
    assert!(output.stderr.starts_with("note: Cursor will read your private notes too.\n"), "{output:?}");
    assert!(home.read(CURSOR).contains("\"--profile\",\n        \"full\""));
    assert_eq!(home.run(&["setup", "cursor", "--write", "--yes"]).code, Some(0));
    assert!(!home.read(CURSOR).contains("full"), "the public profile is the default again");
}

#[test]
fn nothing_is_written_into_the_vault() {
    // The file, its folder, or what a link of either leads to.
    let inside = |prepare: &dyn Fn(&Home)| {
        let home = home();
        home.write_note("settings/mcp.json", "{}");
        prepare(&home);
        home.run(&["setup", "cursor", "--write", "--yes"]).assert_refused();
        assert_eq!(home.read("Notes/settings/mcp.json"), "{}");
        assert_eq!(names_in(&home.path("Notes/settings")), ["mcp.json"]);
    };
    inside(&|home| symlink(home.path("Notes/settings"), home.path(".cursor")).unwrap());
    inside(&|home| {
        home.write(".cursor/other", "");
        symlink(home.path("Notes/settings/mcp.json"), home.path(CURSOR)).unwrap();
    });
    inside(&|home| {
        home.write(".cursor/other", "");
        symlink(home.path("Notes/settings/new.json"), home.path(CURSOR)).unwrap();
    });
    inside(&|home| symlink(home.path("Notes/settings/missing"), home.path(".cursor")).unwrap());
}

#[test]
fn a_link_to_elsewhere_stays_one() {
    let home = home();
    home.write("dotfiles/mcp.json", "{}");
    home.write(".cursor/other", "");
    symlink(home.path("dotfiles/mcp.json"), home.path(CURSOR)).unwrap();
    let output = home.run(&["setup", "cursor", "--write", "--yes"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(home.path(CURSOR).is_symlink());
    assert!(home.read("dotfiles/mcp.json").contains("obsearch"));
}

#[test]
fn what_cannot_be_edited_for_sure_is_left_alone() {
    let home = home();
    let text = "{\n  // mine\n  \"servers\": {}\n}\n";
    home.write(".config/Code/User/mcp.json", text);
    if cfg!(target_os = "linux") {
        expect![[r"
            --- stderr
            error: ~/.config/Code/User/mcp.json is not plain JSON; it may hold comments, which would be lost.
            Put the entry in yourself: without `--write`, `obsearch setup` prints it.
            --- exit 2
        "]]
        .assert_eq(&home.run(&["setup", "vscode", "--write", "--yes"]).transcript());
    }
    assert_eq!(home.read(".config/Code/User/mcp.json"), text);
}

#[test]
fn what_is_registered_starts_the_server() {
    let home = home();
    let output = home.run(&["setup", "cursor", "--write", "--yes", "--vault", "Notes"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let file: serde_json::Value = serde_json::from_str(&home.read(CURSOR)).unwrap();
    let entry = &file["mcpServers"]["obsearch"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_obsearch"));
    let arguments: Vec<&str> =
        entry["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap()).collect();
    assert_eq!(arguments[..2], ["serve", "--vault"]);
    let answer = home.run_with_input(&arguments, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("\"id\":1"), "{answer:?}");
}

#[test]
fn without_a_configuration_the_first_rules_hold() {
    let home = Home::new();
    home.write("Notes/Alpha.md", "");
    home.write("Notes/Tagged.md", "#private/health");
    home.write("Notes/Flagged.md", "---\nprivate: true\n---\n");
    assert_eq!(home.listed(&["--vault", "Notes"]), ["Alpha.md"]);
    let output = home.run(&["setup", "cursor", "--write", "--yes", "--vault", "Notes"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(
        output.stderr.contains("only notes with the tag or the property `private` are private"),
        "{output:?}"
    );
    home.run(&["setup", "codex", "--write", "--yes"]).assert_refused();
    assert!(!home.path(".codex").exists());
}
