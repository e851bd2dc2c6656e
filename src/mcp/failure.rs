//! Why a call has no answer. It knows nothing of the protocol that tells it.
//!
//! Invariant: the text is safe to show to any client. It is constant, or names the client's own argument.

use std::borrow::Cow;

use super::arguments::BadArguments;
use crate::ops::OpError;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// There is no tool of this name.
    UnknownTool,
    /// The arguments do not fit the parameters.
    BadArguments,
    /// There is no such note, or none for this client.
    NotFound,
    /// The arguments fit, and name something that is not there, such as a section of a note.
    NothingSuch,
    /// The owner's configuration does not allow it.
    NotAllowed,
    /// Something below is broken, or busy.
    Unavailable,
    /// The client asks too often.
    TooManyCalls,
    /// The client does not wait any longer.
    Cancelled,
    /// It takes too long.
    TooLate,
    /// A panic.
    Internal,
}

/// A failure with its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub(crate) struct CallError {
    pub(crate) failure: Failure,
    pub(crate) text: Cow<'static, str>,
}

impl CallError {
    pub(super) const UNKNOWN_TOOL: CallError =
        CallError::new(Failure::UnknownTool, "unknown tool: tools/list names those that there are");
    pub(super) const TOO_MANY_CALLS: CallError =
        CallError::new(Failure::TooManyCalls, "too many calls: wait a second, then ask again");
    pub(super) const CANCELLED: CallError = CallError::new(Failure::Cancelled, "cancelled");
    pub(super) const TOO_LATE: CallError = CallError::new(Failure::TooLate, "deadline exceeded");
    /// The whole answer to a panic.
    pub(super) const INTERNAL: CallError = CallError::new(Failure::Internal, "internal error");

    const fn new(failure: Failure, text: &'static str) -> CallError {
        CallError { failure, text: Cow::Borrowed(text) }
    }
}

impl From<BadArguments> for CallError {
    fn from(BadArguments(text): BadArguments) -> CallError {
        CallError { failure: Failure::BadArguments, text: Cow::Owned(text) }
    }
}

impl From<OpError> for CallError {
    fn from(error: OpError) -> CallError {
        let failure = match error {
            OpError::NotFound => Failure::NotFound,
            OpError::InvalidArgument(_) => Failure::NothingSuch,
            OpError::NotAllowed(_) => Failure::NotAllowed,
            OpError::Cancelled => Failure::Cancelled,
            OpError::Unavailable { .. } => Failure::Unavailable,
        };
        CallError { failure, text: Cow::Owned(error.to_string()) }
    }
}
