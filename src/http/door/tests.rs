//! The table of heads: Host, Origin and token against who is let in.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue, Uri};

use super::*;

struct Known;

impl Tokens for Known {
    fn profile_of(&self, token: &str) -> Option<Profile> {
        match token {
            "public-token" => Some(Profile::Public),
            "full-token" => Some(Profile::Full),
            _ => None,
        }
    }
}

fn check(door: &Door, target: &str, headers: &[(&str, &[u8])]) -> Result<Profile, Refused> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        map.append(name, HeaderValue::from_bytes(value).unwrap());
    }
    door.check(&target.parse::<Uri>().unwrap(), &map)
}

fn open_door() -> Door {
    Door::on_port(9000, &["Box.example:9000".to_owned()], Some(Profile::Public), Arc::new(Known))
}

fn locked_door() -> Door {
    Door::on_port(9000, &[], None, Arc::new(Known))
}

const FORBIDDEN: Result<Profile, Refused> = Err(Refused::Forbidden);
const UNAUTHORIZED: Result<Profile, Refused> = Err(Refused::Unauthorized);

#[test]
fn only_known_hosts_with_the_right_port_are_let_in() {
    let known = [
        "127.0.0.1:9000",
        "localhost:9000",
        "LocalHost:9000",
        "[::1]:9000",
        "host.docker.internal:9000",
        "box.example:9000",
    ];
    for host in known {
        assert_eq!(check(&open_door(), "/mcp", &[("host", host.as_bytes())]), Ok(Profile::Public), "{host}");
    }
    let unknown = [
        "127.0.0.1",
        "localhost",
        "127.0.0.1:9001",
        "127.0.0.1:90000",
        "localhost:80",
        "0.0.0.0:9000",
        "[::]:9000",
        "127.0.0.2:9000",
        "2130706433:9000",
        "127.1:9000",
        "evil.example:9000",
        "evil.example",
        "localhost.evil.example:9000",
        "localhost:9000.evil.example",
        "evil@localhost:9000",
        "localhost:9000@evil",
        " localhost:9000",
        "localhost:9000 ",
        "localhost:9000,evil",
        "::1:9000",
        "[::1]",
        "[::ffff:127.0.0.1]:9000",
        "",
        ":9000",
        "localhost:",
        "box.example",
        "localhost.:9000",
        "host.docker.internal",
        "xn--lcalhost-54a:9000",
    ];
    for host in unknown {
        let headers: &[(&str, &[u8])] = &[("host", host.as_bytes()), ("authorization", b"Bearer full-token")];
        assert_eq!(check(&open_door(), "/mcp", headers), FORBIDDEN, "{host:?}");
    }
    assert_eq!(check(&open_door(), "/mcp", &[]), FORBIDDEN, "none");
    assert_eq!(
        check(&open_door(), "/mcp", &[("host", b"localhost:9000"), ("host", b"localhost:9000")]),
        FORBIDDEN
    );
    assert_eq!(check(&open_door(), "/mcp", &[("host", b"localhost\xff:9000")]), FORBIDDEN);
    assert_eq!(
        check(&open_door(), "http://evil.example:9000/mcp", &[("host", b"localhost:9000")]),
        FORBIDDEN
    );
    assert_eq!(
        check(&open_door(), "http://localhost:9000/mcp", &[("host", b"localhost:9000")]),
        Ok(Profile::Public)
    );
}

#[test]
fn only_pages_of_this_very_port_are_let_in() {
    let host: (&str, &[u8]) = ("host", b"localhost:9000");
    for origin in ["http://127.0.0.1:9000", "http://localhost:9000", "http://[::1]:9000"] {
        assert_eq!(
            check(&open_door(), "/mcp", &[host, ("origin", origin.as_bytes())]),
            Ok(Profile::Public),
            "{origin}"
        );
    }
    let foreign: [&[u8]; 14] = [
        b"null",
        b"",
        b"http://localhost",
        b"http://localhost:9001",
        b"https://localhost:9000",
        b"http://LOCALHOST:9000",
        b"http://evil.example:9000",
        b"http://evil.example",
        b"http://localhost:9000.evil.example",
        b"http://localhost:9000/",
        b"localhost:9000",
        b"file://",
        b"http://host.docker.internal:9000",
        b"http://localhost\xff:9000",
    ];
    for origin in foreign {
        assert_eq!(check(&open_door(), "/mcp", &[host, ("origin", origin)]), FORBIDDEN, "{origin:?}");
    }
    let twice: (&str, &[u8]) = ("origin", b"http://localhost:9000");
    assert_eq!(check(&open_door(), "/mcp", &[host, twice, twice]), FORBIDDEN);
}

#[test]
fn a_token_gives_its_profile_and_a_wrong_one_gives_nothing() {
    let host: (&str, &[u8]) = ("host", b"localhost:9000");
    let table: [(&[u8], Result<Profile, Refused>); 14] = [
        (b"Bearer public-token", Ok(Profile::Public)),
        (b"Bearer full-token", Ok(Profile::Full)),
        (b"bearer full-token", Ok(Profile::Full)),
        (b"Bearer full-tokem", UNAUTHORIZED),
        (b"Bearer full-token ", UNAUTHORIZED),
        (b"Bearer  full-token", UNAUTHORIZED),
        (b"Bearer full-toke", UNAUTHORIZED),
        (b"Bearer FULL-TOKEN", UNAUTHORIZED),
        (b"Bearer", UNAUTHORIZED),
        (b"Bearer ", UNAUTHORIZED),
        (b"Basic full-token", UNAUTHORIZED),
        (b"full-token", UNAUTHORIZED),
        (b"", UNAUTHORIZED),
        (b"Bearer full-token\xff", UNAUTHORIZED),
    ];
    for (value, expected) in table {
        for door in [open_door(), locked_door()] {
            assert_eq!(check(&door, "/mcp", &[host, ("authorization", value)]), expected, "{value:?}");
        }
    }
    let token: (&str, &[u8]) = ("authorization", b"Bearer full-token");
    assert_eq!(check(&open_door(), "/mcp", &[host, token, token]), UNAUTHORIZED);
    assert_eq!(check(&open_door(), "/mcp", &[host]), Ok(Profile::Public));
    assert_eq!(check(&locked_door(), "/mcp", &[host]), UNAUTHORIZED);
    assert_eq!(check(&locked_door(), "/mcp?token=full-token", &[host]), UNAUTHORIZED);
}

#[test]
fn a_socket_has_no_hosts_and_no_pages() {
    let door = Door::on_socket(Some(Profile::Public), Arc::new(Known));
    assert_eq!(check(&door, "/mcp", &[("host", b"anything")]), Ok(Profile::Public));
    assert_eq!(check(&door, "/mcp", &[]), Ok(Profile::Public));
    assert_eq!(check(&door, "/mcp", &[("origin", b"http://localhost:9000")]), FORBIDDEN);
    assert_eq!(check(&door, "/mcp", &[("authorization", b"Bearer x")]), UNAUTHORIZED);
}

/// A browser says where a request comes from even where it names no origin.
#[test]
fn nothing_that_a_page_makes_a_browser_send_is_let_in() {
    let table: [(&[&[u8]], bool); 8] = [
        (&[], true),
        (&[b"none"], true),
        (&[b"same-origin"], true),
        (&[b"same-site"], false),
        (&[b"cross-site"], false),
        (&[b"Same-Origin"], false),
        (&[b""], false),
        (&[b"none", b"none"], false),
    ];
    for (sites, is_let_in) in table {
        let mut headers: Vec<(&str, &[u8])> = vec![("host", b"localhost:9000")];
        headers.extend(sites.iter().map(|site| ("sec-fetch-site", *site)));
        let expected = if is_let_in { Ok(Profile::Public) } else { FORBIDDEN };
        assert_eq!(check(&open_door(), "/get_full_note?path=Boat", &headers), expected, "{sites:?}");
    }
}
