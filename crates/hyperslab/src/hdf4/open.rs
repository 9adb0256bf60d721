//! Opening a file of HDF4: its descriptors, Vgroups and Vdatas are read.

use super::contents::Contents;
use super::elements::Elements;
use super::format::Hdf4;
use crate::Result;
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, OpenLinked};
use bytes::BytesMut;
use hyperslab_array::array::DataSource;
use hyperslab_array::runtime::Runtime;
use hyperslab_hdf4::MAGIC;
use hyperslab_io::{Memory, Source, purpose};
use std::sync::Arc;

/// The largest distant file that is fetched as a whole, in bytes: structures lie all over a file.
const WHOLE_BYTES_MAX: u64 = 8 << 20;

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
    let source = at_once(source).map_err(|error| error.in_file(name.clone()))?;
    let read = || {
        let elements = Arc::new(Elements::read(source.clone())?);
        let contents = Contents::read(&elements, true);
        Ok(Hdf4::new(elements, contents))
    };
    let format = read().map_err(|error: crate::Error| error.in_file(name))?;
    let data = Arc::new(DataSource::new(source.clone(), runtime));
    Ok(Arc::new(FileInner::new(data, Box::new(format), linked, open_linked, false)))
}

/// A small distant file in memory; others as they are.
fn at_once(source: Arc<dyn Source>) -> Result<Arc<dyn Source>> {
    let len = source.len();
    if !source.advice().has_latency() || len > WHOLE_BYTES_MAX || source.knows_structures() {
        return Ok(source);
    }
    let known = source.beginning();
    let bytes = match known.len() as u64 == len {
        true => known,
        false => {
            let mut bytes = BytesMut::zeroed(len as usize);
            purpose::with("whole file", || source.read_into(0, &mut bytes))?;
            bytes.freeze()
        }
    };
    Ok(Arc::new(Memory::new(source.name(), bytes)))
}
