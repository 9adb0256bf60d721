//! Objects of small files: groups, and datasets of 4-byte integers.

use hyperslab_format::message::datatype::{ByteOrder, Charset, Class, Integer};
use hyperslab_format::message::{Datatype, FilterPipeline};
use hyperslab_write::{
    DatasetSpec, DataspaceSpec, DatatypeUse, GroupSpec, LinkSpec, LinkTargetSpec, Object, ObjectId,
    ObjectSpec, StorageSpec,
};
use std::sync::Arc;

/// A group with links of these names to the objects of these numbers.
pub fn group<N: AsRef<str>>(members: impl IntoIterator<Item = (N, u32)>) -> Object {
    let link = |(name, number): (N, u32)| LinkSpec {
        name: name.as_ref().into(),
        charset: Charset::Ascii,
        target: LinkTargetSpec::Hard(ObjectId(number)),
    };
    let links = members.into_iter().map(link).collect();
    Object::new(ObjectSpec::Group(Box::new(GroupSpec { links, ..GroupSpec::default() })))
}

/// A dataset of little-endian 4-byte integers.
pub fn dataset(dims: &[u64], filters: FilterPipeline, storage: StorageSpec) -> Object {
    let integer = Integer { order: ByteOrder::Little, signed: true, bit_offset: 0, precision: 32 };
    let datatype = Datatype { class: Class::Integer(integer), size: 4, committed: None };
    Object::new(ObjectSpec::Dataset(Box::new(DatasetSpec {
        datatype: DatatypeUse { datatype: datatype.into(), committed: None },
        dataspace: DataspaceSpec::Fixed(dims.into()),
        fill: Arc::default(),
        filters: filters.into(),
        storage,
    })))
}
