//! What to store, for each library: every storage with what reading it, writing it and keeping it costs, the best
//! first, beside the file as it is.
//!
//! Reads are the sum of all accesses by their weights, under the one cache that makes it smallest. The best storage is
//! the fastest to read; of those that are about as fast, the one that is cheapest to write and to keep. A storage that
//! no other beats in all three is on the Pareto front: none of these is best without a weighing that only the user can
//! make, so all of them are shown with all three numbers.

use super::finding::{ALIKE, times_text};
use super::head::Head;
use super::names::{self, Names, grouped, is_null, is_part};
use super::value::extrapolated;
use crate::matrix::Row;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_engines::FileBuffers;
use hyperslab_storage::CacheSettings;
use hyperslab_units::{counted_text, size};
use serde::{Deserialize, Serialize};

/// The storages as one library reads them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The library.
    pub engine: String,
    /// Its release.
    pub version: String,
    /// Every storage, the best first, the others by the time to read.
    pub choices: Vec<Choice>,
}

/// One storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// In words.
    pub stored_as: String,
    /// True for the user's file.
    pub is_as_is: bool,
    /// The chunk cache under which it is read fastest; none where there is none to set.
    pub cache: Option<CacheSettings>,
    /// True where that is the library's own default.
    pub is_default_cache: bool,
    /// The page buffer and the metadata cache.
    #[serde(flatten)]
    pub buffers: FileBuffers,
    /// Each access.
    pub reads: Vec<ReadTime>,
    /// Seconds of all accesses by their weights; none where one of them is missing.
    pub read_seconds: Option<f64>,
    /// Seconds of creating, writing and closing the file; none for the file as it is.
    pub write_seconds: Option<f64>,
    /// Bytes of the file, or of the dataset in the file as it is.
    pub stored_bytes: Option<u64>,
    /// True where no other is at least as good in reading, writing and size, and better in one.
    pub is_pareto: bool,
    /// True where it is read about as fast as the best.
    pub is_near_best: bool,
}

/// One access to one storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadTime {
    /// The access, in words.
    pub read_as: String,
    /// Seconds of all its reads.
    pub seconds: f64,
    /// True where they were computed from those of a part.
    pub is_extrapolated: bool,
    /// Reads that were measured; 0 in older documents.
    #[serde(default)]
    pub reads: u64,
    /// Reads that there are.
    #[serde(default)]
    pub reads_in_all: u64,
}

/// A verdict for each library that read anything; the engine that does nothing gives none.
pub fn all<'a>(head: &Head, rows: impl Iterator<Item = &'a Row>) -> Vec<Verdict> {
    let rows = rows.filter(|row| !is_null(row)).map(|row| ((&row.engine, &row.version), row));
    let verdict = |((engine, version), rows): ((&String, &String), Vec<&Row>)| {
        let files = grouped(rows.iter().map(|row| (&row.stored_as, *row)));
        let accesses = grouped(rows.iter().map(|row| (&row.read_as, ()))).len();
        let choices = files.into_iter().filter_map(|(_, rows)| Choice::of(head, &rows, accesses)).collect();
        Verdict { engine: engine.clone(), version: version.clone(), choices: ordered(choices) }
    };
    grouped(rows).into_iter().map(verdict).collect()
}

impl Choice {
    /// The cache under which the weighted accesses take least; the default where that is about as good.
    fn of(head: &Head, rows: &[&Row], accesses: usize) -> Option<Self> {
        let settings = grouped(rows.iter().map(|row| ((row.cache, row.is_default_cache, row.buffers), *row)));
        let weighted =
            |rows: &[&Row]| rows.iter().map(|row| head.weight_of(&row.read_as) * row.seconds()).sum::<f64>();
        let most = settings.iter().map(|(_, rows)| rows.len()).max()?;
        let whole = settings.into_iter().filter(|(_, rows)| rows.len() == most);
        let mut whole: Vec<_> = whole.map(|(setting, rows)| (weighted(&rows), setting, rows)).collect();
        whole.sort_by(|a, b| a.0.total_cmp(&b.0));
        let least = whole[0].0;
        // Less memory, or nothing to set, is preferred to a gain that the next run may not show.
        let effort = |setting: &(Option<CacheSettings>, bool, FileBuffers)| {
            (!setting.1, setting.0.map_or(0, |cache| cache.nbytes), setting.2)
        };
        let (seconds, (cache, is_default_cache, buffers), rows) =
            whole.into_iter().filter(|one| one.0 <= ALIKE * least).min_by_key(|one| effort(&one.1))?;
        let first = *rows.first()?;
        let read = |row: &&Row| ReadTime {
            read_as: row.read_as.clone(),
            seconds: row.seconds(),
            is_extrapolated: is_part(row),
            reads: row.read.reads,
            reads_in_all: row.read.reads_in_all,
        };
        Some(Self {
            stored_as: first.stored_as.clone(),
            is_as_is: first.storage.is_none(),
            cache,
            is_default_cache,
            buffers,
            reads: rows.iter().map(read).collect(),
            read_seconds: (rows.len() == accesses).then_some(seconds),
            write_seconds: first.write.as_ref().map(|write| write.open_write_close.median),
            stored_bytes: head.data.bytes_of(first),
            is_pareto: false,
            is_near_best: false,
        })
    }

    /// True where it is at least as good in everything that is known of both, and better in something.
    fn beats(&self, other: &Self) -> bool {
        let bytes = |choice: &Self| choice.stored_bytes.map(|bytes| bytes as f64);
        let pairs = [
            (self.read_seconds, other.read_seconds),
            (self.write_seconds, other.write_seconds),
            (bytes(self), bytes(other)),
        ];
        let known = || pairs.iter().filter_map(|(own, others)| Some((own.as_ref()?, others.as_ref()?)));
        // What is missing here and known there may be worse here.
        let is_comparable = pairs.iter().all(|(own, others)| own.is_some() || others.is_none());
        is_comparable
            && known().all(|(own, others)| own <= others)
            && known().any(|(own, others)| own < others)
    }

    fn time(&self) -> String {
        match self.read_seconds {
            Some(seconds) if self.reads.iter().any(|read| read.is_extrapolated) => extrapolated(seconds),
            Some(seconds) => seconds_text(seconds),
            None => "?".to_owned(),
        }
    }

    /// ` (≈: extrapolated from 10 of 90 reads 1x717)`, where times were computed from those of a part.
    fn parts(&self) -> String {
        let parts = self.reads.iter().filter(|read| read.is_extrapolated && read.reads > 0).map(|read| {
            format!("{} of {} {}", read.reads, counted_text(read.reads_in_all, "read"), read.read_as)
        });
        match parts.collect::<Vec<_>>() {
            parts if parts.is_empty() => String::new(),
            parts => format!(" (≈: extrapolated from {})", parts.join(", ")),
        }
    }

    /// In a sentence.
    pub fn name(&self) -> &str {
        if self.is_as_is { "the file as it is" } else { &self.stored_as }
    }

    /// `62.0 MiB, written in 0.21 s`.
    fn price(&self) -> String {
        let written = self.write_seconds.map(|seconds| format!("written in {}", seconds_text(seconds)));
        self.stored_bytes.map(size::bytes).into_iter().chain(written).collect::<Vec<_>>().join(", ")
    }
}

/// The best first, the others by the time to read; with what no other beats.
fn ordered(mut choices: Vec<Choice>) -> Vec<Choice> {
    let pareto: Vec<bool> = choices
        .iter()
        .map(|one| one.read_seconds.is_some() && !choices.iter().any(|other| other.beats(one)))
        .collect();
    choices.iter_mut().zip(pareto).for_each(|(choice, is_pareto)| choice.is_pareto = is_pareto);
    let seconds = |choice: &Choice| choice.read_seconds.unwrap_or(f64::INFINITY);
    choices.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let Some(least) = choices.first().and_then(|first| first.read_seconds) else { return choices };
    choices.iter_mut().for_each(|choice| choice.is_near_best = seconds(choice) <= ALIKE * least);
    // Seconds of writing by bytes of the file: twice the one is as bad as twice the other. A file that is there already
    // is not written.
    let writes = choices.iter().filter_map(|choice| choice.write_seconds);
    let fastest = writes.fold(f64::MAX, f64::min).max(f64::MIN_POSITIVE);
    let price = |choice: &Choice| {
        let bytes = choice.stored_bytes.map_or(1.0, |bytes| bytes.max(1) as f64);
        choice.write_seconds.map_or(1.0, |seconds| (seconds / fastest).max(1.0)) * bytes
    };
    let near = choices.iter().enumerate().filter(|(_, choice)| choice.is_near_best);
    let best = near.min_by(|a, b| price(a.1).total_cmp(&price(b.1))).map_or(0, |(place, _)| place);
    choices[..=best].rotate_right(1);
    choices
}

impl Verdict {
    /// The best storage; none where no storage was read in all ways.
    pub fn best(&self) -> Option<&Choice> {
        self.choices.first().filter(|choice| choice.read_seconds.is_some())
    }

    /// The file as it is.
    pub fn as_is(&self) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.is_as_is && choice.read_seconds.is_some())
    }

    /// True where there was something to choose from.
    pub fn is_choice(&self) -> bool {
        self.choices.len() > 1
    }

    /// The best storage beside the file as it is, in one sentence.
    pub fn sentence(&self, names: &Names) -> Option<String> {
        let best = self.best()?;
        let with = names.with(best.cache.filter(|_| !best.is_default_cache), false, best.buffers);
        let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
        let price = if best.price().is_empty() { String::new() } else { format!(" ({})", best.price()) };
        let mut text = format!("{} reads {} best, in {}{with}{price}", self.engine, best.name(), best.time());
        if let Some(base) = self.as_is().filter(|_| !best.is_as_is) {
            let (now, then) = (best.read_seconds?, base.read_seconds?);
            let speed = match then / now {
                times if times > ALIKE => format!("{} times as fast as", times_text(times)),
                times if times * ALIKE < 1.0 => format!("{} times as slow as", times_text(1.0 / times)),
                _ => "about as fast as".to_owned(),
            };
            text += &format!(": {speed} the file as it is, {} ({})", base.time(), base.price());
            if let (Some(own), Some(bytes @ 1..)) = (best.stored_bytes, base.stored_bytes) {
                text += &format!(", {:.2} of its size", own as f64 / bytes as f64);
            }
        }
        Some(text + &best.parts() + ".")
    }

    /// What else may be chosen: what is read about as fast, what is smaller, what is written faster.
    pub fn alternatives(&self) -> Vec<String> {
        let Some(best) = self.best() else { return Vec::new() };
        let others = || self.choices[1..].iter().filter(|choice| choice.read_seconds.is_some());
        let told = |choice: &Choice| format!("{}, {} ({})", choice.name(), choice.time(), choice.price());
        let mut lines = Vec::new();
        let near: Vec<String> = others().filter(|choice| choice.is_near_best).map(told).collect();
        if !near.is_empty() {
            lines.push(format!("About as fast to read: {}.", near.join("; ")));
        }
        let smallest =
            others().filter_map(|choice| Some((choice.stored_bytes?, choice))).min_by_key(|one| one.0);
        if let (Some((bytes, choice)), Some(own)) = (smallest, best.stored_bytes)
            && (bytes as f64) * ALIKE < own as f64
        {
            lines.push(format!("Smallest: {}.", told(choice)));
        }
        let written = others().filter_map(|choice| Some((choice.write_seconds?, choice)));
        if let (Some((seconds, choice)), Some(own)) =
            (written.min_by(|a, b| a.0.total_cmp(&b.0)), best.write_seconds)
            && seconds * ALIKE < own
        {
            lines.push(format!("Fastest to write: {}.", told(choice)));
        }
        let front = self.choices.iter().filter(|choice| choice.is_pareto).count();
        if front > 1 {
            lines.push(format!(
                "{} of {} are beaten by no other in reading, writing and size together.",
                front,
                counted_text(self.choices.len() as u64, "storage")
            ));
        }
        lines
    }
}

/// How the choice is marked in tables: `best`, `the file as it is`, `not beaten`.
pub fn mark(verdict: &Verdict, choice: &Choice) -> String {
    let is_best = verdict.best().is_some_and(|best| std::ptr::eq(best, choice));
    let marks = [
        (is_best, "best"),
        (choice.is_as_is, "the file as it is"),
        (choice.is_pareto && !is_best, "not beaten"),
    ];
    marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect::<Vec<_>>().join(", ")
}

/// The library with its release.
pub fn library(verdict: &Verdict) -> String {
    format!("{} {}", verdict.engine, verdict.version).trim_end().to_owned()
}

/// The cache of a choice, for a column.
pub fn cache(names: &Names, choice: &Choice) -> String {
    let cache = choice.cache.map(|cache| names.settings(cache, choice.is_default_cache));
    cache.into_iter().chain(names::buffers(choice.buffers)).collect::<Vec<_>>().join(", ")
}

/// `read 1x717` and its weight, where it has one: `read 1x717 (weight 3)`.
pub fn access(head: &Head, read_as: &str) -> String {
    match head.weight_of(read_as) {
        1.0 => format!("read {read_as}"),
        weight => format!("read {read_as} (weight {weight})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::{row, stored};

    fn verdict(rows: &[Row]) -> Verdict {
        all(&Head::default(), rows.iter()).remove(0)
    }

    #[test]
    fn of_two_that_are_read_alike_the_better_writer_is_best() {
        let rows = [
            stored("chunks 10x45x90 gzip=1, written by 1 MiB", 1.0, 5.07, 100),
            stored("chunks 10x45x90 gzip=1, written by 1x1x180", 1.02, 0.21, 100),
        ];
        let found = verdict(&rows);
        assert_eq!(found.best().unwrap().write_seconds, Some(0.21));
        let told = found.alternatives().join(" ");
        assert!(told.contains("About as fast to read: chunks 10x45x90 gzip=1, written by 1 MiB"), "{told}");
        assert!(told.contains("written in 5.07 s"), "{told}");
    }

    #[test]
    fn size_stands_beside_the_uncompressed() {
        let rows = [
            stored("chunks 4x4 none", 1.0, 1.0, 1000),
            stored("chunks 4x4 gzip=4", 1.5, 3.0, 300),
            stored("chunks 4x4 gzip=9", 1.6, 9.0, 310),
        ];
        let found = verdict(&rows);
        let front: Vec<bool> = found.choices.iter().map(|choice| choice.is_pareto).collect();
        assert_eq!(front, [true, true, false], "gzip=9 is beaten in everything");
        let text = found.sentence(&Names::default()).unwrap();
        assert!(text.contains("chunks 4x4 none best, in 1.00 s (1000 B, written in 1.00 s)"), "{text}");
        assert!(found.alternatives()[0].contains("Smallest: chunks 4x4 gzip=4, 1.50 s (300 B"));
    }

    #[test]
    fn the_file_as_it_is_is_what_all_are_compared_with() {
        let rows = [row("a", 4.0, None), stored("chunks 4x4 none", 1.0, 1.0, 1000)];
        let mut head = Head::default();
        head.data.stored_bytes = Some(500);
        let found = all(&head, rows.iter()).remove(0);
        let text = found.sentence(&Names::default()).unwrap();
        assert!(
            text.ends_with("4.0 times as fast as the file as it is, 4.00 s (500 B), 2.00 of its size."),
            "{text}"
        );
        assert_eq!(found.as_is().unwrap().stored_bytes, Some(500));
    }

    #[test]
    fn what_is_extrapolated_says_from_how_many_reads() {
        let mut part = row("a", 1.0, None);
        (part.read.reads_in_all, part.read.extrapolated_read) = (90, Some(9.0));
        let text = verdict(&[part]).sentence(&Names::default()).unwrap();
        assert!(text.ends_with("in ≈9.00 s (≈: extrapolated from 10 of 90 reads 1x717)."), "{text}");
    }

    #[test]
    fn weights_decide_what_is_best() {
        let of = |read_as: &str, name: &str, seconds| Row {
            read_as: read_as.into(),
            ..stored(name, seconds, 1.0, 10)
        };
        let rows =
            [of("maps", "a", 1.0), of("series", "a", 5.0), of("maps", "b", 4.0), of("series", "b", 1.0)];
        let mut head = Head::default();
        let best = |head: &Head| all(head, rows.iter())[0].best().unwrap().stored_as.clone();
        assert_eq!(best(&head), "b");
        head.weights = vec![("maps".to_owned(), 10.0)];
        assert_eq!(best(&head), "a");
        let missing = all(&head, rows[..3].iter()).remove(0);
        assert_eq!((missing.choices[0].stored_as.as_str(), missing.choices[1].read_seconds), ("a", None));
    }

    #[test]
    fn a_cache_that_gains_nothing_is_not_chosen() {
        let cached = |nbytes, is_default_cache, seconds| Row {
            cache: Some(CacheSettings { nbytes, nslots: 521, w0: 0.75 }),
            is_default_cache,
            ..row("a", seconds, None)
        };
        let found = verdict(&[cached(1 << 20, true, 1.0), cached(1 << 30, false, 0.97)]);
        assert!(found.choices[0].is_default_cache);
        let found = verdict(&[cached(1 << 20, true, 1.0), cached(1 << 30, false, 0.5)]);
        assert!(!found.choices[0].is_default_cache);
        assert!(found.sentence(&Names::default()).unwrap().contains("in 0.50 s with a cache of 1.0 GiB"));
    }
}
