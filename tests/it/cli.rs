//! Arguments, exit codes and errors of the real binary.

use std::process::Stdio;

use expect_test::{Expect, expect};

use crate::common::Home;

#[track_caller]
fn check(home: &Home, arguments: &[&str], expected: &Expect) {
    expected.assert_eq(&home.run(arguments).transcript());
}

#[test]
fn help_is_a_result() {
    check(
        &Home::new(),
        &["-h"],
        &expect![[r#"
            Search in a folder of Markdown notes, for you and for AI clients, with private notes out of reach

            Usage: obsearch [OPTIONS] <COMMAND>

            Commands:
              init         Write the configuration file
              index        Build the index, or bring it up to date
              search       Find passages by words and meaning
              pack         Gather what the notes say about a question
              read         Print a note, or a part of it
              list         List notes or folders
              tags         List tags with the number of notes that carry each
              links        Show what a note links to and what links to it
              similar      Find notes like a note or a text, links, duplicates and tags
              health       Find what to mend: orphans, links that lead nowhere, double titles and the like
              guide        Show how the vault is kept: its guide notes, else folders, tags and hubs
              verify       Tell whether quoted words still stand where they were cited
              status       Show the state of the index
              privacy      Show what AI clients cannot see, and why
              console      Show in your browser what an agent can see, beside what you can
              doctor       Find what is wrong with the configuration, the notes and the index
              eval         Measure how well questions are answered
              model        List, fetch and check models
              tune         Find the weight of meaning that suits your notes
              setup        Register the server with an AI client, or show how to
              serve        Serve AI clients over MCP, on standard input and output or over HTTP
              connect      Connect a client that speaks over standard input and output to a running server
              ledger       Show and check the record of what was served to whom
              token        Make, list and revoke tokens for clients over HTTP
              completions  Print what a shell needs to complete commands
              man          Print the manual page, or write those of all commands
              help         Print this message or the help of the given subcommand(s)

            Options:
              -h, --help     Print help (see more with '--help')
              -V, --version  Print version

            Global options:
                  --vault <PATH>       The folder of notes, instead of the one in the configuration file
                  --vault-name <NAME>  The vault of this name, where the configuration file has several;
                                       `serve`, `setup`, `index`, `status` and `doctor` take several names, and
                                       all vaults without one
                  --config <FILE>      The configuration file [default: ~/.config/obsearch/config.toml]
                  --profile <PROFILE>  Who asks: `public` sees what AI clients see, `full` sees every note
                                       [default: public; for `index`: both] [possible values: public, full]
              -v, --verbose            Say more on standard error; never a note's name or text
                  --color <COLOR>      Colours in the output [default: auto] [possible values: auto, always,
                                       never]

            Examples:
              obsearch init --vault ~/Documents/MyVault
              obsearch index
              obsearch search "how do I renew the certificate"
              obsearch serve                 # what an AI client starts

            Exit codes: 0 done, 1 nothing found, 2 refused or broken.
            --- stderr
            --- exit 0
        "#]],
    );
    let commands = ["init", "index", "search", "read", "list", "tags", "links", "status", "setup", "serve"];
    for command in commands {
        let output = Home::new().run(&[command, "--help"]);
        assert_eq!(output.code, Some(0), "{command}");
        assert!(output.stdout.contains("Examples:"), "{command}");
        assert_eq!(output.stderr, "", "{command}");
    }
}

#[test]
fn the_version_is_a_result() {
    let expected = format!("obsearch {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(Home::new().run(&["--version"]).stdout, expected);
}

#[test]
fn arguments_that_make_no_sense_end_with_two() {
    let rows: [&[&str]; 9] = [
        &[],
        &["serch"],
        &["search"],
        &["search", "x", "--limit", "0"],
        &["search", "x", "--limit", "51"],
        &["search", "x", "--mode", "fuzzy"],
        &["read", "x", "--lines", "9:2"],
        &["read", "x", "--section", "A", "--outline"],
        &["list", "--profile", "all"],
    ];
    for arguments in rows {
        let output = Home::new().run(arguments);
        assert_eq!((output.code, &*output.stdout), (Some(2), ""), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn without_a_configuration_every_command_says_what_to_do() {
    let home = Home::new();
    check(
        &home,
        &["search", "x"],
        &expect![[r"
        --- stderr
        error: There is no configuration file at ~/.config/obsearch/config.toml.
        Run `obsearch init --vault PATH` once, or pass `--vault PATH`.
        --- exit 2
    "]],
    );
    let rows: [&[&str]; 6] =
        [&["index"], &["read", "x"], &["list"], &["tags"], &["links", "x"], &["status", "--json"]];
    for arguments in rows {
        assert_eq!(home.run(arguments), home.run(&["search", "x"]), "{arguments:?}");
    }
}

#[test]
fn a_refused_configuration_is_one_sentence_and_one_line() {
    let home = Home::with_vault(&[], "folder = [\"journal\"]");
    check(
        &home,
        &["status"],
        &expect![[r#"
        --- stderr
        error: ~/.config/obsearch/config.toml:4: unknown key `folder` in [privacy]: folder = ["journal"]
        Did you mean `folders`?
        --- exit 2
    "#]],
    );
}

#[test]
fn the_server_names_neither_paths_nor_rules_on_standard_error() {
    let home = Home::with_vault(&[], "folder = [\"journal\"]");
    let output = home.run_with_input(&["serve"], "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    expect![[r"
        --- stderr
        error: Line 4 of the configuration file is not understood.
        Run `obsearch status` in a terminal to see why.
        --- exit 2
    "]]
    .assert_eq(&output.transcript());
}

#[test]
fn colours_are_for_those_who_want_them() {
    let home = Home::new();
    let is_coloured = |arguments: &[&str]| home.run(arguments).stderr.contains('\u{1b}');
    assert!(!is_coloured(&["tags"]));
    assert!(!is_coloured(&["tags", "--color", "never"]));
    assert!(is_coloured(&["tags", "--color", "always"]));
}

#[test]
fn control_characters_of_arguments_do_not_reach_the_terminal() {
    let output = Home::new().run(&["tags", "--vault", "/\u{1b}[2J"]);
    assert!(output.stderr.contains(r"\u{1b}[2J") && !output.stderr.contains('\u{1b}'), "{output:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    home.write("Notes/a.md", "");
    let mut command = home.command(&["init", "--vault", "Notes"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = home.output(command.stdout(writer).stderr(Stdio::piped()));
    assert_eq!((output.code, &*output.stderr), (Some(0), ""));
}
