//! Answers as JSON. What is not an answer is a status with one sentence, in the same shape on every route.

use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::door::Refused;

const JSON: (HeaderName, &str) = (CONTENT_TYPE, "application/json");

/// A value, written.
pub(super) fn with_json(status: StatusCode, value: &Value) -> Response {
    (status, [JSON], value.to_string()).into_response()
}

/// JSON that was written before.
pub(super) fn written(text: String) -> Response {
    ([JSON], text).into_response()
}

/// A status with a sentence.
pub(super) fn said(status: StatusCode, text: &str) -> Response {
    with_json(status, &json!({ "error": text }))
}

/// What somebody gets who is not let in.
pub(super) fn turned_away(refused: Refused) -> Response {
    let text = match refused {
        Refused::Forbidden => "this host or origin is not allowed",
        Refused::Unauthorized => {
            "a token is needed, as `Authorization: Bearer TOKEN`; the owner makes one with `obsearch token new NAME`"
        }
    };
    let mut response = said(refused.status(), text);
    if refused == Refused::Unauthorized {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
