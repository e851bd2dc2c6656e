//! Addresses of notes: `obsearch://note/` and the path, percent-encoded as UTF-8 (RFC 3986).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What every address of a note begins with.
const PREFIX: &str = "obsearch://note/";
/// The template of all addresses (RFC 6570). A client may write the slashes of a path as they are, or encoded.
pub(super) const TEMPLATE: &str = "obsearch://note/{path}";
/// Longer addresses lead nowhere: no path that a file system takes is as long.
const MAX_BYTES: usize = 16 * 1024;

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of a note.
pub(super) fn of_path(path: &str) -> String {
    format!("{PREFIX}{}", utf8_percent_encode(path, ENCODED))
}

/// The path in an address. Looks at the form alone: whether there is such a note is another question.
pub(super) fn path_in(uri: &str) -> Option<String> {
    let encoded = uri.strip_prefix(PREFIX).filter(|rest| !rest.is_empty() && uri.len() <= MAX_BYTES)?;
    let has_more = encoded.contains(['?', '#']);
    let path = percent_decode_str(encoded).decode_utf8().ok()?;
    (!has_more).then(|| path.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_their_paths() {
        let table = [
            ("Boat.md", "obsearch://note/Boat.md"),
            ("A b/C# 100%?.md", "obsearch://note/A%20b/C%23%20100%25%3F.md"),
            ("café/船.md", "obsearch://note/caf%C3%A9/%E8%88%B9.md"),
        ];
        for (path, uri) in table {
            assert_eq!(of_path(path), uri);
            assert_eq!(path_in(uri).as_deref(), Some(path));
        }
        assert_eq!(path_in("obsearch://note/A%20b%2FC.md").as_deref(), Some("A b/C.md"));
        let wrong =
            ["", "obsearch://note/", "file:///Boat.md", "obsearch://note/%FF", "obsearch://note/a?b", "a#b"];
        for uri in wrong {
            assert_eq!(path_in(uri), None, "{uri}");
        }
        assert_eq!(path_in(&format!("{PREFIX}{}", "a".repeat(MAX_BYTES))), None);
    }
}
