//! Who can reach the server, in words: what the owner reads when it starts.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use super::Place;

/// Where a server listens and who can reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// A URL, or the path of a socket.
    pub place: String,
    who: &'static str,
    needs_token: bool,
}

impl Reach {
    pub(super) fn new(
        address: Option<SocketAddr>,
        place: &Place,
        with_sse: bool,
        needs_token: bool,
    ) -> Reach {
        let path = if with_sse { "sse" } else { "mcp" };
        match (address, place) {
            (Some(address), _) => {
                Reach { place: format!("http://{address}/{path}"), who: who(address.ip()), needs_token }
            }
            (None, Place::Socket(path)) => {
                let who =
                    "programs of your user on this machine, and containers into which the socket is mounted";
                Reach { place: path.display().to_string(), who, needs_token }
            }
            (None, Place::Tcp { .. }) => Reach { place: "nowhere".to_owned(), who: "nobody", needs_token },
        }
    }
}

fn who(address: IpAddr) -> &'static str {
    let is_private = match address {
        IpAddr::V4(address) => address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => address.is_unique_local() || address.is_unicast_link_local(),
    };
    if address.is_loopback() {
        "programs on this machine (and containers, where Docker Desktop passes them on)"
    } else if address.is_unspecified() {
        "every machine on every network this one is on, the local network and containers among them"
    } else if is_private {
        "the network of this address: containers if it is a bridge's, other machines if it is the local network's"
    } else {
        "whoever can reach this address, perhaps everybody"
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = if self.needs_token {
            "A token is needed."
        } else {
            "No token is needed; the public profile only."
        };
        write!(f, "Listening on {}. It can be reached by {}. {token}", self.place, self.who)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_address_says_who_can_reach_it() {
        let table = [
            ("127.0.0.1", "this machine"),
            ("::1", "this machine"),
            ("0.0.0.0", "every machine"),
            ("::", "every machine"),
            ("172.17.0.1", "bridge"),
            ("192.168.1.5", "bridge"),
            ("fd00::1", "bridge"),
            ("8.8.8.8", "perhaps everybody"),
        ];
        for (address, expected) in table {
            let address = SocketAddr::new(address.parse().unwrap(), 9000);
            let place = Place::Tcp { host: address.ip(), port: 9000 };
            let text = Reach::new(Some(address), &place, false, true).to_string();
            assert!(text.contains(expected) && text.ends_with("A token is needed."), "{text}");
        }
    }
}
