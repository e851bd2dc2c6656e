//! Addresses of notes: `obsearch://note/` and the path, percent-encoded as UTF-8 (RFC 3986); where there are
//! several vaults, `obsearch://vault/NAME/` and the path.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What every address of a note begins with.
const PREFIX: &str = "obsearch://note/";
/// The same where there are several vaults; the name of the vault follows.
const VAULT_PREFIX: &str = "obsearch://vault/";
/// Longer addresses lead nowhere: no path that a file system takes is as long.
const MAX_BYTES: usize = 16 * 1024;

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of a note, in a vault that has a name or in the only one.
pub(super) fn of_note(vault: Option<&str>, path: &str) -> String {
    let path = utf8_percent_encode(path, ENCODED);
    match vault {
        None => format!("{PREFIX}{path}"),
        Some(vault) => format!("{VAULT_PREFIX}{vault}/{path}"),
    }
}

/// The template of the addresses of a vault (RFC 6570). A client may write the slashes of a path as they are, or
/// encoded.
pub(super) fn template(vault: Option<&str>) -> String {
    format!("{}{{path}}", of_note(vault, ""))
}

/// The vault, if one is named, and the path in an address. Looks at the form alone: whether there is such a vault
/// or note is another question.
pub(super) fn note_in(uri: &str) -> Option<(Option<&str>, String)> {
    let (vault, encoded) = match uri.strip_prefix(VAULT_PREFIX) {
        Some(rest) => rest.split_once('/').map(|(vault, path)| (Some(vault), path))?,
        None => (None, uri.strip_prefix(PREFIX)?),
    };
    let is_plain = vault.is_none_or(|vault| !vault.is_empty() && vault.chars().all(names_vault));
    let has_more = encoded.contains(['?', '#']);
    if encoded.is_empty() || uri.len() > MAX_BYTES || has_more || !is_plain {
        return None;
    }
    let path = percent_decode_str(encoded).decode_utf8().ok()?;
    Some((vault, path.into_owned()))
}

/// Letters that the name of a vault may have; none of them is ever percent-encoded.
fn names_vault(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')
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
            assert_eq!(of_note(None, path), uri);
            assert_eq!(note_in(uri), Some((None, path.to_owned())));
            let in_vault = uri.replace("note/", "vault/work_1/");
            assert_eq!(of_note(Some("work_1"), path), in_vault);
            assert_eq!(note_in(&in_vault), Some((Some("work_1"), path.to_owned())));
        }
        let encoded = note_in("obsearch://note/A%20b%2FC.md");
        assert_eq!(encoded, Some((None, "A b/C.md".to_owned())));
        let wrong = [
            "",
            "obsearch://note/",
            "file:///Boat.md",
            "obsearch://note/%FF",
            "obsearch://note/a?b",
            "a#b",
            "obsearch://vault/",
            "obsearch://vault/work",
            "obsearch://vault/work/",
            "obsearch://vault//a.md",
            "obsearch://vault/w%6Frk/a.md",
            "obsearch://vault/a b/a.md",
        ];
        for uri in wrong {
            assert_eq!(note_in(uri), None, "{uri}");
        }
        assert_eq!(note_in(&format!("{PREFIX}{}", "a".repeat(MAX_BYTES))), None);
    }
}
