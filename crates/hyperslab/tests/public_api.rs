//! A program that depends on `hyperslab` alone can name every type that a public function takes or returns.
//!
//! Each line gives the full type of a function, with names of this crate and of the standard library only. It stops
//! compiling when a type leaves the public API.

use hyperslab::datatypes::{ByteOrder, Charset, Class, Float, Integer, Member, Reference, StringPadding};
use hyperslab::hdf5::Superblock;
use hyperslab::io::{Advice, Location as FileLocation, Opener, Source, Version};
use hyperslab::storage::{AllocationTime, Fill, FillTime, FillValue, Filter};
use hyperslab::{
    Address, Attribute, AttributeEntry, Attributes, Axis, Blocks, Bytes, CacheStats, Cancel, ChunkBatch,
    ChunkGrid, ChunkIndex, ChunkMap, ChunkNumber, Dataset, Dataspace, Datatype, Driver, Endianness, Error,
    ErrorKind, Explained, ExplainedChunk, ExplainedRequest, ExplainedSource, File, Group, Heap, Link,
    LinkTarget, Location, Members, Name, NamedDatatype, Object, OpenOptions, Points, ReferenceTarget,
    RegionReference, Result, RevisedReference, Selection, SizeError,
};
use std::sync::Arc;

#[test]
fn files_and_objects() {
    let _: fn() -> OpenOptions = File::options;
    let _: fn(&File) -> Option<Driver> = File::driver;
    let _: fn(&File) -> &'static str = File::format_name;
    let _: fn(&File) -> Result<&Superblock> = hyperslab::hdf5::superblock;
    let _: fn(&File) -> Address = File::root_address;
    let _: fn(&File, Address) -> u64 = File::offset_of;
    let _: fn(&File) -> Arc<dyn Source> = File::source;
    let _: fn(&File) -> u64 = File::userblock_bytes;
    let _: fn(&File) -> CacheStats = File::cache_stats;
    let _: fn(&File) -> Heap = File::heap;
    let _: fn(&File) -> Result<Group> = File::root;
    let _: fn(&File, &str) -> Result<Object> = File::get;
    let _: fn(&File, Address) -> Result<Object> = File::object_at;
    let _: fn(&File, &RevisedReference) -> Result<Object> = File::dereference;
    let _: fn(&OpenOptions, Arc<dyn Opener>, FileLocation) -> Result<File> = OpenOptions::open_with;
    let _: fn(&OpenOptions, Arc<dyn Source>) -> Result<File> = OpenOptions::open_source;
    let _: fn(&Group) -> Result<Vec<Result<Link>>> = Group::links;
    let _: fn(&Group) -> Attributes<'_> = Group::attributes;
    let _: fn(&Link) -> (&Name, &LinkTarget) = |link| (&link.name, &link.target);
    let _: fn(&NamedDatatype) -> &Datatype = NamedDatatype::datatype;
    let _: fn(&Error) -> ErrorKind = Error::kind;
}

#[test]
fn attributes_and_datatypes() {
    let _: fn(&Attributes<'_>) -> Result<Vec<AttributeEntry>> = |attributes| attributes.entries();
    let _: fn(&AttributeEntry) -> (&Option<Name>, &Result<Attribute>) =
        |entry| (&entry.name, &entry.attribute);
    let _: fn(&Attribute) -> (&Datatype, &Dataspace, &Bytes) =
        |attribute| (&attribute.datatype, &attribute.dataspace, &attribute.data);
    let _: fn(&Datatype) -> &Class = |datatype| &datatype.class;
    let _: fn(Class) -> Option<Integer> = |class| match class {
        Class::Integer(integer) => Some(integer),
        _ => None,
    };
    let _: fn(Class) -> Option<Float> = |class| match class {
        Class::Float(float) => Some(float),
        _ => None,
    };
    let _: fn(Class) -> Option<(StringPadding, Charset)> = |class| match class {
        Class::FixedString { padding, charset } => Some((padding, charset)),
        _ => None,
    };
    let _: fn(Class) -> Option<Vec<Member>> = |class| match class {
        Class::Compound { members } => Some(members),
        _ => None,
    };
    let _: fn(Class) -> Option<Reference> = |class| match class {
        Class::Reference(reference) => Some(reference),
        _ => None,
    };
    let _: fn(&Integer) -> ByteOrder = |integer| integer.order;
}

#[test]
fn datasets() {
    let _: fn(&Dataset) -> &Dataspace = Dataset::dataspace;
    let _: fn(&Dataset) -> &[Filter] = Dataset::filters;
    let _: fn(&Dataset) -> &FillValue = Dataset::fill_value;
    let _: fn(&FillValue) -> (&Fill, FillTime, AllocationTime) =
        |fill| (&fill.value, fill.time, fill.allocation);
    let _: fn(&Dataset) -> Option<&ChunkGrid> = Dataset::chunk_grid;
    let _: fn(&Dataset) -> Result<Arc<ChunkMap>> = Dataset::chunk_map;
    let _: fn(&Dataset) -> Option<Arc<dyn ChunkIndex>> = Dataset::chunk_index;
    let _: fn(&ChunkMap, ChunkNumber) -> Option<Location> = ChunkMap::get;
    let _: fn(ChunkBatch<'_>) -> &[u64] = |batch| batch.addresses;
    let _: fn(&Dataset, &Selection) -> Result<Explained> = Dataset::explain;
    let _: fn(&Explained) -> &[ExplainedRequest] = |explained| &explained.requests;
    let _: fn(&ExplainedRequest) -> Option<&ExplainedSource> = |request| request.source.as_deref();
    let _: fn(&ExplainedRequest) -> &[ExplainedChunk] = |request| &request.chunks;
    let _: fn(&Dataset, &Selection, Endianness) -> Result<Vec<u8>> = Dataset::read_bytes;
    let _: fn(&Dataset, &Selection, &Members) -> Result<Vec<u8>> = Dataset::read_members;
    let _: fn(&Dataset, &Cancel) -> Dataset = Dataset::cancelled_by;
}

#[test]
fn selections_references_and_sources() {
    let _: fn(Selection) -> Option<Vec<Axis>> = |selection| match selection {
        Selection::Slab(axes) => Some(axes),
        _ => None,
    };
    let _: fn(Selection) -> Option<Points> = |selection| match selection {
        Selection::Points(points) => Some(points),
        _ => None,
    };
    let _: fn(u64, u64, u64, u64) -> Result<Blocks> = Blocks::new;
    let _: fn(&mut Heap, &[u8]) -> Result<Option<RegionReference>> = Heap::region;
    let _: fn(&mut Heap, &[u8]) -> Result<Option<RevisedReference>> = Heap::reference;
    let _: fn(RevisedReference) -> ReferenceTarget = |reference| reference.target;
    let _: fn(&[u8], &[u64]) -> Result<Selection> = hyperslab::region_selection;
    let _: fn(&dyn Source) -> Advice = |source| source.advice();
    let _: fn(Version) -> u64 = |version| version.len;
    let _: fn(&str) -> std::result::Result<u64, SizeError> = hyperslab::parse_bytes;
}
