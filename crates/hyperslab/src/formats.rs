//! Which format a file has: its first bytes say it.

use crate::hdf5::{self, Beginning, FirstMember};
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, OpenLinked};
use crate::{Result, classic, hdf4};
use hyperslab_array::runtime::Runtime;
use hyperslab_io::{Location, Source};
use std::sync::Arc;

/// Opens the file that `linked` belongs to. `wrap` may put a source of its own around the file's source.
pub(crate) fn open_at(
    linked: LinkedFiles<FileInner>,
    runtime: Runtime,
    is_lenient: bool,
    wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
) -> Result<Arc<FileInner>> {
    let first = FirstMember::open(linked.opener(), linked.own().unwrap_or(&Location::from("")))?;
    let beginning = Beginning::of(first.source.clone());
    let magic = beginning.magic()?;
    if let Some(open) = older(&magic) {
        let linked = linked.of(first.location);
        return open(wrap(first.source), linked, open_linked, runtime);
    }
    hdf5::open_at(first, beginning, linked, open_linked, runtime, is_lenient, wrap)
}

/// Opens the file that a source contains.
pub(crate) fn open_source(
    source: Arc<dyn Source>,
    linked: LinkedFiles<FileInner>,
    runtime: Runtime,
    is_lenient: bool,
) -> Result<Arc<FileInner>> {
    let beginning = Beginning::of(source.clone());
    match older(&beginning.magic()?) {
        Some(open) => open(source, linked, open_linked, runtime),
        None => hdf5::open_source(beginning, linked, open_linked, runtime, is_lenient),
    }
}

/// Opens a file of a format before HDF5.
type OpenOlder = fn(Arc<dyn Source>, LinkedFiles<FileInner>, OpenLinked, Runtime) -> Result<Arc<FileInner>>;

/// What opens a file that begins with these bytes, if its format is not HDF5.
fn older(magic: &[u8]) -> Option<OpenOlder> {
    if classic::is_classic(magic) {
        Some(classic::open)
    } else if hdf4::is_hdf4(magic) {
        Some(hdf4::open)
    } else {
        None
    }
}

/// Opens a file that another one refers to: only HDF5 files do, and to nothing but HDF5 files.
fn open_linked(linked: LinkedFiles<FileInner>, runtime: Runtime) -> Result<Arc<FileInner>> {
    let first = FirstMember::open(linked.opener(), linked.own().unwrap_or(&Location::from("")))?;
    let beginning = Beginning::of(first.source.clone());
    hdf5::open_at(first, beginning, linked, open_linked, runtime, false, |source| source)
}
