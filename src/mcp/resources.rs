//! Notes as resources: listed page by page, read by address, watched for changes. An address is judged by its
//! form alone before the vault is asked; what cannot be read looks the same whatever the reason.

use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, SubscriptionFilter,
};

use super::escape::Quoting;
use super::operations::Operations;
use super::{answer, escape, text, uri};
use crate::ops::list::ListRequest;
use crate::ops::read::{Naming, ReadRequest};
use crate::ops::{Caller, OpError};

/// Notes on a page.
const PAGE: usize = 200;
/// A longer note is not given as one piece.
const MAX_TEXT_BYTES: usize = 1024 * 1024;
const MARKDOWN: &str = "text/markdown";

/// The one template.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(uri::TEMPLATE, "note")
        .with_title("A note")
        .with_description("The whole text of a note in a fence, by its path, such as Projects/Boat.md.")
        .with_mime_type(MARKDOWN)
}

/// A page of the notes.
pub(super) fn page(
    operations: &impl Operations,
    cursor: Option<String>,
    caller: &Caller<'_>,
) -> Result<ListResourcesResult, ErrorData> {
    let request = ListRequest { cursor, limit: PAGE, ..ListRequest::default() };
    let reply = operations.list(&request, caller).map_err(failed)?;
    let listed = reply.get();
    let resource = |note: &crate::ops::list::ListedNote| {
        Resource::new(uri::of_path(&note.path), escape::line(&note.path))
            .with_title(escape::label(&note.title))
            .with_mime_type(MARKDOWN)
    };
    let mut page = ListResourcesResult::with_all_items(listed.notes.iter().map(resource).collect());
    page.next_cursor.clone_from(&listed.next_cursor);
    Ok(page)
}

/// The text of the note at an address, quoted as in the answer of a tool: clients hand it to a model as it is.
pub(super) fn read(
    operations: &impl Operations,
    address: &str,
    caller: &Caller<'_>,
) -> Result<ReadResourceResult, ErrorData> {
    let name = uri::path_in(address).ok_or_else(not_found)?;
    let request =
        ReadRequest { name, naming: Naming::Path, max_bytes: MAX_TEXT_BYTES, ..ReadRequest::default() };
    let reply = operations.read(&request, caller).map_err(failed)?;
    let note = reply.get();
    if note.next_line.is_some() || note.line_cut {
        let message = "the note is too long to be given as a whole; read it in parts with read_note";
        return Err(ErrorData::invalid_params(message, None));
    }
    let quoting = Quoting::new().map_err(failed)?;
    let text = text::whole(note, &quoting) + &quoting.hidden_line();
    let contents = ResourceContents::text(text, uri::of_path(&note.path)).with_mime_type(MARKDOWN);
    Ok(ReadResourceResult::new(vec![contents]))
}

/// Those of the wanted notifications that are sent here: addresses are taken by their form.
pub(super) fn accepted(wanted: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = SubscriptionFilter::new();
    accepted.resources_list_changed = wanted.resources_list_changed;
    accepted.resource_subscriptions = wanted.resource_subscriptions.as_ref().map(|addresses| {
        addresses.iter().filter(|address| uri::path_in(address).is_some()).cloned().collect()
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
