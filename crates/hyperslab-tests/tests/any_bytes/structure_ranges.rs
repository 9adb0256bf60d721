//! The byte ranges of the structures in a valid file.

use super::checksums::Checksum;
use hyperslab::filters;
use hyperslab::{Dataset, File, Group, LinkTarget, Object, io::Memory};
use hyperslab_format::heap::global::Collection;
use hyperslab_format::message::{Class, Layout, layout::ChunkIndex};
use hyperslab_format::object_header::{Message, MessageKind, ObjectHeader};
use hyperslab_format::{Address, Bytes, View, superblock};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The name of a structure and its bytes in a file.
#[derive(Debug, Clone)]
pub struct StructureRange {
    pub name: String,
    pub bytes: Range<usize>,
}

/// Finds the structures of a valid file.
pub fn structure_ranges(bytes: &[u8], checksums: &[Checksum]) -> Vec<StructureRange> {
    let whole = Bytes::copy_from_slice(bytes);
    let view = View::new(&whole);
    let superblock = superblock::locate(view).expect("a valid superblock");
    let view = superblock.view(view);
    let mut found = Finder { whole: &whole, view, ranges: Vec::new() };
    let width = usize::from(superblock.widths.offset);
    let len = [96, 100, 16 + 4 * width, 16 + 4 * width][superblock.version as usize];
    found.add(format!("superblock {}", superblock.version), superblock.at as usize, len);
    let file = File::from_source(Arc::new(Memory::new("valid", bytes.to_vec()))).expect("a valid file");
    for (address, prefix) in headers(&file, superblock.extension) {
        if let Ok(Object::Dataset(dataset)) = file.object_at(address) {
            found.filtered_chunks(&dataset);
        }
        // Object headers in a cache image are not anywhere else in the file.
        if let Ok(header) = ObjectHeader::parse(view, address) {
            found.header(&header, prefix);
        }
    }
    found.signatures(checksums);
    found.ranges.retain(|range| !range.bytes.is_empty() && range.bytes.end <= bytes.len());
    found.ranges
}

/// The addresses of the object headers of all linked objects and of the superblock extension.
fn headers(file: &File, extension: Option<Address>) -> Vec<(Address, &'static str)> {
    let mut found = BTreeSet::new();
    let root = file.root().expect("a root group");
    found.insert(Object::Group(root.clone()).address());
    collect(root, &mut found);
    found
        .into_iter()
        .map(|address| (address, ""))
        .chain(extension.map(|at| (at, "superblock extension: ")))
        .collect()
}

fn collect(group: Group, found: &mut BTreeSet<Address>) {
    for link in group.links().expect("valid links").into_iter().flatten() {
        let LinkTarget::Hard(address) = link.target else { continue };
        if found.insert(address)
            && let Ok(Object::Group(inner)) = group.open(&link)
        {
            collect(inner, found);
        }
    }
}

struct Finder<'b> {
    whole: &'b Bytes,
    view: View<'b>,
    ranges: Vec<StructureRange>,
}

impl Finder<'_> {
    fn add(&mut self, structure: impl Into<String>, start: usize, len: usize) {
        self.ranges.push(StructureRange { name: structure.into(), bytes: start..start + len });
    }

    /// The offset of a slice of the file.
    fn offset(&self, part: &Bytes) -> usize {
        part.as_ptr() as usize - self.whole.as_ptr() as usize
    }

    fn header(&mut self, header: &ObjectHeader, prefix: &str) {
        let block = &header.blocks[0];
        self.add(
            format!("object header {}", header.version),
            block.start as usize,
            (block.end - block.start) as usize,
        );
        for message in header.messages.iter().filter(|message| !message.body.is_empty()) {
            let structure = self.message(message);
            self.add(format!("{prefix}{structure}"), message.at as usize, message.body.len());
        }
        self.values(header);
    }

    fn message(&self, message: &Message) -> String {
        let structure = message.kind.structure();
        if message.is_shared() {
            return format!("{structure}, shared");
        }
        let version = message.body[0];
        match message.kind {
            MessageKind::DATATYPE => {
                let classes = [
                    "integer",
                    "float",
                    "time",
                    "string",
                    "bitfield",
                    "opaque",
                    "compound",
                    "reference",
                    "enum",
                    "variable length",
                    "array",
                    "complex",
                ];
                format!("{structure}, {}", classes[usize::from(version & 0x0f)])
            }
            MessageKind::LAYOUT => match Layout::parse(message.cursor(self.view.widths)) {
                Ok(layout) => format!("{structure} {version}, {}", layout_name(&layout)),
                Err(error) => panic!("{error}"),
            },
            MessageKind::DATASPACE
            | MessageKind::FILL_VALUE
            | MessageKind::FILTER_PIPELINE
            | MessageKind::ATTRIBUTE => format!("{structure} {version}"),
            _ => structure.to_owned(),
        }
    }

    fn filtered_chunks(&mut self, dataset: &Dataset) {
        let filters: Vec<String> = dataset.filters().iter().map(filters::describe).collect();
        let Ok(map) = dataset.chunk_map() else { return };
        for (_, chunk) in map.iter().filter(|_| !filters.is_empty()) {
            let start = self.view.absolute(Address(chunk.address)) as usize;
            self.add(format!("chunk, {}", filters.join(", ")), start, chunk.stored_bytes as usize);
        }
    }

    /// Raw data that contains references, and the heap blocks of virtual mappings.
    fn values(&mut self, header: &ObjectHeader) {
        let widths = self.view.widths;
        let context = self.view.into();
        let Ok(Some(layout)) = header.layout(widths) else { return };
        match layout {
            Layout::Virtual { heap: Some(heap), index } => {
                let collection = Collection::parse(&self.view, heap).expect("a valid heap");
                let block = collection.object(index).expect("a mapping");
                self.add("virtual dataset heap block", self.offset(&block), block.len());
            }
            Layout::Contiguous { address: Some(address), size: Some(size) } => {
                let class = header.datatype(context).ok().flatten().map(|datatype| datatype.class);
                let what = match class {
                    Some(Class::Reference(reference)) => {
                        let kind = format!("{reference:?}").to_lowercase();
                        format!("references, {}", kind.split([' ', '(']).next().unwrap_or_default())
                    }
                    Some(Class::VlenSequence { .. } | Class::VlenString { .. }) => {
                        "variable-length elements".into()
                    }
                    _ => return,
                };
                self.add(what, self.view.absolute(address) as usize, size as usize);
            }
            _ => {}
        }
    }

    /// Structures that begin with a signature. If a structure has a checksum, its length follows from that.
    fn signatures(&mut self, checksums: &[Checksum]) {
        let whole = self.whole.clone();
        for start in 0..whole.len().saturating_sub(48) {
            let at = &whole[start..];
            let short = |offset: usize| u16::from_le_bytes([at[offset], at[offset + 1]]) as usize;
            match &at[..4] {
                b"SNOD" => self.add("symbol table node", start, (8 + 40 * short(6)).min(at.len())),
                b"TREE" => {
                    let kind = ["group", "chunks"][usize::from(at[4] & 1)];
                    let level = if at[5] == 0 { "leaf" } else { "inner" };
                    let len = (24 + 40 * (short(6) + 1)).min(at.len());
                    self.add(format!("version 1 B-tree, {kind}, {level}"), start, len);
                }
                b"HEAP" => {
                    let long = |offset: usize| {
                        at[offset..].first_chunk().map_or(0, |field| u64::from_le_bytes(*field))
                    };
                    self.add("local heap", start, 32);
                    self.add("local heap data segment", long(24) as usize, long(8) as usize);
                }
                b"GCOL" => {
                    let end = at.iter().take(4096).rposition(|&byte| byte != 0).map_or(16, |last| last + 8);
                    self.add("global heap collection", start, end.min(at.len()));
                }
                b"BTHD" => {
                    self.checksummed(format!("version 2 B-tree header, type {}", at[5]), start, checksums)
                }
                b"BTIN" => {
                    self.checksummed(format!("version 2 B-tree inner node, type {}", at[5]), start, checksums)
                }
                b"BTLF" => {
                    self.checksummed(format!("version 2 B-tree leaf, type {}", at[5]), start, checksums)
                }
                b"OCHK" => self.checksummed("object header continuation block".into(), start, checksums),
                b"FRHP" => self.checksummed("fractal heap header".into(), start, checksums),
                b"FHDB" => self.checksummed("fractal heap direct block".into(), start, checksums),
                b"FHIB" => {
                    // Signature, version, and the heap's address come before the block's offset in the heap.
                    let offset = &at[5 + usize::from(self.view.widths.offset)..][..4];
                    let nested = if offset == [0; 4] { "" } else { "nested " };
                    self.checksummed(format!("fractal heap {nested}indirect block"), start, checksums);
                }
                b"FAHD" => self.checksummed("fixed array header".into(), start, checksums),
                b"FADB" => self.checksummed("fixed array data block".into(), start, checksums),
                b"EAHD" => self.checksummed("extensible array header".into(), start, checksums),
                b"EAIB" => self.checksummed("extensible array index block".into(), start, checksums),
                b"EASB" => self.checksummed("extensible array super block".into(), start, checksums),
                b"EADB" => self.checksummed("extensible array data block".into(), start, checksums),
                b"SMTB" => self.checksummed("shared message table".into(), start, checksums),
                b"SMLI" => self.checksummed("shared message list".into(), start, checksums),
                b"MDCI" => self.checksummed("metadata cache image".into(), start, checksums),
                _ => {}
            }
        }
        for checksum in
            checksums.iter().filter(|checksum| whole[checksum.bytes.start..].first_chunk() == Some(b"FADB"))
        {
            let next = checksums.iter().find(|page| page.bytes.start == checksum.at + 4);
            if let Some(page) = next {
                self.add("fixed array page", page.bytes.start, page.bytes.len());
            }
        }
    }

    fn checksummed(&mut self, structure: String, start: usize, checksums: &[Checksum]) {
        if let Some(checksum) = checksums.iter().find(|checksum| checksum.bytes.start == start) {
            self.add(structure, start, checksum.bytes.len());
        }
    }
}

fn layout_name(layout: &Layout) -> &'static str {
    match layout {
        Layout::Compact { .. } => "compact",
        Layout::Contiguous { .. } => "contiguous",
        Layout::Virtual { .. } => "virtual",
        Layout::Chunked(chunked) => match chunked.index {
            ChunkIndex::BTreeV1 => "version 1 B-tree",
            ChunkIndex::Single { .. } => "single chunk",
            ChunkIndex::Implicit => "implicit",
            ChunkIndex::FixedArray { .. } => "fixed array",
            ChunkIndex::ExtensibleArray { .. } => "extensible array",
            ChunkIndex::BTreeV2 { .. } => "version 2 B-tree",
        },
    }
}
