//! Which chunks and filters suit a dataset: storages are enumerated, measured on samples of its values, and compared by what
//! its reads cost.
//!
//! ```text
//!   Question: facts, reads, readers, bound of the size, place
//!      │
//!      ├─► shapes ──► rank (estimate) ──► cost (the doctor's simulator) ──► the best chunk shapes
//!      ├─► pipelines that the readers have ──────────────────────────────► Trials: ratio and speed, measured
//!      │                                                                        │
//!      └──────────────────────────────► cost of each shape with each pipeline ◄─┘
//!                                           │
//!                        the nearest to the best ──► decoded by the user's libhdf5
//!                                           │
//!                        Pareto set, recommendations, alternatives, sensitivity ──► Advice, lines to paste
//! ```
//!
//! A *storage* is a chunk shape with a filter pipeline, or contiguous storage. What a read costs with a storage is predicted
//! by `hyperslab-doctor`: the chunk cache of each reader is simulated, and the counts become seconds. How small the data
//! becomes, and how fast it is encoded and decoded, is measured by the caller, who has the values ([`Trials`]).
//!
//! The same measurements give the same advice: ties are broken by sizes and names, and how much is simulated depends on
//! counts.
//!
//! Deliberately absent: files, the engine, the command line, text for people.

mod advice;
mod axes;
mod cache;
mod candidate;
mod choose;
mod clock;
mod confirm;
mod cost;
mod digit_rounding;
mod error;
mod error_bound;
mod lines;
mod pages;
mod pareto;
mod pipeline;
mod place;
mod promising;
mod question;
mod rank;
mod reader;
mod search;
mod sensitivity;
mod shapes;
mod storages;
mod survey;
mod together;
mod trial;
mod usual;

pub use advice::{
    Advice, Alternative, Payback, ReadAnswer, Recommendation, StorageAnswer, Verdict, WhyNot, advise,
};
pub use axes::{Axis, AxisRole};
pub use cache::CacheAnswer;
pub use candidate::Candidate;
pub use cost::ReadCost;
pub use digit_rounding::DigitRounding;
pub use error::AdviseError;
pub use error_bound::{ErrorBound, Tolerance};
pub use hyperslab_storage::lines::Encoding;
pub use lines::{Line, Origin, Target, lines};
pub use pages::{PageAdvice, PageCandidate, PagedReader, ReadSession, StoredFile, advise_on_pages};
pub use pipeline::{Compression, Pipeline};
pub use place::Place;
pub use question::{Question, SizeBound};
pub use reader::{Reader, ReaderKind};
pub use sensitivity::ShareRange;
pub use shapes::{CHUNK_BYTES_MAX, CHUNK_BYTES_MIN};
pub use survey::{Survey, SurveyedStorage, Surveyor};
pub use together::{Agreed, Member, Together, together};
pub use trial::{Trial, Trials};
pub use usual::{UsualRead, usual_reads};
