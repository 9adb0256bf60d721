//! What a bench will cost, before it starts: seconds of each cell by the doctor's prediction, bytes on the disk; and
//! which cells are left out where that is more than `--max-seconds`.
//!
//! ```text
//!   calibrations (terms of each library) ─┬─► reading ─┐
//!   facts (of files not written yet) ─────┴─► writing ─┴─► Plan ─► table
//! ```

mod calibrations;
mod facts;
mod reading;
mod table;
mod writing;

pub(super) use calibrations::Calibrations;

use super::arguments::BenchArgs;
use super::model::head::Head;
use super::request::Request;
use facts::{facts_of, ratio};
use hyperslab_bench::matrix::{Made, Matrix, Question};
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_engines::FileBuffers;
use hyperslab_measure::access::Access;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::Terms;
pub(super) use reading::Swept;
use reading::read_seconds;
use serde::Serialize;
use writing::write_seconds;

/// Seconds to start a process, load a library and open a file.
const RUN_SECONDS: f64 = 0.06;
/// Bytes a second through SHA-256, in the run that compares values.
const HASH_BYTES_PER_SECOND: f64 = 4.0e8;

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
    #[serde(flatten)]
    buffers: FileBuffers,
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
    pub(super) fn of(
        args: &BenchArgs,
        asked: &Request,
        head: &Head,
        as_is: Option<&DatasetFacts>,
        calibrated: &Calibrations,
    ) -> Self {
        let mut plan = Self {
            writes: Vec::new(),
            cells: Vec::new(),
            seconds: 0.0,
            seconds_max: args.max_seconds,
            disk_bytes: 0,
        };
        for matrix in &asked.matrices {
            for made in matrix.files() {
                let facts = match made {
                    None => as_is.cloned(),
                    Some((storage, _)) => Some(facts_of(storage, ratio(matrix, storage, as_is))),
                };
                if let (Some(made), Some(facts)) = (made, &facts) {
                    plan.disk_bytes = plan.disk_bytes.max(made.0.logical_bytes());
                    plan.writes.push(PlannedWrite::of(matrix, made, facts, calibrated.usual()));
                }
                let questions = matrix.accesses.iter().flat_map(|access| matrix.questions(made, access));
                let cell = |question| PlannedCell::of(matrix, question, head, facts.as_ref(), calibrated);
                plan.cells.extend(questions.map(cell));
            }
        }
        plan.fit();
        plan
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
        let key = format!("{question:?}");
        let cell = self.cells.iter().find(|cell| cell.key == key).filter(|cell| cell.is_left_out)?;
        Some(format!(
            "left out: it is predicted to take {} with the file it reads, and all cells together more than --max-seconds {}; --reads N \
             measures a part of the reads",
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
}

impl PlannedWrite {
    fn of(matrix: &Matrix, made: Made<'_>, facts: &DatasetFacts, terms: Terms) -> Self {
        let (storage, strategy) = made;
        let seconds = write_seconds(storage, strategy, facts, terms) + RUN_SECONDS;
        let repeats = 1 + more_runs(matrix.write_repeats - 1, seconds, matrix.seconds_max);
        let stored_as = matrix.stored_as(Some(made));
        Self { stored_as, seconds: seconds * repeats as f64, key: format!("{made:?}") }
    }
}

impl PlannedCell {
    fn of(
        matrix: &Matrix,
        question: Question<'_>,
        head: &Head,
        facts: Option<&DatasetFacts>,
        calibrated: &Calibrations,
    ) -> Self {
        let Question { made, access, engine, options } = &question;
        let about = head.engines.iter().find(|known| known.name == engine.name());
        let read = facts.map_or(0.0, |facts| {
            let terms = calibrated.terms(engine);
            read_seconds(facts, access, matrix.part(access), engine, options.cache, about, terms)
        });
        let run_seconds = read + RUN_SECONDS;
        let more = more_runs(matrix.repeats, run_seconds, matrix.seconds_max);
        let check = run_seconds + selected_bytes(access, matrix) / HASH_BYTES_PER_SECOND;
        Self {
            stored_as: matrix.stored_as(*made),
            read_as: access.to_string(),
            engine: engine.name(),
            cache: options.cache,
            buffers: options.buffers,
            run_seconds,
            runs: 1 + more,
            seconds: check + run_seconds * more as f64,
            is_left_out: false,
            key: format!("{question:?}"),
            file: made.map(|made| format!("{made:?}")),
        }
    }
}

/// Runs after the first, until they took long enough.
fn more_runs(most: usize, seconds: f64, seconds_max: f64) -> usize {
    most.min((seconds_max / seconds.max(1e-9)).ceil() as usize)
}

fn selected_bytes(access: &Access, matrix: &Matrix) -> f64 {
    let shape = matrix.subject.shape();
    let element_bytes = matrix.storages.iter().flatten().next().map_or(8, |storage| storage.element.bytes());
    let reads = access.len_of(shape, matrix.part(access)) as f64;
    let block =
        access.block.iter().zip(&access.step).fold(1.0, |n, (block, step)| n * block.div_ceil(*step) as f64);
    reads * block * element_bytes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_cells_are_taken_until_the_time_is_used_up() {
        let cell = |seconds, file: Option<&str>| PlannedCell {
            stored_as: String::new(),
            read_as: String::new(),
            engine: String::new(),
            cache: None,
            buffers: FileBuffers::default(),
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
        assert!(
            plan.sentence().ends_with(
                "; 1 more is left out by --max-seconds 12: --reads N measures a part of the reads"
            ),
            "{}",
            plan.sentence()
        );
    }
}
