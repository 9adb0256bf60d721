//! Opening a file of netCDF classic: its header is all that is read.

use super::format::Classic;
use super::header;
use crate::Result;
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, OpenLinked};
use hyperslab_array::array::DataSource;
use hyperslab_array::runtime::Runtime;
use hyperslab_classic::Version;
use hyperslab_io::Source;
use std::sync::Arc;

/// True for a file that begins with these bytes.
pub(crate) fn is_classic(first: &[u8]) -> bool {
    Version::of(first).is_some()
}

/// Opens the file that a source contains.
pub(crate) fn open(
    source: Arc<dyn Source>,
    linked: LinkedFiles<FileInner>,
    open_linked: OpenLinked,
    runtime: Runtime,
) -> Result<Arc<FileInner>> {
    let header = header::read(&*source).map_err(|error| error.in_file(source.name()))?;
    let format = Box::new(Classic::new(header, source.len()));
    let data = Arc::new(DataSource::new(source, runtime));
    Ok(Arc::new(FileInner::new(data, format, linked, open_linked, false)))
}
