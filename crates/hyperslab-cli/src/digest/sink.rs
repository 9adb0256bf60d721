//! Where the text of values goes: into a checksum, piece by piece, so that no value has to fit into memory.

use sha2::{Digest, Sha256};

/// Text is handed on in pieces of about this size.
const PIECE_BYTES: usize = 1 << 16;

/// The text is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Takes text and keeps its checksum.
pub(crate) struct Sink {
    /// What was not handed on yet. Anyone may append to it.
    pub text: String,
    hash: Sha256,
    handed_on: u64,
    bytes_max: u64,
    /// All of the text, as long as it is short.
    short: Option<String>,
}

/// Text up to this length is reported itself.
const SHORT_BYTES: usize = 200;

impl Sink {
    pub fn new(bytes_max: u64) -> Self {
        Self { text: String::new(), hash: Sha256::new(), handed_on: 0, bytes_max, short: Some(String::new()) }
    }

    /// To be called now and then while text is appended.
    pub fn settle(&mut self) -> Result<(), TooLong> {
        if self.text.len() < PIECE_BYTES {
            return Ok(());
        }
        self.hand_on();
        if self.handed_on > self.bytes_max { Err(TooLong) } else { Ok(()) }
    }

    /// The checksum of all text, and the text itself if it is short.
    pub fn finish(mut self) -> (String, Option<String>) {
        self.hand_on();
        (hex(self.hash), self.short)
    }

    fn hand_on(&mut self) {
        self.hash.update(self.text.as_bytes());
        self.handed_on += self.text.len() as u64;
        if self.handed_on > SHORT_BYTES as u64 {
            self.short = None;
        }
        if let Some(short) = &mut self.short {
            short.push_str(&self.text);
        }
        self.text.clear();
    }
}

/// The checksum in hexadecimal digits.
pub(crate) fn hex(hash: Sha256) -> String {
    crate::json::hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_and_long_text_is_not() {
        let mut sink = Sink::new(1 << 20);
        sink.text.push_str("[]");
        let (digest, text) = sink.finish();
        assert_eq!(digest, "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
        assert_eq!(text.as_deref(), Some("[]"));
        let mut sink = Sink::new(1 << 20);
        sink.text.push_str(&"x".repeat(201));
        assert_eq!(sink.finish().1, None);
    }

    #[test]
    fn pieces_add_up_until_they_are_too_many() {
        let mut sink = Sink::new(3 * PIECE_BYTES as u64);
        let piece = "y".repeat(PIECE_BYTES);
        for _ in 0..3 {
            sink.text.push_str(&piece);
            sink.settle().unwrap();
        }
        sink.text.push_str(&piece);
        assert_eq!(sink.settle(), Err(TooLong));
    }
}
