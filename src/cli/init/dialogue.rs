//! The questions of `obsearch init` at a terminal. Nothing is written here; Ctrl-D ends it all.

use std::path::{Path, PathBuf};

use crate::cli::console::{Answer, Console};
use crate::cli::render::{escape, privacy};
use crate::cli::{CliError, Context, open};
use crate::config::{self, ConfigError, FirstRules};
use crate::ops::privacy::{RuleKind, RuleUse};
use crate::vault::Rules;

/// What is typed to have none of what is suggested.
const NONE: &str = "-";

/// What was answered.
pub(super) struct Answers {
    /// The real folder of the vault.
    pub(super) vault: PathBuf,
    pub(super) rules: FirstRules,
    /// The index is to be built at once.
    pub(super) index: bool,
}

/// Asks everything; `here` is the working folder, if it is a vault, and `file` the configuration to be.
pub(super) fn ask(context: &Context, file: &Path, here: Option<&Path>) -> Result<Answers, CliError> {
    let vault = vault(context, file, here)?;
    let rules = rules(context, &vault)?;
    let question = "Build the index now, so that searches are ready? [Y/n]";
    let index = loop {
        match Answer::parse(&typed(context.console, question)?, Answer::Yes) {
            Some(answer) => break answer == Answer::Yes,
            None => context.console.message("Please type y or n."),
        }
    };
    Ok(Answers { vault, rules, index })
}

fn typed(console: Console, question: &str) -> Result<String, CliError> {
    console.ask(escape::line(question))?.ok_or_else(|| CliError::Failed {
        message: "Nothing was written.".to_owned(),
        hint: "Run `obsearch init` again when you like.".to_owned(),
    })
}

fn vault(context: &Context, file: &Path, here: Option<&Path>) -> Result<PathBuf, CliError> {
    let console = context.console;
    let mut offered: Vec<PathBuf> = here.map(Path::to_owned).into_iter().collect();
    offered
        .extend(config::known_vaults(context.environment).into_iter().filter(|vault| Some(&**vault) != here));
    for (number, vault) in (1..).zip(&offered) {
        console.message(format_args!("  {number}  {}", escape::line(&vault.display().to_string())));
    }
    let question = match offered.len() {
        0 => "Which folder holds your notes? [~/Documents/MyVault]",
        _ => "Which folder holds your notes? A number, or a path [1]",
    };
    loop {
        let answer = typed(console, question)?;
        if let Some(problem) = no_answer(&answer, offered.len()) {
            console.error(&problem, "");
            continue;
        }
        match chosen(&answer, &offered, |vault| usable(context, file, vault)) {
            Ok(vault) => return Ok(vault),
            Err(error) => console.error(&error.to_string(), &error.hint()),
        }
    }
}

/// What is wrong with an answer that is neither a number of the list nor a path.
fn no_answer(answer: &str, offered: usize) -> Option<String> {
    let number = answer.parse::<usize>().ok();
    if answer.contains(char::is_control) {
        return Some("Arrow keys do nothing here: type a number or a path.".to_owned());
    }
    let is_wrong = offered > 0 && number.is_some_and(|number| number == 0 || number > offered);
    is_wrong.then(|| format!("There is no number {answer} here: type one from 1 to {offered}, or a path."))
}

/// A path as a shell would take it: a terminal writes it so when a folder is dropped on it.
fn unquoted(answer: &str) -> String {
    let within = |quote| answer.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    within('\'').or_else(|| within('"')).map_or_else(|| answer.replace("\\ ", " "), str::to_owned)
}

fn chosen(
    answer: &str,
    offered: &[PathBuf],
    usable: impl Fn(&Path) -> Result<PathBuf, ConfigError>,
) -> Result<PathBuf, ConfigError> {
    let by_number = || offered.get(answer.parse::<usize>().ok()?.checked_sub(1)?);
    match (answer, offered.first()) {
        ("", Some(first)) => usable(first),
        ("", None) => usable(Path::new("~/Documents/MyVault")),
        _ => usable(by_number().unwrap_or(&PathBuf::from(unquoted(answer)))),
    }
}

/// The real folder, if it can be the vault.
fn usable(context: &Context, file: &Path, vault: &Path) -> Result<PathBuf, ConfigError> {
    let vault = config::vault_from_command_line(vault, context.environment)?;
    config::check_vault(context.environment, file, &vault)?;
    Ok(vault)
}

fn rules(context: &Context, vault: &Path) -> Result<FirstRules, CliError> {
    context.console.message(format_args!(
        "\nWhat do AI clients never see? With commas between, `{NONE}` for none; all of it can be changed later."
    ));
    let mut rules = FirstRules { folders: Vec::new(), tags: Vec::new(), flag: None };
    let suggested = FirstRules::default();
    let trial = Trial { context, vault };
    let folders = trial.answer("Private folders [none]", &[], RuleKind::Folders, |folders| FirstRules {
        folders,
        ..rules.clone()
    })?;
    rules.folders = folders;
    let question = "Private tags [private]";
    let tags = trial
        .answer(question, &suggested.tags, RuleKind::Tags, |tags| FirstRules { tags, ..rules.clone() })?;
    rules.tags = tags;
    let question = "The property that makes a note private when it is `true` [private]";
    let flags: Vec<String> = suggested.flag.into_iter().collect();
    let flags = trial.answer(question, &flags, RuleKind::FrontmatterFlag, |flags| FirstRules {
        flag: flags.into_iter().next(),
        ..rules.clone()
    })?;
    rules.flag = flags.into_iter().next();
    Ok(rules)
}

/// Rules that are tried on the notes before they are written anywhere.
struct Trial<'a> {
    context: &'a Context<'a>,
    vault: &'a Path,
}

impl Trial<'_> {
    /// Asks until the rules can be used, and tells what they hide.
    fn answer(
        &self,
        question: &str,
        suggested: &[String],
        kind: RuleKind,
        rules_with: impl Fn(Vec<String>) -> FirstRules,
    ) -> Result<Vec<String>, CliError> {
        loop {
            let words = words(&typed(self.context.console, question)?, suggested);
            match Rules::compile(&rules_with(words.clone()).text()) {
                Ok(rules) => {
                    let answer = open::trial(self.context, self.vault, rules)?.list_privacy()?;
                    for line in privacy::brief(&answer, kind) {
                        self.context.console.message(format_args!("  {line}"));
                    }
                    let is_idle = |rule: &RuleUse| rule.rule == kind && rule.matches_nothing;
                    if words == suggested || !answer.rules.iter().any(is_idle) || self.is_kept()? {
                        return Ok(words);
                    }
                }
                Err(error) => {
                    let message = format!("`{}` is not a valid rule: {}.", error.rule, error.reason);
                    self.context.console.error(&message, "");
                }
            }
        }
    }

    /// Is a rule meant that hides nothing now? It may be misspelt.
    fn is_kept(&self) -> Result<bool, CliError> {
        let answer = typed(self.context.console, "Keep what hides nothing now? [y/N]")?;
        Ok(Answer::parse(&answer, Answer::No) == Some(Answer::Yes))
    }
}

/// What was typed between commas; nothing means what is suggested.
fn words(answer: &str, suggested: &[String]) -> Vec<String> {
    match answer {
        "" => suggested.to_vec(),
        NONE => Vec::new(),
        _ => answer.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_words_between_commas() {
        let suggested = ["private".to_owned()];
        let rows: [(&str, &[&str]); 4] =
            [("", &["private"]), ("-", &[]), ("a b, c,", &["a b", "c"]), (",", &[])];
        for (answer, expected) in rows {
            assert_eq!(words(answer, &suggested), expected, "{answer}");
        }
    }

    #[test]
    fn what_is_no_answer_is_asked_again() {
        for (answer, offered, is_wrong) in [
            ("", 2, false),
            ("2", 2, false),
            ("3", 2, true),
            ("0", 2, true),
            ("3", 0, false),
            ("\u{1b}[A", 2, true),
        ] {
            assert_eq!(no_answer(answer, offered).is_some(), is_wrong, "{answer:?} of {offered}");
        }
    }

    #[test]
    fn a_number_is_a_vault_that_was_offered() {
        let offered = ["/a", "/b"].map(PathBuf::from);
        let rows = [
            ("", "/a"),
            ("2", "/b"),
            ("~/c", "~/c"),
            ("'~/My Notes'", "~/My Notes"),
            ("\"~/My Notes\"", "~/My Notes"),
            ("~/My\\ Notes", "~/My Notes"),
        ];
        for (answer, expected) in rows {
            assert_eq!(chosen(answer, &offered, |path| Ok(path.to_owned())), Ok(PathBuf::from(expected)));
        }
    }
}
