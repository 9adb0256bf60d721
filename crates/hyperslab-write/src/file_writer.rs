//! A file that is being written.

use crate::allocator::Allocator;
use crate::chunk_places::ChunkPlace;
use crate::data_heap::OpenCollection;
use crate::dense_order::sort_dense;
use crate::encode::{self, Addresses, Context, GroupLinks, ObjectAttributes, link, value_bytes};
use crate::error::WriteError;
use crate::heap_order::number_heap;
use crate::layout::{FileLayout, chunk_bytes, external_names, lay_out};
use crate::metadata_runs::MetadataRuns;
use crate::options::{WIDTHS, WriteOptions};
use crate::placed::{PlacedChunks, PlacedLinks, PlacedStorage};
use crate::tree::{ChunkedSpec, DatasetSpec, FileTree, ObjectSpec, StorageSpec};
use crate::value::ObjectId;
use hyperslab_format::heap::CollectionBuilder;
use hyperslab_format::message::ChunkIndex;
use hyperslab_format::superblock::Superblock;
use hyperslab_format::{Address, EncodeError, Encoder, PlacedBlock};
use hyperslab_io::Sink;

/// A new file, from its tree to its last byte.
///
/// Data is written in the order of the calls. Nothing can be read before [`Self::finish`] has returned: the superblock
/// is written last.
pub struct FileWriter<'a> {
    sink: &'a dyn Sink,
    tree: FileTree,
    pub(crate) layout: FileLayout,
    pub(crate) space: Allocator,
    pub(crate) options: WriteOptions,
    /// Data that has not been given to the sink yet, and its address.
    pending: Vec<u8>,
    pending_at: u64,
    heap: Option<OpenCollection>,
}

/// A file that is complete.
#[derive(Debug)]
pub struct WrittenFile {
    /// Its length in bytes.
    pub bytes: u64,
    /// The addresses of the object headers, in the order of the tree.
    pub addresses: Vec<Address>,
    /// The objects. Links without a creation order may have been sorted.
    pub tree: FileTree,
}

/// Small data is given to the sink in writes of about this many bytes ...
const WRITE_BYTES: usize = 4 << 20;
/// ... and data of this many bytes at once, without a copy.
const DIRECT_BYTES: usize = 256 << 10;

impl<'a> FileWriter<'a> {
    /// Lays out the file of a tree.
    ///
    /// # Errors
    ///
    /// Options that are not possible, references to objects that are not in the tree, and values that the format cannot
    /// express.
    pub fn create(sink: &'a dyn Sink, mut tree: FileTree, options: WriteOptions) -> Result<Self, WriteError> {
        options.check()?;
        sort_dense(&mut tree, &options.low.versions())?;
        number_heap(&mut tree)?;
        let mut space = Allocator::new(options.page_bytes);
        let layout = lay_out(&tree, options, &mut space)?;
        let pending_at = space.end();
        Ok(Self { sink, tree, layout, space, options, pending: Vec::new(), pending_at, heap: None })
    }

    /// The tree of the file.
    pub fn tree(&self) -> &FileTree {
        &self.tree
    }

    /// The address of an object's header, for references to it in data.
    pub fn address(&self, object: ObjectId) -> Address {
        self.layout.object(object)
    }

    /// The number of bytes from the start of the file to the end of all metadata.
    pub fn metadata_bytes(&self) -> u64 {
        self.options.user_block_bytes + self.layout.metadata_end
    }

    /// Writes a part of a contiguous dataset: `bytes` from the offset `at` of its data on.
    ///
    /// # Errors
    ///
    /// A dataset of another layout, bytes beyond its end, and those of the sink.
    pub fn write_contiguous(&mut self, dataset: ObjectId, at: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let placed = self.layout.objects.get(dataset.0 as usize);
        let Some(PlacedStorage::Contiguous { address: Some(start), bytes: len }) = placed.map(|o| &o.storage)
        else {
            let what = format!("object {} is not a contiguous dataset with data", dataset.0);
            return Err(WriteError::Invalid(what));
        };
        if at.checked_add(bytes.len() as u64).is_none_or(|end| end > *len) {
            let what = format!("{} bytes at offset {at} of {len} of object {}", bytes.len(), dataset.0);
            return Err(WriteError::Invalid(what));
        }
        self.write(start.0 + at, bytes)
    }

    /// Writes the next chunk of a dataset, as it is to be stored: the one after the last in the order in which the tree
    /// lists them.
    ///
    /// # Errors
    ///
    /// As [`Self::write_chunk_at`].
    pub fn write_chunk(
        &mut self,
        dataset: ObjectId,
        stored: &[u8],
        filter_mask: u32,
    ) -> Result<(), WriteError> {
        let (.., placed) = self.chunked(dataset)?;
        let row = placed.places.written();
        self.write_chunk_at(dataset, row, stored, filter_mask)
    }

    /// Writes a chunk of a dataset, as it is to be stored: that in the row `row` of the chunks that the tree lists. Each is
    /// written once, in any order; they are stored in the order of these calls.
    ///
    /// # Errors
    ///
    /// A dataset of another layout, a chunk more than the tree lists or that was written before, and those of the sink.
    pub fn write_chunk_at(
        &mut self,
        dataset: ObjectId,
        row: usize,
        stored: &[u8],
        filter_mask: u32,
    ) -> Result<(), WriteError> {
        let invalid = |what: &str| WriteError::Invalid(format!("object {}: {what}", dataset.0));
        let stored_bytes = stored.len() as u64;
        let (spec, chunked, placed) = self.chunked(dataset)?;
        let count = chunked.count();
        if row >= count {
            return Err(invalid("more chunks than the tree lists"));
        }
        if placed.places.is_written(row) {
            return Err(invalid("a chunk was written twice"));
        }
        let address = if placed.index == ChunkIndex::Implicit {
            let bytes = chunk_bytes(spec, chunked);
            if stored_bytes != bytes || filter_mask != 0 {
                return Err(invalid("a chunk of another size than those of its implicit index"));
            }
            placed.address.map_or(0, |first| first.0) + row as u64 * bytes
        } else {
            self.space.data(stored_bytes).0
        };
        if let PlacedStorage::Chunked(placed) = &mut self.layout.objects[dataset.0 as usize].storage {
            placed.places.set(row, count, ChunkPlace { address, stored_bytes, filter_mask });
        }
        self.append(address, stored)
    }

    /// A chunked dataset, its chunks as the tree lists them, and their places.
    fn chunked(&self, dataset: ObjectId) -> Result<(&DatasetSpec, &ChunkedSpec, &PlacedChunks), WriteError> {
        let number = dataset.0 as usize;
        if let Some(ObjectSpec::Dataset(spec)) = self.tree.objects.get(number).map(|object| &object.spec)
            && let StorageSpec::Chunked(chunked) = &spec.storage
            && let Some(PlacedStorage::Chunked(placed)) =
                self.layout.objects.get(number).map(|placed| &placed.storage)
        {
            return Ok((spec, chunked, placed));
        }
        Err(WriteError::Invalid(format!("object {number} is not a chunked dataset")))
    }

    /// Stores an object of the global heap among the data. Returns the address of its collection and its index there,
    /// of which elements of variable length consist.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    pub fn write_heap_object(&mut self, object: &[u8]) -> Result<(Address, u32), WriteError> {
        let mut before = None;
        if let Some(open) = &mut self.heap {
            if let Some(index) = open.push(object) {
                return Ok((open.address, index));
            }
            before = Some(open.bytes);
        }
        self.close_collection()?;
        let bytes = OpenCollection::size_after(before, object.len() as u64);
        // Data before it may have ended anywhere.
        let end = self.space.end();
        self.space.data(end.next_multiple_of(8) - end);
        let mut open = OpenCollection::new(self.space.data(bytes), bytes);
        let index = open.push(object).ok_or_else(|| {
            WriteError::Invalid(format!(
                "a heap object of {} bytes does not fit its collection",
                object.len()
            ))
        })?;
        let address = open.address;
        self.heap = Some(open);
        Ok((address, index))
    }

    /// Writes all metadata. The caller decides whether to [`sync`](Sink::sync).
    ///
    /// # Errors
    ///
    /// Chunks that the tree lists and that were not written, and those of the sink.
    pub fn finish(mut self) -> Result<WrittenFile, WriteError> {
        self.close_collection()?;
        self.flush()?;
        self.space.begin_page();
        self.take_chunk_locations()?;
        let base = self.options.user_block_bytes;
        let len = base + self.space.end();
        self.set_len(len)?;
        // What no block covers is zeros, as all of a new file.
        let mut runs = MetadataRuns::new(|address, bytes: &[u8]| self.write(address, bytes));
        self.encode_metadata(&mut |block| runs.place(&block))?;
        runs.finish()?;
        self.write(self.layout.superblock.0, &self.superblock()?)?;
        let addresses = (0..self.tree.objects.len()).map(|number| self.address(ObjectId(number as u32)));
        Ok(WrittenFile { bytes: len, addresses: addresses.collect(), tree: self.tree })
    }

    /// Puts the address of single chunks into their layouts, after checking that all chunks were written.
    fn take_chunk_locations(&mut self) -> Result<(), WriteError> {
        for (number, object) in self.tree.objects.iter().enumerate() {
            let ObjectSpec::Dataset(dataset) = &object.spec else { continue };
            let StorageSpec::Chunked(chunked) = &dataset.storage else { continue };
            let PlacedStorage::Chunked(placed) = &mut self.layout.objects[number].storage else { continue };
            let (found, expected) = (placed.places.written(), chunked.count());
            if found != expected {
                let what = format!("object {number}: {found} of {expected} chunks were written");
                return Err(WriteError::Invalid(what));
            }
            if let (ChunkIndex::Single { filtered }, Some(chunk)) = (&mut placed.index, placed.places.first())
            {
                placed.address = Some(Address(chunk.address));
                if filtered.is_some() {
                    *filtered = Some((chunk.stored_bytes, chunk.filter_mask));
                }
            }
        }
        Ok(())
    }

    fn encode_metadata(
        &self,
        place: &mut dyn FnMut(PlacedBlock) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        if let Some((address, info)) = &self.layout.extension {
            place(PlacedBlock { address: *address, bytes: info.encode(*address)? })?;
        }
        for number in 0..self.tree.objects.len() {
            let blocks = self.encode_object(number);
            let blocks = blocks.map_err(|error| WriteError::Object { object: number, error })?;
            blocks.into_iter().try_for_each(&mut *place)?;
        }
        for collection in &self.layout.collections {
            let mut objects = CollectionBuilder::new(WIDTHS);
            for value in &self.tree.heap[collection.items.clone()] {
                objects.push(&value_bytes(value, &self.layout)?);
            }
            let mut out = Encoder::new("global heap collection", WIDTHS);
            objects.encode(objects.bytes(), &mut out);
            place(PlacedBlock { address: collection.address, bytes: out.finish()? })?;
        }
        Ok(())
    }

    /// The header of an object, and all structures that it points to.
    fn encode_object(&self, number: usize) -> Result<Vec<PlacedBlock>, EncodeError> {
        let (object, placed) = (&self.tree.objects[number], &self.layout.objects[number]);
        let context = Context { versions: self.layout.versions, addresses: &self.layout };
        let header = encode::header(object, placed, context)?;
        let mut blocks = vec![PlacedBlock { address: placed.header, bytes: header }];
        if let ObjectSpec::Group(group) = &object.spec {
            let links = group.links.iter().enumerate();
            match &placed.links {
                PlacedLinks::InHeader => {}
                PlacedLinks::SymbolTable(table) => {
                    let links: Vec<_> =
                        links.map(|(number, spec)| link(group, number, spec, context)).collect();
                    blocks.append(&mut table.encode(&links)?);
                }
                PlacedLinks::Dense(dense) => {
                    blocks.append(&mut dense.encode(&GroupLinks { group, context })?)
                }
            }
        }
        if let Some(dense) = &placed.attributes {
            blocks.append(&mut dense.encode(&ObjectAttributes { object, context })?);
        }
        let ObjectSpec::Dataset(dataset) = &object.spec else { return Ok(blocks) };
        match (&placed.storage, &dataset.storage) {
            (PlacedStorage::Chunked(placed), StorageSpec::Chunked(chunked)) => {
                if let (Some(index), true) = (&placed.blocks, placed.places.written() > 0) {
                    let rank = chunked.chunk_dims.len();
                    blocks.append(&mut index.encode(&placed.places.columns(rank, &chunked.coords))?);
                }
            }
            (PlacedStorage::External(names), StorageSpec::External(segments)) => {
                blocks.extend(external_names(segments).0.encode(names.heap, WIDTHS)?);
            }
            _ => {}
        }
        Ok(blocks)
    }

    fn superblock(&self) -> Result<Vec<u8>, EncodeError> {
        let root_symbol_table = match self.layout.objects.first().map(|root| &root.links) {
            Some(PlacedLinks::SymbolTable(table)) => {
                let message = table.message();
                Some((message.btree, message.heap))
            }
            _ => None,
        };
        let superblock = Superblock {
            version: self.layout.superblock_version,
            at: self.options.user_block_bytes,
            base: self.options.user_block_bytes,
            stored_base: self.options.user_block_bytes,
            widths: WIDTHS,
            end_of_file: Address(self.space.end()),
            end_of_file_at: 0,
            root: self.layout.object(FileTree::ROOT),
            root_symbol_table,
            extension: self.layout.extension.as_ref().map(|(address, _)| *address),
            driver_info: None,
            consistency_flags: 0,
            group_leaf_k: self.options.btree_k.group_leaf,
            group_internal_k: self.options.btree_k.group_internal,
            chunk_internal_k: self.options.btree_k.chunk_internal,
        };
        let mut out = Encoder::new("superblock", WIDTHS);
        superblock.encode(&mut out);
        out.finish()
    }

    fn close_collection(&mut self) -> Result<(), WriteError> {
        let Some(open) = self.heap.take() else { return Ok(()) };
        let bytes = open.encode()?;
        self.write(open.address.0, &bytes)
    }

    /// Data directly after the last, kept until there is enough for a write.
    fn append(&mut self, address: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let follows = self.pending_at + self.pending.len() as u64 == address;
        let is_direct = bytes.len() >= DIRECT_BYTES;
        if !follows || is_direct || self.pending.len() + bytes.len() > WRITE_BYTES {
            self.flush()?;
            self.pending_at = address;
        }
        if is_direct {
            self.pending_at = address + bytes.len() as u64;
            return self.write(address, bytes);
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        let pending = std::mem::take(&mut self.pending);
        let at = self.pending_at;
        self.pending_at += pending.len() as u64;
        if pending.is_empty() { Ok(()) } else { self.write(at, &pending) }
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.sink.write_at(self.options.user_block_bytes + address, bytes);
        written.map_err(|error| WriteError::Io { name: self.sink.name(), error })
    }

    fn set_len(&self, len: u64) -> Result<(), WriteError> {
        self.sink.set_len(len).map_err(|error| WriteError::Io { name: self.sink.name(), error })
    }
}
