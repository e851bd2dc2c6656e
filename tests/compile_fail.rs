//! Ways around the wall that the compiler refuses, each for the reason that is written here.
//!
//! The compiler is asked directly, with the library that this test was built with.
#![expect(clippy::disallowed_methods, reason = "asks the compiler, and looks for cases and the library")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect;
use serde_json::Value;

#[test]
fn ways_around_the_wall_do_not_compile() {
    let mut refusals = String::new();
    for name in bypasses() {
        writeln!(refusals, "{name}\n{}", errors(&name)).unwrap();
    }
    expect![[r"
        bypass_escape_session
          error in line 6: lifetime may not live long enough: returning this value requires that `'1` must outlive `'2`

        bypass_forge_note
          error[E0451] in line 6: fields `path`, `text`, `stat` and `brand` of struct `Note` are private: private field

        bypass_forge_path
          error[E0423] in line 6: cannot initialize a tuple struct which contains private fields

        bypass_forge_released
          error[E0451] in line 8: fields `value` and `brand` of struct `Released` are private: private field

        bypass_forge_reply
          error[E0451] in line 6: field `value` of struct `Reply` is private: private field

        bypass_forge_session
          error in line 6: cannot construct `Session<'_>` with struct literal syntax due to private fields

        bypass_keep_released
          error[E0521] in line 12: borrowed data escapes outside of closure: `session` escapes the closure body here

        bypass_mix_released
          error[E0521]: borrowed data escapes outside of closure: `public` escapes the closure body here
          error[E0521] in line 10: borrowed data escapes outside of closure: `full` escapes the closure body here

        bypass_mix_sessions
          error[E0521] in line 9: borrowed data escapes outside of closure: `public` escapes the closure body here
          error[E0521] in line 9: borrowed data escapes outside of closure: `full` escapes the closure body here

        bypass_take_value_out
          error[E0624] in line 8: method `into_reply_value` is private: private method

        bypass_ungated_reply
          error[E0308] in line 7: mismatched types: expected `Released<'_, _>`, found `String`

    "]].assert_eq(&refusals);
}

/// The door that is meant to be used must compile, or the refusals prove nothing.
#[test]
fn the_right_way_compiles() {
    assert_eq!(errors("the_right_way"), "");
}

fn bypasses() -> Vec<String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let mut names: Vec<String> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.retain(|name| name.starts_with("bypass_"));
    names.sort();
    names
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail")
}

/// A line for each error: code, line, what is wrong, and what the compiler says of the place.
fn errors(name: &str) -> String {
    let out = tempfile::tempdir().unwrap();
    let library = library();
    let output = Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "bin", "--emit", "metadata", "--error-format", "json"])
        .arg("--out-dir")
        .arg(out.path())
        .arg("-L")
        .arg(format!("dependency={}", library.parent().unwrap().display()))
        .arg("--extern")
        .arg(format!("obsearch={}", library.display()))
        .arg(folder().join(name).with_extension("rs"))
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    let messages = messages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let errors: String = messages
        .filter(|message| message["level"] == "error")
        .filter_map(|message| shown(&message))
        .collect();
    assert_eq!(output.status.success(), errors.is_empty(), "{name}: {errors}");
    errors
}

/// `None` for "aborting due to …".
fn shown(message: &Value) -> Option<String> {
    let place = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    let code = message["code"]["code"].as_str().map(|code| format!("[{code}]")).unwrap_or_default();
    let label = place["label"].as_str().map(|label| format!(": {label}")).unwrap_or_default();
    // Lines of the library move.
    let is_in_case = place["file_name"].as_str()?.contains("compile_fail");
    let line = if is_in_case { format!(" in line {}", place["line_start"]) } else { String::new() };
    // How much of a path is written depends on which features the library has.
    let what = message["message"].as_str()?.replace("obsearch::vault::", "");
    Some(format!("  error{code}{line}: {what}{label}\n"))
}

/// The newest build of the library beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let files = std::fs::read_dir(test.parent().unwrap()).unwrap().map(|file| file.unwrap().path());
    let is_library = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy();
        name.starts_with("libobsearch-") && name.ends_with(".rlib")
    };
    files
        .filter(is_library)
        .max_by_key(|file| file.metadata().unwrap().modified().unwrap())
        .expect("the library")
}
