//! Copies a whole file.

use crate::data::DataCopy;
use crate::stored_reader::StoredReader;
use hyperslab::File;
use hyperslab_encode::RepackError;
use hyperslab_io::{Cancel, Sink};
use hyperslab_tree::object_selection::ObjectSelection;
use hyperslab_tree::source_dataset::{btree_k, open_dataset};
use hyperslab_tree::source_tree::SourceTree;
use hyperslab_write::{FileWriter, LowBound, ObjectSpec, WriteError, WriteOptions};

/// Options of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CopyOptions {
    /// The oldest library that is to read the new file.
    pub low: LowBound,
    /// The size of a page of the new file in bytes, if it is to be managed in pages.
    pub page_bytes: Option<u64>,
}

/// What was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Objects.
    pub objects: usize,
    /// The length of the new file in bytes.
    pub bytes: u64,
    /// The bytes from its start to the end of all metadata.
    pub metadata_bytes: u64,
}

/// For data from sources with latency.
const MEMORY_BYTES: u64 = 64 << 20;

/// A user block has a power of two of bytes, at least these.
const USER_BLOCK_MIN: u64 = 512;

/// Copies all objects of a file into a new one, with their data as it is stored, and the user block.
///
/// # Errors
///
/// What cannot be read, written, or copied. The new file is then incomplete and cannot be opened.
pub fn copy(file: &File, sink: &dyn Sink, options: CopyOptions) -> Result<Summary, RepackError> {
    let SourceTree { tree, mut sources, .. } = SourceTree::read(file, &ObjectSelection::default(), false)?;
    let base = file.userblock_bytes();
    let user_block_bytes = if base >= USER_BLOCK_MIN && base.is_power_of_two() { base } else { 0 };
    let CopyOptions { low, page_bytes } = options;
    let options = WriteOptions { low, page_bytes, user_block_bytes, btree_k: btree_k(file) };
    let datasets: Vec<_> = (0..)
        .zip(&tree.objects)
        .filter(|(_, object)| matches!(object.spec, ObjectSpec::Dataset(_)))
        .map(|(number, _)| hyperslab_write::ObjectId(number))
        .collect();
    let objects = tree.objects.len();
    let reader = &StoredReader::new(file, MEMORY_BYTES, &Cancel::never());
    let mut writer = FileWriter::create(sink, tree, options)?;
    copy_user_block(file, sink, user_block_bytes)?;
    for id in datasets {
        let (address, path) = sources.objects[id.0 as usize].clone();
        let dataset = open_dataset(file, address, &path)?;
        let (keep_going, damage) = (false, Vec::new());
        let mut copy = DataCopy { file, sources: &mut sources, keep_going, damage, reader };
        copy.copy(id, &dataset, &mut writer)?;
    }
    let metadata_bytes = writer.metadata_bytes();
    Ok(Summary { objects, bytes: writer.finish()?.bytes, metadata_bytes })
}

/// Fills a user block of `len` bytes with that of the source, and with zeros after its end.
pub(crate) fn copy_user_block(file: &File, sink: &dyn Sink, len: u64) -> Result<(), RepackError> {
    const PIECE_BYTES: u64 = 1 << 20;
    let source = file.source();
    let own = file.userblock_bytes();
    let mut at = 0;
    while at < len {
        let mut bytes = vec![0; PIECE_BYTES.min(len - at) as usize];
        let known = bytes.len().min(own.saturating_sub(at).try_into().unwrap_or(usize::MAX));
        let read = source.read_into(at, &mut bytes[..known]);
        read.map_err(|error| hyperslab::Error::from(error).in_file(file.name()))?;
        let written = sink.write_at(at, &bytes);
        written.map_err(|error| WriteError::Io { name: sink.name(), error })?;
        at += bytes.len() as u64;
    }
    Ok(())
}
