//! What the free-space managers of the file record as free.

use crate::{File, Result};
use hyperslab_format::Address;
use hyperslab_format::free_space::FreeSpaceManager;
use hyperslab_format::superblock::SuperblockExtension;

/// Absolute offset and bytes of each free section.
pub(super) fn sections(file: &File) -> Result<Vec<(u64, u64)>> {
    let hdf5 = file.inner.hdf5("free-space managers")?;
    let extension = hdf5.parse(|view| SuperblockExtension::parse(*view, &hdf5.superblock))?;
    let managers =
        extension.and_then(|extension| extension.file_space).map(|space| space.managers).unwrap_or_default();
    let mut found = Vec::new();
    for address in managers.into_iter().flatten() {
        found.extend(hdf5.parse(|view| FreeSpaceManager::parse(view, address)?.sections(view))?);
    }
    Ok(found.into_iter().map(|section| (file.offset_of(Address(section.offset)), section.bytes)).collect())
}
