//! Opening a file of HDF4: its descriptors, Vgroups and Vdatas are read.

use super::contents::Contents;
use super::elements::Elements;
use super::format::Hdf4;
use crate::Result;
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, OpenLinked};
use hyperslab_array::array::DataSource;
use hyperslab_array::runtime::Runtime;
use hyperslab_hdf4::MAGIC;
use hyperslab_io::Source;
use std::sync::Arc;

/// True for a file that begins with these bytes.
pub(crate) fn is_hdf4(first: &[u8]) -> bool {
    first.starts_with(&MAGIC)
}

/// Opens the file that a source contains.
pub(crate) fn open(
    source: Arc<dyn Source>,
    linked: LinkedFiles<FileInner>,
    open_linked: OpenLinked,
    runtime: Runtime,
) -> Result<Arc<FileInner>> {
    let name = source.name();
    let read = || {
        let elements = Arc::new(Elements::read(source.clone())?);
        let contents = Contents::read(&elements)?;
        Ok(Hdf4::new(elements, contents))
    };
    let format = read().map_err(|error: crate::Error| error.in_file(name))?;
    let data = Arc::new(DataSource::new(source.clone(), runtime));
    Ok(Arc::new(FileInner::new(data, Box::new(format), linked, open_linked, false)))
}
