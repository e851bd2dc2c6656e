//! The prompts: what a person can pick from a menu instead of typing it. Constant texts with the person's
//! own words put in; they name tools and never look at a note. A name that was completed from one is still a
//! note's.

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use super::escape;
use super::vaults::{self, Vaults};

/// Longer arguments are refused.
const MAX_ARGUMENT_BYTES: usize = 4096;

/// What an argument means, which decides how it is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Anything.
    Words,
    /// The path of a note.
    Path,
    /// A heading of the note that another argument names.
    Heading,
    /// A tag.
    Tag,
}

/// An argument of a prompt.
pub(super) struct Argument {
    name: &'static str,
    pub(super) meaning: Meaning,
    is_required: bool,
    description: &'static str,
}

/// A piece of a prompt's text.
enum Piece {
    Text(&'static str),
    /// The value of an argument.
    Value(&'static str),
    /// The value of an argument between two texts; nothing where it is not given.
    IfGiven(&'static str, &'static str, &'static str),
}

/// A prompt.
pub(super) struct Template {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [Argument],
    pieces: &'static [Piece],
}

/// All prompts, in the order of the list.
pub(super) const ALL: &[Template] = &[
    Template {
        name: "answer_with_citations",
        title: "Answer from my notes",
        description: "Answers a question from the notes alone, and says where each statement comes from.",
        arguments: &[Argument {
            name: "question",
            meaning: Meaning::Words,
            is_required: true,
            description: "What you want to know.",
        }],
        pieces: &[
            Piece::Text("Answer this question from my notes: "),
            Piece::Value("question"),
            Piece::Text(
                "\n\nSearch with search_vault, more than once and in other words if the first \
passages do not settle it. Open what looks right with read_note before you rely on \
it. Cite every statement as `path#heading`, as the tools give it. Say what the \
notes leave open, and where they contradict each other; if they do not answer the \
question, say so and add nothing from elsewhere.",
            ),
        ],
    },
    Template {
        name: "propose_links",
        title: "Propose links for a note",
        description: "Finds notes that a note should link to, with the sentence where each link would stand.",
        arguments: &[
            Argument {
                name: "path",
                meaning: Meaning::Path,
                is_required: true,
                description: "The note, by its path.",
            },
            Argument {
                name: "heading",
                meaning: Meaning::Heading,
                is_required: false,
                description: "Only the section below this heading.",
            },
        ],
        pieces: &[
            Piece::Text("Propose [[wikilinks]] for my note "),
            Piece::Value("path"),
            Piece::IfGiven(", only in the section “", "heading", "”"),
            Piece::Text(
                ".\n\nRead it with read_note, and see with note_links what it links to already. For \
each idea, person or thing in it that may have a note of its own, look with \
find_similar (purpose link), then with search_vault. Propose a link only where the other note really helps a reader of \
this one. For each give: the sentence as it stands, the same sentence with the \
link, and why, in one line. Do not change the note; wait for my choice.",
            ),
        ],
    },
    Template {
        name: "find_duplicates",
        title: "Find duplicates of a note",
        description: "Finds notes that say the same as a note, and proposes what to do with each.",
        arguments: &[Argument {
            name: "path",
            meaning: Meaning::Path,
            is_required: true,
            description: "The note, by its path.",
        }],
        pieces: &[
            Piece::Text("Find notes that say the same as my note "),
            Piece::Value("path"),
            Piece::Text(
                ", in whole or in part.\n\nRead it with read_note. Ask find_similar (purpose duplicate), then search_vault for its \
title, its other names and its main statements, one at a time; read what comes \
close. For each real duplicate show the passages side by side with citations, say \
which of the two is newer or fuller if you can tell, and propose one of: merge, \
link, or leave as it is. Likeness in topic alone is no duplicate. Do not change \
anything.",
            ),
        ],
    },
    Template {
        name: "review_tags",
        title: "Review my tags",
        description: "Finds tags that mean the same, are hardly used or are missing, and proposes a tidy set.",
        arguments: &[Argument {
            name: "tag",
            meaning: Meaning::Tag,
            is_required: false,
            description: "Only this tag and those nested below it.",
        }],
        pieces: &[
            Piece::Text("Review the tags of my notes"),
            Piece::IfGiven(", only “", "tag", "” and what is nested below it"),
            Piece::Text(
                ".\n\nGet them with list_tags. Look for tags that differ only in case, number (vault_health \
with the check tags) or spelling, for tags that mean the same, for tags that only one note carries, and \
for notes that plainly belong to a tag and lack it (list_notes with the tag, \
search_vault without it). Propose a table: tag, what to do (keep, rename, merge \
into, nest below, drop), how many notes, why. Do not change anything.",
            ),
        ],
    },
];

/// The argument that every prompt has where there are several vaults.
const VAULT: Argument = Argument {
    name: vaults::ARGUMENT,
    meaning: Meaning::Words,
    is_required: true,
    description: "The vault, by its name.",
};

/// The prompt with this name.
pub(super) fn named(name: &str) -> Option<&'static Template> {
    ALL.iter().find(|template| template.name == name)
}

impl Template {
    /// The prompt as clients see it.
    pub(super) fn listed<O>(&self, vaults: &Vaults<O>) -> Prompt {
        let argument = |argument: &Argument| {
            PromptArgument::new(argument.name)
                .with_description(argument.description)
                .with_required(argument.is_required)
        };
        let vault = vaults.are_named().then(|| argument(&VAULT));
        let arguments = vault.into_iter().chain(self.arguments.iter().map(argument)).collect();
        Prompt::new(self.name, Some(self.description), Some(arguments)).with_title(self.title)
    }

    /// The argument with this name.
    pub(super) fn argument(&self, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|argument| argument.name == name)
    }

    /// The text with the arguments put in; the error says what is wrong with them.
    fn filled(&self, given: &JsonObject) -> Result<String, String> {
        let values = self.arguments.iter().map(|argument| argument.value(given));
        let values: Vec<(&str, String)> = values.collect::<Result<_, _>>()?;
        let value =
            |name: &str| values.iter().find(|(of, _)| *of == name).map_or("", |(_, value)| value.as_str());
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Value(name) => value(name).to_owned(),
            Piece::IfGiven(_, name, _) if value(name).is_empty() => String::new(),
            Piece::IfGiven(before, name, after) => format!("{before}{}{after}", value(name)),
        });
        Ok(pieces.collect())
    }
}

impl Argument {
    /// Its name and its value, which is empty where none is given. What names a note, a heading or a tag was
    /// perhaps completed from one, and stays one harmless line; words are the person's own.
    fn value(&self, given: &JsonObject) -> Result<(&'static str, String), String> {
        let name = self.name;
        let value = match given.get(name) {
            None => "",
            Some(Value::String(value)) if value.len() <= MAX_ARGUMENT_BYTES => value.trim(),
            Some(_) => return Err(format!("`{name}` must be a text of at most {MAX_ARGUMENT_BYTES} bytes")),
        };
        if value.is_empty() && self.is_required {
            return Err(format!("`{name}` is required"));
        }
        Ok((name, if self.meaning == Meaning::Words { value.to_owned() } else { escape::line(value) }))
    }
}

/// The answer to `prompts/get`, and the number of the vault that it is for.
pub(super) fn get<O>(
    request: GetPromptRequestParams,
    vaults: &Vaults<O>,
) -> Result<(usize, GetPromptResult), ErrorData> {
    let invalid = |message: String| ErrorData::invalid_params(message, None);
    let template = named(&request.name).ok_or_else(|| invalid("unknown prompt".to_owned()))?;
    let mut arguments = request.arguments;
    let vault = vaults.take(&mut arguments).map_err(|error| invalid(error.to_string()))?;
    let given = arguments.unwrap_or_default();
    if given.keys().any(|name| template.argument(name).is_none()) {
        return Err(invalid("the prompt has no such argument".to_owned()));
    }
    let mut text = template.filled(&given).map_err(invalid)?;
    if let Some(name) = vault.name() {
        text += &["\n\nThese notes are the vault ", name, ": give its name to every tool."].concat();
    }
    let message = PromptMessage::new_text(Role::User, text);
    Ok((vault.number(), GetPromptResult::new(vec![message]).with_description(template.description)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_put_in_and_checked() {
        let filled = |name: &str, given: Value| {
            let Value::Object(given) = given else { panic!("an object") };
            let text = named(name).unwrap().filled(&given)?;
            Ok(text.split("\n\n").next().unwrap_or_default().to_owned())
        };
        let table = [
            (
                "answer_with_citations",
                json!({ "question": " Who {path}? " }),
                Ok("Answer this question from my notes: Who {path}?"),
            ),
            ("propose_links", json!({ "path": "a.md" }), Ok("Propose [[wikilinks]] for my note a.md.")),
            (
                "propose_links",
                json!({ "path": "{heading}", "heading": "B" }),
                Ok("Propose [[wikilinks]] for my note {heading}, only in the section “B”."),
            ),
            (
                "propose_links",
                json!({ "path": "a\u{202e}\nObey.md" }),
                Ok(r"Propose [[wikilinks]] for my note a\u{202e}\u{a}Obey.md."),
            ),
            ("review_tags", json!({ "tag": "" }), Ok("Review the tags of my notes.")),
            ("propose_links", json!({ "heading": "B" }), Err("`path` is required")),
            ("propose_links", json!({ "path": 7 }), Err("`path` must be a text of at most 4096 bytes")),
        ];
        for (name, given, expected) in table {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(filled(name, given.clone()), expected, "{name} {given}");
        }
    }

    #[test]
    fn every_argument_stands_in_its_text() {
        for template in ALL {
            let names = template.pieces.iter().filter_map(|piece| match piece {
                Piece::Text(_) => None,
                Piece::Value(name) | Piece::IfGiven(_, name, _) => Some(*name),
            });
            let expected: Vec<&str> = template.arguments.iter().map(|argument| argument.name).collect();
            assert_eq!(names.collect::<Vec<_>>(), expected, "{}", template.name);
        }
    }
}
