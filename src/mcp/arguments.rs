//! The arguments of a call, checked against the parameters of its tool. Nothing past this file
//! sees JSON that a client sent.

use rmcp::model::JsonObject;

use super::escape;
use super::parameters::{Argument, Parameter};

/// The arguments make no sense; the text names the offending one and what it must be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadArguments(pub(super) String);

/// Arguments that all have a parameter and passed its check. One that is left out, `null` or, as
/// text, blank is not there.
#[derive(Debug)]
pub(super) struct Arguments(Vec<(&'static str, Argument)>);

impl Arguments {
    /// Checks what a client sent. `taken` is an argument of every tool that was taken out before.
    pub(super) fn check(
        parameters: &'static [Parameter],
        given: Option<JsonObject>,
        taken: Option<&'static str>,
    ) -> Result<Self, BadArguments> {
        let given = given.unwrap_or_default();
        if let Some(name) = given.keys().find(|name| !parameters.iter().any(|known| known.name == **name)) {
            return Err(unknown(name, taken, parameters));
        }
        let checked = parameters.iter().map(|parameter| checked(parameter, &given));
        Ok(Arguments(checked.filter_map(Result::transpose).collect::<Result<_, _>>()?))
    }

    /// A text; none if it is not there.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name, |argument| if let Argument::Text(text) = argument { Some(text) } else { None })
    }

    /// Texts; empty if they are not there.
    pub(super) fn texts(&mut self, name: &str) -> Vec<String> {
        let texts = self.take(name, |argument| match argument {
            Argument::Texts(texts) => Some(texts),
            _ => None,
        });
        texts.unwrap_or_default()
    }

    /// A whole number; none if it is not there.
    pub(super) fn integer(&mut self, name: &str) -> Option<u32> {
        self.take(name, |argument| if let Argument::Integer(number) = argument { Some(number) } else { None })
    }

    /// A flag; false if it is not there.
    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.take(name, |argument| if let Argument::Flag(flag) = argument { Some(flag) } else { None })
            .unwrap_or(false)
    }

    /// A word of a choice; none if it is not there.
    pub(super) fn choice(&mut self, name: &str) -> Option<&'static str> {
        self.take(name, |argument| if let Argument::Choice(word) = argument { Some(word) } else { None })
    }

    fn take<T>(&mut self, name: &str, value: impl FnOnce(Argument) -> Option<T>) -> Option<T> {
        let place = self.0.iter().position(|(given, _)| *given == name)?;
        value(self.0.swap_remove(place).1)
    }
}

fn checked(
    parameter: &Parameter,
    given: &JsonObject,
) -> Result<Option<(&'static str, Argument)>, BadArguments> {
    let name = parameter.name;
    match given.get(name).filter(|value| !value.is_null()) {
        None if parameter.is_required() => {
            Err(BadArguments(format!("`{name}` is missing: give {}", parameter.kind.expected())))
        }
        None => Ok(None),
        Some(value) => match parameter.kind.check(value) {
            Some(Argument::Text(text)) if text.is_empty() => Ok(None),
            Some(argument) => Ok(Some((name, argument))),
            None => Err(BadArguments(format!("`{name}` must be {}", parameter.kind.expected()))),
        },
    }
}

fn unknown(name: &str, taken: Option<&'static str>, parameters: &[Parameter]) -> BadArguments {
    let name = escape::label(name);
    let known: Vec<_> = taken.into_iter().chain(parameters.iter().map(|parameter| parameter.name)).collect();
    BadArguments(match known.as_slice() {
        [] => format!("unknown argument `{name}`: this tool takes no arguments"),
        known => format!("unknown argument `{name}`: this tool takes {}", known.join(", ")),
    })
}
