//! Receives the text of a value and computes its checksum part by part, so that no value has to fit in memory.

use sha2::{Digest, Sha256};

/// Text is added to the checksum in parts of about this size.
const PENDING_BYTES: usize = 1 << 16;

/// The text exceeds the limit.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

/// Receives text and computes its checksum.
pub struct TextHasher {
    /// Text that has not been added to the checksum yet. Callers append to it.
    pub text: String,
    hash: Sha256,
    handed_on: u64,
    bytes_max: u64,
    /// The complete text, as long as it is short.
    short: Option<String>,
}

/// Text of up to this length is also reported itself.
const SHORT_BYTES: usize = 200;

impl TextHasher {
    pub fn new(bytes_max: u64) -> Self {
        Self { text: String::new(), hash: Sha256::new(), handed_on: 0, bytes_max, short: Some(String::new()) }
    }

    /// Adds pending text to the checksum. Callers call it from time to time while they append text.
    pub fn flush_if_large(&mut self) -> Result<(), TooLong> {
        if self.text.len() < PENDING_BYTES {
            return Ok(());
        }
        self.hash_pending();
        if self.handed_on > self.bytes_max { Err(TooLong) } else { Ok(()) }
    }

    /// Returns the checksum of the whole text, and the text itself if it is short.
    pub fn finish(mut self) -> (String, Option<String>) {
        self.hash_pending();
        (hex(self.hash), self.short)
    }

    fn hash_pending(&mut self) {
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
pub fn hex(hash: Sha256) -> String {
    hyperslab_units::hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_text_is_kept_and_long_text_is_not() {
        let mut text_hasher = TextHasher::new(1 << 20);
        text_hasher.text.push_str("[]");
        let (digest, text) = text_hasher.finish();
        assert_eq!(digest, "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
        assert_eq!(text.as_deref(), Some("[]"));
        let mut text_hasher = TextHasher::new(1 << 20);
        text_hasher.text.push_str(&"x".repeat(201));
        assert_eq!(text_hasher.finish().1, None);
    }

    #[test]
    fn pieces_add_up_until_they_are_too_many() {
        let mut text_hasher = TextHasher::new(3 * PENDING_BYTES as u64);
        let piece = "y".repeat(PENDING_BYTES);
        for _ in 0..3 {
            text_hasher.text.push_str(&piece);
            text_hasher.flush_if_large().unwrap();
        }
        text_hasher.text.push_str(&piece);
        assert_eq!(text_hasher.flush_if_large(), Err(TooLong));
    }
}
