//! Notes as resources: listed page by page, read by address, watched for changes. An address is judged by its
//! form alone before the vault is asked; what cannot be read looks the same whatever the reason.

use std::collections::VecDeque;

use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, SubscriptionFilter,
};

use super::account::Account;
use super::escape::Quoting;
use super::operations::Operations;
use super::vaults::{Chosen, Vaults};
use super::{answer, escape, text};
use crate::ops::list::ListRequest;
use crate::ops::read::{Naming, ReadRequest};
use crate::ops::{Caller, OpError};

/// Notes on a page.
const PAGE: usize = 200;
/// A longer note is not given as one piece.
const MAX_TEXT_BYTES: usize = 1024 * 1024;
const MARKDOWN: &str = "text/markdown";

/// One template for each vault.
pub(super) fn templates<O>(vaults: &Vaults<O>) -> Vec<ResourceTemplate> {
    let template = |vault: Chosen<O>| {
        let name = vault.name().map_or("note".to_owned(), |name| format!("note in {name}"));
        ResourceTemplate::new(vault.template(), name)
            .with_title("A note")
            .with_description("The whole text of a note, by its path, such as Projects/Boat.md.")
            .with_mime_type(MARKDOWN)
    };
    vaults.each().map(template).collect()
}

/// Where a page of the list begins: in one vault after the other.
pub(super) struct Place<O> {
    /// The vault, and those after it.
    vaults: VecDeque<Chosen<O>>,
    /// As the vault gave it.
    cursor: Option<String>,
}

impl<O> Place<O> {
    /// Where there are several vaults, a cursor is the name of one, `/`, and the cursor in it.
    pub(super) fn of(vaults: &Vaults<O>, cursor: Option<String>) -> Result<Place<O>, ErrorData> {
        let mut all: VecDeque<Chosen<O>> = vaults.each().collect();
        let Some(cursor) = cursor.as_deref().filter(|_| vaults.are_named()) else {
            return Ok(Place { vaults: all, cursor });
        };
        let wrong = || ErrorData::invalid_params("this is no cursor of this list", None);
        let (name, within) = cursor.split_once('/').ok_or_else(wrong)?;
        let first = vaults.named(Some(name)).ok_or_else(wrong)?;
        all.drain(..first.number());
        Ok(Place { vaults: all, cursor: Some(within.to_owned()).filter(|within| !within.is_empty()) })
    }

    /// The number of the vault.
    pub(super) fn vault(&self) -> usize {
        self.vaults.front().map_or(0, Chosen::number)
    }
}

/// A page of the notes. A vault that cannot be read at the moment is passed over where another one answers, and the
/// page says so.
pub(super) fn page<O: Operations>(
    mut place: Place<O>,
    account: &Account,
    caller: &Caller<'_>,
) -> Result<ListResourcesResult, ErrorData> {
    let mut outcome = Err(OpError::NotFound);
    let mut passed_over = Vec::new();
    while let Some(vault) = place.vaults.pop_front() {
        let after = place.vaults.front().and_then(Chosen::name);
        outcome = page_of(&vault, place.cursor.take(), after, account, caller);
        match &outcome {
            Err(OpError::Unavailable { client, .. }) => passed_over.push(unreadable(&vault, client)),
            _ => break,
        }
    }
    let mut page = outcome.map_err(failed)?;
    page.resources.extend(passed_over);
    Ok(page)
}

/// Stands in the list for the notes of a vault; whoever reads it gets the failure, or learns that there is no such
/// note where the vault is back.
fn unreadable<O>(vault: &Chosen<O>, why: &str) -> Resource {
    let name = vault.name().unwrap_or_default();
    Resource::new(vault.address_of("."), format!("notes of {name}"))
        .with_title(format!("The notes of {name} are missing here"))
        .with_description(why)
}

/// A page of one vault; `after` is the vault whose pages follow.
fn page_of<O: Operations>(
    vault: &Chosen<O>,
    cursor: Option<String>,
    after: Option<&str>,
    account: &Account,
    caller: &Caller<'_>,
) -> Result<ListResourcesResult, OpError> {
    let request = ListRequest { cursor, limit: PAGE, ..ListRequest::default() };
    let reply = vault.operations(account)?.list(&request, caller)?;
    let listed = reply.get();
    let resource = |note: &crate::ops::list::ListedNote| {
        Resource::new(vault.address_of(&note.path), escape::line(&note.path))
            .with_title(escape::label(&note.title))
            .with_mime_type(MARKDOWN)
    };
    let mut page = ListResourcesResult::with_all_items(listed.notes.iter().map(resource).collect());
    page.next_cursor = match (&listed.next_cursor, vault.name()) {
        (Some(next), Some(name)) => Some(format!("{name}/{next}")),
        (Some(next), None) => Some(next.clone()),
        (None, _) => after.map(|name| format!("{name}/")),
    };
    Ok(page)
}

/// The vault and the path that an address leads to.
pub(super) fn at<O>(vaults: &Vaults<O>, address: &str) -> Result<(Chosen<O>, String), ErrorData> {
    let (name, path) = vaults.address(address).ok_or_else(not_found)?;
    Ok((vaults.named(name).ok_or_else(not_found)?, path))
}

/// The text of the note at a path.
pub(super) fn read<O: Operations>(
    vault: &Chosen<O>,
    path: String,
    account: &Account,
    caller: &Caller<'_>,
) -> Result<ReadResourceResult, ErrorData> {
    let request =
        ReadRequest { name: path, naming: Naming::Path, max_bytes: MAX_TEXT_BYTES, ..ReadRequest::default() };
    let operations = vault.operations(account).map_err(failed)?;
    let reply = operations.read(&request, caller).map_err(failed)?;
    let note = reply.get();
    if note.next_line.is_some() || note.line_cut {
        let message = "the note is too long to be given as a whole; read it in parts with read_note";
        return Err(ErrorData::invalid_params(message, None));
    }
    let quoting = Quoting::new().map_err(failed)?;
    let text = text::whole(note, &quoting) + &quoting.hidden_line();
    let contents = ResourceContents::text(text, vault.address_of(&note.path)).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Those of the wanted notifications that are sent here: addresses are taken by their form.
pub(super) fn accepted<O>(vaults: &Vaults<O>, wanted: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = SubscriptionFilter::new();
    accepted.resources_list_changed = wanted.resources_list_changed;
    accepted.resource_subscriptions = wanted.resource_subscriptions.as_ref().map(|addresses| {
        addresses.iter().filter(|address| vaults.address(address).is_some()).cloned().collect()
    });
    accepted
}

fn not_found() -> ErrorData {
    ErrorData::resource_not_found("resource not found", None)
}

fn failed(error: OpError) -> ErrorData {
    match error {
        OpError::NotFound => not_found(),
        OpError::InvalidArgument(message) => ErrorData::invalid_params(message, None),
        other => answer::failed(other).into(),
    }
}
