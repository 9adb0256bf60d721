//! Checksums of what is written, with which the new file is compared.

/// Contiguous data is copied in pieces of this many bytes, which stay in the processor cache until they are written. Each
/// has a checksum.
pub const PIECE_BYTES: u64 = 512 << 10;

/// The checksum of a chunk as it is stored. `filter_mask` is `None` for chunks without filters: most indexes have no place
/// for it then.
pub fn of_chunk(bytes: &[u8], filter_mask: Option<u32>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher.update(&filter_mask.unwrap_or(0).to_le_bytes());
    hasher.finalize()
}

/// The checksums of a dataset: a single one, as small datasets have, takes no memory of its own.
#[derive(Debug)]
pub enum Checksums {
    /// That of the only piece.
    Single(u32),
    /// Those of all pieces, in order.
    Several(Box<[u32]>),
}

impl From<Vec<u32>> for Checksums {
    fn from(checksums: Vec<u32>) -> Self {
        match checksums[..] {
            [single] => Self::Single(single),
            _ => Self::Several(checksums.into()),
        }
    }
}

impl std::ops::Deref for Checksums {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        match self {
            Self::Single(checksum) => std::slice::from_ref(checksum),
            Self::Several(checksums) => checksums,
        }
    }
}

/// The checksums of the pieces of contiguous data that is written from its start to its end.
#[derive(Debug, Default)]
pub struct PieceChecksums {
    open: crc32fast::Hasher,
    /// The number of bytes so far.
    written: u64,
    complete: Vec<u32>,
    is_out_of_order: bool,
}

impl PieceChecksums {
    /// The bytes of a piece; the last one may have fewer.
    pub const PIECE_BYTES: u64 = PIECE_BYTES;

    /// Adds bytes that are written at an offset of the data.
    pub fn update(&mut self, at: u64, mut bytes: &[u8]) {
        self.is_out_of_order |= at != self.written;
        while !bytes.is_empty() && !self.is_out_of_order {
            let left = PIECE_BYTES - self.written % PIECE_BYTES;
            let (part, rest) = bytes.split_at(bytes.len().min(left as usize));
            self.open.update(part);
            self.written += part.len() as u64;
            if self.written.is_multiple_of(PIECE_BYTES) {
                self.complete.push(std::mem::take(&mut self.open).finalize());
            }
            bytes = rest;
        }
    }

    /// The checksums of all pieces; none if the data was not written from its start to its end.
    pub fn finish(mut self) -> Vec<u32> {
        if self.is_out_of_order {
            return Vec::new();
        }
        if !self.written.is_multiple_of(PIECE_BYTES) {
            self.complete.push(self.open.finalize());
        }
        self.complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_depend_on_the_lengths_of_writes() {
        let data: Vec<u8> = (0..3 * PIECE_BYTES + 77).map(|at| (at % 251) as u8).collect();
        let expected: Vec<u32> = data.chunks(PIECE_BYTES as usize).map(crc32fast::hash).collect();
        for len in [1000, PIECE_BYTES as usize, data.len()] {
            let mut checksums = PieceChecksums::default();
            for (number, part) in data.chunks(len).enumerate() {
                checksums.update((number * len) as u64, part);
            }
            assert_eq!(checksums.finish(), expected, "{len}");
        }
        let mut checksums = PieceChecksums::default();
        checksums.update(5, &data);
        assert!(checksums.finish().is_empty());
    }
}
