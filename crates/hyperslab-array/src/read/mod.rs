//! Executing plans: fetch, decode, convert, place.
//!
//! ```text
//! array ─┬─ chunked ─┬─ raw ──── block           unfiltered bytes, directly or through cached blocks
//!        │           ├─ decode ─ partial_chunk   decoding one chunk
//!        │           └─ pipeline                 fetching concurrently with decoding, for sources with latency
//!        ├─ raw
//!        └─ virtual_array                         arrays stored in other arrays, read part by part
//! new_memory ─┬─ array
//!             └─ raw                               bytes of a local file that are stored as they are wanted
//! ```

mod ahead;
pub mod array;
mod block;
pub(crate) mod call;
mod chunked;
pub mod convert;
mod decode;
pub mod new_memory;
mod partial_chunk;
mod pipeline;
pub(crate) mod place;
pub(crate) mod raw;
pub(crate) mod target;
mod virtual_array;
pub(crate) mod worker;
