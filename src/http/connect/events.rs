//! Reads an event stream as it comes, in pieces that end anywhere.
//!
//! The format: HTML Living Standard, "Server-sent events". Names, numbers and comments of events are skipped.

/// Longer events are refused.
const MAX_EVENT_BYTES: usize = 16 << 20;

/// What has come so far and is not whole.
#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
}

/// An event never ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Takes the next piece, and gives the data of the events that are whole now.
    pub(super) fn read(&mut self, piece: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut whole = Vec::new();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                whole.extend(self.end_of_line());
            }
            if self.line.len() + self.data.len() > MAX_EVENT_BYTES {
                return Err(TooLong);
            }
        }
        Ok(whole)
    }

    /// An empty line ends an event.
    fn end_of_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(data) = line.strip_prefix(b"data:") {
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
            self.data.push(b'\n');
        }
        let is_end = line.is_empty() && !self.data.is_empty();
        is_end.then(|| String::from_utf8_lossy(std::mem::take(&mut self.data).trim_ascii_end()).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str =
        "retry: 3000\n\nid: 1\r\ndata: {\"a\":\ndata: 1}\n\n: alive\n\ndata:{\"é\":2}\n\ndata: 3\n";

    #[test]
    fn events_are_whole_wherever_the_pieces_end() {
        for size in 1..STREAM.len() {
            let mut events = Events::default();
            let found: Vec<String> =
                STREAM.as_bytes().chunks(size).flat_map(|piece| events.read(piece).unwrap()).collect();
            assert_eq!(found, ["{\"a\":\n1}", "{\"é\":2}"], "in pieces of {size}");
        }
    }

    #[test]
    fn an_event_without_an_end_is_refused() {
        let piece = "x".repeat(1 << 20);
        for before in ["", "data: ", "data: x\ndata: "] {
            let mut events = Events::default();
            assert_eq!(events.read(before.as_bytes()), Ok(Vec::new()));
            let refused = (0..20).find_map(|_| events.read(piece.as_bytes()).err());
            assert_eq!(refused, Some(TooLong));
        }
    }
}
