//! How large a file would be after a repack that changes nothing: what it has unused is the difference.

use crate::estimate::SampleSize;
use crate::plan::{RepackOptions, RepackPlan};
use hyperslab::File;
use hyperslab::hdf5::page_bytes;
use hyperslab_encode::RepackError;
use hyperslab_storage::GzipEncoder;
use hyperslab_storage::change::ChangeSet;
use hyperslab_tree::object_selection::ObjectSelection;
use hyperslab_write::WriteOptions;

/// The memory that is planned with. Nothing is decoded, so that it does not matter.
const MEMORY_BYTES: u64 = 256 << 20;

/// The predicted bytes of the file after a repack with the same chunks, filters, pages and versions. The metadata is read, and
/// the elements of variable length.
///
/// # Errors
/// Those of planning a repack.
pub fn repacked_bytes(file: &File) -> Result<u64, RepackError> {
    let options = RepackOptions {
        write: WriteOptions { page_bytes: page_bytes(file)?, ..WriteOptions::default() },
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet::default(),
        memory_bytes: MEMORY_BYTES,
        threads: 1,
        gzip: GzipEncoder::default(),
        verify: false,
        keep_going: true,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    };
    Ok(RepackPlan::new(file, options)?.estimate(SampleSize::default())?.bytes)
}
