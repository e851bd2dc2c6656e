//! Completions and manual pages: every command is in them, and a shell can read them.
#![expect(clippy::disallowed_methods, reason = "a test makes a link to a note")]

use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::common::{Home, names_in};

fn commands(home: &Home) -> Vec<String> {
    let help = home.run(&["-h"]).stdout;
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    lines
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn completions_know_every_command() {
    let home = Home::new();
    let commands = commands(&home);
    assert!(commands.len() > 15, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = home.run(&["completions", shell]);
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{shell}");
        for command in &commands {
            assert!(output.stdout.contains(command), "{shell}: {command}");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test starts a shell")]
fn bash_completes_with_them() {
    let home = Home::new();
    home.write("completions", &home.run(&["completions", "bash"]).stdout);
    let script = "source completions; COMP_WORDS=(obsearch se); COMP_CWORD=1; _obsearch obsearch se obsearch; echo \"${COMPREPLY[@]}\"";
    let bash = std::process::Command::new("bash").args(["-c", script]).current_dir(home.path("")).output();
    let Ok(output) = bash else {
        eprintln!("skipped: there is no bash");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&output.stdout), "search setup serve\n", "{output:?}");
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let home = Home::new();
    let page = home.run(&["man"]);
    assert_eq!((page.code, &*page.stderr), (Some(0), ""));
    assert!(page.stdout.contains(".TH obsearch 1"), "{}", page.stdout);
    home.write("man1/.keep", "");
    assert_eq!(home.run(&["man", "man1"]).code, Some(0));
    let pages = names_in(&home.path("man1"));
    for command in commands(&home) {
        assert!(pages.contains(&format!("obsearch-{command}.1")), "{command}: {pages:?}");
    }
    home.run(&["man", "missing"]).assert_refused();
}

#[test]
fn no_manual_page_goes_into_the_vault() {
    let home = Home::with_vault(&[("Folder/Alpha.md", "")], "");
    home.run(&["man", "Notes/Folder"]).assert_refused();
    assert_eq!(names_in(&home.path("Notes/Folder")), ["Alpha.md"]);
    // Nor over a note that a page leads to.
    std::fs::create_dir(home.path("man1")).unwrap();
    symlink(home.path("Notes/Folder/Alpha.md"), home.path("man1/obsearch.1")).unwrap();
    home.run(&["man", "man1"]).assert_refused();
    assert_eq!(std::fs::read(home.path("Notes/Folder/Alpha.md")).unwrap(), b"");
    // A configuration that cannot be read keeps nothing out: nothing is written.
    home.configure("[vault\n");
    home.run(&["man", "Notes/Folder"]).assert_refused();
    assert_eq!(names_in(&home.path("Notes/Folder")), ["Alpha.md"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    for arguments in [&["man"][..], &["completions", "zsh"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = home.output(home.command(arguments).stdout(writer).stderr(Stdio::piped()));
        assert_eq!((output.code, &*output.stderr), (Some(0), ""), "{arguments:?}");
    }
}
