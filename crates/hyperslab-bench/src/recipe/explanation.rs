//! Why figures differ, or no longer do, from what was counted: chunks that fit a cache, decodes, bytes, requests.

use super::claim::{Claim, Effect, Verdict};
use super::figure::{Figure, Kind, Metric, factor};
use super::measured::{CacheFit, Measured};
use crate::explanation::{Difference, has_more_bytes, is_more};
use hyperslab_doctor::list_text as list;
use hyperslab_doctor::simulate::SIEVE_BYTES;
use hyperslab_units::size::bytes_text as bytes;
use hyperslab_units::{count_text as count, counted_text};

/// The reason for a verdict, without the verdict. `as_then` is the ratio under what was set then.
pub(super) fn sentence(
    effect: &Effect,
    verdict: Verdict,
    as_then: Option<f64>,
    measured: &[Measured],
) -> String {
    let mut parts = match &effect.claim {
        Claim::Times { more, less, .. } | Claim::AtLeast { more, less, .. } => {
            let (Some(more), Some(less)) =
                (Measured::of_figure(more, measured), Measured::of_figure(less, measured))
            else {
                return String::new();
            };
            of_a_ratio(effect, verdict, more, less)
        }
        Claim::Alike { figures, .. } => of_what_is_alike(effect, verdict, figures, measured),
        Claim::Equal { .. } | Claim::Beyond { .. } => Vec::new(),
    };
    if is_less(verdict) || verdict == Verdict::Reversed {
        parts.extend(as_then.and_then(|ratio| of_then(effect, ratio, measured)));
    }
    parts.extend(effect.remark.clone());
    parts.join("; ")
}

/// Why one cell takes longer than another, or does not.
fn of_a_ratio(effect: &Effect, verdict: Verdict, more: &Measured, less: &Measured) -> Vec<String> {
    // Where something else was set then, the setting differs.
    let differs_by_setting = is_less(verdict) && effect.as_then.is_some();
    let mut parts: Vec<String> = fit(more).into_iter().collect();
    if !differs_by_setting {
        parts.extend(fit(less));
    }
    parts.dedup();
    if is_of_whole_runs(&effect.claim) {
        parts.push(match verdict {
            Verdict::Reversed => counted(less, more),
            Verdict::NoLonger if !differs_by_setting => counted_in_vain(more, less),
            _ => counted(more, less),
        });
    }
    parts
}

/// What cells have in common; where they are alike no longer, what the largest figure has more of than the smallest.
fn of_what_is_alike(
    effect: &Effect,
    verdict: Verdict,
    figures: &[Figure],
    measured: &[Measured],
) -> Vec<String> {
    if !is_of_whole_runs(&effect.claim) {
        return Vec::new();
    }
    let cells: Vec<&Measured> =
        figures.iter().filter_map(|figure| Measured::of_figure(figure, measured)).collect();
    let difference = || {
        let value = |figure: &Figure| {
            Measured::of_figure(figure, measured).and_then(|cell| Some((cell.value(figure.metric)?, cell)))
        };
        let mut values: Vec<(f64, &Measured)> = figures.iter().filter_map(value).collect();
        values.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let ((_, least), (_, most)) = (values.first()?, values.last()?);
        (verdict == Verdict::NoLonger).then(|| counted(most, least))
    };
    spread(&cells).or_else(difference).into_iter().collect()
}

/// What the ratio is with what was set then, and why.
fn of_then(effect: &Effect, ratio: f64, measured: &[Measured]) -> Option<String> {
    let Some(claim @ Claim::Times { more, less, .. }) = &effect.as_then else { return None };
    let (more, less) = (Measured::of_figure(more, measured)?, Measured::of_figure(less, measured)?);
    let mut then = format!("with what was set then it is {}", factor(ratio));
    if let Some(fit) = fit(more) {
        then += &format!(", for {fit}");
    }
    if is_of_whole_runs(claim) {
        then += &format!(": {}", counted(more, less));
    }
    Some(then)
}

/// True where less of the effect is left than was published.
fn is_less(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::NoLonger | Verdict::Weaker)
}

/// True where figures are of all reads or writes of a run, as counts are: no reason for a first read, a size or a count.
fn is_of_whole_runs(claim: &Claim) -> bool {
    let is_of_all = |metric| matches!(metric, Metric::Seconds | Metric::Average | Metric::Total);
    claim.figures().iter().all(|figure| is_of_all(figure.metric))
}

/// What a chunk cache can hold of what a read touches.
fn fit(measured: &Measured) -> Option<String> {
    let fit = measured.cache?;
    let CacheFit { settings, is_default, chunk_bytes, chunks_touched, is_filtered } = fit;
    let cache = match is_default {
        true => format!(
            "the default cache of {} {}, {},",
            measured.by.name(),
            measured.version,
            bytes(settings.nbytes)
        ),
        false => format!("a cache of {}", bytes(settings.nbytes)),
    };
    let chunk = bytes(chunk_bytes);
    Some(match (fit.chunks_held(), is_filtered) {
        (0, true) => {
            format!("{cache} does not hold a chunk of {chunk}, which is decoded whole for every read")
        }
        (0, false) => format!("{cache} does not hold a chunk of {chunk}, {}", parts_read(measured)),
        (held, _) if held < chunks_touched => {
            format!(
                "{cache} holds {} of {chunk}, and a read touches {}",
                counted_text(held, "chunk"),
                count(chunks_touched)
            )
        }
        (_, _) if chunks_touched == 1 => format!("{cache} holds a chunk of {chunk}"),
        _ => format!("{cache} holds the {} chunks of {chunk} that a read touches", count(chunks_touched)),
    })
}

/// What is read of chunks that no cache holds: what is selected, or more, which only the sieve buffer does that HDF5 2.1 and
/// later have for chunks.
fn parts_read(measured: &Measured) -> String {
    match measured.simulated.map(|simulated| simulated.driver_bytes) {
        None => "of which parts are read".to_owned(),
        Some(read) if read <= measured.bytes => "of which only what is selected is read".to_owned(),
        Some(read) => format!(
            "of which HDF5 2.1 and later read up to {} at each place (a sieve buffer): {} for {} of all reads",
            bytes(SIEVE_BYTES),
            bytes(read),
            bytes(measured.bytes)
        ),
    }
}

/// The counts in which two cells differ, or that they have in common.
fn counted(more: &Measured, less: &Measured) -> String {
    difference(more, less).unwrap_or_else(|| {
        if more.kind != Kind::Read || less.kind != Kind::Read {
            return format!(
                "{} and {} calls write the file",
                count(more.write_calls),
                count(less.write_calls)
            );
        }
        let (many, few) = (count(more.read_calls), count(less.read_calls));
        format!("no counter explains the difference: {many} requests are made against {few}")
    })
}

/// Counts of two cells that take as long as each other, though more was expected of one.
fn counted_in_vain(more: &Measured, less: &Measured) -> String {
    if let Some(difference) = difference(more, less) {
        return format!("although {difference}");
    }
    let are_reads = more.kind == Kind::Read && less.kind == Kind::Read;
    match are_reads && !has_more_bytes(&less.counts(), &more.counts()) {
        true => format!(
            "about as many bytes are read from the file: {} in {} requests, {} in {}",
            bytes(more.read_bytes),
            count(more.read_calls),
            bytes(less.read_bytes),
            count(less.read_calls)
        ),
        false => counted(more, less),
    }
}

/// What one of two cells does more of.
fn difference(more: &Measured, less: &Measured) -> Option<String> {
    // An engine that reads no chunks decodes none.
    let (many, few) = (more.decodes_known().unwrap_or(0), less.decodes_known().unwrap_or(0));
    if many > 0 || few > 0 {
        return Some(match many == few {
            true => format!("both decode {} chunks", count(many)),
            false => format!("{} chunks are decoded against {}", count(many), count(few)),
        });
    }
    if more.kind != Kind::Read || less.kind != Kind::Read {
        let (many, few) = (count(more.write_calls), count(less.write_calls));
        return is_more(more.write_calls, less.write_calls, SOME_CALLS)
            .then(|| format!("{many} calls write the file against {few}"));
    }
    Some(match Difference::of(&more.counts(), &less.counts())? {
        Difference::Decodes(many, few) => {
            format!("{} chunks are decoded against {}", count(many), count(few))
        }
        Difference::Bytes(many, few) => {
            format!("{} are read from the file against {}", bytes(many), bytes(few))
        }
        Difference::Requests(many, few) => {
            format!("{} requests are made against {}", count(many), count(few))
        }
    })
}

/// Creating a file takes a few calls.
const SOME_CALLS: u64 = 10;

/// What several cells count.
fn spread(cells: &[&Measured]) -> Option<String> {
    let decodes: Option<Vec<String>> = cells.iter().map(|cell| cell.decodes_known().map(count)).collect();
    let decodes = decodes.filter(|decodes| decodes.iter().any(|decodes| decodes != "0"))?;
    Some(format!("{} chunks are decoded", list(&decodes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_doctor::simulate::ReadCounts;
    use hyperslab_engines::EngineKind;
    use hyperslab_storage::CacheSettings;

    fn figure(cell: &str, metric: Metric) -> Figure {
        Figure { cell: cell.to_owned(), by: EngineKind::Libhdf5, metric }
    }

    fn times(metric: Metric) -> Effect {
        Effect::times(figure("slow", metric), figure("fast", metric), 2.0)
    }

    fn because(effect: &Effect, measured: &[Measured]) -> String {
        sentence(effect, Verdict::AsPublished, None, measured)
    }

    /// Two reads of chunks of 4 KiB that pass a filter: nothing fits, everything fits.
    fn slow_and_fast() -> [Measured; 2] {
        let read = |cell: &str, nbytes, decodes| Measured {
            cache: Some(CacheFit {
                settings: CacheSettings { nbytes, nslots: 521, w0: 0.75 },
                is_default: false,
                chunk_bytes: 4096,
                chunks_touched: 1,
                is_filtered: true,
            }),
            decodes: Some(decodes),
            ..Measured::example(cell, EngineKind::Libhdf5, 1.0)
        };
        [read("slow", 1024, 500), read("fast", 8192, 5)]
    }

    #[test]
    fn counts_of_a_run_explain_its_seconds_and_nothing_that_is_only_part_of_it() {
        let cells = slow_and_fast();
        let fit = "a cache of 1 KiB does not hold a chunk of 4 KiB, which is decoded whole for every read; \
                   a cache of 8 KiB holds a chunk of 4 KiB";
        for metric in [Metric::Seconds, Metric::Average, Metric::Total] {
            let expected = format!("{fit}; 500 chunks are decoded against 5");
            assert_eq!(because(&times(metric), &cells), expected, "{metric:?}");
        }
        for metric in [Metric::First, Metric::PerByte, Metric::ReadCalls, Metric::ReadBytes] {
            assert_eq!(because(&times(metric), &cells), fit, "{metric:?}");
        }
        let alike = |metric| Effect::alike(vec![figure("slow", metric), figure("fast", metric)], 1.0);
        assert_eq!(because(&alike(Metric::Average), &cells), "500 and 5 chunks are decoded");
        assert_eq!(because(&alike(Metric::First), &cells), "");
    }

    #[test]
    fn what_is_read_of_chunks_that_no_cache_holds_is_what_was_counted() {
        let [slow, fast] = slow_and_fast();
        let unfiltered = |cell: Measured, driver_bytes: Option<u64>| Measured {
            cache: cell.cache.map(|fit| CacheFit { is_filtered: false, ..fit }),
            simulated: driver_bytes.map(|driver_bytes| ReadCounts { driver_bytes, ..ReadCounts::default() }),
            ..cell
        };
        for (driver_bytes, says) in [
            (Some(1 << 20), "of which only what is selected is read"),
            (
                Some(16 << 20),
                "of which HDF5 2.1 and later read up to 64 KiB at each place (a sieve buffer): 16 MiB for 1 MiB of all reads",
            ),
            (None, "of which parts are read"),
        ] {
            let cells = [unfiltered(slow.clone(), driver_bytes), unfiltered(fast.clone(), None)];
            let said = because(&times(Metric::First), &cells);
            assert!(
                said.starts_with(&format!("a cache of 1 KiB does not hold a chunk of 4 KiB, {says}; ")),
                "{said}"
            );
        }
    }

    #[test]
    fn what_is_gone_though_more_is_read_is_told_so() {
        let read = |cell: &str, read_bytes, read_calls| Measured {
            read_bytes,
            read_calls,
            ..Measured::example(cell, EngineKind::Libhdf5, 1.0)
        };
        let gone = |more, less| sentence(&times(Metric::Seconds), Verdict::NoLonger, None, &[more, less]);
        let said = gone(read("slow", 9 << 20, 5), read("fast", 1 << 20, 5));
        assert_eq!(said, "although 9 MiB are read from the file against 1 MiB");
        let said = gone(read("slow", 9 << 20, 5), read("fast", 8 << 20, 900));
        assert_eq!(said, "about as many bytes are read from the file: 9 MiB in 5 requests, 8 MiB in 900");
        let said = gone(read("slow", 1 << 20, 5), read("fast", 9 << 20, 6));
        assert_eq!(said, "no counter explains the difference: 5 requests are made against 6");
    }

    #[test]
    fn of_what_is_alike_no_longer_the_slowest_is_held_against_the_fastest() {
        let read = |cell: &str, seconds, read_bytes| Measured {
            read_bytes,
            ..Measured::example(cell, EngineKind::Libhdf5, seconds)
        };
        let cells = [read("fast", 1.0, 1 << 20), read("slow", 9.0, 1 << 30)];
        let figures = ["fast", "slow"].map(|cell| figure(cell, Metric::Seconds)).to_vec();
        let alike = Effect::alike(figures, 1.0);
        let said = sentence(&alike, Verdict::NoLonger, None, &cells);
        assert_eq!(said, "1 GiB are read from the file against 1 MiB");
        assert_eq!(because(&alike, &cells), "");
        // The slowest on average is not the one that took longest in all.
        let [fast, slow] = cells;
        let cells = [Measured { blocks: 100, ..fast }, Measured { blocks: 9, ..slow }];
        let longest = Measured { cell: "long".to_owned(), blocks: 900, ..read("long", 90.0, 1 << 20) };
        let cells = [&cells[..], &[longest]].concat();
        let figures = ["fast", "slow", "long"].map(|cell| figure(cell, Metric::Average)).to_vec();
        let said = sentence(&Effect::alike(figures, 1.0), Verdict::NoLonger, None, &cells);
        assert_eq!(said, "1 GiB are read from the file against 1 MiB");
    }

    #[test]
    fn what_was_set_then_is_told_of_what_is_gone_with_the_ratio_that_was_judged() {
        let [slow, fast] = slow_and_fast();
        let cells = [slow, fast.clone(), Measured { cell: "today".to_owned(), ..fast }];
        let seconds = |cell: &str| figure(cell, Metric::Seconds);
        let then = Claim::Times { more: seconds("slow"), less: seconds("fast"), published: 100.0 };
        let effect =
            Effect { as_then: Some(then), ..Effect::times(seconds("today"), seconds("fast"), 100.0) };
        let said = sentence(&effect, Verdict::NoLonger, Some(100.0), &cells);
        assert!(
            said.contains("with what was set then it is 100 times, for a cache of 1 KiB does not"),
            "{said}"
        );
        assert!(said.ends_with("500 chunks are decoded against 5"), "{said}");
        assert!(!sentence(&effect, Verdict::AsPublished, Some(100.0), &cells).contains("then"));
        assert!(!sentence(&effect, Verdict::NoLonger, None, &cells).contains("then"));
    }
}
