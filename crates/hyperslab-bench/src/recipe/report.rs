//! What a recipe came to, as one document.

use super::catalogue::Recipe;
use super::claim::Effect;
use super::engines::Used;
use super::figure::Figure;
use super::judge::{Judged, judge};
use super::measured::Measured;
use hyperslab_engines::EngineKind;
use serde::{Deserialize, Serialize};

/// A whole recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The recipe's name.
    pub recipe: String,
    /// Author, title and year of the publication.
    pub publication: String,
    /// By how much data and caches are smaller than published; 1 for the published size.
    pub shrink: f64,
    /// The engines that took part.
    pub engines: Vec<Used>,
    /// The tables.
    #[serde(rename = "parts")]
    pub tables: Vec<TableReport>,
    /// Decodes that were counted against those simulated.
    pub counts: Counts,
    /// True where it was stopped before its end.
    pub is_interrupted: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableReport {
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
    /// Which cells, by which engines.
    pub what: String,
    /// Why, and what to do about it.
    pub why: String,
    /// The cells, each with the engine that was to run it.
    #[serde(default)]
    pub cells: Vec<(String, EngineKind)>,
}

impl NotRun {
    /// True of what a figure is of.
    fn concerns(&self, figure: &Figure) -> bool {
        self.cells.iter().any(|(cell, by)| (cell, *by) == (&figure.cell, figure.by))
    }
}

/// Decodes that the library's own filter counted, against those of the simulated cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Cells with filtered chunks in which both are known.
    pub compared: usize,
    /// Those in which they differ, in words.
    pub differing: Vec<String>,
}

/// All effects of a part, by what was measured and what was not, in it and before.
pub(super) fn judge_all(effects: &[Effect], measured: &[Measured], not_run: &[NotRun]) -> Vec<Judged> {
    let why = |effect: &Effect| {
        let figures = effect.claim.figures();
        let own = not_run.iter().find(|not_run| figures.iter().any(|figure| not_run.concerns(figure)));
        own.map_or("what it needs was not measured", |not_run| not_run.why.as_str())
    };
    effects.iter().map(|effect| judge(effect, measured, why(effect))).collect()
}

impl Counts {
    pub(super) fn of(tables: &[TableReport]) -> Self {
        let mut counts = Self::default();
        for cell in tables.iter().flat_map(|table| &table.cells) {
            let Some((counted, simulated)) = cell.counts_to_compare() else { continue };
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
    /// The effects and the published figures of the recipe as it is now, with the measured ones of then. A table that
    /// the recipe has no more stays as it was.
    pub fn judged_again(mut self) -> Self {
        let Some(recipe) = Recipe::named(&self.recipe) else { return self };
        let plan = recipe.plan(self.shrink);
        let (mut all, mut not_run) = (Vec::<Measured>::new(), Vec::<NotRun>::new());
        for table in &mut self.tables {
            for cell in &mut table.cells {
                let planned = plan
                    .tables
                    .iter()
                    .flat_map(|table| &table.cells)
                    .find(|planned| planned.name == cell.cell);
                cell.published = planned.map_or_else(Vec::new, |planned| planned.published_of(cell.by));
            }
            all.extend(table.cells.iter().cloned());
            not_run.extend(table.not_run.iter().cloned());
            let Some(planned) = plan.tables.iter().find(|planned| planned.title == table.title) else {
                continue;
            };
            table.notes.clone_from(&planned.notes);
            table.effects = judge_all(&planned.effects, &all, &not_run);
        }
        self.counts = Counts::of(&self.tables);
        self
    }

    /// True where everything was measured, and every count is as simulated.
    pub fn is_whole(&self) -> bool {
        !self.is_interrupted
            && self.counts.differing.is_empty()
            && self.tables.iter().all(|table| table.not_run.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::claim::Verdict;
    use crate::recipe::figure::Metric;
    use crate::recipe::measured::CacheFit;
    use hyperslab_doctor::simulate::ReadCounts;
    use hyperslab_storage::CacheSettings;

    fn report(tables: &[(&str, Vec<Measured>)]) -> Report {
        let table = |(title, cells): &(&str, Vec<Measured>)| TableReport {
            title: (*title).to_owned(),
            notes: Vec::new(),
            cells: cells.clone(),
            effects: Vec::new(),
            not_run: Vec::new(),
        };
        Report {
            recipe: "unidata-compressed".to_owned(),
            publication: String::new(),
            shrink: 1.0,
            engines: Vec::new(),
            tables: tables.iter().map(table).collect(),
            counts: Counts::default(),
            is_interrupted: false,
        }
    }

    #[test]
    fn old_figures_are_judged_by_the_recipe_of_now_table_by_table() {
        let cell = |name: &str, by, seconds| Measured::example(name, by, seconds);
        let netcdf = [
            cell("deflated, 1 MiB", EngineKind::Netcdf, 460.0),
            cell("deflated, 16 MB", EngineKind::Netcdf, 10.0),
        ];
        let mut libhdf5 = [
            cell("deflated, 1 MiB", EngineKind::Libhdf5, 1.0),
            cell("deflated, 16 MB", EngineKind::Libhdf5, 1.0),
        ];
        // As an older release had it: the figures of netCDF-C beside another library's.
        libhdf5[0].published =
            Recipe::named("unidata-compressed").unwrap().plan(1.0).tables[1].cells[0].published.clone();
        let months = "Month by month, the file not in the page cache";
        let again = report(&[
            (months, [&netcdf[..], &libhdf5].concat()),
            ("A table of then", vec![cell("gone", EngineKind::Netcdf, 1.0)]),
        ])
        .judged_again();
        let part = &again.tables[0];
        let effect = part.effects.iter().find(|effect| effect.says.contains("46 times faster")).unwrap();
        assert_eq!((effect.verdict, effect.measured), (Verdict::AsPublished, Some(46.0)));
        let published = |at: usize| part.cells[at].published.iter().map(|one| one.metric).collect::<Vec<_>>();
        assert_eq!(published(0), [Metric::First, Metric::Average]);
        assert_eq!(published(2), [], "those are netCDF-C's");
        assert_eq!(again.tables[1].title, "A table of then");
        assert_eq!(again.tables[1].effects, []);
    }

    #[test]
    fn what_was_not_judged_is_told_with_its_own_reason() {
        let figure =
            |cell: &str| Figure { cell: cell.to_owned(), by: EngineKind::Netcdf, metric: Metric::Seconds };
        let effect = |more, less| Effect::times(figure(more), figure(less), 2.0);
        let not_run = |cell: &str, why: &str| NotRun {
            what: cell.to_owned(),
            why: why.to_owned(),
            cells: vec![(cell.to_owned(), EngineKind::Netcdf)],
        };
        let effects = [effect("a", "b"), effect("b", "c"), effect("b", "d")];
        let missing = [not_run("a", "no disk is left"), not_run("c", "it took too long")];
        let judged = judge_all(&effects, &[Measured::example("b", EngineKind::Netcdf, 1.0)], &missing);
        let why: Vec<&str> = judged.iter().map(|judged| judged.because.as_str()).collect();
        assert_eq!(why, ["no disk is left", "it took too long", "what it needs was not measured"]);
    }

    #[test]
    fn decodes_are_compared_where_they_are_both_counted_and_simulated() {
        let fit = |is_filtered| CacheFit {
            settings: CacheSettings { nbytes: 1, nslots: 1, w0: 0.0 },
            is_default: true,
            chunk_bytes: 1,
            chunks_touched: 1,
            is_filtered,
        };
        let cell = |decodes, simulated: Option<u64>, is_filtered| Measured {
            decodes,
            simulated: simulated.map(|decodes| ReadCounts { decodes, ..ReadCounts::default() }),
            cache: Some(fit(is_filtered)),
            ..Measured::example("a", EngineKind::Libhdf5, 1.0)
        };
        let cells = vec![
            cell(Some(5), Some(5), true),
            cell(Some(5), Some(6), true),
            cell(Some(5), None, true),
            cell(None, Some(5), true),
            cell(Some(0), Some(0), false),
        ];
        let counts = Counts::of(&report(&[("", cells)]).tables);
        assert_eq!(counts.compared, 2);
        assert_eq!(counts.differing, ["a: 5 decodes were counted, 6 simulated"]);
    }
}
