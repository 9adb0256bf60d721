//! What the rows say: which engine is fastest at each access, by how much, and why, from what was counted.
//!
//! The engine that does nothing takes no part: it says what the harness costs, and no more.

use crate::size;
use hyperslab_bench::explanation::Difference;
use hyperslab_bench::matrix::Row;
use hyperslab_bench::runner::Summary;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::simulate::CacheSettings;

/// Closer than this, two are called equally fast where their runs overlap.
const ALIKE: f64 = 1.1;
/// A contender so much slower than the best is worth a sentence.
const WORTH_TELLING: f64 = 1.5;

/// One access: all that read so, the fastest first.
pub(super) struct Finding<'a> {
    pub(super) read_as: &'a str,
    pub(super) ranked: Vec<&'a Row>,
}

/// True for rows of the engine that does nothing.
pub(super) fn is_null(row: &Row) -> bool {
    row.engine == "null"
}

/// Items of the same key together: the groups and what is in them in the order in which they come.
pub(super) fn grouped<K: PartialEq, T>(items: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, item) in items {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}

/// A finding for each access, in their order.
pub(super) fn all<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Finding<'a>> {
    let rows = rows.into_iter().filter(|row| !is_null(row)).map(|row| (row.read_as.as_str(), row));
    let ranked = grouped(rows).into_iter().map(|(read_as, mut ranked)| {
        ranked.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        Finding { read_as, ranked }
    });
    ranked.collect()
}

impl Finding<'_> {
    pub(super) fn best(&self) -> &Row {
        self.ranked[0]
    }

    /// The fastest engine, the best of the others, and the slowest where it is slow.
    pub(super) fn sentence(&self) -> String {
        let best = self.best();
        let names_storage = self.ranked.iter().any(|row| row.stored_as != best.stored_as);
        let who = |row: &Row| match names_storage {
            true => format!("{} on {}", who(row), stored(row)),
            false => who(row),
        };
        let mut text =
            format!("Read {}: {} is fastest, {}", self.read_as, who(best), seconds_text(best.seconds()));
        let rival = self.ranked.iter().find(|row| row.engine != best.engine || row.version != best.version);
        if let Some(rival) = rival {
            text += "; ";
            text += &match is_alike(best, rival) {
                true => format!("{} takes about as long, {}", who(rival), seconds_text(rival.seconds())),
                false => compared(&who(rival), best, rival),
            };
        }
        let slowest = self.ranked[self.ranked.len() - 1];
        let is_told = rival.is_some_and(|rival| std::ptr::eq(*rival, slowest));
        if !is_told && slowest.seconds() > WORTH_TELLING * best.seconds() {
            text += &format!("; {}", compared(&format!("the slowest, {},", who(slowest)), best, slowest));
        }
        text + "."
    }
}

/// `X takes 225 s, 2750 times as long: it decodes 16200 chunks, not 15`.
fn compared(slow_name: &str, fast: &Row, slow: &Row) -> String {
    let times = slow.seconds() / fast.seconds();
    format!(
        "{slow_name} takes {}, {} times as long{}",
        seconds_text(slow.seconds()),
        times_text(times),
        because(fast, slow)
    )
}

fn times_text(times: f64) -> String {
    if times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") }
}

/// True where the runs do not tell which of the two is faster.
fn is_alike(fast: &Row, slow: &Row) -> bool {
    let overlap = |a: &Summary, b: &Summary| a.min <= b.max && b.min <= a.max;
    slow.seconds() < ALIKE * fast.seconds() && overlap(&fast.read.read, &slow.read.read)
}

/// Why one is slower than the other, from what was counted; nothing where the counts do not tell.
pub(super) fn because(fast: &Row, slow: &Row) -> String {
    match Difference::of(&slow.read.counts(), &fast.read.counts()) {
        Some(Difference::Decodes(many, few)) => format!(": it decodes {}, not {few}", count(many, "chunk")),
        Some(Difference::Requests(many, few)) => format!(": it makes {}, not {few}", count(many, "request")),
        Some(Difference::Bytes(many, few)) => {
            format!(": it fetches {}, not {}", size::bytes(many), size::bytes(few))
        }
        None => String::new(),
    }
}

/// `1 request`, `2 requests`.
pub(super) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The engine with its release.
pub(super) fn engine(row: &Row) -> String {
    if row.version.is_empty() { row.engine.clone() } else { format!("{} {}", row.engine, row.version) }
}

/// Everything that is set of a chunk cache.
pub(super) fn settings(cache: CacheSettings) -> String {
    format!("{}, {} slots, w0 {}", size::bytes(cache.nbytes), cache.nslots, cache.w0)
}

/// The chunk cache and the page buffer, as columns and legends name them; empty where there is neither.
pub(super) fn cache(row: &Row) -> String {
    let cache = row.cache.map(|cache| match row.is_default_cache {
        true => format!("{} (default)", size::bytes(cache.nbytes)),
        false => settings(cache),
    });
    let buffer = row.page_buffer.map(|bytes| format!("page buffer {}", size::bytes(bytes)));
    cache.into_iter().chain(buffer).collect::<Vec<_>>().join(", ")
}

/// The engine with its cache, in a sentence.
pub(super) fn who(row: &Row) -> String {
    let cache = row.cache.map(|cache| match row.is_default_cache {
        true => format!("its default cache of {}", size::bytes(cache.nbytes)),
        false => format!("a cache of {}", size::bytes(cache.nbytes)),
    });
    let buffer = row.page_buffer.map(|bytes| format!("a page buffer of {}", size::bytes(bytes)));
    let with: Vec<String> = cache.into_iter().chain(buffer).collect();
    if with.is_empty() { row.engine.clone() } else { format!("{} with {}", row.engine, with.join(" and ")) }
}

/// What was read, in a sentence.
fn stored(row: &Row) -> String {
    if row.storage.is_none() { "the file as it is".to_owned() } else { row.stored_as.clone() }
}

/// The storage, engine and cache that is never far from the best of each access; nothing where there is but one
/// access, or one choice.
pub(super) fn one_for_all(findings: &[Finding<'_>]) -> Option<String> {
    if findings.len() < 2 {
        return None;
    }
    let same = |a: &Row, b: &Row| {
        a.stored_as == b.stored_as
            && a.engine == b.engine
            && a.version == b.version
            && a.cache == b.cache
            && a.page_buffer == b.page_buffer
    };
    let worst_of = |choice: &Row| {
        findings.iter().try_fold(1.0f64, |worst, finding| {
            let own = finding.ranked.iter().find(|row| same(row, choice))?;
            Some(worst.max(own.seconds() / finding.best().seconds()))
        })
    };
    let choices = findings[0].ranked.iter();
    let best = choices.filter_map(|choice| Some((worst_of(choice)?, *choice)));
    let (times, choice) = best.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let on = format!("{} on {}", who(choice), stored(choice));
    Some(match times {
        times if times <= 1.005 => format!("One for all: {on} is the fastest at each."),
        times => format!("One for all: {on} takes at most {times:.2} times as long as the best of each."),
    })
}

/// What the harness costs where that was measured: the engine that does nothing against the fastest that reads.
pub(super) fn harness<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Option<Harness> {
    let pairs = rows.clone().filter(|row| is_null(row)).filter_map(|null| {
        let same =
            |row: &&Row| row.stored_as == null.stored_as && row.read_as == null.read_as && !is_null(row);
        let fastest = rows.clone().filter(same).map(|row| row.read.read.median).min_by(f64::total_cmp)?;
        Some(Harness { seconds: null.read.read.median, of_seconds: fastest, reads: null.read.reads })
    });
    pairs.max_by(|a, b| a.share().total_cmp(&b.share()))
}

/// What the harness costs at worst.
pub(super) struct Harness {
    seconds: f64,
    of_seconds: f64,
    reads: u64,
}

impl Harness {
    fn share(&self) -> f64 {
        if self.of_seconds > 0.0 { self.seconds / self.of_seconds } else { 0.0 }
    }

    pub(super) fn sentence(&self) -> String {
        let taken = if self.seconds < 1e-6 { "under 1 µs".to_owned() } else { seconds_text(self.seconds) };
        format!(
            "The harness itself takes {taken} for {}: {:.2} % of the fastest engine's {}.",
            count(self.reads, "read"),
            self.share() * 100.0,
            seconds_text(self.of_seconds),
        )
    }
}

#[cfg(test)]
pub(super) mod testing {
    use hyperslab_bench::matrix::Row;
    use hyperslab_bench::runner::Summary;
    use serde_json::json;

    /// A row of an engine with so many seconds and decodes.
    pub(in crate::bench) fn row(engine: &str, seconds: f64, decodes: Option<u64>) -> Row {
        let summary = json!(Summary::of(&[seconds, seconds * 1.02, seconds * 0.98]));
        serde_json::from_value(json!({
            "storage": null, "stored_as": "as it is", "read_as": "1x717", "engine": engine, "version": "1.0",
            "access": { "block": [1, 717], "step": [1, 1], "walk": { "sweep": { "order": [0, 1] } } },
            "cache": null, "is_default_cache": true, "page_buffer": null, "write": null,
            "read": {
                "read": summary, "open_read_close": summary, "first": summary, "average": seconds / 10.0,
                "cpu": summary, "reads": 10, "reads_in_all": 10, "reckoned_read": null, "bytes": 28680,
                "read_calls": 11, "read_bytes": 30000, "memory_bytes": 1000, "decodes": decodes,
                "simulated_decodes": decodes, "predicted_seconds": null, "page_cache": "warm",
            },
        }))
        .unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::row;
    use super::*;

    #[test]
    fn the_fastest_and_the_reason_are_told() {
        let rows =
            [row("libhdf5", 8.0, Some(1500)), row("hyperslab", 0.1, Some(15)), row("libhdf5", 0.3, Some(15))];
        let findings = all(&rows);
        assert_eq!(
            findings[0].sentence(),
            "Read 1x717: hyperslab is fastest, 0.10 s; libhdf5 takes 0.30 s, 3.0 times as long; \
             the slowest, libhdf5, takes 8.00 s, 80 times as long: it decodes 1500 chunks, not 15."
        );
    }

    #[test]
    fn an_engine_that_does_nothing_wins_nothing() {
        let rows = [row("null", 0.000_1, None), row("hyperslab", 0.1, None)];
        let findings = all(&rows);
        assert_eq!(findings[0].ranked.len(), 1);
        assert!(findings[0].sentence().starts_with("Read 1x717: hyperslab is fastest"));
        let harness = harness(rows.iter()).unwrap().sentence();
        assert_eq!(
            harness,
            "The harness itself takes 100 µs for 10 reads: 0.10 % of the fastest engine's 0.10 s."
        );
        assert!(super::harness(rows[1..].iter()).is_none());
    }

    #[test]
    fn what_overlaps_is_not_called_faster() {
        let rows = [row("a", 1.0, None), row("b", 1.01, None)];
        assert!(all(&rows)[0].sentence().contains("b takes about as long, 1.01 s"));
    }

    #[test]
    fn one_choice_for_all_accesses_is_the_one_that_is_never_far_from_the_best() {
        let of =
            |engine, read_as: &str, seconds| Row { read_as: read_as.into(), ..row(engine, seconds, None) };
        let rows =
            [of("a", "rows", 1.0), of("b", "rows", 1.2), of("a", "columns", 9.0), of("b", "columns", 1.0)];
        let text = one_for_all(&all(&rows)).unwrap();
        assert!(text.contains("b on the file as it is") && text.contains("1.20 times"), "{text}");
        assert!(one_for_all(&all(&rows[..2])).is_none(), "one access is what the sentences are about");
    }

    #[test]
    fn one_is_one() {
        assert_eq!((count(1, "request"), count(0, "request")), ("1 request".into(), "0 requests".into()));
        let cache = Some(CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 });
        let set = Row { cache, is_default_cache: false, ..row("libhdf5", 1.0, None) };
        assert_eq!(who(&set), "libhdf5 with a cache of 1.0 MiB");
        assert_eq!(
            super::cache(&Row { page_buffer: Some(4096), ..set }),
            "1.0 MiB, 521 slots, w0 0.75, page buffer 4.0 KiB"
        );
    }
}
