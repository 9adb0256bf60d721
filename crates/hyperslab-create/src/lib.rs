//! Writes arrays into new HDF5 files.
//!
//! ```text
//! NewFile (objects by path) ──► prepare: shapes, chunks, filters ──► FileTree ──► FileWriter: data, batch by batch
//!      ──► verify ──► OutputFile (the name appears)
//! ```
//!
//! A [`NewFile`] lists groups, datasets, attributes and links. Nothing is written before [`NewFile::write`]: only then are the
//! [`Data`] of the datasets read, in blocks of whole chunks in row-major order, so that little of them is in memory. Chunks
//! are encoded by several threads and written in order: the bytes of the file do not depend on the number of threads. The
//! file has a temporary name until it is complete, verified and on the device.
//!
//! ```
//! use hyperslab_create::{CreateOptions, Data, NewDataset, NewFile, datatypes};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("new.h5");
//! let values: Vec<u8> = (0..24i32).flat_map(i32::to_le_bytes).collect();
//! let mut file = NewFile::new();
//! let dataset = NewDataset::new(datatypes::integer(4, true), &[4, 6]).chunks(&[2, 6]);
//! let id = file.dataset("/group/values", dataset)?;
//! file.set_data(id, Data::memory(values))?;
//! file.write(&path, &CreateOptions::default(), &Default::default())?;
//! assert_eq!(hyperslab::File::open(&path)?.dataset("/group/values")?.shape(), [4, 6]);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! Deliberately absent: changes of files that exist, conversion of values, structures of the format (`hyperslab-write` places
//! them, `hyperslab-format` encodes them). What encodes and verifies chunks is shared with `hyperslab-repack`.

mod blocks;
mod data;
pub mod datatypes;
mod elements;
mod error;
mod new_dataset;
mod new_file;
#[cfg(test)]
mod round_trip;
mod scales;
mod storage;
mod tree;
mod verify;
mod write;
mod write_data;
mod written_file;

pub use data::{BlockSource, Data, DataError};
pub use elements::{Elements, Region};
pub use error::CreateError;
pub use hyperslab_encode::Monitor;
pub use hyperslab_encode::block::Block;
pub use hyperslab_storage::{FilterRequest, GzipEncoder, Layout};
pub use hyperslab_write::{LowBound, ObjectId, WriteOptions};
pub use new_dataset::{NewAttribute, NewDataset};
pub use new_file::{LinkTarget, NewFile};
pub use write::CreateOptions;
pub use written_file::Created;
