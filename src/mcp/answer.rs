//! A request -> the result of its tool: structured content for programs, and beside it a text for
//! clients that show nothing else. Failures are results too, with a text that is safe to show and
//! nothing besides.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use super::operations::{Operations, Outcome};
use super::requests::Request;
use super::text;
use crate::failpoint::{self, Failpoint};
use crate::ops::links::{Direction, LinksRequest};
use crate::ops::{Caller, OpError};

/// The answer to a request.
pub(super) fn to(request: &Request, operations: &impl Operations, caller: &Caller<'_>) -> CallToolResult {
    let outcome = match request {
        Request::Search(request) => answered(operations.search(request, caller), text::search),
        Request::Read(request) => answered(operations.read(request, caller), text::read),
        Request::List(request) => answered(operations.list(request, caller), text::list),
        Request::Tags(request) => answered(operations.tags(request, caller), text::tags),
        Request::Links(request) => links(request, operations, caller),
        Request::Status => answered(operations.status(caller), text::status),
        Request::Reindex(request) => answered(operations.reindex(request, caller), text::reindex),
    };
    let mut result = outcome.unwrap_or_else(|error| failed(&error));
    if failpoint::is_on(Failpoint::EchoNames) && result.is_error == Some(true) {
        result.content.push(ContentBlock::text(format!("{request:?}")));
    }
    result
}

/// What a client that asks too often is told.
pub(super) const TOO_MANY_CALLS: &str = "too many calls: wait a second, then ask again";

/// The answer of a client that asks too often.
pub(super) fn too_many_calls() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(TOO_MANY_CALLS)])
}

/// Only the directions that were asked for: an empty list would say that there are no such links.
fn links(
    request: &LinksRequest,
    operations: &impl Operations,
    caller: &Caller<'_>,
) -> Result<CallToolResult, OpError> {
    let direction = request.direction;
    let mut result = answered(operations.links(request, caller), |answer| text::links(answer, direction))?;
    let unasked: &[&str] = match direction {
        Direction::Both => &[],
        Direction::Outgoing => &["backlinks"],
        Direction::Backlinks => &["outgoing", "unresolved"],
    };
    if let Some(Value::Object(fields)) = &mut result.structured_content {
        fields.retain(|name, _| !unasked.contains(&name.as_str()));
    }
    Ok(result)
}

fn answered<T: Serialize>(
    outcome: Outcome<T>,
    text_of: impl FnOnce(&T) -> String,
) -> Result<CallToolResult, OpError> {
    let reply = outcome?;
    let mut result = CallToolResult::structured(structured(reply.get())?);
    result.content = vec![ContentBlock::text(text_of(reply.get()))];
    Ok(result)
}

/// The fields of an answer, without those that hold nothing: see the output schemas.
fn structured(answer: &impl Serialize) -> Result<Value, OpError> {
    let mut value = serde_json::to_value(answer).map_err(|error| OpError::Unavailable {
        client: "the answer could not be written",
        log: error.to_string(),
    })?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    Ok(value)
}

fn failed(error: &OpError) -> CallToolResult {
    log(error);
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

/// An outage is the owner's business, too.
pub(super) fn log(error: &OpError) {
    if let OpError::Unavailable { client, log } = error {
        tracing::warn!("{client}");
        // The whole story may name files of the owner: only for those who ask for it.
        tracing::debug!("{log}");
    }
}
