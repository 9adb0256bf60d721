//! The doctor's input about a dataset: layout, chunks, filters, and speeds measured on a few of its chunks.
//!
//! The doctor opens no file. The caller fills these structures from the engine that reads the file.

mod chunk_map;
mod dataset;
mod file;
mod sample;

pub use chunk_map::{ChunkMap, StoredChunk};
pub use dataset::{DatasetFacts, FillFacts, FillTime, FilterFact, Layout, VariableLength};
pub use file::{FileFacts, PackingFacts, PageWaste};
pub use sample::{Codec, Decoded, Encoding, RecodeMeasurement, SampleMeasurement, Sampler, measure_samples};
