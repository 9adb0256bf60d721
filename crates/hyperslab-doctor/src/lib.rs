//! Diagnosis of slow reads: exact simulation of libhdf5's chunk cache, findings, fixes.

mod error;
mod facts;
pub mod pattern;
pub mod simulate;

pub use error::DoctorError;
pub use facts::{
    ChunkMap, DatasetFacts, Decoded, FillFacts, FillTime, FilterFact, Layout, RecodeMeasurement, SampleMeasurement, Sampler,
    StoredChunk, measure_samples,
};
