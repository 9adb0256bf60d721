//! The savings of all files together: in total, by variable and by file, in order of what is saved.

use super::file::{FileSurvey, SurveyRequest};
use crate::runner::PassedOver;
use hyperslab_advise::{Place, Survey, SurveyedStorage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// By what files and variables are ranked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// Seconds of reading everything once: the fastest storage at the present size
    #[default]
    Seconds,
    /// Bytes: the smallest storage
    Bytes,
    /// Dollars at the place, for keeping the files for a month and reading everything once: the cheaper of both
    Dollars,
}

/// Files that the summary names.
const FILES_MAX: usize = 100;

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Seconds => "seconds",
            Self::Bytes => "bytes",
            Self::Dollars => "dollars",
        })
    }
}

/// All files.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// What was asked about all of them.
    pub asked: SurveyRequest,
    /// What the rankings are by.
    pub rank: Rank,
    /// Files that were examined.
    pub files: u64,
    /// Files that could not be examined, or not completely.
    pub unreadable: u64,
    /// Files of the folders that were not examined, by kind.
    pub passed_over: PassedOver,
    /// Bytes of all files.
    pub file_bytes: u64,
    /// Datasets that were not examined because they are small or have no chunks to choose.
    pub datasets_not_examined: u64,
    /// All datasets together.
    pub total: Savings,
    /// Datasets of one path in all files, by what is saved.
    pub variables: Vec<Variable>,
    /// The files of which most is saved.
    pub best_files: Vec<RankedFile>,
    /// What the files of the ranking save, added up in its order: files, and their share of all that is saved.
    #[serde(skip)]
    pub curve: Vec<(u64, f64)>,
}

/// What repacking saves of some datasets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Savings {
    /// Datasets.
    pub datasets: u64,
    /// Those of them that are worth rewriting.
    pub rewritten: u64,
    /// Bytes in the files now.
    pub bytes: u64,
    /// Bytes in the files then.
    pub bytes_then: u64,
    /// Seconds of reading everything once, on average over the reads and the readers.
    pub seconds: f64,
    /// The same seconds then.
    pub seconds_then: f64,
    /// Dollars for the same.
    pub dollars: f64,
    /// The same dollars then.
    pub dollars_then: f64,
    /// Dollars a month for keeping the bytes.
    pub dollars_a_month: f64,
    /// The same dollars then.
    pub dollars_a_month_then: f64,
    /// Seconds that rewriting takes, as estimated.
    pub repack_seconds: f64,
}

/// The datasets of one path.
#[derive(Debug, Serialize)]
pub struct Variable {
    /// The path.
    pub path: String,
    /// Files that have it.
    pub files: u64,
    /// What rewriting them saves.
    pub savings: Savings,
    /// The storage that it has in the file of which most is saved.
    pub present: SurveyedStorage,
    /// What is recommended for most of its savings; the present one if nothing is to be rewritten.
    pub recommended: SurveyedStorage,
    /// Storages that are recommended for it in one file or another.
    pub recommendations: u64,
}

/// A file.
#[derive(Debug, Serialize)]
pub struct RankedFile {
    /// Its name.
    pub file: String,
    /// What rewriting it saves.
    pub savings: Savings,
}

/// What is recommended for a dataset: the fastest storage, the smallest, or the cheapest. `None` for the present one.
fn recommended<'s>(survey: &'s Survey, place: &Place, rank: Rank) -> Option<&'s SurveyedStorage> {
    match rank {
        Rank::Seconds => survey.fastest.as_ref(),
        Rank::Bytes => survey.smallest.as_ref(),
        Rank::Dollars => {
            let dollars = |storage: &SurveyedStorage| {
                storage.dollars + place.price_a_month(storage.stored_bytes as f64)
            };
            let cheapest = [&survey.fastest, &survey.smallest].into_iter().flatten();
            let cheapest = cheapest.min_by(|a, b| dollars(a).total_cmp(&dollars(b)))?;
            (dollars(cheapest) < dollars(&survey.present)).then_some(cheapest)
        }
    }
}

impl Savings {
    fn of(now: &SurveyedStorage, then: Option<&SurveyedStorage>, place: &Place) -> Self {
        let a_month = |storage: &SurveyedStorage| place.price_a_month(storage.stored_bytes as f64);
        let rewritten = u64::from(then.is_some());
        let then = then.unwrap_or(now);
        Self {
            datasets: 1,
            rewritten,
            bytes: now.stored_bytes,
            bytes_then: then.stored_bytes,
            seconds: now.seconds,
            seconds_then: then.seconds,
            dollars: now.dollars,
            dollars_then: then.dollars,
            dollars_a_month: a_month(now),
            dollars_a_month_then: a_month(then),
            repack_seconds: then.repack_seconds,
        }
    }

    fn add(&mut self, other: &Self) {
        self.datasets += other.datasets;
        self.rewritten += other.rewritten;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.bytes_then = self.bytes_then.saturating_add(other.bytes_then);
        self.seconds += other.seconds;
        self.seconds_then += other.seconds_then;
        self.dollars += other.dollars;
        self.dollars_then += other.dollars_then;
        self.dollars_a_month += other.dollars_a_month;
        self.dollars_a_month_then += other.dollars_a_month_then;
        self.repack_seconds += other.repack_seconds;
    }

    /// What is saved; less than 0 where rewriting for one thing costs another.
    pub fn saved(&self, rank: Rank) -> f64 {
        match rank {
            Rank::Seconds => self.seconds - self.seconds_then,
            Rank::Bytes => self.bytes as f64 - self.bytes_then as f64,
            Rank::Dollars => {
                self.dollars - self.dollars_then + self.dollars_a_month - self.dollars_a_month_then
            }
        }
    }
}

impl Summary {
    /// `surveys` are in order of their names, each once, and were all asked the same.
    pub fn of(surveys: &[FileSurvey], asked: &SurveyRequest, place: &Place, rank: Rank) -> Self {
        let mut total = Savings::default();
        let mut files: Vec<RankedFile> = Vec::new();
        let mut variables: BTreeMap<&str, Vec<Found<'_>>> = BTreeMap::new();
        for survey in surveys {
            let mut own = Savings::default();
            for dataset in &survey.datasets {
                let then = recommended(dataset, place, rank);
                let savings = Savings::of(&dataset.present, then, place);
                own.add(&savings);
                let found = Found { savings, present: &dataset.present, recommended: then };
                variables.entry(&dataset.path).or_default().push(found);
            }
            total.add(&own);
            files.push(RankedFile { file: survey.file.clone(), savings: own });
        }
        let most = |one: &Savings, other: &Savings| other.saved(rank).total_cmp(&one.saved(rank));
        let mut variables: Vec<Variable> =
            variables.into_iter().filter_map(|(path, found)| variable(path, &found, rank)).collect();
        // Stable, so that ties stay in order of name.
        variables.sort_by(|a, b| most(&a.savings, &b.savings));
        files.sort_by(|a, b| most(&a.savings, &b.savings));
        let curve = curve(&files, rank);
        files.retain(|file| file.savings.rewritten > 0);
        files.truncate(FILES_MAX);
        Self {
            asked: asked.clone(),
            rank,
            files: surveys.len() as u64,
            unreadable: surveys.iter().filter(|survey| survey.problem.is_some()).count() as u64,
            passed_over: PassedOver::default(),
            file_bytes: surveys.iter().fold(0, |sum, survey| sum.saturating_add(survey.bytes)),
            datasets_not_examined: surveys.iter().map(|survey| survey.others).sum(),
            total,
            variables,
            best_files: files,
            curve,
        }
    }

    /// The variables that are worth rewriting in some file.
    pub fn rewritten(&self) -> impl Iterator<Item = &Variable> {
        self.variables.iter().filter(|variable| variable.savings.rewritten > 0)
    }
}

/// One dataset of a variable.
struct Found<'s> {
    savings: Savings,
    present: &'s SurveyedStorage,
    recommended: Option<&'s SurveyedStorage>,
}

fn variable(path: &str, found: &[Found<'_>], rank: Rank) -> Option<Variable> {
    let mut savings = Savings::default();
    // What each recommended storage saves in all files.
    let mut recommended: Vec<(&SurveyedStorage, f64)> = Vec::new();
    for one in found {
        savings.add(&one.savings);
        let Some(storage) = one.recommended else { continue };
        let is_same =
            |known: &&SurveyedStorage| (&known.chunk, &known.filters) == (&storage.chunk, &storage.filters);
        let saved = one.savings.saved(rank);
        match recommended.iter_mut().find(|(known, _)| is_same(known)) {
            Some((_, sum)) => *sum += saved,
            None => recommended.push((storage, saved)),
        }
    }
    let worst = found.iter().max_by(|a, b| a.savings.saved(rank).total_cmp(&b.savings.saved(rank)))?;
    let best = recommended.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(worst.present, |best| best.0);
    Some(Variable {
        path: path.to_owned(),
        files: found.len() as u64,
        savings,
        present: worst.present.clone(),
        recommended: best.clone(),
        recommendations: recommended.len() as u64,
    })
}

/// Points of the curve.
const POINTS_MAX: usize = 200;

/// `files` are in order.
fn curve(files: &[RankedFile], rank: Rank) -> Vec<(u64, f64)> {
    let saved = |file: &RankedFile| file.savings.saved(rank).max(0.0);
    let all: f64 = files.iter().map(saved).sum();
    if all <= 0.0 {
        return Vec::new();
    }
    let step = files.len().div_ceil(POINTS_MAX);
    let mut sum = 0.0;
    let mut points = vec![(0, 0.0)];
    for (number, file) in files.iter().enumerate() {
        sum += saved(file);
        if (number + 1) % step == 0 || number + 1 == files.len() {
            points.push((number as u64 + 1, sum / all));
        }
    }
    points
}
