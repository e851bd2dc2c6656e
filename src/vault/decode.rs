//! Bytes -> text, once for judging and showing. What cannot be read surely is not text.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The text of a note.
pub(super) struct Decoded {
    /// What is judged, parsed and shown; without a byte-order mark.
    pub(super) text: String,
    /// Another reading of the same bytes: a program that takes the note for UTF-8 sees this, so
    /// it is judged too.
    pub(super) lossy: Option<String>,
}

/// Decodes a note. A byte-order mark decides; otherwise UTF-8, otherwise Windows-1252. `None`
/// where a zero byte or an unknown encoding leaves the text in doubt.
pub(super) fn decode(mut bytes: Vec<u8>) -> Option<Decoded> {
    const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";
    if bytes.starts_with(b"\xFF\xFE\0\0") || bytes.starts_with(b"\0\0\xFE\xFF") {
        return None; // UTF-32
    }
    if bytes.starts_with(b"\xFF\xFE") {
        return strict(UTF_16LE, &bytes[2..]);
    }
    if bytes.starts_with(b"\xFE\xFF") {
        return strict(UTF_16BE, &bytes[2..]);
    }
    if bytes.contains(&0) {
        return None;
    }
    if bytes.starts_with(UTF8_MARK) {
        bytes.drain(..UTF8_MARK.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Some(Decoded { text, lossy: None }),
        Err(error) => {
            let bytes = error.into_bytes();
            let lossy = String::from_utf8_lossy(&bytes).into_owned();
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(&bytes);
            Some(Decoded { text: text.into_owned(), lossy: Some(lossy) })
        }
    }
}

fn strict(encoding: &'static Encoding, bytes: &[u8]) -> Option<Decoded> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    (!text.contains('\0')).then(|| Decoded { text: text.into_owned(), lossy: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units.flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }

    #[test]
    fn every_encoding_that_can_be_told_apart_is_read() {
        let table: Vec<(Vec<u8>, Option<&str>)> = vec![
            (b"plain".to_vec(), Some("plain")),
            ("žluť".into(), Some("žluť")),
            (b"\xEF\xBB\xBFmark".to_vec(), Some("mark")),
            (b"caf\xE9 \x80".to_vec(), Some("café €")),
            (utf16("wide ÿ", false), Some("wide ÿ")),
            (utf16("wide ÿ", true), Some("wide ÿ")),
            (b"nul\0inside".to_vec(), None),
            (utf16("a\0b", false), None),
            (b"\xFF\xFEodd".to_vec(), None),
            (b"\xFF\xFE\0\0x\0\0\0".to_vec(), None),
            (b"w\0i\0d\0e\0".to_vec(), None),
            (vec![], Some("")),
        ];
        for (bytes, text) in table {
            assert_eq!(decode(bytes.clone()).map(|decoded| decoded.text).as_deref(), text, "{bytes:?}");
        }
    }
}
