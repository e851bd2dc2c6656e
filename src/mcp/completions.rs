//! What an argument of a prompt, or the path in an address, may become: paths, headings and tags of notes that
//! this profile may see. An argument that is nothing of the kind has no suggestions.

use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference};

use super::operations::Operations;
use super::prompts::{self, Meaning};
use super::vaults::{self, Chosen, Vaults};
use crate::ops::read::{Naming, Part, ReadRequest};
use crate::ops::suggest::SuggestRequest;
use crate::ops::tags::TagsRequest;
use crate::ops::{Caller, OpError};

/// What is to be completed, and of which vault.
pub(super) struct Completion<O> {
    /// None where several could be meant, or where it is a vault that is to be named.
    pub(super) vault: Option<Chosen<O>>,
    pub(super) wanted: Wanted,
}

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
    Vault(String),
    Nothing,
}

impl<O> Completion<O> {
    /// What the client means. `None`: there is no such prompt, template or argument.
    pub(super) fn of(request: CompleteRequestParams, vaults: &Vaults<O>) -> Option<Completion<O>> {
        let typed = request.argument.value;
        let name = &request.argument.name;
        let mut others = request.context.and_then(|context| context.arguments).unwrap_or_default();
        let (vault, meaning) = match &request.r#ref {
            Reference::Resource(template) => {
                let vault = vaults.each().find(|vault| vault.template() == template.uri)?;
                (Some(vault), (name == "path").then_some(Meaning::Path)?)
            }
            Reference::Prompt(prompt) => {
                let prompt = prompts::named(&prompt.name)?;
                if vaults.are_named() && name == vaults::ARGUMENT {
                    return Some(Completion { vault: None, wanted: Wanted::Vault(typed) });
                }
                let vault = others.remove(vaults::ARGUMENT).filter(|_| vaults.are_named());
                (vaults.named(vault.as_deref()), prompt.argument(name)?.meaning)
            }
            _ => return None,
        };
        let wanted = match meaning {
            Meaning::Path => Wanted::Path(typed),
            Meaning::Tag => Wanted::Tag(typed),
            Meaning::Heading => match others.remove("path") {
                Some(path) => Wanted::Heading { path, typed },
                None => Wanted::Nothing,
            },
            Meaning::Words => Wanted::Nothing,
        };
        Some(Completion { vault, wanted })
    }
}

/// Suggestions that no note is looked at for: names of vaults; while no vault is chosen, nothing else.
pub(super) fn without_a_vault<O>(vaults: &Vaults<O>, wanted: &Wanted) -> CompletionInfo {
    match wanted {
        Wanted::Vault(typed) => matching(vaults.names().into_iter(), typed),
        _ => info(std::iter::empty(), false),
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
        Wanted::Vault(_) | Wanted::Nothing => Ok(info(std::iter::empty(), false)),
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
