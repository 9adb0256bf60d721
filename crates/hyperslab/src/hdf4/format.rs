//! What HDF4 answers when the engine asks it about a file.

use super::contents::Contents;
use super::elements::Elements;
use super::{census, object};
use crate::census::Census;
use crate::named_dimensions::NamedDimensions;
use crate::open_file::{Format, StoredObject};
use crate::{Error, Result};
use hyperslab_format::Address;
use std::sync::Arc;

/// The number of the root group.
pub(super) const ROOT: Address = Address(0);

/// An open file.
pub(super) struct Hdf4 {
    pub(super) elements: Arc<Elements>,
    pub(super) contents: Arc<Contents>,
    is_truncated: bool,
}

impl Hdf4 {
    pub(super) fn new(elements: Arc<Elements>, contents: Contents) -> Self {
        let len = elements.source().len();
        let ends = elements.descriptors.iter().filter_map(|descriptor| descriptor.range());
        let is_truncated = ends.map(|range| range.end).max().is_some_and(|end| end > len);
        Self { elements, contents: Arc::new(contents), is_truncated }
    }
}

impl Format for Hdf4 {
    fn name(&self) -> &'static str {
        "HDF4"
    }

    fn word(&self) -> &'static str {
        "hdf4"
    }

    fn root(&self) -> Address {
        ROOT
    }

    fn object(&self, number: Address) -> Result<Arc<dyn StoredObject>> {
        let index = usize::try_from(number.0).ok().filter(|index| *index < self.contents.objects.len());
        let index = index.ok_or_else(|| Error::damaged(format!("the file has no object {}", number.0)))?;
        Ok(Arc::new(object::Numbered {
            elements: self.elements.clone(),
            contents: self.contents.clone(),
            index,
        }))
    }

    fn absolute(&self, address: Address) -> u64 {
        usize::try_from(address.0).map_or(0, |index| self.contents.at(index))
    }

    fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    fn census(&self, file_bytes: u64) -> Option<Census> {
        Some(census::take(&self.elements, &self.contents, file_bytes))
    }

    fn dimensions(&self) -> Option<&NamedDimensions> {
        Some(&self.contents.dimensions)
    }
}
