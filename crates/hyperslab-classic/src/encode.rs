//! Writing a header: what `header.rs` parses.

use crate::list::{ABSENT, List};
use crate::{Attribute, Dimension, Header, RecordCount, Variable, Version, attribute, dimension, variable};

impl Header {
    /// The bytes of the header, as it is: places and sizes of variables are written as it says them.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Encoder { bytes: vec![b'C', b'D', b'F', self.version.number()], version: self.version };
        match self.records {
            RecordCount::Stored(count) => out.count(count),
            RecordCount::Streamed(_) => out.count(u64::MAX),
        }
        out.list(dimension::LIST, &self.dimensions, |out, Dimension { name, len }| {
            out.text(name.as_bytes());
            out.count(*len);
        });
        out.attributes(&self.attributes);
        out.list(variable::LIST, &self.variables, |out, variable| {
            let Variable { name, dimensions, attributes, kind, stored_bytes, begin, at: _ } = variable;
            out.text(name.as_bytes());
            out.count(dimensions.len() as u64);
            dimensions.iter().for_each(|number| out.count(*number as u64));
            out.attributes(attributes);
            out.word(kind.number());
            // A size that does not fit is never read.
            out.count(if self.version == Version::Data64 {
                *stored_bytes
            } else {
                (*stored_bytes).min(u32::MAX.into())
            });
            out.number(*begin, self.version.offset_bytes());
        });
        out.bytes
    }
}

struct Encoder {
    bytes: Vec<u8>,
    version: Version,
}

impl Encoder {
    fn list<T>(&mut self, list: List, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.word(if items.is_empty() { ABSENT } else { list.tag });
        self.count(items.len() as u64);
        items.iter().for_each(|one| item(self, one));
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        self.list(attribute::LIST, attributes, |out, attribute| {
            out.text(attribute.name.as_bytes());
            out.word(attribute.kind.number());
            out.count(attribute.count());
            out.padded(&attribute.values);
        });
    }

    fn text(&mut self, text: &[u8]) {
        self.count(text.len() as u64);
        self.padded(text);
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn word(&mut self, number: u32) {
        self.bytes.extend(number.to_be_bytes());
    }

    fn count(&mut self, number: u64) {
        self.number(number, self.version.count_bytes());
    }

    fn number(&mut self, number: u64, width: usize) {
        self.bytes.extend(&number.to_be_bytes()[8 - width..]);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Build;
    use crate::{Header, Kind, Version};

    #[test]
    fn a_header_is_written_as_it_was_read() {
        for version in [Version::Classic, Version::Offset64, Version::Data64] {
            let streamed = if version == Version::Data64 { u64::MAX } else { u32::MAX.into() };
            for records in [0, 7, streamed] {
                let mut build = Build::new(version, records);
                build.dimensions = vec![("time", 0), ("x", 3)];
                build.attributes = vec![("title", "five!"), ("empty", "")];
                build.variable("x", &[1], Kind::Double, 1024);
                build.variable("t", &[0, 1], Kind::Byte, 2048);
                build.variable("scalar", &[], Kind::Char, 1 << 19);
                let bytes = build.bytes();
                let header = Header::parse(&bytes, build.file_len).unwrap();
                assert_eq!(header.encode(), bytes, "{version:?}, {records} records");
            }
        }
    }
}
