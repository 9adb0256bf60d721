//! What HDF4 says of its objects beyond what the engine's words have: for who keeps it in another format.

use super::contents::Contents;
use super::format::Hdf4;
use crate::{Error, File, Result};
use hyperslab_format::{Address, Name};
use std::any::Any;
use std::sync::Arc;

/// What an object is in HDF4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A scientific data set.
    DataSet,
    /// A raster image.
    Image,
    /// 256 colours.
    Palette,
    /// A table of records.
    Vdata,
    /// A group.
    Vgroup,
}

/// An object in HDF4's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Its own name, which may be empty, and which others may have, too.
    pub name: Name,
    /// Its reference, which tells objects of a kind apart.
    pub reference: u16,
    /// The palette of an image.
    pub palette: Option<Address>,
}

impl Facts {
    pub(super) fn new(kind: Kind, name: Name, reference: u16) -> Self {
        Self { kind, name, reference, palette: None }
    }
}

impl Kind {
    /// What an object without a name is called by.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::DataSet => "data_set",
            Kind::Image => "image",
            Kind::Palette => "palette",
            Kind::Vdata => "vdata",
            Kind::Vgroup => "vgroup",
        }
    }
}

/// What HDF4 says of an object; `None` for the root group and for what HDF-EOS2 makes of objects.
///
/// # Errors
/// A file of another format.
pub fn facts(file: &File, object: Address) -> Result<Option<Facts>> {
    let contents = &of(file)?.contents;
    let index = usize::try_from(object.0).ok();
    Ok(index.and_then(|index| contents.facts.get(&index).cloned()))
}

/// How many of the last attributes of the root group are those of all images; the others are those of all data sets.
///
/// # Errors
/// A file of another format.
pub fn image_attributes(file: &File) -> Result<usize> {
    Ok(of(file)?.contents.image_attributes)
}

/// The same file, in which Vgroups of HDF-EOS2 are Vgroups as all others.
///
/// # Errors
/// A file of another format.
pub fn without_structures(file: &File) -> Result<File> {
    let elements = of(file)?.elements.clone();
    let contents = Contents::read(&elements, false);
    Ok(File { inner: Arc::new(file.inner.seen_as(Box::new(Hdf4::new(elements, contents)))) })
}

fn of(file: &File) -> Result<&Hdf4> {
    let what = || Error::unsupported(format!("{} is not HDF4", file.format_name())).in_file(file.name());
    let format: &dyn Any = &*file.inner.format;
    format.downcast_ref::<Hdf4>().ok_or_else(what)
}
