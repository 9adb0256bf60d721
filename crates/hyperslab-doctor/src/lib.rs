//! Which reads of an HDF5 file are slow, why, and how to fix them.
//!
//! The crate is pure logic: facts about a dataset go in ([`DatasetFacts`]), a report comes out ([`DatasetReport`]), as
//! JSON by serde or as text by [`render_text`]. In between, libhdf5's chunk cache is simulated exactly ([`simulate`])
//! for every read ([`hyperslab_storage::pattern`]) under the common libraries and caches ([`Profile`]). Each performance problem becomes a
//! [`Finding`] with fixes whose effect is simulated too.
//!
//! ```text
//!   DatasetFacts ─┐
//!   Options ──────┴─► diagnose ─► DatasetReport { reads × profiles, findings } ─► render_text / JSON
//! ```
//!
//! Deliberately absent: files, the engine, the command line. This crate reads no byte of HDF5.

mod case;
mod diagnose;
mod engine;
mod error;
mod finding;
mod fitting;
mod fix;
mod follow_up;
pub mod forecast;
mod lattice;
mod numbers;
pub mod older;
mod options;
pub mod predict;
mod profile;
mod report;
#[cfg(test)]
mod testing;

pub use diagnose::{
    SimulatedRead, chunk_loads, diagnose, diagnose_file, diagnose_storage, report_reads, simulate_reads,
};
pub use engine::{EngineCounts, equivalent_cache};
pub use error::DoctorError;
pub use facts::{
    ChunkMap, Codec, DatasetFacts, Decoded, Encoding, FileFacts, FillFacts, FillTime, FilterFact, Layout,
    PackingFacts, PageWaste, RecodeMeasurement, SampleMeasurement, Sampler, StoredChunk, VariableLength,
    measure_samples,
};
pub use finding::{Cost, Finding, Severity, codes, why};
pub use fitting::fitting_cache;
pub use fix::{Fix, FixKind, OtherRead, WriterLine};
pub use hyperslab_simulate as simulate;
use hyperslab_simulate::facts;
pub use lattice::lattice;
pub use numbers::{list_text, ratio_text};
pub use options::Options;
pub use profile::Profile;
pub use report::{
    DatasetReport, EngineReport, Prediction, ProfileReport, ReadReport, Report, WriteProfileReport,
    WriteReport, alternative_text, render_findings, render_forecast, render_text,
};
