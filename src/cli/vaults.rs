//! Commands over several vaults: which are meant, and one answer for each. A vault that cannot be looked at keeps
//! no other from its answer.

use serde::Serialize;

use crate::cli::{CliError, Context, Exit};
use crate::config::{Config, ConfigError, Overrides};

/// The vaults that a command is about.
pub(super) enum Vaults {
    /// The only one there is, or the only one that was chosen.
    One(Box<Config>),
    /// More than one.
    Several(Vec<Named>),
}

impl Vaults {
    /// The configuration of one that can be used: for what is the same in all.
    pub(super) fn usable(&self) -> Result<&Config, CliError> {
        match self {
            Vaults::One(config) => Ok(config),
            Vaults::Several(vaults) => {
                let usable = vaults.iter().find_map(|vault| vault.config.as_ref().ok());
                let refused = || vaults.iter().find_map(|vault| vault.config.as_ref().err().cloned());
                usable.ok_or_else(|| refused().unwrap_or(ConfigError::NoHome).into())
            }
        }
    }

    /// What they are called in the configuration; a vault without a name of its own is called as its folder.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Vaults::One(config) => vec![config.vault_name.clone()],
            Vaults::Several(vaults) => vaults.iter().map(|vault| vault.name.clone()).collect(),
        }
    }
}

/// One of several vaults.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) config: Result<Config, ConfigError>,
}

/// The answers of several vaults as JSON.
#[derive(Serialize)]
pub(super) struct Answers<T> {
    vaults: Vec<Answer<T>>,
}

#[derive(Serialize)]
struct Answer<T> {
    vault: String,
    #[serde(flatten)]
    outcome: Outcome<T>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome<T> {
    Answer(T),
    Failure { error: String },
}

/// The vaults that the command line chooses; all of them if it chooses none.
pub(super) fn chosen(context: &Context) -> Result<Vaults, CliError> {
    if context.global.vault.is_some() {
        return Ok(Vaults::One(Box::new(context.config()?)));
    }
    let overrides = context.overrides();
    let names = Config::vault_names(context.environment, &overrides, &context.global.vault_names)?;
    if names.len() < 2 {
        let vault_name = names.into_iter().next();
        let overrides = Overrides { vault_name, ..overrides };
        return Ok(Vaults::One(Box::new(Config::resolve(context.environment, &overrides)?)));
    }
    let resolved = |name: String| {
        let overrides = Overrides { vault_name: Some(name.clone()), ..overrides.clone() };
        Named { name, config: Config::resolve(context.environment, &overrides) }
    };
    Ok(Vaults::Several(names.into_iter().map(resolved).collect()))
}

/// The configuration of one of the vaults, whichever it is: for what is the same in all.
pub(super) fn any(context: &Context) -> Result<Config, CliError> {
    let mut refused = None;
    match chosen(context)? {
        Vaults::One(config) => return Ok(*config),
        Vaults::Several(vaults) => {
            for vault in vaults {
                match vault.config {
                    Ok(config) => return Ok(config),
                    Err(error) => refused = Some(error),
                }
            }
        }
    }
    Err(refused.unwrap_or(ConfigError::NoHome).into())
}

/// Runs a command for one vault after the other. Failures are told as they come; the worst exit is the exit.
pub(super) fn each<T>(
    vaults: Vec<Named>,
    context: &Context,
    run: impl Fn(&str, &Config) -> Result<(T, Exit), CliError>,
) -> (Answers<T>, Exit) {
    let (mut answers, mut worst) = (Vec::new(), Exit::Done);
    for Named { name, config } in vaults {
        let outcome = match config.map_err(CliError::from).and_then(|config| run(&name, &config)) {
            Ok((answer, exit)) => {
                worst = worse(worst, exit);
                Outcome::Answer(answer)
            }
            Err(error) if error.is_broken_pipe() => break,
            Err(error) => {
                context.console.error(&format!("{name}: {error}"), &error.hint());
                worst = Exit::Failed;
                Outcome::Failure { error: error.to_string() }
            }
        };
        answers.push(Answer { vault: name, outcome });
    }
    (Answers { vaults: answers }, worst)
}

fn worse(one: Exit, other: Exit) -> Exit {
    match (one, other) {
        (Exit::Failed, _) | (_, Exit::Failed) => Exit::Failed,
        (Exit::NothingFound, _) | (_, Exit::NothingFound) => Exit::NothingFound,
        _ => Exit::Done,
    }
}
