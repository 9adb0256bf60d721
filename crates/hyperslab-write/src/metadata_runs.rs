//! Blocks of metadata, joined to few writes without keeping all metadata in memory.
//!
//! Blocks come in a few ascending sequences: the headers of all objects, and the chunk indexes of all datasets. Between two
//! neighbours are at most some bytes of alignment, which are zeros. Where more lies between two blocks, it may be a block of
//! another sequence, so that they are not joined.

use crate::error::WriteError;
use hyperslab_format::PlacedBlock;

/// Sequences that are joined at a time.
const RUNS_MAX: usize = 4;
/// A sequence is written when it has so many bytes.
const WRITE_BYTES: usize = 1 << 20;
/// Bytes of alignment between two blocks, at most: fewer than any structure has.
const GAP_MAX: u64 = 7;

/// Joins blocks, and hands them to a function: an address and the bytes from there on.
pub(crate) struct MetadataRuns<W> {
    write: W,
    /// The addresses and bytes of the sequences, that which grew last at the end.
    runs: Vec<(u64, Vec<u8>)>,
}

impl<W: FnMut(u64, &[u8]) -> Result<(), WriteError>> MetadataRuns<W> {
    pub fn new(write: W) -> Self {
        Self { write, runs: Vec::new() }
    }

    /// Adds a block, which may lead to a write.
    pub fn place(&mut self, block: &PlacedBlock) -> Result<(), WriteError> {
        let at = block.address.0;
        let end = |run: &(u64, Vec<u8>)| run.0 + run.1.len() as u64;
        let follows = |run: &(u64, Vec<u8>)| at.checked_sub(end(run)).is_some_and(|gap| gap <= GAP_MAX);
        let (start, mut bytes) = match self.runs.iter().position(follows) {
            Some(number) => self.runs.remove(number),
            None => {
                if self.runs.len() == RUNS_MAX {
                    let (start, bytes) = self.runs.remove(0);
                    (self.write)(start, &bytes)?;
                }
                (at, Vec::new())
            }
        };
        bytes.resize((at - start) as usize, 0);
        bytes.extend_from_slice(&block.bytes);
        if bytes.len() < WRITE_BYTES {
            self.runs.push((start, bytes));
            return Ok(());
        }
        (self.write)(start, &bytes)?;
        let end = start + bytes.len() as u64;
        bytes.clear();
        self.runs.push((end, bytes));
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.runs.drain(..).try_for_each(|(start, bytes)| (self.write)(start, &bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::Address;

    #[test]
    fn neighbours_of_several_sequences_are_joined() {
        let mut written = Vec::new();
        let mut runs = MetadataRuns::new(|at, bytes: &[u8]| {
            written.push((at, bytes.to_vec()));
            Ok(())
        });
        let block = |at: u64, byte: u8| PlacedBlock { address: Address(at), bytes: vec![byte; 5] };
        for (at, byte) in [(0, 1), (1000, 2), (8, 3), (1005, 4), (5000, 5), (6000, 6), (7000, 7)] {
            runs.place(&block(at, byte)).unwrap();
        }
        runs.finish().unwrap();
        // Of five sequences, the one that had not grown for longest was written first.
        assert_eq!(written[0], (0, [&[1; 5][..], &[0; 3], &[3; 5]].concat()));
        assert_eq!(written[1], (1000, [[2; 5], [4; 5]].concat()));
        assert_eq!(written[2..].iter().map(|(at, _)| *at).collect::<Vec<_>>(), [5000, 6000, 7000]);
    }

    #[test]
    fn what_lies_between_two_blocks_is_not_overwritten() {
        // The tree node of a group comes after the symbol table nodes that lie behind it.
        let block =
            |at: u64, bytes: usize| PlacedBlock { address: Address(at), bytes: vec![at as u8 + 1; bytes] };
        for order in [[0, 1, 2, 3], [0, 2, 1, 3], [2, 3, 1, 0]] {
            let mut image = vec![0; 100];
            let mut runs = MetadataRuns::new(|at, bytes: &[u8]| {
                image[at as usize..][..bytes.len()].copy_from_slice(bytes);
                Ok(())
            });
            let blocks = [block(0, 40), block(40, 8), block(48, 12), block(60, 40)];
            for number in order {
                runs.place(&blocks[number]).unwrap();
            }
            runs.finish().unwrap();
            assert_eq!(image, blocks.map(|block| block.bytes).concat(), "{order:?}");
        }
    }

    #[test]
    fn long_sequences_are_written_in_parts() {
        let mut written = Vec::new();
        let mut runs = MetadataRuns::new(|at, bytes: &[u8]| {
            written.push((at, bytes.len()));
            Ok(())
        });
        for number in 0..3 {
            let bytes = vec![0; WRITE_BYTES / 2 + 1];
            runs.place(&PlacedBlock { address: Address(number * bytes.len() as u64), bytes }).unwrap();
        }
        runs.finish().unwrap();
        assert_eq!(written, [(0, WRITE_BYTES + 2), (WRITE_BYTES as u64 + 2, WRITE_BYTES / 2 + 1)]);
    }
}
