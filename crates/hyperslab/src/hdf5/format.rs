//! What HDF5 answers when the engine asks it about a file and its objects.

use super::file::Hdf5;
use super::object::Hdf5Object;
use super::{attributes, links, open_dataset, prefetch};
use crate::known_attributes::AttributeEntry;
use crate::open_file::{Format, Node, StoredObject};
use crate::prefetch::Prefetch;
use crate::stored_dataset::StoredDataset;
use crate::{Error, Result};
use hyperslab_array::array::Operation;
use hyperslab_format::Address;
use hyperslab_format::message::{Datatype, Link};
use hyperslab_format::object_header::{ObjectHeader, ObjectKind};
use hyperslab_format::superblock::Superblock;
use std::any::Any;
use std::sync::Arc;

impl Format for Hdf5 {
    fn name(&self) -> &'static str {
        "HDF5"
    }

    fn word(&self) -> &'static str {
        "hdf5"
    }

    fn root(&self) -> Address {
        self.0.superblock.root
    }

    fn object(&self, number: Address) -> Result<Arc<dyn StoredObject>> {
        let header = self.0.parse(|view| ObjectHeader::parse(*view, number))?;
        Ok(Arc::new(Hdf5Object { file: self.0.clone(), header: Arc::new(header) }))
    }

    fn absolute(&self, address: Address) -> u64 {
        self.0.superblock.base.saturating_add(address.0)
    }

    fn is_truncated(&self) -> bool {
        self.0.superblock.check_end_of_file(self.0.source.len()).is_err()
    }

    fn is_left_open(&self) -> bool {
        let flags = Superblock::WRITE_ACCESS | Superblock::SWMR_WRITE_ACCESS;
        let superblock = &self.0.superblock;
        // Earlier versions have the flags, but libhdf5 neither sets nor reads them there.
        superblock.version >= 3 && superblock.consistency_flags & flags != 0
    }

    fn prefetch(&self, group: &dyn StoredObject, wanted: &Prefetch) {
        if let Some(group) = (group as &dyn Any).downcast_ref::<Hdf5Object>() {
            prefetch::run(wanted, group);
        }
    }

    fn trim(&self) {
        self.0.metadata.trim();
    }
}

impl StoredObject for Hdf5Object {
    fn number(&self) -> Address {
        self.header.address
    }

    fn kind(&self) -> ObjectKind {
        self.header.kind()
    }

    fn structure(&self) -> &'static str {
        "object header"
    }

    fn links(&self) -> Result<Vec<Result<Link>>> {
        links::list(self)
    }

    fn link_count(&self) -> Result<u64> {
        links::count(self)
    }

    fn link(&self, name: &[u8]) -> Result<Option<Link>> {
        links::get(self, name)
    }

    fn tracks_link_order(&self) -> bool {
        let info = self.header.link_info(self.file.widths());
        info.ok().flatten().is_some_and(|info| info.tracks_creation_order())
    }

    fn attributes(&self, name: Option<&str>) -> Result<Vec<AttributeEntry>> {
        attributes::read(self, name)
    }

    fn tracks_attribute_order(&self) -> bool {
        self.header.tracks_attribute_order()
    }

    fn dataset(&self, node: &Node, operation: &Operation) -> Result<StoredDataset> {
        open_dataset::open(self, node, operation)
    }

    fn datatype(&self) -> Result<Datatype> {
        let found = self.file.parse_shared(|context| self.header.datatype(context))?;
        found.ok_or_else(|| Error::damaged("the object header has no datatype message"))
    }
}
