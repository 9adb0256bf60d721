//! The census of a file: every byte belongs to a kind of metadata, to the raw data of a dataset, to free space that the file
//! records, or to nobody.
//!
//! All objects are opened through the ordinary parsers while every structure that they parse is noted with its extent
//! ([`Metadata::observe`]); the extents of raw data are added, then the free-space managers, and what is left is searched
//! for collections of the global heap, to which only elements refer. The parts never overlap and add up to the length of
//! the file.
//!
//! Nodes of version 1 B-trees and symbol table nodes are counted with the space that libhdf5 allocates for them by default.
//! Not found: structures that readers never need, such as the second B-tree of links in creation order and the free space
//! within heaps. Their bytes count as nobody's.

mod free_space;

use super::file::Hdf5File;
use super::object::{Hdf5Object, node};
use super::{attributes, links, parts};
use crate::census::{Census, Claims, Extent, FEW, Owner, Tree, gaps};
use crate::file::File;
use crate::object::Object;
use crate::{Error, Prefetch, Result};
use hyperslab_array::array::Storage;
use hyperslab_format::heap::global::Collection;
use hyperslab_format::message::LinkTarget;
use hyperslab_format::superblock::Superblock;
use hyperslab_format::{Address, Parse, View};
use std::collections::HashSet;

/// At most so many bytes that nobody owns are searched for collections of the global heap.
const SEARCHED_BYTES_MAX: u64 = 256 << 20;
/// How a collection of the global heap begins: its signature, its version, and reserved bytes. libhdf5 allocates them at any
/// offset, such as behind a chunk of an odd size.
const COLLECTION_START: &[u8] = b"GCOL\x01\0\0\0";
/// Bytes that are searched at once.
const WINDOW_BYTES: u64 = 1 << 20;

/// Takes the census of a file; in formats whose header says it all, that is all that is read. An HDF5 file is read through an opening of its own, metadata only.
///
/// # Errors
/// Those of opening the file. Damage below the root group is among [`Census::errors`].
pub fn census(file: &File) -> Result<Census> {
    let inner = &file.inner;
    if let Some(census) = inner.format.census(inner.source.len()) {
        return Ok(census);
    }
    let own = File::open_source(inner.source.clone(), inner.data.runtime.clone(), inner.is_lenient)?;
    let hdf5 = own.inner.hdf5("census of its structures")?;
    if let Ok(root) = own.root() {
        // Before anything is observed: what is fetched in advance is not counted.
        root.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
    }
    hdf5.metadata.observe();
    let mut walk = Walk {
        file: &own,
        raw: Vec::new(),
        chunked: Vec::new(),
        objects: 0,
        tree: Tree::default(),
        errors: Vec::new(),
        seen: HashSet::new(),
    };
    let page_bytes = walk.superblock()?;
    walk.objects();
    let Walk { raw, chunked, objects, tree, errors, .. } = walk;
    let free = free_space::sections(&own).unwrap_or_default();
    let file_bytes = own.inner.source.len();
    let mut claims = Claims::default();
    let mut claim = |at, bytes, owner| claims.add(at, bytes, owner, file_bytes);
    let superblock = &hdf5.superblock;
    claim(0, superblock.base, Owner::Metadata("user block"));
    claim(
        superblock.base,
        Superblock::bytes(superblock.version, superblock.widths),
        Owner::Metadata("superblock"),
    );
    for (structure, at, bytes) in hdf5.metadata.observed() {
        claim(at, bytes, Owner::Metadata(structure));
    }
    let mut paths = Vec::new();
    for (path, parts) in raw {
        parts.into_iter().for_each(|(at, bytes)| claim(at, bytes, Owner::RawData(paths.len())));
        paths.push(path);
    }
    for (at, bytes) in free {
        claim(at, bytes, Owner::Free);
    }
    let mut extents = claims.disjoint();
    let collections = collections(hdf5, &gaps(&extents, file_bytes));
    if !collections.is_empty() {
        let owner = Owner::Metadata("global heap collection");
        extents.extend(collections.into_iter().map(|(at, bytes)| Extent {
            start: at,
            end: at + bytes,
            owner,
        }));
        extents.sort_by_key(|extent| extent.start);
    }
    let found = Census::of(extents, paths, file_bytes);
    Ok(Census { chunked, objects, tree, page_bytes, errors, ..found })
}

struct Walk<'f> {
    file: &'f File,
    /// Address and bytes of the parts of each dataset's raw data.
    raw: Vec<(String, Vec<(u64, u64)>)>,
    chunked: Vec<(u64, u64)>,
    objects: u64,
    tree: Tree,
    errors: Vec<Error>,
    seen: HashSet<Address>,
}

impl Walk<'_> {
    /// Visits what the superblock refers to beside the root group; returns the size of a page, if there are pages.
    fn superblock(&mut self) -> Result<Option<u64>> {
        let pages = parts::page_bytes(self.file)?;
        // Visits the table of shared messages.
        self.file.inner.hdf5("shared messages")?.parse_shared(|_| Ok(()))?;
        Ok(pages)
    }

    /// Visits all objects, each once.
    fn objects(&mut self) {
        let mut pending = match self.file.root() {
            Ok(root) => vec![Object::Group(root)],
            Err(error) => return self.errors.push(error),
        };
        while let Some(object) = pending.pop() {
            if !self.seen.insert(object.address()) {
                continue;
            }
            self.objects += 1;
            match object.attributes().entries() {
                Ok(entries) => {
                    let is_dense = Hdf5Object::of(node(&object)).is_some_and(attributes::are_dense)
                        && entries.len() <= FEW;
                    self.tree.dense_attributes += u64::from(is_dense);
                }
                Err(error) => self.errors.push(error),
            }
            match &object {
                Object::Dataset(dataset) => {
                    self.tree.datasets += 1;
                    let depth = dataset.path().matches('/').count().saturating_sub(1);
                    self.tree.depth = self.tree.depth.max(depth as u64);
                    match raw_parts(dataset) {
                        Ok(parts) if parts.is_empty() => {}
                        Ok(parts) => {
                            let chunk = dataset.chunk_bytes().filter(|bytes| *bytes > 0);
                            let all = |bytes: u64| (bytes, bytes.saturating_mul(parts.len() as u64));
                            self.chunked.extend(chunk.map(all));
                            self.raw.push((dataset.path().to_owned(), parts));
                        }
                        Err(error) => self.errors.push(error),
                    }
                }
                Object::Group(group) => {
                    self.tree.groups += u64::from(self.objects > 1);
                    let links = match group.node.object.links() {
                        Ok(links) => {
                            let is_dense = Hdf5Object::of(&group.node).is_some_and(links::are_dense)
                                && links.len() <= FEW;
                            self.tree.dense_links += u64::from(is_dense);
                            links
                        }
                        Err(error) => {
                            self.errors.push(error);
                            continue;
                        }
                    };
                    for link in links {
                        let member = link.and_then(|link| match link.target {
                            LinkTarget::Hard(address) if self.seen.contains(&address) => Ok(None),
                            LinkTarget::Hard(_) => group.open(&link).map(Some),
                            _ => Ok(None),
                        });
                        match member {
                            Ok(member) => pending.extend(member),
                            Err(error) => self.errors.push(error),
                        }
                    }
                }
                Object::Datatype(_) => {}
            }
        }
    }
}

/// Where the raw data of a dataset lies in its own file.
fn raw_parts(dataset: &crate::Dataset) -> Result<Vec<(u64, u64)>> {
    Ok(match &dataset.inner.array.storage {
        Storage::Chunked(_) => {
            let map = dataset.chunk_map()?;
            map.iter().map(|(_, location)| (location.address, location.stored_bytes)).collect()
        }
        Storage::Contiguous { base: Some(base), .. } => vec![(*base, dataset.logical_bytes())],
        _ => Vec::new(),
    })
}

/// Collections of the global heap among the bytes that nobody owns.
fn collections(hdf5: &Hdf5File, gaps: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let (base, source) = (hdf5.superblock.base, &hdf5.source);
    let (mut found, mut searched) = (Vec::new(), 0u64);
    for &(start, end) in gaps {
        let mut at = start;
        while at < end && searched < SEARCHED_BYTES_MAX {
            let len = WINDOW_BYTES.min(end - at);
            let mut window = vec![0; len as usize];
            if source.read_into(at, &mut window).is_err() {
                break;
            }
            searched += len;
            // A collection may begin in one window and go on in the next.
            let overlap = if at + len < end { COLLECTION_START.len() as u64 - 1 } else { 0 };
            let mut next = at + len.saturating_sub(overlap).max(1);
            for offset in memchr::memmem::find_iter(&window, COLLECTION_START) {
                let offset = offset as u64;
                if at + offset >= base
                    && let Ok(collection) = hdf5.parse(|view| collection_at(view, at + offset - base))
                    && at + offset + collection <= end
                {
                    found.push((at + offset, collection));
                    next = at + offset + collection;
                    break;
                }
            }
            at = next;
        }
    }
    found
}

fn collection_at(view: &View, address: u64) -> Parse<u64> {
    Ok(Collection::parse(view, Address(address))?.size() as u64)
}
