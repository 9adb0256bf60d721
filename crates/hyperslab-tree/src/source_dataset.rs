//! Opens datasets of a tree.

use hyperslab::hdf5::{self, format_error, superblock};
use hyperslab::{ChunkMap, Dataset, Error, File, Object};
use hyperslab_encode::RepackError;
use hyperslab_format::Address;
use hyperslab_format::message::{BtreeK, Layout};
use std::collections::HashMap;
use std::sync::Arc;

/// A file whose objects are copied.
#[derive(Clone)]
pub struct SourceFile {
    /// The file.
    pub file: File,
    /// The chunks of datasets whose chunk index is damaged, as far as they can be found.
    pub undamaged: Arc<HashMap<Address, Arc<ChunkMap>>>,
}

impl SourceFile {
    /// The dataset whose object header is at an address. Messages name it by `path`.
    ///
    /// # Errors
    ///
    /// Damage in its header.
    pub fn dataset(&self, address: Address, path: &str) -> Result<Dataset, RepackError> {
        let dataset = open_dataset(&self.file, address, path)?;
        match self.undamaged.get(&address) {
            Some(map) => Ok(dataset.with_chunk_map(map.clone())?),
            None => Ok(dataset),
        }
    }
}

/// The sizes of the nodes of version 1 B-trees that a file declares; libhdf5's if they are not possible, and for other formats.
pub fn btree_k(file: &File) -> BtreeK {
    let Ok(superblock) = superblock(file) else { return BtreeK::default() };
    let k = BtreeK {
        chunk_internal: superblock.chunk_internal_k,
        group_internal: superblock.group_internal_k,
        group_leaf: superblock.group_leaf_k,
    };
    if k.is_valid() { k } else { BtreeK::default() }
}

/// The layout message of a dataset.
///
/// # Errors
///
/// Damage in the message.
pub fn layout(file: &File, dataset: &Dataset) -> Result<Layout, RepackError> {
    let object = Object::Dataset(dataset.clone());
    let layout = hdf5::header(&object)?.layout(superblock(file)?.widths).map_err(format_error)?;
    Ok(layout.ok_or_else(|| Error::internal("a dataset without a layout"))?)
}

/// The dataset whose object header is at an address. Messages name it by `path`.
///
/// # Errors
///
/// Damage in its header.
pub fn open_dataset(file: &File, address: Address, path: &str) -> Result<Dataset, RepackError> {
    match hdf5::object_at(file, address, path)? {
        Object::Dataset(dataset) => Ok(dataset),
        _ => Err(Error::internal("not a dataset").at_object(path).into()),
    }
}
