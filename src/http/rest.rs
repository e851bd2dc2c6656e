//! REST, for those who do not speak MCP. A route is another name for a tool: its JSON body, or its query, is
//! the tool's arguments, and the structured content of the tool's answer is the answer.
//!
//! Invariant: a route adds nothing to its tool and passes the same checks, limits and wall. It knows nothing
//! of notes, and cannot tell one that is private from one that is not there.

mod arguments;
mod openapi;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, get, on};

pub(super) use arguments::pairs;

use super::door::{Authorization, Refused};
use super::response::{said, turned_away, with_json, written};
use super::routes::Endpoints;
use crate::mcp::{CallError, Endpoint, Failure, Operations, ReindexAccess, ToolName};

/// A path and a method that stand for a tool.
struct Route {
    path: &'static str,
    tool: ToolName,
    input: Input,
    /// A few words, where the tool's own do not say it.
    summary: Option<&'static str>,
    /// Arguments to show, all of them text.
    example: &'static [(&'static str, &'static str)],
}

/// Where arguments come from.
enum Input {
    /// GET, with these parameters of the tool in the query.
    Query(&'static [&'static str]),
    /// POST, with all of them in a JSON object, but for one that the path decides.
    Body { decided: Option<(&'static str, &'static str)> },
}

const BODY: Input = Input::Body { decided: None };
const QUESTION: &[(&str, &str)] = &[("query", "how long must the coating dry")];
const NOTE: &[(&str, &str)] = &[("path", "Home.md")];

const ROUTES: &[Route] = &[
    Route { path: "/search", tool: ToolName::SearchVault, input: BODY, summary: None, example: QUESTION },
    Route {
        path: "/search_hybrid",
        tool: ToolName::SearchVault,
        input: Input::Body { decided: Some(("mode", "hybrid")) },
        summary: Some("Search notes by words and meaning"),
        example: QUESTION,
    },
    Route {
        path: "/search_semantic",
        tool: ToolName::SearchVault,
        input: Input::Body { decided: Some(("mode", "semantic")) },
        summary: Some("Search notes by meaning"),
        example: QUESTION,
    },
    Route {
        path: "/search_keyword",
        tool: ToolName::SearchVault,
        input: Input::Body { decided: Some(("mode", "keyword")) },
        summary: Some("Search notes by words"),
        example: &[("query", "\"exact phrase\"")],
    },
    Route {
        path: "/context_pack",
        tool: ToolName::ContextPack,
        input: BODY,
        summary: None,
        example: &[("question", "how long must the coating dry")],
    },
    Route {
        path: "/get_full_note",
        tool: ToolName::ReadNote,
        input: Input::Query(&["path", "section", "offset", "limit", "max_bytes"]),
        summary: None,
        example: NOTE,
    },
    Route { path: "/get_full_note", tool: ToolName::ReadNote, input: BODY, summary: None, example: NOTE },
    Route {
        path: "/list_notes",
        tool: ToolName::ListNotes,
        input: Input::Query(&[
            "folder",
            "tags",
            "where",
            "since",
            "until",
            "sort",
            "cursor",
            "limit",
            "folders_only",
        ]),
        summary: None,
        example: &[],
    },
    Route { path: "/list_notes", tool: ToolName::ListNotes, input: BODY, summary: None, example: &[] },
    Route {
        path: "/list_topics",
        tool: ToolName::ListTags,
        input: Input::Query(&["prefix"]),
        summary: Some("List topics: the tags in use"),
        example: &[],
    },
    Route {
        path: "/list_topics",
        tool: ToolName::ListTags,
        input: BODY,
        summary: Some("List topics: the tags in use"),
        example: &[],
    },
    Route {
        path: "/note_links",
        tool: ToolName::NoteLinks,
        input: Input::Query(&["path", "direction", "depth", "to"]),
        summary: None,
        example: NOTE,
    },
    Route { path: "/note_links", tool: ToolName::NoteLinks, input: BODY, summary: None, example: NOTE },
    Route {
        path: "/verify_citation",
        tool: ToolName::VerifyCitation,
        input: BODY,
        summary: None,
        example: &[],
    },
    Route { path: "/find_similar", tool: ToolName::FindSimilar, input: BODY, summary: None, example: NOTE },
    Route {
        path: "/vault_health",
        tool: ToolName::VaultHealth,
        input: Input::Query(&["checks", "cursor", "limit"]),
        summary: None,
        example: &[],
    },
    Route { path: "/vault_health", tool: ToolName::VaultHealth, input: BODY, summary: None, example: &[] },
    Route {
        path: "/vault_guide",
        tool: ToolName::VaultGuide,
        input: Input::Query(&["max_bytes"]),
        summary: None,
        example: &[],
    },
    Route { path: "/vault_guide", tool: ToolName::VaultGuide, input: BODY, summary: None, example: &[] },
    Route {
        path: "/status",
        tool: ToolName::IndexStatus,
        input: Input::Query(&[]),
        summary: None,
        example: &[],
    },
    Route { path: "/index", tool: ToolName::ReindexVault, input: BODY, summary: None, example: &[] },
];

/// The routes of the tools that exist under this configuration.
fn offered(reindex: ReindexAccess) -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(move |route| ToolName::offered(reindex).any(|tool| tool == route.tool))
}

/// Adds these routes, and the document that describes them. What is said of vaults is that of `public`.
pub(super) fn add_routes<O: Operations>(
    router: Router<Endpoints<O>>,
    public: &Endpoint<O>,
    reindex: ReindexAccess,
    authorization: Authorization,
) -> Router<Endpoints<O>> {
    let document: Arc<str> =
        openapi::document(public.vault_parameter().as_ref(), offered(reindex), authorization)
            .to_string()
            .into();
    let document = move || std::future::ready(written(document.to_string()));
    offered(reindex).fold(router.route("/openapi.json", get(document)), |router, route| {
        let method = match route.input {
            Input::Query(_) => MethodFilter::GET,
            Input::Body { .. } => MethodFilter::POST,
        };
        let answer = move |State(endpoints), request| answer(route, endpoints, request);
        router.route(route.path, on(method, answer))
    })
}

async fn answer<O: Operations>(route: &'static Route, endpoints: Endpoints<O>, request: Request) -> Response {
    let Some(endpoint) = endpoints.of(&request) else { return turned_away(Refused::Unauthorized) };
    let arguments = match arguments::of(route, endpoint.vault_parameter(), request).await {
        Ok(arguments) => arguments,
        Err(misfit) => return said(misfit.status(), &misfit.to_string()),
    };
    match endpoint.call(route.tool, arguments).await {
        Ok(answer) => with_json(StatusCode::OK, &answer),
        Err(error) => failed(&error),
    }
}

fn failed(error: &CallError) -> Response {
    let status = status(error.failure);
    let mut response = said(status, &error.text);
    if status == StatusCode::TOO_MANY_REQUESTS {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

fn status(failure: Failure) -> StatusCode {
    match failure {
        Failure::BadArguments => StatusCode::UNPROCESSABLE_ENTITY,
        Failure::UnknownTool | Failure::NotFound | Failure::NothingSuch => StatusCode::NOT_FOUND,
        Failure::NotAllowed => StatusCode::FORBIDDEN,
        Failure::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Failure::TooManyCalls => StatusCode::TOO_MANY_REQUESTS,
        Failure::TooLate => StatusCode::GATEWAY_TIMEOUT,
        Failure::Cancelled | Failure::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests;
