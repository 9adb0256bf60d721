//! Headers for tests.

use crate::{Kind, Version};

/// A header to be encoded; what it says of places need not be true.
pub(crate) struct Build {
    version: Version,
    records: u64,
    pub(crate) dimensions: Vec<(&'static str, u64)>,
    /// Names and texts.
    pub(crate) attributes: Vec<(&'static str, &'static str)>,
    variables: Vec<(&'static str, Vec<u64>, Kind, u64)>,
    /// The length that the file is said to have, if it is longer than the header.
    pub(crate) file_len: u64,
}

impl Build {
    pub(crate) fn new(version: Version, records: u64) -> Self {
        Self {
            version,
            records,
            dimensions: Vec::new(),
            attributes: Vec::new(),
            variables: Vec::new(),
            file_len: 1 << 20,
        }
    }

    pub(crate) fn variable(&mut self, name: &'static str, dimensions: &[u64], kind: Kind, begin: u64) {
        self.variables.push((name, dimensions.to_vec(), kind, begin));
    }

    /// The bytes of the header.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = vec![b'C', b'D', b'F', self.version.number()];
        self.count(&mut out, self.records);
        self.list(&mut out, 0x0a, self.dimensions.len());
        for (name, len) in &self.dimensions {
            self.text(&mut out, name);
            self.count(&mut out, *len);
        }
        self.texts(&mut out, &self.attributes);
        self.list(&mut out, 0x0b, self.variables.len());
        for (name, dimensions, kind, begin) in &self.variables {
            self.text(&mut out, name);
            self.count(&mut out, dimensions.len() as u64);
            for dimension in dimensions {
                self.count(&mut out, *dimension);
            }
            self.texts(&mut out, &[("units", "K")]);
            out.extend(kind.number().to_be_bytes());
            self.count(&mut out, 0);
            self.number(&mut out, *begin, self.version.offset_bytes());
        }
        out
    }

    fn texts(&self, out: &mut Vec<u8>, attributes: &[(&str, &str)]) {
        self.list(out, 0x0c, attributes.len());
        for (name, text) in attributes {
            self.text(out, name);
            out.extend(Kind::Char.number().to_be_bytes());
            self.text(out, text);
        }
    }

    fn list(&self, out: &mut Vec<u8>, tag: u32, count: usize) {
        out.extend(if count == 0 { 0 } else { tag }.to_be_bytes());
        self.count(out, count as u64);
    }

    fn text(&self, out: &mut Vec<u8>, text: &str) {
        self.count(out, text.len() as u64);
        out.extend(text.as_bytes());
        out.resize(out.len().next_multiple_of(4), 0);
    }

    fn count(&self, out: &mut Vec<u8>, number: u64) {
        self.number(out, number, self.version.count_bytes());
    }

    fn number(&self, out: &mut Vec<u8>, number: u64, width: usize) {
        out.extend(&number.to_be_bytes()[8 - width..]);
    }
}
