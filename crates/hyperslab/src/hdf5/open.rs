//! Opening an HDF5 file: its members, its superblock, and what its extension says.

use super::driver::{self, Driver, FirstMember};
use super::file::{Hdf5, Hdf5File};
use super::located::{Beginning, Located};
use crate::Result;
use crate::format_error::format_error;
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, OpenLinked};
use hyperslab_array::array::DataSource;
use hyperslab_array::runtime::Runtime;
use hyperslab_io::Source;
use std::sync::Arc;

/// Opens the file whose first member is `first`.
pub(crate) fn open_at(
    first: FirstMember,
    beginning: Beginning,
    linked: LinkedFiles<FileInner>,
    open_linked: OpenLinked,
    runtime: Runtime,
    is_lenient: bool,
    wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
) -> Result<Arc<FileInner>> {
    let located = Located::find_behind(beginning)?;
    let members = first.members(linked.opener(), &located);
    let linked = linked.of(first.location);
    match members.map_err(|error| error.in_file(first.source.name()))? {
        None => open(located.through(wrap(first.source)), None, linked, open_linked, runtime, is_lenient),
        Some((driver, pieces)) => {
            let located = Located::find(wrap(Arc::new(pieces)))?;
            open(located, Some(driver), linked, open_linked, runtime, false)
        }
    }
}

/// Opens the file that a source contains.
pub(crate) fn open_source(
    beginning: Beginning,
    linked: LinkedFiles<FileInner>,
    open_linked: OpenLinked,
    runtime: Runtime,
    is_lenient: bool,
) -> Result<Arc<FileInner>> {
    open(Located::find_behind(beginning)?, None, linked, open_linked, runtime, is_lenient)
}

fn open(
    located: Located,
    driver: Option<Driver>,
    linked: LinkedFiles<FileInner>,
    open_linked: OpenLinked,
    runtime: Runtime,
    is_lenient: bool,
) -> Result<Arc<FileInner>> {
    let name = located.source.name();
    if !is_lenient {
        let explained = |error| driver::explain_end(format_error(error), &located).in_file(&name);
        located.superblock.check_end_of_file(located.source.len()).map_err(explained)?;
    }
    let Located { source, metadata, superblock, extension } = located;
    // Needed from truncated files, too: a cache image that it names takes the place of metadata elsewhere.
    let extension = extension.map_err(|error| error.in_file(&name))?;
    let file = Hdf5File::new(source.clone(), metadata, superblock, extension, driver, is_lenient)?;
    let data = Arc::new(DataSource::new(source, runtime));
    let format = Box::new(Hdf5(Arc::new(file)));
    Ok(Arc::new(FileInner::new(data, format, linked, open_linked, is_lenient)))
}
