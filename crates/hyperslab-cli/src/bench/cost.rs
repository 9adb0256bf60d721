//! What a bench will cost, before it starts: seconds of each cell by the doctor's prediction, bytes on the disk; and
//! which cells are left out where that is more than `--max-seconds`.
//!
//! A file that is not written yet is predicted from its chunks and filters alone. The simulator follows the first reads
//! of an access; from the second half of them, when the cache is warm, the rest is extrapolated.

use super::arguments::BenchArgs;
use super::model::document::{Head, Participant};
use super::model::names::settings;
use super::model::value::count;
use super::request::Asked;
use crate::size;
use hyperslab_bench::engine::Engine;
use hyperslab_bench::matrix::{Matrix, Question, Subject, WriteStrategy};
use hyperslab_bench::study::{Access, FilterSpec, Format, Storage};
use hyperslab_doctor::predict::{CostModel, Terms, seconds_text};
use hyperslab_doctor::simulate::{CacheSettings, ChunkCacheSim, Geometry, LibVersion, ReadCounts, Touched};
use hyperslab_doctor::{DatasetFacts, FillFacts, FilterFact, Layout};
use hyperslab_report::{Align, Column, Table};
use serde::Serialize;

/// Seconds to start a process, load a library and open a file.
const RUN_SECONDS: f64 = 0.06;
/// Bytes a second through SHA-256, in the run that compares values.
const HASH_BYTES_PER_SECOND: f64 = 4.0e8;
/// Bytes a second that are written without a filter.
const WRITE_BYTES_PER_SECOND: f64 = 8.0e8;
/// Seconds to find and load one chunk, where chunks are too many to be followed.
const VISIT_SECONDS: f64 = 2.0e-6;
/// Chunk visits that are simulated of one access.
const VISITS_MAX: u64 = 400_000;
/// The cache of a library that does not say which it has: that of libhdf5 up to 1.14.
const CACHE_ASSUMED: CacheSettings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };

/// Everything that would be measured.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Plan {
    /// The files that would be written.
    pub(super) writes: Vec<PlannedWrite>,
    /// The cells.
    pub(super) cells: Vec<PlannedCell>,
    /// Seconds of all that is not left out.
    pub(super) seconds: f64,
    /// What `--max-seconds` allows.
    pub(super) seconds_max: f64,
    /// Most bytes on the disk at one time, if nothing compresses.
    pub(super) disk_bytes: u64,
}

/// One file.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PlannedWrite {
    stored_as: String,
    /// Of all times that it is written.
    seconds: f64,
    #[serde(skip)]
    key: String,
}

/// One cell.
#[derive(Debug, Clone, Serialize)]
pub(super) struct PlannedCell {
    stored_as: String,
    read_as: String,
    engine: String,
    cache: Option<CacheSettings>,
    page_buffer: Option<u64>,
    /// Of one run.
    run_seconds: f64,
    /// How many, with that which compares values.
    runs: usize,
    /// Of all of them.
    pub(super) seconds: f64,
    /// True where all together would be more than is allowed.
    pub(super) is_left_out: bool,
    #[serde(skip)]
    key: String,
    /// The file that has to be there; none for the file as it is.
    #[serde(skip)]
    file: Option<String>,
}

impl Plan {
    /// The plan of all cells; `as_is` are the facts about the user's dataset.
    pub(super) fn of(args: &BenchArgs, asked: &Asked, head: &Head, as_is: Option<&DatasetFacts>) -> Self {
        let mut plan = Self {
            writes: Vec::new(),
            cells: Vec::new(),
            seconds: 0.0,
            seconds_max: args.max_seconds,
            disk_bytes: 0,
        };
        for matrix in &asked.matrices {
            for storage in &matrix.storages {
                match storage {
                    None => plan.add(matrix, None, head, as_is),
                    Some(storage) => {
                        let facts = facts_of(storage, ratio(matrix, storage, as_is));
                        plan.disk_bytes = plan.disk_bytes.max(storage.logical_bytes());
                        for strategy in &matrix.strategies {
                            plan.add_write(matrix, storage, strategy, &facts);
                            plan.add(matrix, Some((storage, strategy)), head, Some(&facts));
                        }
                    }
                }
            }
        }
        plan.fit();
        plan
    }

    fn add_write(
        &mut self,
        matrix: &Matrix,
        storage: &Storage,
        strategy: &WriteStrategy,
        facts: &DatasetFacts,
    ) {
        let seconds = write_seconds(storage, strategy, facts) + RUN_SECONDS;
        let repeats = 1 + more_runs(matrix.write_repeats - 1, seconds, matrix.seconds_max);
        let stored_as = stored_as(matrix, Some((storage, strategy)));
        let key = format!("{storage:?}{strategy:?}");
        self.writes.push(PlannedWrite { stored_as, seconds: seconds * repeats as f64, key });
    }

    fn add(
        &mut self,
        matrix: &Matrix,
        made: Option<(&Storage, &WriteStrategy)>,
        head: &Head,
        facts: Option<&DatasetFacts>,
    ) {
        let format = made.map_or(Format::Hdf5, |(storage, _)| storage.format);
        for access in &matrix.accesses {
            for engine in matrix.engines.iter().filter(|engine| engine.reads(format)) {
                let caches = if engine.has_chunk_cache(format) { &*matrix.caches } else { &[None] };
                let buffers = if engine.has_page_buffer() { &*matrix.page_buffers } else { &[None] };
                for (&cache, &page_buffer) in
                    caches.iter().flat_map(|cache| buffers.iter().map(move |one| (cache, one)))
                {
                    let about = head.engines.iter().find(|known| known.name == engine.name());
                    let bytes = selected_bytes(access, matrix);
                    let read = facts.map_or(0.0, |facts| {
                        read_seconds(facts, access, matrix.reads_max, engine, cache, about)
                    });
                    let run_seconds = read + RUN_SECONDS;
                    let more = more_runs(matrix.repeats, run_seconds, matrix.seconds_max);
                    let check = run_seconds + bytes / HASH_BYTES_PER_SECOND;
                    self.cells.push(PlannedCell {
                        stored_as: stored_as(matrix, made),
                        read_as: access.to_string(),
                        engine: engine.name(),
                        cache,
                        page_buffer,
                        run_seconds,
                        runs: 1 + more,
                        seconds: check + run_seconds * more as f64,
                        is_left_out: false,
                        key: key(made, access, engine, cache, page_buffer),
                        file: made.map(|(storage, strategy)| format!("{storage:?}{strategy:?}")),
                    });
                }
            }
        }
    }

    /// Takes cells, the cheapest first, each with its file, as long as they fit.
    fn fit(&mut self) {
        let mut order: Vec<usize> = (0..self.cells.len()).collect();
        let cost =
            |cell: &PlannedCell| cell.seconds + cell.file.as_ref().map_or(0.0, |file| self.write_of(file));
        order.sort_by(|a, b| cost(&self.cells[*a]).total_cmp(&cost(&self.cells[*b])));
        let (mut spent, mut written) = (0.0, Vec::new());
        for place in order {
            let new_file = self.cells[place].file.clone().filter(|file| !written.contains(file));
            let more = self.cells[place].seconds + new_file.as_ref().map_or(0.0, |file| self.write_of(file));
            if spent + more > self.seconds_max {
                self.cells[place].is_left_out = true;
                continue;
            }
            spent += more;
            written.extend(new_file);
        }
        self.seconds = spent;
    }

    fn write_of(&self, file: &str) -> f64 {
        self.writes.iter().find(|write| write.key == file).map_or(0.0, |write| write.seconds)
    }

    /// Why a cell is left out, if it is.
    pub(super) fn leave_out(&self, question: &Question<'_>) -> Option<String> {
        let made = question.storage.zip(question.strategy);
        let key =
            key(made, question.access, question.engine, question.options.cache, question.options.page_buffer);
        let cell = self.cells.iter().find(|cell| cell.key == key).filter(|cell| cell.is_left_out)?;
        Some(format!(
            "left out: it is predicted to take {} with the file it reads, and all cells together more than --max-seconds {}",
            seconds_text(cell.seconds + cell.file.as_ref().map_or(0.0, |file| self.write_of(file))),
            self.seconds_max
        ))
    }

    /// Seconds of a run, by what the runner says that it is doing.
    pub(super) fn run_seconds(&self, doing: &str) -> f64 {
        let reads = self
            .cells
            .iter()
            .filter(|cell| doing == format!("{}: {}, {}", cell.engine, cell.read_as, cell.stored_as));
        let writes =
            self.writes.iter().filter(|write| doing.strip_prefix("writing ") == Some(&write.stored_as));
        let runs: Vec<f64> =
            reads.map(|cell| cell.run_seconds).chain(writes.map(|write| write.seconds)).collect();
        if runs.is_empty() { RUN_SECONDS } else { runs.iter().sum::<f64>() / runs.len() as f64 }
    }

    /// Cells that are measured.
    pub(super) fn taken(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.is_left_out).count()
    }

    /// `36 cells, about 4 min predicted, at most 1.2 GiB on the disk at one time`.
    pub(super) fn sentence(&self) -> String {
        let left_out = self.cells.len() - self.taken();
        let mut text =
            format!("{}, about {} predicted", count(self.taken() as u64, "cell"), seconds_text(self.seconds));
        if self.disk_bytes > 0 {
            text += &format!(", at most {} on the disk at one time", size::bytes(self.disk_bytes));
        }
        if left_out > 0 {
            let are = if left_out == 1 { "is" } else { "are" };
            text += &format!("; {left_out} more {are} left out by --max-seconds {}", self.seconds_max);
        }
        text
    }

    /// Files and cells, with what each takes.
    pub(super) fn table(&self) -> Table {
        let columns = [
            ("stored as", Align::Left),
            ("read", Align::Left),
            ("engine", Align::Left),
            ("chunk cache", Align::Left),
            ("a run", Align::Right),
            ("runs", Align::Right),
            ("all", Align::Right),
            ("", Align::Left),
        ];
        let columns = columns.map(|(title, align)| Column::new(title, align)).to_vec();
        let write = |write: &PlannedWrite| {
            let none = String::new;
            [
                write.stored_as.clone(),
                "written".to_owned(),
                none(),
                none(),
                none(),
                none(),
                seconds_text(write.seconds),
                none(),
            ]
        };
        let cell = |cell: &PlannedCell| {
            let cache = cell.cache.map(settings).into_iter();
            let buffer = cell.page_buffer.map(|bytes| format!("page buffer {}", size::bytes(bytes)));
            [
                cell.stored_as.clone(),
                cell.read_as.clone(),
                cell.engine.clone(),
                cache.chain(buffer).collect::<Vec<_>>().join(", "),
                seconds_text(cell.run_seconds),
                cell.runs.to_string(),
                seconds_text(cell.seconds),
                if cell.is_left_out { "left out".to_owned() } else { String::new() },
            ]
        };
        let rows = self.writes.iter().map(write).chain(self.cells.iter().map(cell));
        rows.fold(Table::new("What would be measured", columns), Table::row)
    }
}

fn stored_as(matrix: &Matrix, made: Option<(&Storage, &WriteStrategy)>) -> String {
    match made {
        None => "as it is".to_owned(),
        Some((storage, _)) if matrix.strategies.len() == 1 => storage.to_string(),
        Some((storage, strategy)) => format!("{storage}, written {strategy}"),
    }
}

/// What makes a cell what it is.
fn key(
    made: Option<(&Storage, &WriteStrategy)>,
    access: &Access,
    engine: &Engine,
    cache: Option<CacheSettings>,
    page_buffer: Option<u64>,
) -> String {
    format!("{made:?}{access:?}{engine:?}{cache:?}{page_buffer:?}")
}

/// Runs after the first, until they took long enough.
fn more_runs(most: usize, seconds: f64, seconds_max: f64) -> usize {
    most.min((seconds_max / seconds.max(1e-9)).ceil() as usize)
}

fn selected_bytes(access: &Access, matrix: &Matrix) -> f64 {
    let shape = matrix.subject.shape();
    let element_bytes = matrix.storages.iter().flatten().next().map_or(8, |storage| storage.element.bytes());
    let reads = access.len(shape).min(matrix.reads_max.unwrap_or(u64::MAX)) as f64;
    let block =
        access.block.iter().zip(&access.step).fold(1.0, |n, (block, step)| n * block.div_ceil(*step) as f64);
    reads * block * element_bytes as f64
}

/// How many times smaller the filters make the values: as in the file, or as made-up values are asked to be.
fn ratio(matrix: &Matrix, storage: &Storage, as_is: Option<&DatasetFacts>) -> f64 {
    let compresses = |filter: &FilterSpec| !matches!(filter, FilterSpec::Shuffle | FilterSpec::Fletcher32);
    if !storage.filters.iter().any(compresses) {
        return 1.0;
    }
    match (&matrix.subject, as_is) {
        (Subject::Dataset { .. }, Some(facts)) if facts.stored_bytes > 0 => {
            (facts.logical_bytes as f64 / facts.stored_bytes as f64).max(1.0)
        }
        _ => 2.0,
    }
}

/// A file that is not there yet, as the simulator takes it.
fn facts_of(storage: &Storage, ratio: f64) -> DatasetFacts {
    let filter = |filter: &FilterSpec| FilterFact {
        name: filter.to_string(),
        id: filter.id(),
        parameters: Vec::new(),
        description: filter.to_string(),
    };
    let layout = match &storage.chunks {
        Some(chunks) => Layout::Chunked { chunk_dims: chunks.clone(), index_kind: String::new() },
        None => Layout::Contiguous { allocated: true },
    };
    DatasetFacts {
        path: String::new(),
        shape: storage.shape.clone(),
        max_shape: storage.shape.iter().copied().map(Some).collect(),
        dtype: storage.element.to_string(),
        element_bytes: storage.element.bytes(),
        layout,
        filters: storage.filters.iter().map(filter).collect(),
        edge_chunks_unfiltered: false,
        logical_bytes: storage.logical_bytes(),
        stored_bytes: (storage.logical_bytes() as f64 / ratio) as u64,
        chunks: None,
        fill: FillFacts::default(),
        samples: None,
        variable_length: None,
    }
}

/// Seconds of one run of all reads; 0 for the engine that does nothing.
fn read_seconds(
    facts: &DatasetFacts,
    access: &Access,
    reads_max: Option<u64>,
    engine: &Engine,
    cache: Option<CacheSettings>,
    about: Option<&Participant>,
) -> f64 {
    let version =
        about.and_then(|about| about.hdf5_version.as_ref()?.parse().ok()).unwrap_or(LibVersion::NEWEST);
    let cache = cache.or(about.and_then(|about| about.default_cache)).unwrap_or(CACHE_ASSUMED);
    let Some(swept) = Swept::of(facts, access, reads_max, cache, version) else { return 0.0 };
    match engine {
        Engine::Null => 0.0,
        // It decodes each chunk once, whatever comes again.
        Engine::Hyperslab => swept.seconds - (swept.decodes - swept.chunks).max(0.0) * swept.decode_once,
        _ => swept.seconds,
    }
}

/// What all blocks of an access come to.
struct Swept {
    /// Seconds of all reads in libhdf5.
    seconds: f64,
    /// Chunks decoded.
    decodes: f64,
    /// Chunks of the dataset.
    chunks: f64,
    /// Seconds of one decode.
    decode_once: f64,
}

impl Swept {
    fn of(
        facts: &DatasetFacts,
        access: &Access,
        reads_max: Option<u64>,
        cache: CacheSettings,
        version: LibVersion,
    ) -> Option<Self> {
        let geometry = Geometry::of(facts).ok()??;
        let model = CostModel::new(facts, &geometry, Terms::BUILT_IN, 1);
        let shape = geometry.shape();
        let unit: Vec<u64> = match geometry.chunk_dims() {
            Some(chunk) => chunk.to_vec(),
            // Of contiguous data, the rows that a block consists of.
            None => {
                (0..shape.len()).map(|axis| if axis + 2 > shape.len() { shape[axis] } else { 1 }).collect()
            }
        };
        let units = |dims: &[u64]| {
            dims.iter().zip(&unit).fold(1u64, |n, (dim, unit)| n.saturating_mul(dim.div_ceil((*unit).max(1))))
        };
        let blocks = access.len(shape).min(reads_max.unwrap_or(u64::MAX));
        let (touched, decode_once) = (units(&access.block), model.decode_once());
        let mut swept = Self { seconds: 0.0, decodes: 0.0, chunks: units(shape) as f64, decode_once };
        if touched > VISITS_MAX {
            // Too many to follow: each is fetched, and decoded where it is filtered.
            swept.decodes = if geometry.is_filtered() { blocks as f64 * touched as f64 } else { 0.0 };
            swept.seconds = blocks as f64 * touched as f64 * VISIT_SECONDS + swept.decodes * decode_once;
            return Some(swept);
        }
        let mut sim = ChunkCacheSim::new(&geometry, cache, version);
        let followed = blocks.min((VISITS_MAX / touched.max(1)).max(2));
        let mut halves =
            [(Touched::default(), ReadCounts::default()), (Touched::default(), ReadCounts::default())];
        for (number, block) in access.first_blocks(shape, Some(followed)).enumerate() {
            let extents = block.count.iter().zip(&block.step);
            let covered: Vec<u64> = extents.map(|(count, step)| count.saturating_sub(1) * step + 1).collect();
            let (touched, counts) = &mut halves[usize::from(number as u64 >= followed / 2)];
            touched.add(Touched::by_read(&geometry, &block.start, &covered));
            counts.add(sim.read(&block.start, &covered));
        }
        let rest = (blocks - followed / 2) as f64 / (followed - followed / 2).max(1) as f64;
        for ((touched, counts), times) in halves.iter().zip([1.0, rest]) {
            swept.seconds += model.seconds_of_reads(touched, counts) * times;
            swept.decodes += counts.decodes as f64 * times;
        }
        Some(swept)
    }
}

/// Seconds of writing a file once: a chunk that leaves the cache before it is full is decoded and encoded again.
fn write_seconds(storage: &Storage, strategy: &WriteStrategy, facts: &DatasetFacts) -> f64 {
    let bytes = storage.logical_bytes() as f64;
    let cache = strategy.cache.unwrap_or(CACHE_ASSUMED);
    let Some(swept) = Swept::of(facts, &strategy.access(storage), None, cache, LibVersion::NEWEST) else {
        return bytes / WRITE_BYTES_PER_SECOND;
    };
    let chunk_bytes = storage.chunk_bytes().unwrap_or(0) as f64;
    let encode = storage.filters.iter().map(|filter| 1.0 / encode_bytes_per_second(filter)).sum::<f64>();
    let again = (swept.decodes - swept.chunks).max(0.0);
    // A first encode needs no decode before it.
    swept.seconds - (swept.decodes - again) * swept.decode_once
        + swept.decodes * chunk_bytes * encode
        + bytes / WRITE_BYTES_PER_SECOND
}

/// Bytes a second on one core, as libhdf5's usual builds come; zlib's by level.
fn encode_bytes_per_second(filter: &FilterSpec) -> f64 {
    const ZLIB: [f64; 10] = [8e8, 1e8, 9e7, 7e7, 5.5e7, 4e7, 3e7, 2.2e7, 1e7, 5e6];
    match filter {
        FilterSpec::Gzip(level) => ZLIB[(*level).min(9) as usize],
        FilterSpec::Shuffle => 2e9,
        FilterSpec::Fletcher32 => 1.5e9,
        FilterSpec::Szip { .. } => 1.2e8,
        FilterSpec::Nbit | FilterSpec::ScaleOffset(_) => 1.5e8,
        FilterSpec::Other { .. } => 2e8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(chunks: &[u64], filters: &str) -> Storage {
        let plain = Storage::plain(vec![1000, 40, 50], "<f4".parse().unwrap());
        let filters = FilterSpec::parse_pipeline(filters).unwrap();
        Storage { chunks: Some(chunks.to_vec()), filters, ..plain }
    }

    fn decodes(storage: &Storage, block: &[u64], reads_max: Option<u64>) -> f64 {
        let access = Access::sweep(block.to_vec());
        let swept = Swept::of(&facts_of(storage, 2.0), &access, reads_max, CACHE_ASSUMED, LibVersion::NEWEST);
        swept.unwrap().decodes
    }

    #[test]
    fn what_is_simulated_in_part_is_what_all_would_be() {
        // Maps decode each chunk of a map for every map: 4 chunks of 800 kB, of which one fits.
        let storage = storage(&[500, 20, 25], "gzip=1");
        assert_eq!(decodes(&storage, &[1, 40, 50], None), 4000.0);
        assert_eq!(decodes(&storage, &[1, 40, 50], Some(10)), 40.0);
        // Two million single elements: more than are followed; they come back to 40 x 50 / (20 x 25) chunks.
        let all = decodes(&storage, &[1, 1, 1], None);
        assert!((0.5..2.0).contains(&(all / (1000.0 * 40.0 * 2.0))), "{all}");
    }

    #[test]
    fn a_writer_that_leaves_chunks_half_full_takes_longer() {
        let storage = storage(&[500, 20, 25], "gzip=1");
        let facts = facts_of(&storage, 2.0);
        let seconds = |block: Option<Vec<u64>>, nbytes| {
            let cache = Some(CacheSettings { nbytes, ..CACHE_ASSUMED });
            write_seconds(&storage, &WriteStrategy { block, order: None, cache }, &facts)
        };
        let by_maps = seconds(Some(vec![1, 40, 50]), 1 << 20);
        assert!(by_maps > 100.0 * seconds(None, 1 << 20), "{by_maps}");
        assert!(by_maps > 100.0 * seconds(Some(vec![1, 40, 50]), 64 << 20));
    }

    #[test]
    fn the_cheapest_cells_are_taken_until_the_time_is_used_up() {
        let cell = |seconds, file: Option<&str>| PlannedCell {
            stored_as: String::new(),
            read_as: String::new(),
            engine: String::new(),
            cache: None,
            page_buffer: None,
            run_seconds: seconds,
            runs: 1,
            seconds,
            is_left_out: false,
            key: String::new(),
            file: file.map(str::to_owned),
        };
        let write = PlannedWrite { stored_as: String::new(), seconds: 5.0, key: "a".to_owned() };
        let cells = vec![cell(50.0, None), cell(2.0, Some("a")), cell(1.0, None), cell(3.0, Some("a"))];
        let mut plan = Plan { writes: vec![write], cells, seconds: 0.0, seconds_max: 12.0, disk_bytes: 0 };
        plan.fit();
        let left: Vec<bool> = plan.cells.iter().map(|cell| cell.is_left_out).collect();
        assert_eq!((left, plan.seconds), (vec![true, false, false, false], 11.0));
        assert!(plan.sentence().ends_with("; 1 more is left out by --max-seconds 12"), "{}", plan.sentence());
    }
}
