//! Indexes of HDF5 files for other readers: where every chunk lies, and how it is decoded.
//!
//! A reader of Zarr can read the chunks of an HDF5 file where they are, if it is told their addresses and their filters.
//! [`Index::build`] collects both in one pass, in the terms of Zarr, and [`Index::concat`] combines several files along a
//! dimension; each format of Zarr's readers is a file that writes an [`Index`]. Two formats have the terms of HDF5: Hyrax's
//! DMR++ ([`write_dmrpp`]), written from the netCDF view, and hyperslab's own ([`write_native`], [`NativeIndex`]), with which a
//! file is opened without reading its metadata.
//!
//! ```text
//! netCDF view ──► build.rs ── array.rs: storage and chunks ──► Index ─┬─► kerchunk.rs           (zarr2.rs)
//!       │            ├─ data_type.rs   HDF5 datatype  → dtype    │    ├─► kerchunk_parquet.rs   (zarr2.rs, columns.rs)
//!       │            ├─ codec.rs       HDF5 filter    → codec    │    ├─► zarr3.rs
//!       │            └─ attribute.rs   attribute      → JSON     │    └─► hsds.rs
//!       │                                                   concat.rs, times.rs
//!       └─► dmrpp.rs
//! file ───► native/                                                                             (columns.rs)
//! ```
//!
//! What such a reader would misread is never written as a reference:
//!
//! * Zarr's fill value masks values in xarray. It is written only where it equals the attribute `_FillValue`; elsewhere
//!   chunks that were never written are inlined.
//! * Chunks that were stored without some of the filters (the filter mask, partial edge chunks) are encoded again with all
//!   of them, and inlined.
//! * Text that is padded with spaces, or ends at a NUL, is padded with NULs and inlined, if it is small.
//! * A variable whose filters or datatype Zarr lacks is inlined if it is small, and is otherwise listed in
//!   [`Index::omitted`] with the reason.
//!
//! Not here: Icechunk, whose library writes its repositories (`python/hyperslab/icechunk.py`).

mod array;
mod attribute;
mod build;
mod chunks;
mod codec;
mod columns;
mod concat;
mod data_type;
mod dmrpp;
mod encode;
mod hsds;
mod kerchunk;
mod kerchunk_parquet;
mod model;
mod native;
mod times;
mod values;
mod zarr2;
mod zarr3;

pub use chunks::{Chunks, Content};
pub use codec::Codec;
pub use data_type::DataType;
pub use dmrpp::write_dmrpp;
pub use hsds::write_hsds;
pub use hyperslab_netcdf::Omitted;
pub use kerchunk::write_kerchunk;
pub use kerchunk_parquet::write_kerchunk_parquet;
pub use model::{Array, BuildOptions, FillMeaning, Group, Index};
pub use native::{NativeIndex, write_native};
pub use zarr3::write_zarr;
