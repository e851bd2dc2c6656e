//! What an argument of a prompt, or the path in an address, may become: paths, headings and tags of notes that
//! this profile may see. An argument that is nothing of the kind has no suggestions.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

use super::operations::Operations;
use super::prompts::{self, Meaning};
use super::uri;
use crate::ops::read::{Naming, Part, ReadRequest};
use crate::ops::suggest::SuggestRequest;
use crate::ops::tags::TagsRequest;
use crate::ops::{Caller, OpError};

/// What is to be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    Path(String),
    /// A heading of a note, which is named by its path.
    Heading {
        path: String,
        typed: String,
    },
    Tag(String),
    Nothing,
}

impl Wanted {
    /// What the client means. `None`: there is no such prompt, template or argument.
    pub(super) fn of(request: CompleteRequestParams) -> Option<Wanted> {
        let typed = request.argument.value;
        let meaning = match &request.r#ref {
            Reference::Resource(template) if template.uri == uri::TEMPLATE => {
                (request.argument.name == "path").then_some(Meaning::Path)
            }
            Reference::Prompt(prompt) => {
                Some(prompts::named(&prompt.name)?.argument(&request.argument.name)?.meaning)
            }
            _ => None,
        };
        let others = request.context.and_then(|context| context.arguments);
        Some(match meaning? {
            Meaning::Path => Wanted::Path(typed),
            Meaning::Tag => Wanted::Tag(typed),
            Meaning::Heading => match others.and_then(|mut others| others.remove("path")) {
                Some(path) => Wanted::Heading { path, typed },
                None => Wanted::Nothing,
            },
            Meaning::Words => Wanted::Nothing,
        })
    }
}

/// Suggestions, at most as many as the protocol allows.
pub(super) fn suggestions(
    operations: &impl Operations,
    wanted: &Wanted,
    caller: &Caller<'_>,
) -> Result<CompletionInfo, OpError> {
    match wanted {
        Wanted::Path(typed) => {
            let request = SuggestRequest { typed: typed.clone(), limit: CompletionInfo::MAX_VALUES };
            let reply = operations.suggest(&request, caller)?;
            let answer = reply.get();
            Ok(info(answer.paths.iter().map(String::as_str), answer.has_more))
        }
        Wanted::Heading { path, typed } => {
            let request = ReadRequest {
                name: path.clone(),
                naming: Naming::Path,
                part: Part::Outline,
                ..ReadRequest::default()
            };
            match operations.read(&request, caller) {
                Ok(reply) => Ok(matching(reply.get().outline.iter().map(|entry| &*entry.heading), typed)),
                // No note, no headings.
                Err(OpError::NotFound) => Ok(info(std::iter::empty(), false)),
                Err(error) => Err(error),
            }
        }
        Wanted::Tag(typed) => {
            let reply = operations.tags(&TagsRequest { prefix: None }, caller)?;
            Ok(matching(reply.get().tags.iter().map(|tag| &*tag.tag), typed.trim_start_matches('#')))
        }
        Wanted::Nothing => Ok(info(std::iter::empty(), false)),
    }
}

/// The texts that hold what was typed, in any case; those that begin with it first.
fn matching<'a>(texts: impl Iterator<Item = &'a str>, typed: &str) -> CompletionInfo {
    let typed = typed.to_lowercase();
    let mut found: Vec<(bool, &str)> = texts
        .filter_map(|text| {
            let key = text.to_lowercase();
            key.contains(&typed).then_some((!key.starts_with(&typed), text))
        })
        .collect();
    found.sort_by_key(|(is_inside, _)| *is_inside);
    info(found.into_iter().map(|(_, text)| text), false)
}

fn info<'a>(values: impl Iterator<Item = &'a str>, has_more: bool) -> CompletionInfo {
    let mut info = CompletionInfo::default();
    let mut values = values.map(str::to_owned);
    info.values = values.by_ref().take(CompletionInfo::MAX_VALUES).collect();
    info.has_more = Some(has_more || values.next().is_some());
    info
}
