//! The HTTP transport of the first revisions of MCP, for clients that know no other: `GET /sse` opens a
//! stream whose first event says where messages go, `POST /messages` takes them one by one, and
//! answers come over the stream.
//!
//! Invariant: a message is heard only with the profile with which its stream was opened.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::BodyExt;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{StreamExt, once};

use super::door::Refused;
use super::response::{said, turned_away};
use super::routes::Endpoints;
use crate::mcp::{Conversation, Operations, Unheard};
use crate::vault::Profile;

/// Clients that are connected at once.
const MAX_SESSIONS: usize = 16;
/// A stream without news says that much, so that whoever has gone is noticed.
const ALIVE_EVERY: Duration = Duration::from_secs(15);
const ID_BYTES: usize = 16;
const ID_IN_QUERY: &str = "sessionId=";

/// Adds the two routes.
pub(super) fn add_routes<O: Operations>(router: Router<Endpoints<O>>) -> Router<Endpoints<O>> {
    let sessions = Arc::new(Sessions::default());
    let of_streams = Arc::clone(&sessions);
    router
        .route(
            "/sse",
            get(move |State(endpoints): State<Endpoints<O>>, request: Request| async move {
                open(&endpoints, of_streams, &request)
            }),
        )
        .route("/messages", post(move |request| hear(sessions, request)))
}

/// Who is connected, by the random name in the address for their messages.
#[derive(Default)]
struct Sessions(Mutex<HashMap<String, Session>>);

#[derive(Clone)]
struct Session {
    profile: Profile,
    conversation: Arc<Conversation>,
}

/// The place of a session, which is free again without it.
struct Stream {
    id: String,
    sessions: Arc<Sessions>,
}

impl Sessions {
    /// None if there are too many already.
    fn add(self: Arc<Self>, session: Session) -> Option<Stream> {
        let mut random = [0; ID_BYTES];
        getrandom::fill(&mut random).ok()?;
        let id = random.iter().fold(String::new(), |id, byte| format!("{id}{byte:02x}"));
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= MAX_SESSIONS {
            return None;
        }
        sessions.insert(id.clone(), session);
        drop(sessions);
        Some(Stream { id, sessions: self })
    }

    fn of(&self, id: &str, profile: Profile) -> Option<Session> {
        let sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(id).filter(|session| session.profile == profile).cloned()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.sessions.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

fn open<O: Operations>(endpoints: &Endpoints<O>, sessions: Arc<Sessions>, request: &Request) -> Response {
    let (Some(endpoint), Some(profile)) =
        (endpoints.of(request), request.extensions().get::<Profile>().copied())
    else {
        return turned_away(Refused::Unauthorized);
    };
    let (conversation, lines) = endpoint.converse();
    let ended = conversation.ended();
    let session = Session { profile, conversation: Arc::new(conversation) };
    let Some(stream) = sessions.add(session) else {
        return said(StatusCode::SERVICE_UNAVAILABLE, "too many clients are connected; try again");
    };
    let address = format!("/messages?{ID_IN_QUERY}{}", stream.id);
    // Whoever keeps the stream and does not read it keeps no place.
    let place = Stream { id: stream.id.clone(), sessions: Arc::clone(&stream.sessions) };
    tokio::spawn(async move {
        ended.await;
        drop(place);
    });
    let messages = ReceiverStream::new(lines).map(move |told| {
        let _is_open = &stream;
        Event::default().event("message").data(told.line)
    });
    let events = once(Event::default().event("endpoint").data(address)).chain(messages);
    Sse::new(events.map(Ok::<_, Infallible>))
        .keep_alive(KeepAlive::new().interval(ALIVE_EVERY))
        .into_response()
}

async fn hear(sessions: Arc<Sessions>, request: Request) -> Response {
    let profile = request.extensions().get::<Profile>().copied();
    let id = request.uri().query().and_then(|query| query.strip_prefix(ID_IN_QUERY));
    let session = id.zip(profile).and_then(|(id, profile)| sessions.of(id, profile));
    let Some(session) = session else {
        return said(StatusCode::NOT_FOUND, "no such session: open one with GET /sse");
    };
    let Ok(body) = request.into_body().collect().await else {
        return said(StatusCode::BAD_REQUEST, "the body could not be read");
    };
    match session.conversation.hear(&body.to_bytes()).await {
        Ok(()) => (StatusCode::ACCEPTED, "Accepted").into_response(),
        Err(Unheard::NoMessage) => said(StatusCode::BAD_REQUEST, "the body is no message of JSON-RPC"),
        Err(Unheard::TooMany) => {
            said(StatusCode::SERVICE_UNAVAILABLE, "too many requests at once; try again")
        }
        Err(Unheard::Over) => said(StatusCode::NOT_FOUND, "no such session: open one with GET /sse"),
    }
}
