//! Other chunks, in memory: reads slabs of whole source chunks in the order of a [`Sweep`], and cuts them.

use super::gather::gather;
use super::{ChunkedTarget, Recoder, Subject, WrittenChunks, encode_error};
use crate::sweep::{Sweep, Window};
use hyperslab_encode::RepackError;
use hyperslab_encode::block::Block;
use hyperslab_encode::chunk_encoder::{CodecState, EncodedChunk};
use hyperslab_tree::relocate::contains_addresses;

impl Recoder<'_, '_> {
    pub(super) fn sweep(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        sweep: &Sweep,
    ) -> Result<WrittenChunks, RepackError> {
        let rank = target.chunk.len();
        let step_of = |row: usize| sweep.step_of(&target.coords[row * rank..(row + 1) * rank]);
        let mut rows: Vec<usize> = (0..target.count()).collect();
        // Often they are in order already.
        rows.sort_by_cached_key(|&row| step_of(row));
        let mut window = Window::default();
        let mut written = WrittenChunks::default();
        for rows in rows.chunk_by(|&a, &b| step_of(a) == step_of(b)) {
            let (blocks, mut dropped) = window.advance(sweep, step_of(rows[0]));
            for block in blocks {
                // The memory of a part of the same size is used again; that of others is free before there is a new part.
                let len = subject.bytes(&block);
                let same = dropped.iter().position(|part: &Vec<u8>| part.len() as u64 == len);
                let memory = same.map(|at| dropped.swap_remove(at)).unwrap_or_else(|| {
                    dropped.clear();
                    Vec::new()
                });
                let elements = self.read(subject, &block, memory)?;
                window.push(block, elements);
            }
            drop(dropped);
            let parts: Vec<(&[u8], &Block)> =
                window.parts().map(|(block, elements)| (&elements[..], block)).collect();
            self.cut(subject, target, rows, &parts, &mut written)?;
        }
        Ok(written)
    }

    /// Writes the chunks in these rows, whose elements are in these parts.
    pub(super) fn cut(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        rows: &[usize],
        parts: &[(&[u8], &Block)],
        written: &mut WrittenChunks,
    ) -> Result<(), RepackError> {
        let encode = |state: &mut CodecState, row: usize, is_partial: bool| {
            let encoded = target.encoder.encode_own(is_partial, state);
            encoded.map_err(|error| encode_error(subject, &target.block(row).start, error))
        };
        let datatype = subject.dataset.datatype();
        if contains_addresses(datatype) {
            // Objects of the heap are written in the order of the elements that refer to them.
            let (mut heap, mut state) = (self.file.heap(), CodecState::default());
            for &row in rows {
                let is_partial = gather(subject, target, row, parts, &mut state.chunk);
                let found = self.relocatable(subject, &target.block(row), &state.chunk, &mut heap)?;
                state.chunk = found.into_data(self.writer)?;
                let encoded = encode(&mut state, row, is_partial)?;
                self.write(subject, target, row, &encoded, written)?;
            }
            return Ok(());
        }
        if rows.len() == target.count() {
            // All are in memory.
            let gathered = |row: usize, chunk: &mut Vec<u8>| {
                gather(subject, target, row, parts, chunk);
                true
            };
            let chosen = target.encoder.choose(target.count(), &target.workers, gathered);
            chosen.map_err(|error| encode_error(subject, &[], error))?;
        } else {
            self.choose_by_reading(subject, target)?;
        }
        let work = |state: &mut CodecState, number: usize| -> Result<EncodedChunk, RepackError> {
            let row = rows[number];
            let is_partial = gather(subject, target, row, parts, &mut state.chunk);
            encode(state, row, is_partial)
        };
        target.workers.run(rows.len(), target.is_for_one(rows.len()), work, |number, encoded| {
            self.write(subject, target, rows[number], &encoded, written)
        })
    }
}
