//! JSON over HTTP to a server that runs models: one request, one answer, within a time.
//!
//! Invariant: nothing that the server says gets into an error, as it may repeat what it was sent; no redirect
//! is followed and no proxy asked, so that texts go to the configured host or nowhere.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::Agent;

use super::EmbedError;

/// After the server was not there, queries are refused without asking it for so long.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// Before the second and the third try of what may wait.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(1)];

/// A text is not sent again this long after it was judged: by now its note may be private.
const MAY_BE_SENT_AGAIN: Duration = Duration::from_millis(1_500);

/// Asked before each request: may texts still be sent to this server?
pub type IsAllowed = Arc<dyn Fn() -> bool + Send + Sync>;

/// How long an answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Somebody waits for a search: 5 seconds, one try.
    Query,
    /// An index run: 60 seconds, three tries where another may help.
    Batch,
}

impl Patience {
    fn limit(self) -> Duration {
        match self {
            Patience::Query => Duration::from_secs(5),
            Patience::Batch => Duration::from_mins(1),
        }
    }

    /// More is not read of an answer: a vector takes tens of kilobytes.
    fn most_bytes(self) -> u64 {
        match self {
            Patience::Query => 1 << 20,
            Patience::Batch => 16 << 20,
        }
    }
}

/// A server that runs models.
pub(super) struct Endpoint {
    agent: Agent,
    base_url: String,
    authorization: Option<String>,
    is_allowed: IsAllowed,
    failed_at: Mutex<Option<Instant>>,
}

impl Endpoint {
    /// Asks nothing yet. `key` is sent as a bearer token.
    pub(super) fn new(base_url: &str, key: Option<&str>, is_allowed: IsAllowed) -> Self {
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(5)))
            .user_agent(concat!("obsearch/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: config.into(),
            base_url: base_url.trim_end_matches('/').to_owned(),
            authorization: key.map(|key| format!("Bearer {key}")),
            is_allowed,
            failed_at: Mutex::new(None),
        }
    }

    /// Sends a JSON object and gives the answer's.
    pub(super) fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        patience: Patience,
    ) -> Result<T, EmbedError> {
        if !(self.is_allowed)() {
            return Err(self.error("is not asked: the configuration no longer says so; start obsearch again"));
        }
        let began = Instant::now();
        if patience == Patience::Query && self.is_resting() {
            return Err(self.error("did not answer a moment ago"));
        }
        let mut pauses = PAUSES.iter().filter(|_| patience == Patience::Batch);
        loop {
            let failure = match self.try_once(path, body, patience) {
                Ok(answer) => {
                    self.note(None);
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            // What was sent was judged when the first try began.
            let is_fresh = began.elapsed() < MAY_BE_SENT_AGAIN;
            let Some(pause) = pauses.next().filter(|_| failure.may_pass && is_fresh) else {
                self.note(failure.is_absence.then(Instant::now));
                return Err(self.error(&failure.reason));
            };
            std::thread::sleep(*pause);
        }
    }

    fn try_once<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        patience: Patience,
    ) -> Result<T, Failure> {
        let mut request = self
            .agent
            .post(format!("{}{path}", self.base_url))
            .content_type("application/json")
            .config()
            .timeout_global(Some(patience.limit()))
            .build();
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let mut response = request.send(body.to_string()).map_err(|error| Failure::of_transport(&error))?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(Failure::of_status(status));
        }
        let text = response
            .body_mut()
            .with_config()
            .limit(patience.most_bytes())
            .read_to_string()
            .map_err(|error| Failure::of_transport(&error))?;
        serde_json::from_str(&text).map_err(|_| Failure::lasting("answered something else than asked for"))
    }

    fn is_resting(&self) -> bool {
        let failed_at = self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        failed_at.is_some_and(|at| at.elapsed() < REST_AFTER_FAILURE)
    }

    fn note(&self, failed_at: Option<Instant>) {
        *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner) = failed_at;
    }

    /// An error that names this server.
    pub(super) fn error(&self, reason: &str) -> EmbedError {
        EmbedError::Endpoint { base_url: self.base_url.clone(), reason: reason.to_owned() }
    }
}

/// Why there is no answer.
struct Failure {
    reason: String,
    /// Another try may help.
    may_pass: bool,
    /// The server is not there, as against being there and refusing.
    is_absence: bool,
}

impl Failure {
    fn lasting(reason: &str) -> Failure {
        Failure { reason: reason.to_owned(), may_pass: false, is_absence: false }
    }

    fn of_transport(error: &ureq::Error) -> Failure {
        let (reason, may_pass) = match error {
            ureq::Error::Timeout(_) => ("did not answer in time", false),
            ureq::Error::HostNotFound => ("has a host name that is not known", false),
            ureq::Error::BodyExceedsLimit(_) => ("answered far more than was asked for", false),
            ureq::Error::Tls(_) | ureq::Error::Rustls(_) => ("could not show who it is", false),
            _ => ("cannot be reached; see whether it runs", true),
        };
        Failure { reason: reason.to_owned(), may_pass, is_absence: true }
    }

    fn of_status(status: u16) -> Failure {
        let reason = match status {
            401 | 403 => "refused the key".to_owned(),
            404 => "does not have the model, or not at this address".to_owned(),
            429 => "has had too many requests".to_owned(),
            300..=399 => "wants to send the request elsewhere, which is not done".to_owned(),
            _ => format!("answered with status {status}"),
        };
        Failure { reason, may_pass: status == 429 || status >= 500, is_absence: false }
    }
}
