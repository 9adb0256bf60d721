//! A dataset, a read and a cache, drawn from a seed.

use crate::Failure;
use hyperslab_doctor::predict::CostModel;
use hyperslab_doctor::simulate::{Geometry, LibVersion, simulate_sweep};
use hyperslab_doctor::{DatasetFacts, FilterFact};
use hyperslab_engines::CreationProperties;
use hyperslab_measure::data::Synthetic;
use hyperslab_storage::cost::Terms;
use hyperslab_storage::filter::number::{DEFLATE, LZF};
use hyperslab_storage::pattern::{Sweep, shape_text};
use hyperslab_storage::{CacheSettings, FilterRequest};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::Serialize;
use std::fmt;

const KIB: f64 = 1024.0;
/// Bytes of a dataset, of a chunk, and of a read.
const DATASET_BYTES: (f64, f64) = (512.0 * KIB, 48.0 * 1024.0 * KIB);
const CHUNK_BYTES: (f64, f64) = (0.25 * KIB, 6.0 * 1024.0 * KIB);
/// Sweeps that should take this many seconds are measured: long enough for the clock, short enough for several of them.
const SECONDS: (f64, f64) = (0.004, 0.3);
const READS_MAX: u64 = 200_000;
/// A chunk of fewer bytes is counted as small.
const SMALL_CHUNK: u64 = 8 << 10;

const TYPES: [&str; 6] = ["<f4", "<f4", "<f8", "<i2", "<i4", "|u1"];
const PIPELINES: [&str; 18] = [
    "none",
    "none",
    "none",
    "none",
    "lzf",
    "shuffle+lzf",
    "shuffle+lzf+fletcher32",
    "gzip=1",
    "gzip=4",
    "gzip=6",
    "gzip=9",
    "shuffle+gzip=1",
    "shuffle+gzip=4",
    "shuffle+gzip=4",
    "shuffle+gzip=6",
    "shuffle+gzip=4+fletcher32",
    "fletcher32",
    "shuffle+fletcher32",
];
/// The share of unfiltered datasets that have no chunks.
const CONTIGUOUS: f64 = 0.3;
const CACHES: [u64; 9] = [0, 0, 64 << 10, 256 << 10, 1 << 20, 1 << 20, 3 << 20, 8 << 20, 64 << 20];
const SLOTS: [u64; 3] = [521, 521, 8191];

/// What is measured.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Cell {
    pub(crate) storage: CreationProperties,
    pub(crate) values: Synthetic,
    pub(crate) read: Vec<u64>,
    pub(crate) cache: CacheSettings,
}

struct Random(ChaCha8Rng);

impl Random {
    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        f64::from(self.0.next_u32()) / f64::from(u32::MAX)
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.next_u32() as usize % choices.len()]
    }

    /// Every order of magnitude as often as any other.
    fn magnitude(&mut self, (low, high): (f64, f64)) -> f64 {
        low * (high / low).powf(self.share())
    }

    /// Extents whose product is about `elements`, none larger than `most`.
    fn extents(&mut self, elements: f64, most: &[u64]) -> Vec<u64> {
        let weights: Vec<f64> = most.iter().map(|_| 0.1 + self.share()).collect();
        let total: f64 = weights.iter().sum();
        let extents = weights.iter().zip(most);
        extents
            .map(|(weight, most)| (elements.max(1.0).powf(weight / total).round() as u64).clamp(1, *most))
            .collect()
    }
}

impl Cell {
    /// The cell of this number. The same seed and number always give the same cell.
    pub(crate) fn draw(seed: u64, number: u64) -> Result<Self, Failure> {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        loop {
            let cell = Self::candidate(&mut random)?;
            if cell.is_measurable()? {
                return Ok(cell);
            }
        }
    }

    fn candidate(random: &mut Random) -> Result<Self, Failure> {
        let element = random.of(&TYPES).parse::<hyperslab_engines::Element>()?;
        let bytes = element.bytes() as f64;
        let rank = random.of(&[1usize, 2, 2, 3, 3, 4]);
        let shape = {
            let elements = random.magnitude(DATASET_BYTES) / bytes;
            random.extents(elements, &vec![u64::MAX; rank])
        };
        let chunks = {
            let elements = random.magnitude(CHUNK_BYTES) / bytes;
            random.extents(elements, &shape)
        };
        let filters = FilterRequest::parse_pipeline(random.of(&PIPELINES))?;
        let is_contiguous = filters.is_empty() && random.share() < CONTIGUOUS;
        let read = match random.of(&[0, 1, 2, 3]) {
            // Whole along some axes, one index along others: rows, columns, planes.
            0 | 1 => shape.iter().map(|&dim| if random.share() < 0.5 { 1 } else { dim }).collect(),
            2 => chunks.clone(),
            _ => {
                let elements = random.magnitude((1.0, 256.0 * KIB));
                random.extents(elements, &shape)
            }
        };
        let cache = CacheSettings { nbytes: random.of(&CACHES), nslots: random.of(&SLOTS), w0: 0.75 };
        let ratio = random.of(&[1.2, 1.5, 2.0, 3.0, 6.0]);
        let values = Synthetic::with_ratio(&shape, element, ratio, u64::from(random.0.next_u32()));
        let chunks = (!is_contiguous).then_some(chunks);
        let storage = CreationProperties { chunks, filters, ..CreationProperties::plain(shape, element) };
        Ok(Self { storage, values, read, cache })
    }

    /// True where a sweep takes neither too long nor too short a time, by the built-in constants.
    fn is_measurable(&self) -> Result<bool, Failure> {
        let storage = &self.storage;
        let sweep = Sweep::row_major(&storage.shape, &self.read);
        if sweep.reads() > READS_MAX {
            return Ok(false);
        }
        let facts = self.facts();
        let Some(geometry) = Geometry::of(&facts)? else { return Ok(false) };
        let counts = simulate_sweep(&geometry, self.cache, LibVersion::NEWEST, &sweep, 200_000);
        let seconds = CostModel::new(&facts, &geometry, Terms::BUILT_IN, 1).seconds(&counts);
        Ok(counts.is_exact && (SECONDS.0..SECONDS.1).contains(&seconds))
    }

    /// What cells are counted apart by.
    pub(crate) fn kind(&self) -> &'static str {
        let filters = &self.storage.filters;
        let has = |wanted: u16| filters.iter().any(|filter| filter.id == wanted);
        match self.storage.chunk_bytes() {
            None => "contiguous",
            Some(..SMALL_CHUNK) if filters.is_empty() => "small chunks, raw",
            Some(_) if filters.is_empty() => "chunks, raw",
            Some(..SMALL_CHUNK) => "small chunks, filtered",
            Some(_) if has(DEFLATE) => "gzip",
            Some(_) if has(LZF) => "lzf",
            Some(_) => "fletcher32",
        }
    }

    fn facts(&self) -> DatasetFacts {
        let storage = &self.storage;
        let element = &storage.element;
        let filters = storage.filters.iter().cloned().map(FilterFact::from).collect();
        let facts = DatasetFacts::contiguous("/d", &storage.shape, &element.to_string(), element.bytes());
        match &storage.chunks {
            Some(chunks) => facts.in_chunks(chunks, filters, storage.logical_bytes()),
            None => facts,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { storage, read, cache, .. } = self;
        let shape = shape_text(&storage.shape);
        let (element, read) = (storage.element, shape_text(read));
        write!(f, "{element} {shape} {storage}, read {read}, cache {},{}", cache.nbytes, cache.nslots)
    }
}
