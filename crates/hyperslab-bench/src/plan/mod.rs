//! What a bench will cost, before it starts: seconds of each cell by the doctor's prediction, bytes on the disk; and
//! which cells are left out where that is more than `--max-seconds`.
//!
//! ```text
//!   terms of each library ────────────────┬─► reading ─┐
//!   facts (of files not written yet) ─────┴─► writing ─┴─► Plan
//! ```

mod facts;
mod reading;
mod writing;

use crate::document::Head;
use crate::matrix::{Made, Matrix, Question};
use facts::{facts_of, ratio};
use hyperslab_doctor::DatasetFacts;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_engines::{Engine, FileBuffers};
use hyperslab_measure::access::Access;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::cost::Terms;
use hyperslab_units::{counted_text, size};
pub use reading::Swept;
use reading::read_seconds;
use serde::Serialize;
use writing::write_seconds;

/// Seconds to start a process, load a library and open a file.
const RUN_SECONDS: f64 = 0.06;
/// Bytes a second through SHA-256, in the run that compares values.
const HASH_BYTES_PER_SECOND: f64 = 4.0e8;

/// What the parts of a read cost the libraries that take part.
pub trait LibraryTerms {
    /// The terms of an engine.
    fn terms(&self, engine: &Engine) -> Terms;

    /// The terms where no engine is meant.
    fn usual(&self) -> Terms;
}

/// Everything that would be measured.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// The files that would be written.
    pub writes: Vec<PlannedWrite>,
    /// The cells.
    pub cells: Vec<PlannedCell>,
    /// Seconds of all that is not left out.
    pub seconds: f64,
    /// What `--max-seconds` allows.
    pub seconds_max: f64,
    /// Most bytes on the disk at one time, if nothing compresses.
    pub disk_bytes: u64,
}

/// One file.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedWrite {
    /// The file.
    pub stored_as: String,
    /// Seconds of all times that it is written.
    pub seconds: f64,
    #[serde(skip)]
    key: String,
}

/// One cell.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedCell {
    /// What is read.
    pub stored_as: String,
    /// How.
    pub read_as: String,
    /// By which engine.
    pub engine: String,
    /// The chunk cache, where one is set.
    pub cache: Option<CacheSettings>,
    /// The page buffer and the metadata cache.
    #[serde(flatten)]
    pub buffers: FileBuffers,
    /// Seconds of one run.
    pub run_seconds: f64,
    /// How many runs, with that which compares values.
    pub runs: usize,
    /// Seconds of all of them.
    pub seconds: f64,
    /// True where all together would be more than is allowed.
    pub is_left_out: bool,
    #[serde(skip)]
    key: String,
    /// The file that has to be there; none for the file as it is.
    #[serde(skip)]
    file: Option<String>,
}

impl Plan {
    /// The plan of all cells; `as_is` are the facts about the user's dataset.
    pub fn of(
        matrices: &[Matrix],
        seconds_max: f64,
        head: &Head,
        as_is: Option<&DatasetFacts>,
        calibrated: &dyn LibraryTerms,
    ) -> Self {
        let mut plan =
            Self { writes: Vec::new(), cells: Vec::new(), seconds: 0.0, seconds_max, disk_bytes: 0 };
        for matrix in matrices {
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
    pub fn leave_out(&self, question: &Question<'_>) -> Option<String> {
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
    pub fn run_seconds(&self, doing: &str) -> f64 {
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

    /// `36 cells, about 4 min predicted, at most 1.2 GiB on the disk at one time`.
    pub fn sentence(&self) -> String {
        let left_out = self.cells.len() - self.taken();
        let mut text = format!(
            "{}, about {} predicted",
            counted_text(self.taken() as u64, "cell"),
            seconds_text(self.seconds)
        );
        if self.disk_bytes > 0 {
            text += &format!(", at most {} on the disk at one time", size::bytes(self.disk_bytes));
        }
        if left_out > 0 {
            let are = if left_out == 1 { "is" } else { "are" };
            text += &format!(
                "; {left_out} more {are} left out by --max-seconds {}: --reads N measures a part of the reads",
                self.seconds_max
            );
        }
        text
    }

    /// Cells that are measured.
    pub fn taken(&self) -> usize {
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
        calibrated: &dyn LibraryTerms,
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
