//! Indexes of HDF5 files for other readers: where every chunk lies, and how it is decoded.
//!
//! A reader of Zarr can read the chunks of an HDF5 file where they are, if it is told their addresses and their filters.
//! [`Index::build`] collects both in one pass, in the terms of Zarr; each format of Zarr's readers is a file that writes an
//! [`Index`]: [`write_kerchunk`]. Hyrax's DMR++ ([`write_dmrpp`]) has the terms of HDF5, and is written from the netCDF view.
//!
//! ```text
//! netCDF view ──► build.rs ── array.rs: storage and chunks ──► Index ──► kerchunk.rs
//!                    ├─ data_type.rs   HDF5 datatype  → dtype of Zarr 2
//!                    ├─ codec.rs       HDF5 filter    → codec of numcodecs
//!       │            └─ attribute.rs   attribute      → JSON
//!       └─────────────────────────────────────────────────────────────► dmrpp.rs
//! ```
//!
//! What such a reader would misread is never written as a reference:
//!
//! * Zarr's fill value masks values in xarray. It is written only where it equals the attribute `_FillValue`; elsewhere
//!   chunks that were never written are inlined.
//! * Chunks that were stored without some of the filters (the filter mask, partial edge chunks) are encoded again with all
//!   of them, and inlined.
//! * A variable whose filters or datatype Zarr lacks is inlined if it is small, and is otherwise listed in
//!   [`Index::omitted`] with the reason.
//!
//! Not here: reading of indexes, the combination of several files.

mod array;
mod attribute;
mod build;
mod codec;
mod data_type;
mod dmrpp;
mod encode;
mod kerchunk;
mod model;

pub use codec::Codec;
pub use data_type::DataType;
pub use dmrpp::write_dmrpp;
pub use kerchunk::write_kerchunk;
pub use model::{Array, Chunk, Content, Group, Index, Omitted};
