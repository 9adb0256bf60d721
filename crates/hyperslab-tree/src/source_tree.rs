//! The tree of a source file: every object that a link, a reference in metadata or a use of a committed datatype leads to,
//! in the order in which they are found, breadth first.

mod attributes;
mod dataset;
mod group;
mod losses;
mod sources;

use crate::bare_dimension;
use crate::damage::{Damage, Lost, tolerated};
use crate::dimension_scales::{DIMENSION_LIST, is_netcdf_coordinates};
use crate::netcdf_numbers::renumber;
use crate::object_selection::{ObjectSelection, SelectionSummary};
use crate::relocate::{Objects, Referent, Relocatable};
use crate::selected::{Selected, select};
use crate::shared_parts::SharedParts;
use crate::source_dataset::SourceFile;
use crate::wide_datatype::wide;
use hyperslab::hdf5::{self, limit_metadata_cache, superblock};
use hyperslab::{ChunkMap, Datatype, File, Heap, Prefetch};
use hyperslab_encode::RepackError;
use hyperslab_format::Address;
use hyperslab_format::object_header::Times;
use hyperslab_write::{
    AttributeSpec, CreationOrder, DatatypeUse, FileTree, Object, ObjectId, ObjectSpec, Value,
};
pub use sources::Sources;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A tree, and the object of the source that each of its objects is copied from.
pub struct SourceTree {
    /// The source.
    pub file: SourceFile,
    /// Its objects as values.
    pub tree: FileTree,
    /// Where each object comes from.
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

/// Each object is read once, so that only metadata of neighbours is worth keeping.
const CACHED_METADATA_BYTES_MAX: usize = 4 << 20;

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
        let mut reader = Reader::new(file, sources, selected, keep_going);
        reader.sources.add(file.root_address(), "/");
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
    lost: Vec<Lost>,
}

impl<'a> Reader<'a> {
    fn new(file: &'a File, sources: Sources, selected: Option<Selected>, keep_going: bool) -> Self {
        limit_metadata_cache(file, CACHED_METADATA_BYTES_MAX);
        let (parts, undamaged) = Default::default();
        let (heap, tree, damage, lost) = (file.heap(), FileTree::default(), Vec::new(), Vec::new());
        Self { file, heap, tree, sources, parts, selected, keep_going, undamaged, damage, lost }
    }

    fn object(&mut self, address: Address, path: &str) -> Result<Object, RepackError> {
        let object = hdf5::object_at(self.file, address, path)?;
        let header = hdf5::header(&object)?;
        let widths = superblock(self.file)?.widths;
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
        let own = |error| hyperslab::hdf5::format_error(error).at_object(path);
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

    /// True for a dimension of which the variable is left out.
    fn is_bare(&self, address: Address) -> bool {
        self.selected.as_ref().is_some_and(|selected| selected.bare.contains(&address))
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
        let found = wide(datatype, superblock(self.file)?.widths);
        found.map_err(|error| match error {
            RepackError::Unsupported { what, .. } => RepackError::Unsupported { object: path.into(), what },
            other => other,
        })
    }

    fn value(&mut self, datatype: &Datatype, elements: &[u8]) -> Result<Value, RepackError> {
        let found = Relocatable::read(datatype, elements, &mut self.heap, &mut self.sources)?;
        Ok(found.into_value(&mut self.tree))
    }
}

/// The times of an object of which only the last modification is known.
fn all_times(seconds: i64) -> Option<Times> {
    let time = u32::try_from(seconds).ok()?;
    Some(Times { access: time, modification: time, change: time, birth: time })
}
