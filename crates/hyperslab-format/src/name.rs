//! Names of links, attributes and members. They are bytes; usually UTF-8, but the format does not guarantee it.

use bytes::Bytes;
use std::borrow::Cow;
use std::fmt;

/// Characters for private use, of which the last 256 stand for bytes.
const EXACTLY: u32 = 0xF700;

/// A name as stored in the file, without its terminating NUL. Ordered by bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Name(Bytes);

impl Name {
    /// A name with these bytes.
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Self(bytes.into())
    }

    /// The same name in memory of its own. A parsed name keeps everything that was fetched together with it in memory.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name as text, if it is valid UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The name as text. A name that is not UTF-8 is taken for Latin-1, in which every byte is a character.
    pub fn text(&self) -> Cow<'_, str> {
        self.as_str().map_or_else(|| self.0.iter().map(|byte| char::from(*byte)).collect(), Cow::Borrowed)
    }

    /// The name that is not UTF-8 whose [text](Self::text) is this one, or for which [`Self::exactly`] stands, if there is one.
    pub fn in_latin1(text: &str) -> Option<Self> {
        let byte = |one: char| match u32::from(one).checked_sub(EXACTLY) {
            Some(byte @ 0x80..=0xFF) => u8::try_from(byte).ok(),
            _ => u8::try_from(one).ok(),
        };
        let name = Self::new(text.chars().map(byte).collect::<Option<Vec<u8>>>()?);
        name.as_str().is_none().then_some(name)
    }

    /// What stands for these bytes where a text is asked for: they themselves if they are UTF-8, otherwise a text that no name has.
    /// Another name may be UTF-8 and have the same text.
    pub fn exactly(bytes: &[u8]) -> Cow<'_, str> {
        let character = |byte: &u8| match byte {
            0..0x80 => char::from(*byte),
            _ => char::from_u32(EXACTLY + u32::from(*byte)).unwrap_or_default(),
        };
        std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(character).collect(), Cow::Borrowed)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_utf8_has_a_text_that_leads_back_to_it() {
        let name = Name::new(&b"temp\xe9r"[..]);
        assert_eq!(
            (name.to_string(), Name::in_latin1("temp\u{e9}r")),
            ("temp\u{e9}r".to_owned(), Some(name))
        );
        // Names that are UTF-8 are their own text.
        assert_eq!((Name::in_latin1("plain"), Name::in_latin1("\u{c3}\u{a9}")), (None, None));
        assert_eq!(Name::in_latin1("\u{4e2d}"), None);
        let exactly = Name::exactly(b"temp\xe9r");
        assert_eq!(Name::in_latin1(&exactly), Some(Name::new(&b"temp\xe9r"[..])));
        assert_ne!(exactly, "temp\u{e9}r");
    }
}
