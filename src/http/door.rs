//! Who may ask, decided from the head of a request alone, before a byte of its body is read: the right
//! Host, no foreign Origin, no page behind it, a token where one is needed. Pure; it knows nothing of sockets.
//!
//! Host and Origin keep a web page in the owner's browser out (DNS rebinding, cross-site requests); the
//! token keeps other programs and other machines out. A token says for which profile it is, and no
//! client can ask for more.

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode, Uri};

use crate::vault::Profile;

/// Knows the tokens, as they are at this moment.
pub trait Tokens: Send + Sync {
    /// The profile of a token; none for one that is not known. Takes the same time for all of them.
    fn profile_of(&self, token: &str) -> Option<Profile>;
}

/// Names under which programs on the same machine and in its containers reach it.
const LOCAL_NAMES: [&str; 4] = ["127.0.0.1", "localhost", "[::1]", "host.docker.internal"];
/// Pages that a program on this machine may have served itself, on this very port.
const LOCAL_ORIGINS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// From where a browser was made to send a request.
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// What a request needs to be let in.
pub(super) struct Door {
    /// `host:port`, in lower case; none where names mean nothing, as on a Unix socket.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
    /// What a request without a token gets; none if it gets nothing.
    without_token: Option<Profile>,
    tokens: std::sync::Arc<dyn Tokens>,
}

/// Whether requests need a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Authorization {
    /// Without one there is no answer.
    Required,
    /// Without one there is the public profile.
    Optional,
}

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The wrong Host or Origin, or a page of another origin.
    Forbidden,
    /// No token, or a wrong one.
    Unauthorized,
}

impl Refused {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Refused::Forbidden => StatusCode::FORBIDDEN,
            Refused::Unauthorized => StatusCode::UNAUTHORIZED,
        }
    }
}

impl Door {
    /// The door of a server on this port. `more_hosts` are `host:port`.
    pub(super) fn on_port(
        port: u16,
        more_hosts: &[String],
        without_token: Option<Profile>,
        tokens: std::sync::Arc<dyn Tokens>,
    ) -> Door {
        let at_port = |name: &str| format!("{name}:{port}");
        let mut hosts: Vec<String> = LOCAL_NAMES.iter().map(|name| at_port(name)).collect();
        // A client leaves out the port that its scheme implies.
        if port == 80 {
            hosts.extend(LOCAL_NAMES.map(str::to_owned));
        }
        hosts.extend(more_hosts.iter().map(|host| host.to_ascii_lowercase()));
        let origins = LOCAL_ORIGINS.iter().map(|name| format!("http://{}", at_port(name))).collect();
        Door { hosts: Some(hosts), origins, without_token, tokens }
    }

    /// The door of a server on a Unix socket: no browser speaks to one.
    pub(super) fn on_socket(without_token: Option<Profile>, tokens: std::sync::Arc<dyn Tokens>) -> Door {
        Door { hosts: None, origins: Vec::new(), without_token, tokens }
    }

    pub(super) fn authorization(&self) -> Authorization {
        match self.without_token {
            Some(_) => Authorization::Optional,
            None => Authorization::Required,
        }
    }

    /// The profile that the request may ask for.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<Profile, Refused> {
        self.check_sender(uri, headers)?;
        let mut authorizations = headers.get_all(AUTHORIZATION).iter();
        match (authorizations.next(), authorizations.next()) {
            (None, _) => self.without_token.ok_or(Refused::Unauthorized),
            // A wrong token is refused even where none is needed: its sender means to have one.
            (Some(one), None) => {
                let token = one.to_str().ok().and_then(bearer);
                token.and_then(|token| self.tokens.profile_of(token)).ok_or(Refused::Unauthorized)
            }
            (Some(_), Some(_)) => Err(Refused::Unauthorized),
        }
    }

    /// All but the token: for what everybody may have whom no foreign page sends.
    pub(super) fn check_sender(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refused> {
        let is_known = self.knows_host(uri, headers) && self.knows_origin(headers);
        if is_known && !comes_from_a_page(headers) { Ok(()) } else { Err(Refused::Forbidden) }
    }

    fn knows_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(hosts) = &self.hosts else { return true };
        let mut given = headers.get_all(HOST).iter();
        let (Some(host), None) = (given.next(), given.next()) else { return false };
        let is_known = |host: &str| hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        // The target of a request may name a host too; the two must not differ.
        let target = uri.authority().map(axum::http::uri::Authority::as_str);
        host.to_str()
            .is_ok_and(|host| is_known(host) && target.is_none_or(|target| target.eq_ignore_ascii_case(host)))
    }

    fn knows_origin(&self, headers: &HeaderMap) -> bool {
        let mut given = headers.get_all(ORIGIN).iter();
        match (given.next(), given.next()) {
            (None, _) => true,
            (Some(origin), None) => {
                origin.to_str().is_ok_and(|origin| self.origins.iter().any(|known| known == origin))
            }
            (Some(_), Some(_)) => false,
        }
    }
}

/// Did a page of another origin make a browser send it? Where a browser names no origin, as for images and forms,
/// it still says this (Fetch Metadata), and no page can leave it out. Programs do not say it.
fn comes_from_a_page(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    match (sites.next(), sites.next()) {
        (None, _) => false,
        (Some(site), None) => !["same-origin", "none"].iter().any(|known| site == known),
        (Some(_), Some(_)) => true,
    }
}

/// `Bearer x` -> `x`; the scheme in any case, one blank.
pub(super) fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

#[cfg(test)]
mod tests;
