//! Addresses of this machine's network interfaces, so that nobody has to look up what `docker0` has.

use std::net::IpAddr;

/// Why a name stands for no address.
#[derive(Debug, thiserror::Error)]
pub enum NoAddress {
    /// No interface of this name has an address.
    #[error("neither an address nor an interface with one; there are {0}")]
    Unknown(String),
    /// The system did not tell.
    #[error("the interfaces of this machine cannot be listed: {0}")]
    NotListed(#[from] std::io::Error),
}

/// The address of an interface: that of version 4 if it has several, and none that is valid on one link only.
pub fn address_of(name: &str) -> Result<IpAddr, NoAddress> {
    let interfaces = if_addrs::get_if_addrs()?;
    let addresses = interfaces.iter().map(|interface| (&*interface.name, interface.ip()));
    chosen(name, addresses.clone()).ok_or_else(|| {
        let mut names: Vec<&str> = addresses.map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        NoAddress::Unknown(names.join(", "))
    })
}

fn chosen<'a>(name: &str, addresses: impl Iterator<Item = (&'a str, IpAddr)>) -> Option<IpAddr> {
    let is_of_one_link = |address: &IpAddr| match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    addresses
        .filter(|(interface, _)| *interface == name)
        .map(|(_, address)| address)
        .filter(|address| !is_of_one_link(address))
        .min_by_key(IpAddr::is_ipv6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_stands_for_its_address() {
        let addresses = [
            ("lo", "127.0.0.1"),
            ("lo", "::1"),
            ("docker0", "fe80::1"),
            ("docker0", "fd00::1"),
            ("docker0", "172.17.0.1"),
            ("six", "fd00::2"),
            ("link", "fe80::2"),
            ("link", "169.254.1.1"),
        ]
        .map(|(name, address)| (name, address.parse::<IpAddr>().unwrap()));
        let table = [
            ("lo", Some("127.0.0.1")),
            ("docker0", Some("172.17.0.1")),
            ("six", Some("fd00::2")),
            ("link", None),
            ("docker", None),
            ("", None),
        ];
        for (name, expected) in table {
            let found = chosen(name, addresses.into_iter()).map(|address| address.to_string());
            assert_eq!(found.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn this_machine_has_a_loopback() {
        let refused = address_of("no such interface").unwrap_err().to_string();
        let loopback = if cfg!(target_os = "macos") { "lo0" } else { "lo" };
        assert!(refused.contains(loopback), "{refused}");
        assert!(address_of(loopback).unwrap().is_loopback());
    }
}
