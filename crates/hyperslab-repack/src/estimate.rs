//! Predicts the size of the new file, the memory and the time that it takes: its metadata is laid out, data that is copied has
//! the sizes that it has, and of data that is encoded samples are encoded.

mod heap_objects;
mod memory;
mod samples;
mod stored_chunks;

use crate::plan::RepackPlan;
use heap_objects::HeapObjects;
use hyperslab::Dataset;
use hyperslab_encode::RepackError;
use hyperslab_format::message::Layout;
use hyperslab_io::MemorySink;
use hyperslab_tree::relocate::contains_addresses;
use hyperslab_tree::source_dataset::layout;
use hyperslab_write::{DatasetSpec, FileWriter, ObjectId, ObjectSpec, StorageSpec};
use samples::Sampler;

/// A prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The bytes of the new file.
    pub bytes: u64,
    /// The most bytes of memory at a time, without the program itself: elements, chunks and metadata.
    pub memory_bytes: u64,
    /// Seconds of processing, without waiting for storage.
    pub seconds: f64,
    /// True if only samples of the data were encoded, so that `bytes` may be off by some percent.
    pub is_sampled: bool,
}

/// How much is read for a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSize {
    /// Bytes of elements that are encoded. Datasets share them; all data is encoded if it has no more bytes.
    pub encoded_bytes: u64,
    /// Bytes that are decoded for the samples of one dataset, where chunks of another shape need many of the source's.
    pub decoded_bytes: u64,
}

impl Default for SampleSize {
    /// A few seconds of work.
    fn default() -> Self {
        Self { encoded_bytes: 256 << 20, decoded_bytes: 512 << 20 }
    }
}

/// Bytes that a disk of ordinary speed copies in a second.
const COPY_SPEED: f64 = 1e9;

impl RepackPlan {
    /// Lays out the metadata of the new file, and reads and encodes samples of each dataset that is recoded.
    ///
    /// # Errors
    ///
    /// Metadata that cannot be written; samples that cannot be read or encoded.
    pub fn estimate(&self, size: SampleSize) -> Result<Estimate, RepackError> {
        let sink = MemorySink::default();
        let writer = FileWriter::create(&sink, self.source.tree.clone(), self.write)?;
        let mut space = writer.data_space();
        let mut seconds = writer.metadata_bytes() as f64 / COPY_SPEED;
        let recoded = self.new_datasets().filter(|(id, _)| self.recodings.contains_key(id));
        let chunks = recoded.map(|(_, spec)| match &spec.storage {
            StorageSpec::Chunked(chunked) => {
                let element = u64::from(spec.datatype.datatype.size);
                let chunk = chunked.chunk_dims.iter().fold(element, |bytes, &dim| bytes.saturating_mul(dim));
                chunk.saturating_mul(chunked.count() as u64)
            }
            _ => 0,
        });
        let sampler = Sampler::new(self, size, chunks.fold(0, u64::saturating_add));
        let mut is_sampled = false;
        // Both are in the order of the objects.
        let mut planned = self.datasets.iter();
        for (id, spec) in self.new_datasets() {
            let dataset = self.dataset(id)?;
            let heap = contains_addresses(dataset.datatype()).then(|| HeapObjects::new(self, &dataset, size));
            let Some(recoding) = self.recodings.get(&id) else {
                let copied = dataset.stored_bytes()?;
                seconds += copied as f64 / COPY_SPEED;
                let is_chunked = matches!(layout(&self.file, &dataset)?, Layout::Chunked(_));
                let is_new = is_chunked && !writer.has_placed_chunks(id);
                match heap {
                    Some(heap) => {
                        let chunk = |stored: u64| if is_new { stored } else { 0 };
                        is_sampled |= heap.take_space(&mut space, chunk)?;
                    }
                    None if is_new => space.chunks(copied),
                    None => {}
                }
                continue;
            };
            let Some(planned) = planned.next() else { break };
            if let StorageSpec::Chunked(chunked) = &spec.storage {
                let found = sampler.encode(&dataset, spec, chunked, recoding, planned)?;
                is_sampled |= found.is_part;
                seconds += found.seconds;
                if !writer.has_placed_chunks(id) {
                    space.chunks(found.bytes);
                }
            } else {
                seconds += planned.logical_bytes as f64 / COPY_SPEED;
            }
            if let Some(heap) = heap {
                is_sampled |= heap.take_space(&mut space, |_| 0)?;
            }
            seconds += 2.0 * planned.temporary_bytes as f64 / COPY_SPEED;
        }
        let (bytes, memory_bytes) = (space.file_bytes(), self.memory_bytes()?);
        Ok(Estimate { bytes, memory_bytes, seconds, is_sampled })
    }

    /// The datasets of the new file with data among that of the file.
    fn new_datasets(&self) -> impl Iterator<Item = (ObjectId, &DatasetSpec)> {
        let objects = (0..).map(ObjectId).zip(&self.source.tree.objects);
        objects.filter_map(|(id, object)| match &object.spec {
            ObjectSpec::Dataset(spec) => {
                let is_recoded = self.recodings.contains_key(&id);
                let is_here = matches!(
                    spec.storage,
                    StorageSpec::Chunked(_) | StorageSpec::Contiguous { allocated: true }
                );
                let is_bare = self.source.bare.contains(&id);
                (!is_bare && (is_recoded || is_here)).then_some((id, &**spec))
            }
            _ => None,
        })
    }

    fn dataset(&self, id: ObjectId) -> Result<Dataset, RepackError> {
        let (address, path) = &self.source.sources.objects[id.0 as usize];
        self.source.file.dataset(*address, path)
    }
}
