//! Chunks as CSV (RFC 4180), one row per chunk.

use super::rows::{RowWriter, push_numbers};
use hyperslab::{ChunkGrid, Dataset, Location};

/// Writes `path,offset,address,size,filter_mask`; the numbers of an offset are joined by `;`.
#[derive(Default)]
pub(super) struct Csv {
    /// The first column of all rows of a dataset, with its comma.
    path: Vec<u8>,
}

impl RowWriter for Csv {
    fn head(&self) -> String {
        "path,offset,address,size,filter_mask\n".into()
    }

    fn begin(&mut self, path: &[u8], _: &Dataset, _: &ChunkGrid, _: &mut Vec<u8>) {
        self.path = quoted(path);
        self.path.push(b',');
    }

    fn row(&mut self, offset: &[u64], location: Location, text: &mut Vec<u8>) {
        text.extend_from_slice(&self.path);
        push_numbers(offset, b';', text);
        text.push(b',');
        let columns = [location.address, location.stored_bytes, location.filter_mask.into()];
        push_numbers(&columns, b',', text);
        text.push(b'\n');
    }

    fn end(&mut self, _: &mut Vec<u8>) {}
}

/// A field, quoted if necessary. Names in a file may be any bytes; they are written unchanged.
fn quoted(field: &[u8]) -> Vec<u8> {
    if !field.iter().any(|byte| b",\"\r\n".contains(byte)) {
        return field.to_vec();
    }
    let mut text = vec![b'"'];
    for &byte in field {
        if byte == b'"' {
            text.push(b'"');
        }
        text.push(byte);
    }
    text.push(b'"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_they_have_to_be() {
        for (path, expected) in
            [("/a b", "/a b"), ("/a,b", "\"/a,b\""), ("/a\"b\n", "\"/a\"\"b\n\""), ("/grün", "/grün")]
        {
            assert_eq!(quoted(path.as_bytes()), expected.as_bytes());
        }
    }
}
