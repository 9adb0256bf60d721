//! Copies chunks as they are stored.

use crate::stored_reader::StoredReader;

use hyperslab::{ChunkMap, Dataset, File, Location};
use hyperslab_encode::block::Block;
use hyperslab_encode::{RepackError, checksums};
use hyperslab_tree::damage::{Damage, fill_chunk, tolerated};
use hyperslab_write::{FileWriter, ObjectId};

/// The chunks of a dataset.
pub(crate) struct ChunkCopy<'a> {
    pub file: &'a File,
    pub dataset: &'a Dataset,
    pub path: &'a str,
    pub id: ObjectId,
    pub reader: &'a StoredReader,
    /// Where chunks that cannot be read are noted; without it, the first one ends the copy.
    pub damage: Option<&'a mut Vec<Damage>>,
}

impl ChunkCopy<'_> {
    /// Copies all chunks, in the order of the map. Returns their checksums.
    ///
    /// # Errors
    ///
    /// Those of the source and of the sink.
    pub fn copy(&mut self, map: &ChunkMap, writer: &mut FileWriter<'_>) -> Result<Vec<u32>, RepackError> {
        let mut checksums = Vec::with_capacity(map.len());
        let source = self.file.source();
        // New memory for each batch would take longer than reading it.
        let mut buffer = Vec::new();
        for rows in self.reader.batch.batches(map) {
            let locations: Vec<Location> = rows.clone().filter_map(|row| Some(map.nth(row)?.1)).collect();
            if let Some(run) = self.reader.batch.run(&*source, &locations) {
                buffer.resize((run.end - run.start) as usize, 0);
                if source.read_into(run.start, &mut buffer).is_ok() {
                    for location in &locations {
                        let start = (location.address - run.start) as usize;
                        let bytes = &buffer[start..start + location.stored_bytes as usize];
                        self.write(bytes, location.filter_mask, writer, &mut checksums)?;
                    }
                    continue;
                }
            }
            let error = match self.reader.chunks(&locations) {
                Ok(chunks) => {
                    for (bytes, location) in chunks.iter().zip(&locations) {
                        self.write(bytes, location.filter_mask, writer, &mut checksums)?;
                    }
                    continue;
                }
                Err(error) => error,
            };
            if self.damage.is_none() {
                return Err(error.into());
            }
            tolerated(error.into())?;
            // Chunk by chunk, to find those that cannot be read.
            for (row, location) in rows.zip(&locations) {
                match self.reader.chunks(std::slice::from_ref(location)) {
                    Ok(chunks) => self.write(&chunks[0], location.filter_mask, writer, &mut checksums)?,
                    Err(error) => {
                        let error = tolerated(error.into())?;
                        let (chunk, mask) = fill_chunk(self.dataset)?;
                        self.write(&chunk, mask, writer, &mut checksums)?;
                        self.note(map, row, &error);
                    }
                }
            }
        }
        Ok(checksums)
    }

    fn write(
        &self,
        bytes: &[u8],
        filter_mask: u32,
        writer: &mut FileWriter<'_>,
        checksums: &mut Vec<u32>,
    ) -> Result<(), RepackError> {
        let is_filtered = !self.dataset.filters().is_empty();
        checksums.push(checksums::of_chunk(bytes, is_filtered.then_some(filter_mask)));
        Ok(writer.write_chunk(self.id, bytes, filter_mask)?)
    }

    fn note(&mut self, map: &ChunkMap, row: usize, error: &hyperslab::Error) {
        let (Some((number, _)), Some(damage)) = (map.nth(row), &mut self.damage) else { return };
        let grid = map.grid();
        let block = Block::of_chunk(&grid.coordinates(number), grid.chunk_shape());
        damage.push(Damage::new(self.path, &block.within(self.dataset.shape()), error));
    }
}
