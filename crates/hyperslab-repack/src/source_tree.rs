//! The tree of a source file: every object that a link, a reference in metadata or a use of a committed datatype leads to,
//! in the order in which they are found, breadth first.

use crate::bare_dimension;
use crate::damage::{Damage, Lost, tolerated};
use crate::dimension_scales::{DIMENSION_LIST, Detached, detach, is_netcdf_coordinates};
use crate::error::RepackError;
use crate::link_tree::{absolute, joined};
use crate::netcdf_numbers::renumber;
use crate::new_filters::FilteredDataset;
use crate::object_selection::{ObjectSelection, SelectionSummary, Severed};
use crate::pieces::each_piece;
use crate::relocate::{Objects, Referent, Relocatable};
use crate::selected::{Selected, renamed, select};
use crate::shared_parts::SharedParts;
use crate::source_dataset::SourceFile;
use crate::undamaged_map::undamaged_map;
use crate::wide_datatype::wide;
use hyperslab::internal::{limit_metadata_cache, stored, superblock};
use hyperslab::{Attribute, ChunkMap, Dataset, Datatype, ErrorKind, File, Heap, Link, LinkTarget, Prefetch};
use hyperslab_format::message::fill_value::{AllocationTime, Fill};
use hyperslab_format::message::{Dataspace, Layout, LinkInfo};
use hyperslab_format::object_header::{MessageKind, ObjectHeader, Times};
use hyperslab_format::virtual_mapping::VirtualMapping;
use hyperslab_format::{Address, Encoder, Widths};
use hyperslab_units::counted_text;
use hyperslab_write::{
    AttributeSpec, ChunkedSpec, CreationOrder, DatasetSpec, DatatypeUse, ExternalSegment, ExternalTarget,
    FileTree, FillSpec, GroupSpec, LinkSpec, LinkTargetSpec, Object, ObjectId, ObjectSpec, StorageSpec,
    UserDefinedTarget, Value,
};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A tree, and the object of the source that each of its objects is copied from.
pub(crate) struct SourceTree {
    pub file: SourceFile,
    pub tree: FileTree,
    pub sources: Sources,
    /// What was left out and changed by request.
    pub selection: SelectionSummary,
    /// The paths of objects in the source, if the new file may have others.
    pub old_paths: HashMap<Address, Vec<String>>,
    /// Chunks that a chunk index lists, and that are not where it says.
    pub damage: Vec<Damage>,
    /// What could not be read, and is left out.
    pub lost: Vec<Lost>,
    /// Dimensions of which the variable is left out. They have no data.
    pub bare: HashSet<ObjectId>,
}

/// The objects found so far, by their addresses in the source.
#[derive(Default)]
pub struct Sources {
    numbers: HashMap<Address, ObjectId>,
    /// The address and path of each object.
    pub objects: Vec<(Address, Box<str>)>,
    /// The file, while objects can be added that only references lead to.
    file: Option<File>,
    /// Addresses of references that lead to no object.
    dangling: HashSet<Address>,
    /// Objects that are left out by request.
    omitted: HashSet<Address>,
}

impl Objects for &Sources {
    fn object(&mut self, address: Address) -> Referent {
        match self.numbers.get(&address) {
            Some(number) => Referent::Copied(*number),
            None if self.omitted.contains(&address) => Referent::Omitted,
            None => Referent::Deleted,
        }
    }
}

impl Objects for Sources {
    fn object(&mut self, address: Address) -> Referent {
        let known = (&*self).object(address);
        if known != Referent::Deleted {
            return known;
        }
        let Some(file) = &self.file else { return Referent::Deleted };
        if self.dangling.contains(&address) {
            return Referent::Deleted;
        }
        // libhdf5 does not follow a reference to an object that has no links left.
        let object = file.object_at(address).ok();
        if object.is_none_or(|object| stored::header(&object).reference_count == 0) {
            self.dangling.insert(address);
            return Referent::Deleted;
        }
        Referent::Copied(self.add(address, &format!("<object at {address}>")))
    }
}

impl Sources {
    fn add(&mut self, address: Address, path: &str) -> ObjectId {
        let next = ObjectId(self.objects.len() as u32);
        let objects = &mut self.objects;
        *self.numbers.entry(address).or_insert_with(|| {
            objects.push((address, path.into()));
            next
        })
    }
}

/// Each object is read once, so that only metadata of neighbours is worth keeping.
const CACHED_METADATA_BYTES_MAX: usize = 4 << 20;

/// Flags in the link and attribute info messages.
const INDEXED: u8 = 0x02;

impl SourceTree {
    /// Reads everything but data, of the objects that are to be copied. With `keep_going`, chunks of damaged chunk indexes
    /// that can be found are copied, and objects, links and attributes that can be read; the others are noted.
    ///
    /// # Errors
    ///
    /// Objects that cannot be read, and those that cannot be copied; a selection that is refused.
    pub fn read(file: &File, selection: &ObjectSelection, keep_going: bool) -> Result<Self, RepackError> {
        // From a source with latency, many structures are fetched at once.
        let prefetch = Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true };
        file.root()?.prefetch(&prefetch);
        let (mut unreadable, mut lost) = (HashSet::new(), Vec::new());
        // References to an object that turns out to be unreadable have been read by then: each time, all is read anew
        // without those that are known.
        loop {
            let (mut tree, failed) = Self::read_without(file, selection, keep_going, &unreadable)?;
            if failed.is_empty() {
                lost.append(&mut tree.lost);
                tree.lost = lost;
                return Ok(tree);
            }
            for (address, object) in failed {
                unreadable.insert(address);
                lost.push(object);
            }
        }
    }

    /// Reads the objects that are not known to be unreadable. Also returns those that turned out to be.
    fn read_without(
        file: &File,
        selection: &ObjectSelection,
        keep_going: bool,
        unreadable: &HashSet<Address>,
    ) -> Result<(Self, Vec<(Address, Lost)>), RepackError> {
        let selected = if selection.is_everything() { None } else { Some(select(file, selection)?) };
        let mut omitted = selected.as_ref().map(|selected| selected.omitted.clone()).unwrap_or_default();
        omitted.extend(unreadable);
        let sources = Sources { file: Some(file.clone()), omitted, ..Sources::default() };
        let mut reader =
            Reader { unreadable: unreadable.clone(), ..Reader::new(file, sources, selected, keep_going) };
        reader.sources.add(superblock(file).root, "/");
        let (mut next, mut failed) = (0, Vec::new());
        while let Some((address, path)) = reader.sources.objects.get(next).cloned() {
            let object = match reader.object(address, &path) {
                Err(error) if keep_going && next > 0 => {
                    let error = tolerated(error)?.to_string();
                    failed.push((address, Lost { path: path.to_string(), what: "the object", error }));
                    Object::new(ObjectSpec::Group(Box::default()))
                }
                object => object?,
            };
            reader.tree.objects.push(object);
            next += 1;
        }
        reader.sources.file = None;
        let Reader { mut tree, mut sources, selected, undamaged, damage, lost, .. } = reader;
        tree.objects.shrink_to_fit();
        sources.objects.shrink_to_fit();
        let Selected { summary: selection, paths, bare, .. } = selected.unwrap_or_default();
        let bare = bare.iter().filter_map(|address| sources.numbers.get(address).copied()).collect();
        let file = SourceFile { file: file.clone(), undamaged: Arc::new(undamaged) };
        let tree = Self { file, tree, sources, selection, old_paths: paths, damage, lost, bare };
        Ok((tree, failed))
    }
}

/// The objects of a file that was written from a tree, read one by one.
pub struct WrittenObjects<'a> {
    reader: Reader<'a>,
}

impl<'a> WrittenObjects<'a> {
    /// The objects whose headers are at these addresses, in the order of the tree.
    pub fn new(file: &'a File, addresses: &[Address]) -> Self {
        let mut sources = Sources::default();
        sources.numbers.reserve(addresses.len());
        sources.objects.reserve_exact(addresses.len());
        for &address in addresses {
            sources.add(address, "");
        }
        Self { reader: Reader::new(file, sources, None, false) }
    }

    /// An object, and the heap that its values refer to.
    ///
    /// # Errors
    ///
    /// What cannot be read.
    pub fn read(&mut self, id: ObjectId, path: &str) -> Result<(Object, Vec<Value>), RepackError> {
        let address = self.reader.sources.objects[id.0 as usize].0;
        let object = self.reader.object(address, path)?;
        Ok((object, std::mem::take(&mut self.reader.tree.heap)))
    }

    /// The objects by their addresses.
    pub fn sources(&self) -> &Sources {
        &self.reader.sources
    }
}

/// An attribute of the new file.
struct CopiedAttribute {
    /// `None` if all that it refers to is left out.
    attribute: Option<AttributeSpec>,
    /// True if some of what it referred to is left out.
    is_detached: bool,
}

struct Reader<'a> {
    file: &'a File,
    heap: Heap,
    tree: FileTree,
    sources: Sources,
    parts: SharedParts,
    /// The links that are copied, if not all of them are as they are.
    selected: Option<Selected>,
    keep_going: bool,
    undamaged: HashMap<Address, Arc<ChunkMap>>,
    damage: Vec<Damage>,
    /// Objects that are known to be unreadable.
    unreadable: HashSet<Address>,
    lost: Vec<Lost>,
}

impl<'a> Reader<'a> {
    fn new(file: &'a File, sources: Sources, selected: Option<Selected>, keep_going: bool) -> Self {
        limit_metadata_cache(file, CACHED_METADATA_BYTES_MAX);
        let (parts, undamaged) = Default::default();
        let (heap, tree, damage) = (file.heap(), FileTree::default(), Vec::new());
        let (unreadable, lost) = Default::default();
        Self { file, heap, tree, sources, parts, selected, keep_going, undamaged, damage, unreadable, lost }
    }

    fn object(&mut self, address: Address, path: &str) -> Result<Object, RepackError> {
        let object = stored::object_at(self.file, address, path)?;
        let header = stored::header(&object);
        let widths = superblock(self.file).widths;
        let spec = match &object {
            hyperslab::Object::Group(group) => {
                let selected = self.selected.as_mut().and_then(|selected| selected.links.remove(&address));
                let links = match selected {
                    Some(links) => links,
                    None => self.links(group, path)?,
                };
                ObjectSpec::Group(Box::new(self.group(header, links, path)?))
            }
            hyperslab::Object::Dataset(dataset) if self.is_bare(address) => {
                ObjectSpec::Dataset(Box::new(self.bare_dimension(dataset, path)?))
            }
            hyperslab::Object::Dataset(dataset) => {
                let dataset = self.with_chunks(address, dataset, path)?;
                ObjectSpec::Dataset(Box::new(self.dataset(header, &dataset, path)?))
            }
            hyperslab::Object::Datatype(datatype) => {
                ObjectSpec::Datatype(Box::new(self.wide(datatype.datatype(), path)?.detached()))
            }
        };
        let mut attributes = Vec::new();
        let mut is_detached = false;
        let mut stored = match object.attributes().in_file_order() {
            Ok(found) => self.readable(found, path, "an attribute")?,
            Err(error) => {
                self.lose(path, "its attributes", error)?;
                Vec::new()
            }
        };
        if let hyperslab::Object::Dataset(dataset) = &object
            && self.is_bare(address)
        {
            stored = bare_dimension::attributes(dataset, stored);
        }
        if let Some(selected) = &self.selected {
            stored.iter_mut().for_each(|attribute| renumber(attribute, &selected.dimension_numbers));
        }
        for attribute in stored {
            let name = attribute.name.clone();
            let copied = match self.attribute(attribute, path) {
                Err(error) if self.keep_going => {
                    self.lose(path, "an attribute", tolerated(error)?)?;
                    continue;
                }
                copied => copied?,
            };
            is_detached |= name.as_bytes() == DIMENSION_LIST.as_bytes() && copied.is_detached;
            attributes.extend(copied.attribute);
        }
        if is_detached {
            attributes.retain(|attribute: &AttributeSpec| !is_netcdf_coordinates(&attribute.name));
        }
        attributes.shrink_to_fit();
        let order = CreationOrder {
            tracked: header.tracks_attribute_order(),
            indexed: header.indexes_attribute_order(),
        };
        let own = |error| hyperslab::internal::format_error(error).at_object(path);
        let modified = header.modification_time(widths).map_err(own)?;
        let times = header.times.or_else(|| modified.and_then(|time| all_times(time.0)));
        Ok(Object {
            spec,
            attributes,
            attribute_order: order,
            attribute_phase_change: header.attribute_phase_change,
            times,
            comment: header.comment(widths).map_err(own)?.map(|comment| Box::new(comment.0.detached())),
        })
    }

    /// The links of a group.
    fn links(&mut self, group: &hyperslab::Group, path: &str) -> Result<Vec<Link>, RepackError> {
        let links = match group.links() {
            Ok(links) => self.readable(links, path, "a link")?,
            // Without the links of the root group, nothing is left.
            Err(error) if path != "/" => {
                self.lose(path, "its links", error)?;
                Vec::new()
            }
            Err(error) => return Err(error.at_object(path).into()),
        };
        let is_readable = |link: &Link| !matches!(link.target, LinkTarget::Hard(address) if self.unreadable.contains(&address));
        Ok(links.into_iter().filter(is_readable).collect())
    }

    /// Those of some parts of an object that can be read; the others are noted.
    fn readable<T>(
        &mut self,
        parts: Vec<Result<T, hyperslab::Error>>,
        path: &str,
        what: &'static str,
    ) -> Result<Vec<T>, RepackError> {
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Ok(part) => found.push(part),
                Err(error) => self.lose(path, what, error)?,
            }
        }
        Ok(found)
    }

    /// Notes what cannot be read, if the copy keeps going.
    fn lose(&mut self, path: &str, what: &'static str, error: hyperslab::Error) -> Result<(), RepackError> {
        let error = error.at_object(path);
        if !self.keep_going || error.kind() == ErrorKind::Cancelled {
            return Err(error.into());
        }
        self.lost.push(Lost { path: path.into(), what, error: error.to_string() });
        Ok(())
    }

    /// True for a dimension of which the variable is left out.
    fn is_bare(&self, address: Address) -> bool {
        self.selected.as_ref().is_some_and(|selected| selected.bare.contains(&address))
    }

    fn bare_dimension(&mut self, dataset: &Dataset, path: &str) -> Result<DatasetSpec, RepackError> {
        let unsupported = || RepackError::Unsupported { object: path.into(), what: "has no datatype".into() };
        let datatype = bare_dimension::datatype().ok_or_else(unsupported)?;
        let (dataspace, storage) = bare_dimension::extent(dataset);
        let mut fill = FillSpec::default();
        fill.value.allocation = usual_allocation(&storage);
        Ok(DatasetSpec {
            datatype: DatatypeUse { datatype: self.parts.datatype(&datatype), committed: None },
            dataspace: dataspace.into(),
            fill: self.parts.fill(fill),
            filters: self.parts.filters(&[]),
            storage,
        })
    }

    /// A dataset with the chunks that can be found, if not all of them have to be.
    fn with_chunks(
        &mut self,
        address: Address,
        dataset: &Dataset,
        path: &str,
    ) -> Result<Dataset, RepackError> {
        if !self.keep_going || dataset.chunk_shape().is_none() || dataset.shape().contains(&0) {
            return Ok(dataset.clone());
        }
        let error = match dataset.chunk_map() {
            Err(error) if error.kind() != ErrorKind::Cancelled => error,
            _ => return Ok(dataset.clone()),
        };
        let (map, mut damage) = undamaged_map(dataset, path, error)?;
        self.damage.append(&mut damage);
        let map = Arc::new(map);
        self.undamaged.insert(address, map.clone());
        Ok(dataset.with_chunk_map(map)?)
    }

    fn group(
        &mut self,
        header: &ObjectHeader,
        mut links: Vec<Link>,
        path: &str,
    ) -> Result<GroupSpec, RepackError> {
        let widths = superblock(self.file).widths;
        let own = |error| hyperslab::internal::format_error(error).at_object(path);
        let info = header.link_info(widths).map_err(own)?;
        let order = CreationOrder {
            tracked: info.as_ref().is_some_and(LinkInfo::tracks_creation_order),
            indexed: header.first(MessageKind::LINK_INFO).is_some_and(is_indexed),
        };
        if order.tracked {
            links.sort_by_key(|link| link.creation_order);
        }
        let links = links.into_iter().map(|link| {
            let target = match link.target {
                LinkTarget::Hard(address) => {
                    // Messages and patterns have the names of the source.
                    let own = self.selected.as_ref().and_then(|selected| selected.paths.get(&address));
                    let path =
                        own.map_or_else(|| joined(path, &link.name.to_string()), |paths| paths[0].clone());
                    LinkTargetSpec::Hard(self.sources.add(address, &path))
                }
                LinkTarget::Soft(path) => LinkTargetSpec::Soft(Box::new(path.detached())),
                LinkTarget::External { file, path } => {
                    let target = ExternalTarget { file: file.detached(), path: path.detached() };
                    LinkTargetSpec::External(Box::new(target))
                }
                LinkTarget::UserDefined { class, data } => {
                    let data = bytes::Bytes::copy_from_slice(&data);
                    LinkTargetSpec::UserDefined(Box::new(UserDefinedTarget { class, data }))
                }
            };
            LinkSpec { name: link.name.detached(), charset: link.charset, target }
        });
        let mut links: Vec<_> = links.collect();
        links.shrink_to_fit();
        let info = header.group_info(widths).map_err(own)?.unwrap_or_default();
        Ok(GroupSpec { links, order, info })
    }

    fn datatype(&mut self, datatype: &Datatype, path: &str) -> Result<DatatypeUse, RepackError> {
        let datatype = &*self.wide(datatype, path)?;
        let committed = datatype.committed.and_then(|address| match self.sources.object(address) {
            Referent::Copied(object) => Some(object),
            // Without the committed datatype, the object has it as its own.
            Referent::Omitted | Referent::Deleted => None,
        });
        Ok(DatatypeUse { datatype: self.parts.datatype(datatype), committed })
    }

    /// The datatype as it is in the new file.
    fn wide<'d>(&self, datatype: &'d Datatype, path: &str) -> Result<Cow<'d, Datatype>, RepackError> {
        let found = wide(datatype, superblock(self.file).widths);
        found.map_err(|error| match error {
            RepackError::Unsupported { what, .. } => RepackError::Unsupported { object: path.into(), what },
            other => other,
        })
    }

    fn value(&mut self, datatype: &Datatype, elements: &[u8]) -> Result<Value, RepackError> {
        let found = Relocatable::read(datatype, elements, &mut self.heap, &mut self.sources)?;
        Ok(found.into_value(&mut self.tree))
    }

    fn attribute(&mut self, mut attribute: Attribute, path: &str) -> Result<CopiedAttribute, RepackError> {
        let datatype = self.datatype(&attribute.datatype, path)?;
        let mut found =
            Relocatable::read(&attribute.datatype, &attribute.data, &mut self.heap, &mut self.sources)?;
        attribute.datatype = self.wide(&attribute.datatype, path)?.into_owned();
        let omitted = found.omitted_count();
        if omitted > 0 {
            let is_scale = attribute.name.as_bytes() != DIMENSION_LIST.as_bytes();
            let detached = detach(&mut attribute, &mut found);
            match detached {
                Detached::Unchanged => {
                    let nulls = counted_text(omitted as u64, "null reference");
                    self.sever(path, format!("{nulls} in attribute {}, to what is left out", attribute.name));
                }
                // The list of a scale follows from those of the datasets.
                Detached::Changed | Detached::Empty if is_scale => {}
                Detached::Changed | Detached::Empty => {
                    let are = if omitted == 1 { "is" } else { "are" };
                    self.sever(
                        path,
                        format!(
                            "loses {}, which {are} left out",
                            counted_text(omitted as u64, "dimension scale")
                        ),
                    );
                }
            }
            if matches!(detached, Detached::Empty) {
                return Ok(CopiedAttribute { attribute: None, is_detached: true });
            }
        }
        let value = found.into_value(&mut self.tree);
        let Attribute { name, charset, dataspace, .. } = attribute;
        let attribute = Some(AttributeSpec {
            name: self.parts.name(&name),
            charset,
            datatype,
            dataspace: dataspace.into(),
            value,
        });
        Ok(CopiedAttribute { attribute, is_detached: omitted > 0 })
    }

    /// Notes that an object referred to what is left out.
    fn sever(&mut self, path: &str, what: String) {
        if let Some(selected) = &mut self.selected {
            selected.summary.severed.push(Severed { path: path.into(), what });
        }
    }

    fn dataset(
        &mut self,
        header: &ObjectHeader,
        dataset: &Dataset,
        path: &str,
    ) -> Result<DatasetSpec, RepackError> {
        let datatype = self.datatype(dataset.datatype(), path)?;
        // The dataspace of a virtual dataset depends on its sources; the message has the one that is stored.
        let (dataspace, layout) = stored::parse(self.file, |context| {
            Ok((header.dataspace(context)?, header.layout(context.view.widths)?))
        })?;
        let missing = || RepackError::Unsupported { object: path.into(), what: "has no layout".into() };
        let (dataspace, layout) = dataspace.zip(layout).ok_or_else(missing)?;
        let storage = self.storage(header, dataset, &dataspace, &layout, path)?;
        let mut fill = FillSpec { value: dataset.fill_value().clone(), patches: Box::default() };
        if [MessageKind::FILL_VALUE, MessageKind::FILL_VALUE_OLD]
            .iter()
            .all(|&kind| header.first(kind).is_none())
        {
            fill.value.allocation = usual_allocation(&storage);
        }
        if let Fill::User(bytes) = &fill.value.value {
            let value = self.value(dataset.datatype(), bytes)?;
            (fill.value.value, fill.patches) = (Fill::User(value.bytes.into()), value.patches);
        }
        if dataset.datatype().contains_reference() {
            // Objects that only these references lead to belong to the tree.
            let mut omitted = 0;
            each_piece(self.file, dataset, &layout, &mut self.heap, |_, elements, heap| {
                // What cannot be read is reported when it is copied.
                let Ok(elements) = elements else { return Ok(()) };
                let datatype = dataset.datatype();
                let (found, ..) = Relocatable::read_undamaged(datatype, &elements, heap, &mut self.sources);
                omitted += found.omitted_count();
                Ok(())
            })?;
            if omitted > 0 {
                let nulls = counted_text(omitted as u64, "null reference");
                self.sever(path, format!("{nulls} among its values, to what is left out"));
            }
        }
        // Filters of a dataset without chunks were never applied.
        let filters = match &storage {
            StorageSpec::Chunked(chunked) if datatype.datatype.size != dataset.datatype().size => {
                // Their parameters contain the size of an element.
                let filtered = FilteredDataset {
                    datatype: &datatype.datatype,
                    chunk: &chunked.chunk_dims,
                    fill: &fill.value,
                };
                let refused = |error| RepackError::Unsupported {
                    object: path.into(),
                    what: format!("filters for elements whose addresses become longer: {error}"),
                };
                self.parts.filters(&filtered.kept(dataset.filters()).map_err(refused)?)
            }
            StorageSpec::Chunked(_) => self.parts.filters(dataset.filters()),
            _ => self.parts.filters(&[]),
        };
        let (dataspace, fill) = (dataspace.into(), self.parts.fill(fill));
        Ok(DatasetSpec { datatype, dataspace, fill, filters, storage })
    }

    fn storage(
        &mut self,
        header: &ObjectHeader,
        dataset: &Dataset,
        dataspace: &Dataspace,
        layout: &Layout,
        path: &str,
    ) -> Result<StorageSpec, RepackError> {
        let widths = superblock(self.file).widths;
        let own = |error| hyperslab::internal::format_error(error).at_object(path);
        if let Some(files) = header.external_files(widths).map_err(own)? {
            let names = stored::parse(self.file, |context| {
                hyperslab_format::heap::LocalHeap::parse(&context.view, files.heap)?.read(&context.view)
            })?;
            let segment = |slot: &hyperslab_format::message::ExternalSlot| {
                let file = names.text("external file name", slot.name_offset).map_err(own)?;
                Ok(ExternalSegment { file: file.detached(), offset: slot.offset, bytes: slot.size })
            };
            let segments = files.slots.iter().map(segment).collect::<Result<Vec<_>, hyperslab::Error>>()?;
            return Ok(StorageSpec::External(segments));
        }
        Ok(match layout {
            Layout::Compact { data, .. } => {
                // Space behind the last element has no meaning.
                let size = dataspace.elements().unwrap_or(0).saturating_mul(dataset.datatype().size.into());
                let len = usize::try_from(size).unwrap_or(usize::MAX).min(data.len());
                StorageSpec::Compact(self.value(dataset.datatype(), &data[..len])?)
            }
            Layout::Contiguous { address, .. } => StorageSpec::Contiguous { allocated: address.is_some() },
            Layout::Chunked(chunked) => {
                let mut coords = Vec::new();
                // Chunks of a dataset that has shrunk to nothing cannot be seen, and have no place in an index.
                if !dataspace.dims().contains(&0) {
                    let map = dataset.chunk_map()?;
                    coords.reserve_exact(map.len().saturating_mul(dataspace.dims().len()));
                    map.iter().for_each(|(number, _)| coords.extend(map.grid().coordinates(number)));
                }
                StorageSpec::Chunked(ChunkedSpec {
                    chunk_dims: chunked.chunk_dims[..].into(),
                    edge_chunks_unfiltered: chunked.edge_chunks_unfiltered,
                    coords: coords.into(),
                })
            }
            Layout::Virtual { heap, index } => {
                let mut mappings = match heap {
                    Some(collection) => {
                        let block = self.heap.object(*collection, *index)?;
                        VirtualMapping::parse_all(block, widths).map_err(own)?
                    }
                    None => Vec::new(),
                };
                let renames = self.selected.as_ref().map_or(&[][..], |selected| &selected.renames);
                for mapping in mappings.iter_mut().filter(|mapping| mapping.source_file.as_bytes() == b".") {
                    let Some(path) = mapping.source_dataset.as_str() else { continue };
                    let new = renamed(&absolute("/", path), renames);
                    if new != absolute("/", path) {
                        mapping.source_dataset = new.as_str().into();
                    }
                }
                let mut out = Encoder::new("virtual dataset mapping", Widths::default());
                VirtualMapping::encode_all(&mappings, &mut out);
                StorageSpec::Virtual(self.tree.push_heap(out.finish()?.into()))
            }
        })
    }
}

/// When libhdf5 allocates the storage of a dataset whose header does not say so, as in files of its first versions
/// (`H5D__open_oid`).
fn usual_allocation(storage: &StorageSpec) -> AllocationTime {
    match storage {
        StorageSpec::Compact(_) => AllocationTime::Early,
        StorageSpec::Contiguous { .. } | StorageSpec::External(_) => AllocationTime::Late,
        StorageSpec::Chunked(_) | StorageSpec::Virtual(_) => AllocationTime::Incremental,
    }
}

fn is_indexed(message: &hyperslab_format::object_header::Message) -> bool {
    message.body.get(1).is_some_and(|flags| flags & INDEXED != 0)
}

/// The times of an object of which only the last modification is known.
fn all_times(seconds: i64) -> Option<Times> {
    let time = u32::try_from(seconds).ok()?;
    Some(Times { access: time, modification: time, change: time, birth: time })
}
