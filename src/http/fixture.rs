//! Puts a test's own MCP server where the vault's stands: on the same listener, behind the same door and limits,
//! with the same HTTP side of rmcp, at `/mcp`. Compiled in with the feature `fixture` only, which no release
//! has. It knows no vault.

#[cfg(not(debug_assertions))]
compile_error!("the feature `fixture` is for tests only");

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::routing::any;

use super::door::Tokens;
use super::{HttpError, Listening, Place, Reach, routes, until_told_to_end};
use crate::mcp::{ServerHandler, Streamable};
use crate::vault::Profile;

/// Serves on any free port of this machine, without a token, until the process is told to end.
pub fn serve_fixture<H: ServerHandler>(handler: H, announce: impl FnOnce(&Reach)) -> Result<(), HttpError> {
    let listening = Listening {
        place: Place::Tcp { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0 },
        allowed_hosts: Vec::new(),
        tokens: Arc::new(NoTokens),
        needs_token: false,
    };
    let server = Streamable::of_fixture(handler);
    let answer = move |request: Request| {
        let server = server.clone();
        async move { server.answer(request).await.map(Body::new) }
    };
    let router = |door| routes::behind(door, Router::new().route("/mcp", any(answer)));
    until_told_to_end(listening, router, |address, listening| {
        announce(&Reach::new(address, &listening.place, false, listening.needs_token));
    })
}

/// No token is known.
struct NoTokens;

impl Tokens for NoTokens {
    fn profile_of(&self, _token: &str) -> Option<Profile> {
        None
    }
}
