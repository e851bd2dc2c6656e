//! A request -> the arguments of its tool, as MCP would have them. Whether they make sense is the tool's
//! business; here only the form is read.

use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use super::{Input, Route};
use crate::mcp::{Described, MAX_BODY_BYTES};

/// The request has not the form that its route wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misfit {
    #[error("the body must be JSON, with Content-Type: application/json")]
    ContentType,
    #[error("the body must be a JSON object")]
    Body,
    #[error("the query is not percent-encoded UTF-8")]
    Encoding,
    #[error("arguments go into the body, not into the query")]
    QueryBesideBody,
    #[error("the query has a parameter that this route does not know")]
    UnknownParameter,
    #[error("`{0}` is decided by the path: leave it out")]
    Decided(&'static str),
}

impl Misfit {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Misfit::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Misfit::Body | Misfit::Encoding => StatusCode::BAD_REQUEST,
            Misfit::QueryBesideBody | Misfit::UnknownParameter | Misfit::Decided(_) => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
        }
    }
}

/// The arguments that a request holds; `vault` is a parameter of every route where there are several vaults.
pub(super) async fn of(
    route: &Route,
    vault: Option<Described>,
    request: Request,
) -> Result<Map<String, Value>, Misfit> {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    match &route.input {
        Input::Query(known) => from_query(query, route, known, vault),
        Input::Body { .. } if !query.is_empty() => Err(Misfit::QueryBesideBody),
        Input::Body { decided } => {
            let body = axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| Misfit::Body)?;
            with_decided(from_body(&head.headers, &body)?, *decided)
        }
    }
}

/// No body is the same as an empty object.
fn from_body(headers: &HeaderMap, body: &[u8]) -> Result<Map<String, Value>, Misfit> {
    let content_type = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    match content_type {
        None if body.is_empty() => Ok(Map::new()),
        Some(content_type) if is_json(content_type) => match body {
            [] => Ok(Map::new()),
            body => serde_json::from_slice(body).map_err(|_| Misfit::Body),
        },
        _ => Err(Misfit::ContentType),
    }
}

/// `application/json`, whatever parameters follow.
fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

fn with_decided(
    mut arguments: Map<String, Value>,
    decided: Option<(&'static str, &'static str)>,
) -> Result<Map<String, Value>, Misfit> {
    if let Some((name, value)) = decided
        && arguments.insert(name.to_owned(), value.into()).is_some()
    {
        return Err(Misfit::Decided(name));
    }
    Ok(arguments)
}

fn from_query(
    query: &str,
    route: &Route,
    known: &[&str],
    vault: Option<Described>,
) -> Result<Map<String, Value>, Misfit> {
    let pairs = pairs(query).ok_or(Misfit::Encoding)?;
    let is_known =
        |name: &str| known.contains(&name) || vault.as_ref().is_some_and(|vault| vault.name == name);
    if pairs.iter().any(|(name, _)| !is_known(name)) {
        return Err(Misfit::UnknownParameter);
    }
    let mut arguments = Map::new();
    for parameter in vault.into_iter().chain(route.tool.described()) {
        let given = pairs.iter().filter(|(name, _)| name == parameter.name).map(|(_, text)| text.as_str());
        let kind = parameter.schema["type"].as_str().unwrap_or_default();
        if let Some(value) = value(kind, &given.collect::<Vec<_>>()) {
            arguments.insert(parameter.name.to_owned(), value);
        }
    }
    Ok(arguments)
}

/// The texts of a parameter as a value of its type. What cannot be one stays what it is, and its check
/// says what is wrong: so does a list where one value is wanted.
fn value(kind: &str, given: &[&str]) -> Option<Value> {
    match (kind, given) {
        (_, []) => None,
        ("array", texts) => Some(texts.iter().copied().collect()),
        (_, [text]) => Some(scalar(kind, text)),
        (_, texts) => Some(texts.iter().copied().collect()),
    }
}

fn scalar(kind: &str, text: &str) -> Value {
    match kind {
        "integer" => text.parse::<u64>().map_or_else(|_| text.into(), Value::from),
        "boolean" => text.parse::<bool>().map_or_else(|_| text.into(), Value::from),
        _ => text.into(),
    }
}

/// `a=1&b=x+y` -> names and values; none if they cannot be decoded.
pub(in crate::http) fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        })
        .collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => hexadecimal(rest.next()?)? << 4 | hexadecimal(rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded_or_refused() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let table = [
            ("", Some(vec![])),
            ("&&", Some(vec![])),
            ("path=A%2FB.md", Some(vec![pair("path", "A/B.md")])),
            ("path=a+b%2Bc&path", Some(vec![pair("path", "a b+c"), pair("path", "")])),
            ("p%61th=%C3%A9=%3D", Some(vec![pair("path", "é==")])),
            ("path=%", None),
            ("path=%4", None),
            ("path=%+1", None),
            ("path=%FF", None),
            ("%C3=x", None),
        ];
        for (query, expected) in table {
            assert_eq!(pairs(query), expected, "{query}");
        }
    }

    #[test]
    fn values_have_the_type_of_their_parameter_where_they_can() {
        let table: [(&str, &[&str], &str); 11] = [
            ("string", &["8"], r#""8""#),
            ("string", &["a", "b"], r#"["a","b"]"#),
            ("integer", &["8"], "8"),
            ("integer", &["-8"], r#""-8""#),
            ("integer", &["8.5"], r#""8.5""#),
            ("integer", &["8", "9"], r#"["8","9"]"#),
            ("boolean", &["true"], "true"),
            ("boolean", &["True"], r#""True""#),
            ("boolean", &["1"], r#""1""#),
            ("array", &["a"], r#"["a"]"#),
            ("array", &["a", "b"], r#"["a","b"]"#),
        ];
        for (kind, given, expected) in table {
            assert_eq!(
                value(kind, given).map(|value| value.to_string()).as_deref(),
                Some(expected),
                "{kind}"
            );
        }
        assert_eq!(value("string", &[]), None);
    }

    #[test]
    fn bodies_are_objects_of_json_that_say_so() {
        let read = |content_type: Option<&str>, body: &str| {
            let headers = content_type.map(|value| (CONTENT_TYPE, value.parse().unwrap()));
            from_body(&headers.into_iter().collect(), body.as_bytes()).map(|read| read.len())
        };
        let json = Some("application/json");
        let table = [
            (json, r#"{"query":"x"}"#, Ok(1)),
            (json, "", Ok(0)),
            (None, "", Ok(0)),
            (Some("Application/JSON; charset=utf-8"), "{}", Ok(0)),
            (None, "{}", Err(Misfit::ContentType)),
            (Some("text/plain"), "{}", Err(Misfit::ContentType)),
            (Some("text/plain"), "", Err(Misfit::ContentType)),
            (Some("application/json-seq"), "{}", Err(Misfit::ContentType)),
            (json, "[]", Err(Misfit::Body)),
            (json, "null", Err(Misfit::Body)),
            (json, "{", Err(Misfit::Body)),
            (json, r#"{"a":"\ud800"}"#, Err(Misfit::Body)),
        ];
        for (content_type, body, expected) in table {
            assert_eq!(read(content_type, body), expected, "{content_type:?} {body}");
        }
    }
}
