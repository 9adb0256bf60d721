//! Runs a plan, table by table.
//!
//! The cells of a table take turns, round by round, as those of a matrix do. The first round checks: values are compared
//! between all who read the same, decodes counted. What a table shares with an earlier one is not measured again.

use super::Recipe;
use super::engines::{Engines, Used};
use super::artifacts::ArtifactCache;
use super::measured::{Kind, Measured};
use super::plan::{Part, EngineKind, Work};
use super::report::{Counts, NotRun, PartReport, Report, judge_all};
use super::cell_run::CellRun;
use crate::matrix::Progress;
use crate::process::Launcher;
use hyperslab_doctor::{DatasetFacts, list_text};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where recipes are run, and with what.
pub struct RunContext<'a> {
    /// EngineKind runs them.
    pub engines: Engines,
    /// Starts the processes.
    pub launcher: &'a Launcher,
    /// For the files.
    pub folder: &'a Path,
    /// What the simulator needs to know of a dataset, where it can be known.
    pub facts: &'a dyn Fn(&Path, &str) -> Option<DatasetFacts>,
    /// How often each cell is measured, at most.
    pub repeats: usize,
    /// A cell is not repeated once its runs took so many seconds.
    pub seconds_max: f64,
    /// Set by who wants to stop.
    pub stop: &'a AtomicBool,
}

/// What the tables so far came to: effects of later ones may be about it.
#[derive(Default)]
struct SoFar {
    measured: Vec<Measured>,
    not_run: Vec<NotRun>,
}

impl RunContext<'_> {
    /// Runs a recipe with data as much smaller; what is complete when it is stopped is kept.
    pub fn run(&self, recipe: &Recipe, scale: f64, progress: &mut dyn Progress) -> Report {
        let plan = recipe.plan(scale);
        let cells = plan.parts.iter().flat_map(|part| &part.cells);
        progress.expect(cells.map(|cell| self.rounds(&cell.work) * cell.by.len()).sum());
        let mut artifacts = ArtifactCache::new(self.folder, plan.shrink);
        let (mut parts, mut so_far) = (Vec::new(), SoFar::default());
        for number in 0..plan.parts.len() {
            parts.push(self.part(&plan.parts[number..], &mut artifacts, &mut so_far, progress));
        }
        let mut engines: Vec<Used> = so_far
            .measured
            .iter()
            .map(|cell| Used { who: cell.who, engine: cell.engine.clone(), version: cell.version.clone() })
            .collect();
        engines.sort_by_key(|used| used.who);
        engines.dedup();
        Report {
            recipe: recipe.name.to_owned(),
            publication: recipe.publication.to_owned(),
            shrink: plan.shrink,
            engines,
            counts: Counts::of(&parts),
            parts,
            is_interrupted: self.stop.load(Ordering::Relaxed),
        }
    }

    fn rounds(&self, work: &Work) -> usize {
        if work.kind() == Kind::File { 1 } else { self.repeats + 1 }
    }

    /// The first of the parts that are left; what it comes to is added to what those before came to.
    fn part(
        &self,
        left: &[Part],
        artifacts: &mut ArtifactCache,
        so_far: &mut SoFar,
        progress: &mut dyn Progress,
    ) -> PartReport {
        let part = &left[0];
        let each = part.cells.iter().flat_map(|cell| cell.by.iter().map(move |who| (cell, *who)));
        let mut slots: Vec<CellRun<'_>> = each.map(|(cell, who)| CellRun::new(cell, who, self)).collect();
        for round in 0..=self.repeats {
            for at in 0..slots.len() {
                let (before, others) = slots.split_at_mut(at);
                let slot = &mut others[0];
                if round < self.rounds(&slot.cell.work) {
                    progress.doing(&format!("{}: {}", slot.who.name(), slot.cell.name));
                    slot.round(round, before, artifacts, self);
                    progress.done();
                    artifacts.forget(|cell| left.iter().any(|part| part.reads(cell)));
                }
            }
        }
        differing(&mut slots, artifacts);
        let (mut cells, mut not_run) = (Vec::new(), Vec::<NotRun>::new());
        for slot in &slots {
            if let Some(measured) = slot.measured(artifacts, self) {
                cells.push(measured);
                continue;
            }
            let why = slot.failure.clone().unwrap_or_else(|| "it was not run".to_owned());
            let cell = (slot.cell.name.clone(), slot.who);
            match not_run.iter_mut().find(|known| known.why == why) {
                Some(known) => known.cells.push(cell),
                None => not_run.push(NotRun { what: String::new(), why, cells: vec![cell] }),
            }
        }
        not_run.iter_mut().for_each(|not_run| not_run.what = shortened(&not_run.cells));
        artifacts.forget(|cell| left[1..].iter().any(|part| part.reads(cell)));
        so_far.measured.extend(cells.iter().cloned());
        so_far.not_run.extend(not_run.iter().cloned());
        PartReport {
            title: part.title.clone(),
            notes: part.notes.clone(),
            effects: judge_all(&part.effects, &so_far.measured, &so_far.not_run),
            cells,
            not_run,
        }
    }
}

/// Names, or their number where they are many.
fn shortened(cells: &[(String, EngineKind)]) -> String {
    let names: Vec<String> = cells.iter().map(|(cell, who)| format!("{cell} ({})", who.name())).collect();
    match names.as_slice() {
        [first, .., last] if names.len() > 3 => format!("{} cells, from {first} to {last}", names.len()),
        few => list_text(few),
    }
}

impl Part {
    /// True where a cell of it needs the file that another cell writes.
    fn reads(&self, cell: &str) -> bool {
        self.cells.iter().any(|reader| reader.work.needs() == Some(cell))
    }
}

/// Those whose values are not those that the first read are failures, not cells.
fn differing(slots: &mut [CellRun<'_>], artifacts: &ArtifactCache) {
    let mut first: HashMap<String, (String, String)> = HashMap::new();
    for slot in slots {
        let Some((what, sum)) = slot.checksum(artifacts) else { continue };
        let (name, expected) = first.entry(what).or_insert_with(|| (slot.cell.name.clone(), sum.clone()));
        if *expected != sum {
            slot.failure = Some(format!("WRONG VALUES: not those of {name}"));
        }
    }
}
