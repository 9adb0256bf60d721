//! Encodes samples of datasets that get other filters or chunks: regions, spread over the dataset, of which the chunks of the
//! new file are encoded as they would be.

use super::SampleSize;
use super::stored_chunks::StoredChunks;
use crate::gzip_choice;
use crate::plan::{Recoding, RepackPlan};
use crate::planned_dataset::PlannedDataset;
use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_encode::RepackError;
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_encode::chunk_encoder::{ChunkEncoder, CodecState};
use hyperslab_encode::new_filters::FilteredDataset;
use hyperslab_encode::ordered::Workers;
use hyperslab_format::message::Filter;
use hyperslab_storage::GzipEncoder;
use hyperslab_tree::damage::fill_element;
use hyperslab_write::{ChunkedSpec, DatasetSpec};
use std::cell::OnceCell;
use std::time::Instant;

pub(super) struct Sampler<'a> {
    plan: &'a RepackPlan,
    size: SampleSize,
    /// The bytes of all chunks of all datasets that are recoded, before they are encoded.
    all_bytes: u64,
}

/// What samples of a dataset say.
pub(super) struct Sampled {
    /// The bytes of all its chunks as they will be stored.
    pub bytes: u64,
    pub seconds: f64,
    /// True if not all chunks were encoded.
    pub is_part: bool,
}

/// Regions that are read of a dataset that is not read as a whole.
const REGIONS_MAX: u64 = 16;
/// Each dataset has so many bytes of samples, however many others there are.
const ENCODED_BYTES_MIN: u64 = 1 << 20;
/// Datasets of so many bytes of elements are read as a whole, even if few of their chunks exist.
const WHOLE_BYTES_MAX: u64 = 16 << 20;

/// The chunks of a dataset in the new file, and how they are encoded.
struct NewChunks<'a> {
    dataset: &'a Dataset,
    spec: &'a DatasetSpec,
    chunked: &'a ChunkedSpec,
    recoding: &'a Recoding,
    element_bytes: u64,
}

impl NewChunks<'_> {
    fn count(&self) -> u64 {
        self.chunked.count() as u64
    }

    fn bytes(&self, shape: &[u64]) -> u64 {
        shape.iter().fold(self.element_bytes, |bytes, dim| bytes.saturating_mul(*dim))
    }

    /// A chunk, including the part beyond the extent.
    fn block(&self, row: u64) -> Block {
        let chunk = &self.chunked.chunk_dims;
        let coords = self.chunked.coords.chunks_exact(chunk.len()).nth(row as usize);
        Block::of_chunk(coords.unwrap_or_default(), chunk)
    }

    /// The shape in which the source is decoded.
    fn source(&self) -> &[u64] {
        self.dataset.chunk_shape().unwrap_or(&[])
    }

    /// The part of the source that has to be decoded for a block: whole chunks.
    fn decoded(&self, block: &Block) -> Block {
        let mut whole = block.clone();
        for (axis, size) in self.source().iter().enumerate() {
            whole.start[axis] = block.start[axis] / size * size;
            whole.count[axis] = block.end(axis).next_multiple_of(*size) - whole.start[axis];
        }
        whole
    }
}

impl<'a> Sampler<'a> {
    pub fn new(plan: &'a RepackPlan, size: SampleSize, all_bytes: u64) -> Self {
        Self { plan, size, all_bytes }
    }

    pub fn encode(
        &self,
        dataset: &Dataset,
        spec: &DatasetSpec,
        chunked: &ChunkedSpec,
        recoding: &Recoding,
        planned: &PlannedDataset,
    ) -> Result<Sampled, RepackError> {
        let element_bytes = u64::from(dataset.datatype().size);
        let chunks = NewChunks { dataset, spec, chunked, recoding, element_bytes };
        let chunk_bytes = chunks.bytes(&chunked.chunk_dims);
        let all = chunks.count().saturating_mul(chunk_bytes);
        let budget = match self.all_bytes <= self.size.encoded_bytes {
            true => all,
            false => {
                let share = self.size.encoded_bytes as f64 * all as f64 / self.all_bytes as f64;
                (share as u64).max(ENCODED_BYTES_MIN.min(self.size.encoded_bytes))
            }
        };
        let (mut encoded, mut stored, mut seconds) = (0u64, 0u64, 0.0);
        let Regions { regions, is_all } = regions(&chunks, budget, self.size.decoded_bytes);
        let gzip = OnceCell::new();
        if is_all {
            let chosen = self.chosen(&chunks, chunk_bytes as usize, planned)?;
            chosen.into_iter().for_each(|chosen| gzip.set(chosen).unwrap_or_default());
        }
        for (region, blocks) in regions {
            let begun = Instant::now();
            let found = self.encode_region(&chunks, &region, &blocks, planned, &gzip);
            match found {
                Ok(bytes) => stored = stored.saturating_add(bytes),
                // It becomes fill values, or is not among the samples.
                Err(RepackError::Read(_)) if self.plan.options.keep_going => continue,
                Err(error) => return Err(error),
            }
            encoded += blocks.iter().map(|block| chunks.bytes(&block.count)).sum::<u64>();
            seconds += begun.elapsed().as_secs_f64();
        }
        let is_part = !is_all;
        let times = if encoded > 0 { all as f64 / encoded as f64 } else { 1.0 };
        let is_plain = recoding.filters.filters.is_empty();
        let bytes = match (is_plain, encoded) {
            (true, _) | (_, 0) => all,
            _ => (stored as f64 * times) as u64,
        };
        Ok(Sampled { bytes, seconds: seconds * times, is_part: is_part && !is_plain })
    }

    /// The encoder of gzip that the repack chooses, where all is read anyway.
    fn chosen(
        &self,
        chunks: &NewChunks<'_>,
        chunk_bytes: usize,
        planned: &PlannedDataset,
    ) -> Result<Option<GzipEncoder>, RepackError> {
        let (dataset, filters) = (chunks.dataset, &chunks.recoding.filters.filters);
        let encoder = ChunkEncoder::new(filters, dataset.datatype(), chunk_bytes, false, false);
        let chosen = encoder.and_then(|encoder| {
            let encoder = encoder.rounding(chunks.recoding.decimals.clone()).with_gzip(self.gzip(dataset));
            let block = |row: usize| chunks.block(row as u64);
            let workers = Workers::new(1);
            let sizes = (chunk_bytes, chunks.count() as usize);
            let read = |block: &Block| gzip_choice::elements(dataset, block);
            gzip_choice::choose_by_reading(&encoder, &workers, dataset, sizes, block, read)?;
            Ok(encoder.gzip().map(GzipEncoder::from))
        });
        chosen.map_err(|error| RepackError::Encode {
            object: planned.path.to_string(),
            offset: Vec::new(),
            error: Box::new(error),
        })
    }

    /// The encoder that is asked for.
    fn gzip(&self, dataset: &Dataset) -> GzipEncoder {
        gzip_choice::requested(dataset, self.plan.options.gzip)
    }

    /// Reads a region and encodes chunks of it; returns the bytes that they take. The first one decides between the encoders of
    /// gzip for all.
    fn encode_region(
        &self,
        chunks: &NewChunks<'_>,
        region: &Block,
        blocks: &[Block],
        planned: &PlannedDataset,
        gzip: &OnceCell<GzipEncoder>,
    ) -> Result<u64, RepackError> {
        let dataset = chunks.dataset;
        let (fill, size) = (fill_element(dataset), chunks.element_bytes as usize);
        let bytes = blocks.first().map_or(0, |block| chunks.bytes(&block.count));
        let failed = |offset: &[u64], error| RepackError::Encode {
            object: planned.path.to_string(),
            offset: offset.to_vec(),
            error: Box::new(error),
        };
        let filters = filters_of(chunks, blocks).map_err(|error| failed(&region.start, error))?;
        let is_unfiltered = chunks.chunked.edge_chunks_unfiltered;
        let verify = self.plan.options.verify;
        let encoder = ChunkEncoder::new(&filters, dataset.datatype(), bytes as usize, is_unfiltered, verify)
            .map_err(|error| failed(&region.start, error))?
            .rounding(chunks.recoding.decimals.clone())
            .with_gzip(gzip.get().copied().unwrap_or_else(|| self.gzip(dataset)));
        let read =
            |part: &Block| dataset.read_bytes(&Selection::block(&part.start, &part.count), Endianness::File);
        let shape = blocks.first().map_or(&[][..], |block| &block.count);
        let stored_chunks = StoredChunks::of(dataset, chunks.recoding, shape, bytes);
        // New chunks are cut out of the region.
        let elements = if stored_chunks.is_some() { Vec::new() } else { read(region)? };
        let cut = |state: &mut CodecState, number: usize| -> Result<bool, RepackError> {
            let block = &blocks[number];
            let within = block.clone().within(dataset.shape());
            let is_partial = within != *block;
            let place = |(elements, part): (&[u8], &Block), chunk: &mut Vec<u8>| {
                chunk.resize(bytes as usize, 0);
                if is_partial {
                    let fills = chunk.chunks_exact_mut(size.max(1));
                    fills.for_each(|element| element.copy_from_slice(&fill));
                }
                copy_common((elements, part), (chunk, block), size);
            };
            match &stored_chunks {
                None => place((&elements, region), &mut state.chunk),
                Some(chunks) if chunks.decode(block, is_partial, state).is_some() => {}
                // The engine reads edge chunks in forms that are rare, and has the message where one is damaged.
                Some(_) => place((&read(&within)?, &within), &mut state.chunk),
            }
            Ok(is_partial)
        };
        let sample = |number: usize, chunk: &mut Vec<u8>| {
            let mut state = CodecState::default();
            let is_cut = cut(&mut state, number).is_ok();
            *chunk = state.chunk;
            is_cut
        };
        let workers = Workers::<CodecState>::new(chunks.recoding.threads);
        encoder.choose(blocks.len(), &workers, sample).map_err(|error| failed(&region.start, error))?;
        if let Some(chosen) = encoder.gzip() {
            gzip.get_or_init(|| chosen.into());
        }
        let work = |state: &mut CodecState, number: usize| {
            let is_partial = cut(state, number)?;
            let encoded = encoder.encode_own(is_partial, state);
            encoded.map(|encoded| encoded.bytes.len()).map_err(|error| failed(&blocks[number].start, error))
        };
        let mut stored = 0;
        workers.run(blocks.len(), false, work, |_, bytes| {
            stored += bytes as u64;
            Ok::<_, RepackError>(())
        })?;
        Ok(stored)
    }
}

/// The filters of the new file; with parameters for smaller chunks if the blocks are parts of chunks.
fn filters_of(
    chunks: &NewChunks<'_>,
    blocks: &[Block],
) -> Result<Vec<Filter>, hyperslab_filters::FilterError> {
    let filters = &chunks.recoding.filters.filters;
    match blocks.first() {
        Some(block) if block.count != *chunks.chunked.chunk_dims => {
            let fill = &chunks.spec.fill.value;
            let part = FilteredDataset { datatype: chunks.dataset.datatype(), chunk: &block.count, fill };
            part.kept(filters)
        }
        _ => Ok(filters.clone()),
    }
}

/// What is read: regions, each with the chunks of it that are encoded.
struct Regions {
    regions: Vec<(Block, Vec<Block>)>,
    /// True if they have all chunks.
    is_all: bool,
}

/// The whole dataset if it is small enough; otherwise regions around some chunks, as large as what has to be decoded for these
/// anyway.
fn regions(chunks: &NewChunks<'_>, encoded_max: u64, decoded_max: u64) -> Regions {
    let dims = chunks.dataset.shape();
    let chunk = &chunks.chunked.chunk_dims;
    let chunk_bytes = chunks.bytes(chunk).max(1);
    let count = chunks.count();
    let all = count.saturating_mul(chunk_bytes);
    let all_of = |regions| Regions { regions, is_all: true };
    if count == 0 {
        return all_of(Vec::new());
    }
    if all <= encoded_max && chunks.dataset.logical_bytes() <= all.max(WHOLE_BYTES_MAX) {
        let whole = Block { start: vec![0; dims.len()], count: dims.to_vec() };
        return all_of(vec![(whole, (0..count).map(|row| chunks.block(row)).collect())]);
    }
    let alone = |row| {
        let block = chunks.block(row);
        (block.clone().within(dims), vec![block])
    };
    let cost = chunks.bytes(&chunks.decoded(&chunks.block(count / 2).within(dims)).count);
    if all <= encoded_max && cost.saturating_mul(count) <= decoded_max.max(4 * all) {
        // Few chunks of a large extent.
        return all_of((0..count).map(alone).collect());
    }
    let wanted = (encoded_max / chunk_bytes).min(decoded_max / cost.max(1));
    let number = wanted.clamp(1, REGIONS_MAX).min(count);
    let of_region = (encoded_max / number).max(chunk_bytes);
    let regions = (0..number).map(|sample| {
        let row = (u128::from(2 * sample + 1) * u128::from(count) / u128::from(2 * number)) as u64;
        let block = chunks.block(row);
        if cost > decoded_max {
            let part = cropped(chunks, &block.clone().within(dims), decoded_max);
            // Some filters cannot have other parameters than those that were asked for.
            if filters_of(chunks, std::slice::from_ref(&part)).is_ok() {
                return (part.clone(), vec![part]);
            }
        }
        let region = grown(chunks, &block, of_region, decoded_max / number);
        let blocks = blocks_of(&region, chunk);
        (region.within(dims), blocks)
    });
    Regions { regions: regions.collect(), is_all: false }
}

/// A part of a chunk for which not more has to be decoded.
fn cropped(chunks: &NewChunks<'_>, block: &Block, decoded_max: u64) -> Block {
    let mut part = block.clone();
    while chunks.bytes(&chunks.decoded(&part).count) > decoded_max {
        let spans = |axis: usize| chunks.decoded(&part).count[axis] / chunks.source()[axis].max(1);
        let Some(axis) = (0..chunks.source().len()).max_by_key(|&axis| spans(axis)) else { break };
        if spans(axis) <= 1 || part.count[axis] <= 1 {
            break;
        }
        part.count[axis] = part.count[axis].div_ceil(2);
    }
    part
}

/// A block of whole new chunks from one on, of up to so many bytes: those whose elements are decoded with it; then others, while
/// what is decoded for them has not too many bytes.
fn grown(chunks: &NewChunks<'_>, block: &Block, bytes_max: u64, decoded_max: u64) -> Block {
    let decoded = chunks.decoded(block);
    let shape = chunks.dataset.shape();
    let mut region = block.clone();
    let longer = |region: &Block, axis: usize, end: u64| {
        let chunk = chunks.chunked.chunk_dims[axis];
        let others = (chunks.bytes(&region.count) / region.count[axis].max(1)).max(1);
        let fits = (bytes_max / others / chunk).max(1) * chunk;
        let wanted = (end.saturating_sub(region.start[axis]) / chunk).max(1) * chunk;
        let mut longer = region.clone();
        longer.count[axis] = wanted.min(fits).max(region.count[axis]);
        longer
    };
    for axis in (0..shape.len()).rev() {
        region = longer(&region, axis, decoded.end(axis).min(shape[axis]));
    }
    for axis in (0..shape.len()).rev() {
        let more = longer(&region, axis, shape[axis]);
        if chunks.bytes(&chunks.decoded(&more).count) <= decoded_max {
            region = more;
        }
    }
    region
}

/// The chunks that a region of whole chunks consists of.
fn blocks_of(region: &Block, chunk: &[u64]) -> Vec<Block> {
    let mut blocks = vec![Block { start: Vec::new(), count: chunk.to_vec() }];
    for (axis, size) in chunk.iter().enumerate() {
        let starts = (0..region.count[axis] / size).map(|number| region.start[axis] + number * size);
        let starts: Vec<u64> = starts.collect();
        let with = |block: &Block, start: u64| Block {
            start: [&block.start[..], &[start]].concat(),
            count: block.count.clone(),
        };
        blocks = blocks.iter().flat_map(|block| starts.iter().map(|&start| with(block, start))).collect();
    }
    blocks
}
