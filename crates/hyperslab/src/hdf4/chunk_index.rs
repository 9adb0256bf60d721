//! The chunks of a chunked element: a Vdata lists them, and each is an element of its own.

use super::elements::{Elements, missing};
use super::{decoder, extents};
use crate::format_error::OrError;
use crate::open_file::Node;
use crate::{Error, Result};
use hyperslab_array::array::{Chunked as ChunkedArray, DataSource, Storage, check_grid};
use hyperslab_array::chunk::grid::ChunkGrid;
use hyperslab_array::chunk::index::{ChunkBatch, ChunkIndex, Location};
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_format::message::FilterPipeline;
use hyperslab_hdf4::{ChunkEntry, ChunkTable, Chunked, Coder, Descriptor, Special, Vdata, tag};
use hyperslab_io::{Joined, Source, Stretch};
use std::sync::{Arc, OnceLock};

/// More bytes are no chunk.
const CHUNK_BYTES_MAX: u64 = 1 << 32;

/// The chunk index of a dataset.
pub(super) struct Hdf4ChunkIndex {
    elements: Arc<Elements>,
    chunked: Chunked,
    grid: ChunkGrid,
    chunk_bytes: u64,
    /// The chunks, once they were read.
    known: OnceLock<ChunkMap>,
}

impl Hdf4ChunkIndex {
    /// The storage of a dataset in chunks, and its filters. The table of chunks is read when one is looked for.
    pub(super) fn storage(
        elements: &Arc<Elements>,
        shape: &[u64],
        element_bytes: u64,
        node: &Node,
        chunked: Chunked,
    ) -> Result<(Storage, FilterPipeline)> {
        let mut chunk_shape: Vec<u64> =
            chunked.dimensions.iter().map(|dimension| dimension.chunk.into()).collect();
        // The components of a pixel are one value to the chunks.
        chunk_shape.extend(&shape[chunk_shape.len().min(shape.len())..]);
        let grid = ChunkGrid::new(shape, &chunk_shape)?;
        let bytes = chunk_shape.iter().try_fold(element_bytes, |bytes, len| bytes.checked_mul(*len));
        let chunk_bytes = bytes.filter(|bytes| *bytes <= CHUNK_BYTES_MAX);
        let chunk_bytes = chunk_bytes
            .ok_or_else(|| Error::damaged(format!("chunks of {chunk_shape:?} elements are too large")))?;
        let (filters, described) =
            decoder::filters(&chunked.coder, element_bytes as usize, chunk_bytes as usize)?;
        let index = Self {
            elements: elements.clone(),
            chunked,
            grid: grid.clone(),
            chunk_bytes,
            known: OnceLock::new(),
        };
        let mut data = node.file.data.clone();
        if index.may_be_in_blocks() {
            let mut behind = Behind::new(data.source.len());
            let map = index.map(&mut behind)?;
            index.known.get_or_init(|| map);
            if let Some(source) = behind.joined(&data.source) {
                data = Arc::new(DataSource::new(source, data.runtime.clone()));
            }
        }
        let index: Arc<dyn ChunkIndex> = Arc::new(index);
        let number = node.object.number();
        let index: Arc<dyn ChunkIndex> = match node.file.chunk_map(number) {
            Some(map) => {
                check_grid(&map, &grid)?;
                map
            }
            None => index,
        };
        let storage = Storage::Chunked(Arc::new(ChunkedArray {
            data,
            object: number.0,
            array_shape: shape.to_vec(),
            shape: chunk_shape,
            element_bytes: element_bytes as usize,
            bytes: chunk_bytes as usize,
            grid,
            edge_chunks_unfiltered: false,
            filters: Arc::new(filters),
            index,
            state: node.file.chunk_state(number),
        }));
        Ok((storage, described))
    }

    /// True if chunks can lie in several blocks: only then their headers are read before one is looked for.
    fn may_be_in_blocks(&self) -> bool {
        let kind = if self.chunked.coder == Coder::None { tag::CHUNK } else { tag::COMPRESSED };
        self.elements.descriptors.of(kind).any(Descriptor::is_special)
    }

    /// All chunks that exist.
    fn map(&self, behind: &mut Behind) -> Result<ChunkMap> {
        let entries = entries(&self.elements, &self.chunked)?;
        let mut chunks = Vec::with_capacity(entries.len());
        for mut entry in entries {
            let location = self.location((entry.tag, entry.reference), behind);
            let location = location
                .map_err(|error| error.with_context(format_args!("chunk {:?}", entry.coordinates)))?;
            entry.coordinates.resize(self.grid.counts().len(), 0);
            // A table keeps the chunks of records that the shape does not have.
            let is_inside = entry.coordinates.iter().zip(self.grid.counts()).all(|(at, count)| at < count);
            if let (Some(location), true) = (location, is_inside) {
                chunks.push((entry.coordinates, location));
            }
        }
        ChunkMap::new(self.grid.clone(), chunks)
    }

    /// Where a chunk is; `None` if it was never written.
    fn location(&self, key: (u16, u16), behind: &mut Behind) -> Result<Option<Location>> {
        let descriptor = self.elements.descriptors.get(key.0, key.1).ok_or_else(|| missing(key))?;
        let Some(range) = descriptor.range() else { return Ok(None) };
        let (extents, is_coded) = match self.elements.special(descriptor)? {
            None => (vec![extents::whole(range.clone())], false),
            Some(Special::Compressed(compressed)) => {
                if compressed.coder != Coder::None && !same_coder(&compressed.coder, &self.chunked.coder) {
                    let what = format!(
                        "a chunk that {} has compressed among chunks of {}",
                        compressed.coder.name(),
                        self.chunked.coder.name()
                    );
                    return Err(Error::unsupported(what).at_byte("compressed element", range.start));
                }
                if u64::from(compressed.length) != self.chunk_bytes {
                    let what = format!(
                        "a chunk of {} bytes, where {} are expected",
                        compressed.length, self.chunk_bytes
                    );
                    return Err(Error::damaged(what).at_byte("compressed element", range.start));
                }
                (extents::stored(&self.elements, &compressed)?, compressed.coder != Coder::None)
            }
            Some(Special::Linked(linked)) => (extents::linked(&self.elements, &linked)?, false),
            Some(_) => {
                let what = "a chunk in another file or in chunks is not read";
                return Err(Error::unsupported(what).at_byte("special element", range.start));
            }
        };
        let (address, stored_bytes) = match &extents[..] {
            [] => return Ok(None),
            [Stretch { at: Some(address), len }] => (*address, *len),
            several => behind.add(several),
        };
        // Every filter is skipped for a chunk that is stored as it is.
        let filter_mask = u32::from(!is_coded && self.chunked.coder != Coder::None);
        Ok(Some(Location { address, stored_bytes, filter_mask }))
    }
}

/// Where chunks are read that lie in several blocks: as if the blocks of each were one after the other behind the end of the file.
struct Behind {
    /// The length of the file.
    start: u64,
    extents: Vec<Stretch>,
    bytes: u64,
}

impl Behind {
    fn new(start: u64) -> Self {
        Self { start, extents: Vec::new(), bytes: 0 }
    }

    /// Adds a chunk; returns its offset and its bytes.
    fn add(&mut self, blocks: &[Stretch]) -> (u64, u64) {
        let bytes = blocks.iter().map(|block| block.len).sum();
        let at = self.start + self.bytes;
        self.extents.extend(blocks);
        self.bytes += bytes;
        (at, bytes)
    }

    /// The file with these chunks behind it; `None` if there are none.
    fn joined(self, file: &Arc<dyn Source>) -> Option<Arc<dyn Source>> {
        if self.extents.is_empty() {
            return None;
        }
        let mut extents = vec![Stretch { at: Some(0), len: self.start }];
        extents.extend(self.extents);
        // What was never written of a block is zeros.
        Some(Arc::new(Joined::new(file.clone(), &extents, vec![0])))
    }
}

/// The chunks that exist of a chunked element.
pub(super) fn entries(elements: &Elements, chunked: &Chunked) -> Result<Vec<ChunkEntry>> {
    let header = elements.need(chunked.table)?;
    let table = Vdata::parse(&header.bytes, header.at).or_error()?;
    let key = (tag::VDATA_RECORDS, chunked.table.1);
    let records = match elements.get(key)? {
        Some(records) => records,
        None if table.records == 0 => return Ok(Vec::new()),
        None => return Err(missing(key)),
    };
    let found = ChunkTable::parse(&table, chunked.dimensions.len(), &records.bytes, records.at);
    found.or_error().map(|ChunkTable(entries)| entries)
}

/// True if one decoder serves both; levels do not matter.
fn same_coder(a: &Coder, b: &Coder) -> bool {
    match (a, b) {
        (Coder::Deflate { .. }, Coder::Deflate { .. }) => true,
        (Coder::Szip(a), Coder::Szip(b)) => {
            hyperslab_hdf4::Szip { pixels: 0, ..*a } == hyperslab_hdf4::Szip { pixels: 0, ..*b }
        }
        _ => a == b,
    }
}

impl ChunkIndex for Hdf4ChunkIndex {
    fn walk(
        &self,
        region: Option<&[(u64, u64)]>,
        each: &mut dyn FnMut(ChunkBatch<'_>) -> Result<()>,
    ) -> Result<()> {
        // All headers of chunks are read for it: once, however many regions are looked for.
        let map = match self.known.get() {
            Some(map) => map,
            None => {
                let map = self.map(&mut Behind::new(self.elements.source().len()))?;
                self.known.get_or_init(|| map)
            }
        };
        map.walk(region, each)
    }

    fn is_row_major(&self) -> bool {
        true
    }
}
