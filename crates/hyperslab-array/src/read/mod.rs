//! Doing what a plan says: fetch, decode, place.
//!
//! ```text
//! array ─┬─ chunked ─┬─ raw ──── block     unfiltered bytes, straight or through kept blocks
//!        │           ├─ decode ─ trimmed   the filters of one chunk, undone
//!        │           └─ pipeline           fetching beside decoding, where answers take their time
//!        ├─ raw
//!        └─ virtual_array                   arrays in other arrays, read part by part
//! ```

mod ahead;
pub mod array;
mod block;
pub(crate) mod call;
mod chunked;
pub mod convert;
mod decode;
mod pipeline;
pub(crate) mod place;
pub(crate) mod raw;
pub(crate) mod target;
mod trimmed;
mod virtual_array;
pub(crate) mod worker;
