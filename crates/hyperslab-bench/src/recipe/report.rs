//! What a recipe came to, as one document.

use super::Recipe;
use super::engines::Used;
use super::judge::{Judged, judge};
use super::measured::Measured;
use super::plan::Effect;
use serde::{Deserialize, Serialize};

/// A whole recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The recipe's name.
    pub recipe: String,
    /// Who published what, and where.
    pub publication: String,
    /// By how much data and caches are smaller than published; 1 for the published size.
    pub shrink: f64,
    /// Who took part.
    pub engines: Vec<Used>,
    /// The tables.
    pub parts: Vec<PartReport>,
    /// Decodes that were counted against those simulated.
    pub counts: Counts,
    /// True where it was stopped before its end.
    pub is_interrupted: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    /// Which tables, and what they are of.
    pub title: String,
    /// What is not as it was published.
    pub notes: Vec<String>,
    /// What was measured.
    pub cells: Vec<Measured>,
    /// What the publication concludes, judged.
    pub effects: Vec<Judged>,
    /// What was not measured.
    pub not_run: Vec<NotRun>,
}

/// Something that was not measured, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// Which cells, by whom.
    pub what: String,
    /// Why, and what to do about it.
    pub why: String,
}

/// Decodes that the library's own filter counted, against those of the simulated cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Cells with filtered chunks in which both are known.
    pub compared: usize,
    /// Those in which they differ, in words.
    pub differing: Vec<String>,
}

/// All effects of a part, by what was measured in it and before.
pub(super) fn judge_all(effects: &[Effect], measured: &[Measured], not_run: &[NotRun]) -> Vec<Judged> {
    let why = not_run.first().map_or("what it needs was not measured", |not_run| not_run.why.as_str());
    effects.iter().map(|effect| judge(effect, measured, why)).collect()
}

impl Counts {
    pub(super) fn of(parts: &[PartReport]) -> Self {
        let mut counts = Self::default();
        let mut seen: Vec<(&str, super::Who)> = Vec::new();
        for cell in parts.iter().flat_map(|part| &part.cells) {
            let Some((counted, simulated)) = cell.counts_to_compare() else { continue };
            if seen.contains(&(&cell.cell, cell.who)) {
                continue;
            }
            seen.push((&cell.cell, cell.who));
            counts.compared += 1;
            if counted != simulated {
                let what = format!("{}: {counted} decodes were counted, {simulated} simulated", cell.cell);
                counts.differing.push(what);
            }
        }
        counts
    }
}

impl Report {
    /// The effects of the recipe as it is now, judged by the figures of then.
    pub fn judged_again(mut self) -> Self {
        let Some(recipe) = Recipe::named(&self.recipe) else { return self };
        let mut all: Vec<Measured> = Vec::new();
        for (part, planned) in self.parts.iter_mut().zip(recipe.plan(self.shrink).parts) {
            all.extend(part.cells.iter().cloned());
            (part.title, part.notes) = (planned.title, planned.notes);
            part.effects = judge_all(&planned.effects, &all, &part.not_run);
        }
        self
    }

    /// True where everything was measured, and every count is as simulated.
    pub fn is_whole(&self) -> bool {
        !self.is_interrupted
            && self.counts.differing.is_empty()
            && self.parts.iter().all(|part| part.not_run.is_empty())
    }
}
