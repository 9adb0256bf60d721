//! To contiguous storage: blocks of whole source chunks are read, and their rows written to their places.

use super::{Recoder, Subject, WrittenChunks};
use hyperslab_encode::RepackError;
use hyperslab_encode::block::Block;
use hyperslab_encode::checksums::PieceChecksums;
use hyperslab_tree::relocate::contains_addresses;

impl Recoder<'_, '_> {
    /// Returns the checksums of the pieces of the data, if blocks follow each other in it.
    pub(super) fn blocks(&mut self, subject: &Subject, shape: &[u64]) -> Result<WrittenChunks, RepackError> {
        let extent = subject.dataset.shape().to_vec();
        let size = u64::from(subject.dataset.datatype().size);
        let counts: Vec<u64> = extent.iter().zip(shape).map(|(dim, block)| dim.div_ceil(*block)).collect();
        let (mut coords, mut memory) = (vec![0; extent.len()], Vec::new());
        let mut checksums = PieceChecksums::default();
        loop {
            let block = Block::of_chunk(&coords, shape).within(&extent);
            let mut elements = self.read(subject, &block, memory)?;
            if contains_addresses(subject.dataset.datatype()) {
                let mut heap = self.file.heap();
                let found = self.relocatable(subject, &block, &elements, &mut heap)?;
                elements = found.into_data(self.writer)?;
            }
            for (offset, run) in runs(&block, &extent) {
                let (from, len) = ((offset.0 * size) as usize, (run * size) as usize);
                let run = &elements[from..from + len];
                if self.is_verified {
                    checksums.update(offset.1 * size, run);
                }
                self.writer.write_contiguous(subject.id, offset.1 * size, run)?;
            }
            self.monitor.done(elements.len() as u64, elements.len() as u64);
            let Some(axis) = (0..coords.len()).rev().find(|&axis| coords[axis] + 1 < counts[axis]) else {
                return Ok(WrittenChunks { checksums: checksums.finish(), ..WrittenChunks::default() });
            };
            coords[axis] += 1;
            coords[axis + 1..].fill(0);
            memory = elements;
        }
    }
}

/// Runs of elements that are adjacent in the array: the offset in the block and in the array, and the length.
fn runs(block: &Block, extent: &[u64]) -> Vec<((u64, u64), u64)> {
    let mut inner = extent.len();
    while inner > 0 && block.count[inner - 1] == extent[inner - 1] {
        inner -= 1;
    }
    let outer = inner.saturating_sub(1);
    let run: u64 = block.count[outer..].iter().product();
    let rows: u64 = block.count[..outer].iter().product();
    let of_row = |row: u64| {
        let (mut rest, mut stride, mut at) = (row, 1, 0);
        for axis in (0..extent.len()).rev() {
            let index = if axis < outer {
                let index = rest % block.count[axis];
                rest /= block.count[axis];
                index
            } else {
                0
            };
            at += (block.start[axis] + index) * stride;
            stride *= extent[axis];
        }
        ((row * run, at), run)
    };
    (0..rows).map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_block_are_runs_of_the_array() {
        let block = |start: &[u64], count: &[u64]| Block { start: start.into(), count: count.into() };
        assert_eq!(runs(&block(&[2, 0], &[3, 7]), &[9, 7]), [((0, 14), 21)]);
        assert_eq!(runs(&block(&[2, 3], &[2, 4]), &[9, 7]), [((0, 17), 4), ((4, 24), 4)]);
        assert_eq!(runs(&block(&[], &[]), &[]), [((0, 0), 1)]);
    }
}
