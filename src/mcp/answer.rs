//! A request -> its answer: structured content for programs, and beside it a text for clients that show
//! nothing else. Below, the same as MCP has it: there, failures are results too, with a text and nothing
//! besides, unless the call itself made no sense.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value;

use super::escape::Quoting;
use super::failure::{CallError, Failure};
use super::operations::{Operations, Outcome};
use super::requests::Request;
use super::{output, text};
use crate::failpoint::{self, Failpoint};
use crate::ops::links::{Direction, LinksAnswer, LinksRequest};
use crate::ops::{Caller, OpError};

/// An answer in both forms.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) structured: Value,
    pub(super) text: String,
}

/// The answer to a request.
pub(super) fn to(
    request: &Request,
    operations: &impl Operations,
    caller: &Caller<'_>,
) -> Result<Answer, CallError> {
    let outcome = match request {
        Request::Search(request) => answered(operations.search(request, caller), text::search),
        Request::Pack(request) => answered(operations.pack(request, caller), text::pack),
        Request::Read(request) => answered(operations.read(request, caller), text::read),
        Request::ReadMany(request) => answered(operations.read_many(request, caller), text::read_many),
        Request::List(request) => answered(operations.list(request, caller), text::list),
        Request::Tags(request) => answered(operations.tags(request, caller), text::tags),
        Request::Links(request) => links(request, operations, caller),
        Request::Verify(request) => answered(operations.verify(request, caller), text::verify),
        Request::Similar(request) => answered(operations.similar(request, caller), text::similar),
        Request::Health(request) => answered(operations.health(request, caller), text::health),
        Request::Guide(request) => answered(operations.guide(request, caller), text::guide),
        Request::Status => answered(operations.status(caller), text::status),
        Request::Reindex(request) => answered(operations.reindex(request, caller), text::reindex),
    };
    outcome.map_err(|error| {
        let mut failed = failed(error);
        if failpoint::is_on(Failpoint::EchoNames) {
            failed.text = format!("{failed} {request:?}").into();
        }
        failed
    })
}

/// What a call gave, as MCP has it: a model can mend its own arguments, so what is wrong with them is a result.
pub(super) fn result(outcome: Result<Answer, CallError>) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(answer) => {
            let mut result = CallToolResult::structured(answer.structured);
            result.content = vec![ContentBlock::text(answer.text)];
            Ok(result)
        }
        Err(error) => match error.failure {
            Failure::UnknownTool | Failure::Cancelled | Failure::TooLate | Failure::Internal => {
                Err(error.into())
            }
            _ => Ok(CallToolResult::error(vec![ContentBlock::text(error.text)])),
        },
    }
}

impl From<CallError> for ErrorData {
    fn from(error: CallError) -> ErrorData {
        match error.failure {
            Failure::UnknownTool => ErrorData::invalid_params(error.text, None),
            _ => ErrorData::internal_error(error.text, None),
        }
    }
}

/// Only the directions that were asked for: an empty list would say that there are no such links.
fn links(
    request: &LinksRequest,
    operations: &impl Operations,
    caller: &Caller<'_>,
) -> Result<Answer, OpError> {
    let direction = request.direction;
    let text_of = |answer: &LinksAnswer, quoting: &Quoting| text::links(answer, direction, quoting);
    let mut answer = answered(operations.links(request, caller), text_of)?;
    let unasked: &[&str] = match direction {
        Direction::Both => &[],
        Direction::Outgoing => &["backlinks"],
        Direction::Backlinks => &["outgoing", "unresolved"],
    };
    if let Value::Object(fields) = &mut answer.structured {
        fields.retain(|name, _| !unasked.contains(&name.as_str()));
    }
    Ok(answer)
}

fn answered<T: Serialize>(
    outcome: Outcome<T>,
    text_of: impl FnOnce(&T, &Quoting) -> String,
) -> Result<Answer, OpError> {
    let reply = outcome?;
    let quoting = Quoting::new()?;
    let text = text_of(reply.get(), &quoting) + &quoting.hidden_line();
    Ok(Answer { structured: structured(reply.get(), quoting.hidden())?, text })
}

/// The fields of an answer, without those that hold nothing: see the output schemas. The texts are as the notes
/// have them, so how many characters nobody would see in them is told beside.
fn structured(answer: &impl Serialize, hidden: usize) -> Result<Value, OpError> {
    let mut value = serde_json::to_value(answer).map_err(|error| OpError::Unavailable {
        client: "the answer could not be written",
        log: error.to_string(),
    })?;
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
        if hidden > 0 {
            fields.insert(output::HIDDEN_CHARACTERS.to_owned(), hidden.into());
        }
    }
    Ok(value)
}

/// An outage is the owner's business, too.
pub(super) fn failed(error: OpError) -> CallError {
    if let OpError::Unavailable { client, log } = &error {
        tracing::warn!("{client}");
        // The whole story may name files of the owner: only for those who ask for it.
        tracing::debug!("{log}");
    }
    error.into()
}
