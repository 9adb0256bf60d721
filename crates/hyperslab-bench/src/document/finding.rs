//! What the rows say of each access: which engine is fastest, by how much, and why, from what was counted.
//!
//! The engine that does nothing takes no part: it says what the harness costs, and no more.

use super::names::{Names, grouped, is_null, is_part, stored};
use super::value::extrapolated;
use crate::explanation::Difference;
use crate::matrix::Row;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_measure::runner::Summary;
use hyperslab_units::{count_text, counted_text, size};

/// Closer than this, two are called equally fast where their runs overlap.
pub const ALIKE: f64 = 1.1;
/// A contender so much slower than the best is worth a sentence.
const WORTH_TELLING: f64 = 1.5;
/// More that are equally fast are counted, not named.
const NAMED_MAX: usize = 3;

/// One access: all that read so, the fastest first.
pub struct Finding<'a> {
    read_as: &'a str,
    ranked: Vec<&'a Row>,
}

/// A finding for each access, in their order.
pub fn all<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Finding<'a>> {
    let rows = rows.into_iter().filter(|row| !is_null(row)).map(|row| (row.read_as.as_str(), row));
    let ranked = grouped(rows).into_iter().map(|(read_as, mut ranked)| {
        ranked.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
        Finding { read_as, ranked }
    });
    ranked.collect()
}

impl Finding<'_> {
    /// The fastest engine, what is as fast, the best of the other engines, and the slowest where it is slow.
    pub fn sentence(&self, names: &Names) -> String {
        let best = self.ranked[0];
        let names_storage = self.ranked.iter().any(|row| row.stored_as != best.stored_as);
        let who = |row: &Row| match names_storage {
            true => format!("{} on {}", names.who(row), stored(row)),
            false => names.who(row),
        };
        let mut text = format!("Read {}: {} is fastest, {}", self.read_as, who(best), time(best));
        let is_own = |row: &&&Row| row.engine == best.engine && row.version == best.version;
        let level: Vec<&&Row> =
            self.ranked[1..].iter().filter(is_own).filter(|row| is_alike(best, row)).collect();
        if !level.is_empty() {
            let named: Vec<String> = level.iter().take(NAMED_MAX).map(|row| who(row)).collect();
            text += &format!("; about as fast: {}", named.join(", "));
            if level.len() > NAMED_MAX {
                text += &format!(" and {} more", level.len() - NAMED_MAX);
            }
        }
        let rival = self.ranked.iter().find(|row| !is_own(row));
        if let Some(rival) = rival {
            text += "; ";
            text += &match is_alike(best, rival) {
                true => format!("{} takes about as long, {}", who(rival), time(rival)),
                false => compared(&who(rival), best, rival),
            };
        }
        let slowest = self.ranked[self.ranked.len() - 1];
        let is_told = rival.is_some_and(|rival| std::ptr::eq(*rival, slowest));
        if !is_told && slowest.seconds() > WORTH_TELLING * best.seconds() {
            text += &format!("; {}", compared(&format!("the slowest, {},", who(slowest)), best, slowest));
        }
        text += &self.ranked.iter().find(|row| is_part(row)).map_or_else(String::new, |row| from_part(row));
        text + "."
    }
}

/// ` (≈: extrapolated from 10 of 90 reads)`.
fn from_part(row: &Row) -> String {
    let (some, all) = (row.read.reads, counted_text(row.read.reads_in_all, "read"));
    format!(" (≈: extrapolated from {some} of {all})")
}

/// The time of a row, marked where it is extrapolated.
pub fn time(row: &Row) -> String {
    if is_part(row) { extrapolated(row.seconds()) } else { seconds_text(row.seconds()) }
}

/// `X takes 225 s, 2750 times as long: it decodes 16200 chunks, not 15`.
fn compared(slow_name: &str, fast: &Row, slow: &Row) -> String {
    let longer = match fast.seconds() > 0.0 {
        true => format!(", {} times as long", times_text(slow.seconds() / fast.seconds())),
        false => String::new(),
    };
    format!("{slow_name} takes {}{longer}{}", time(slow), because(fast, slow))
}

/// `3.0`, `80`: how many times.
pub fn times_text(times: f64) -> String {
    if times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") }
}

/// True where the runs do not tell which of the two is faster.
fn is_alike(fast: &Row, slow: &Row) -> bool {
    let overlap = |a: &Summary, b: &Summary| a.min <= b.max && b.min <= a.max;
    slow.seconds() < ALIKE * fast.seconds() && overlap(&fast.read.read, &slow.read.read)
}

/// Why one is slower than the other, from what was counted; nothing where the counts do not tell. Counts of a part of the
/// reads are compared with those of the same part only.
fn because(fast: &Row, slow: &Row) -> String {
    let reads = slow.read.reads;
    if reads != fast.read.reads {
        return String::new();
    }
    match counted(fast, slow) {
        Some(text) if is_part(slow) => format!(": in {} it {text}", counted_text(reads, "measured read")),
        Some(text) => format!(": it {text}"),
        None => String::new(),
    }
}

/// `decodes 1,500 chunks, not 15`.
fn counted(fast: &Row, slow: &Row) -> Option<String> {
    Some(match Difference::of(&slow.read.counts(), &fast.read.counts())? {
        Difference::Decodes(many, few) => {
            format!("decodes {}, not {}", counted_text(many, "chunk"), count_text(few))
        }
        Difference::Requests(many, few) => {
            format!("makes {}, not {}", counted_text(many, "request"), count_text(few))
        }
        Difference::Bytes(many, few) => format!("fetches {}, not {}", size::bytes(many), size::bytes(few)),
    })
}

/// Outliers among the runs of a row.
pub fn outliers(row: &Row, names: &Names) -> String {
    let Summary { outliers, runs, min, max, .. } = row.read.read;
    format!(
        "{}: {} of {runs} are outliers ({} to {}); another process may have disturbed them",
        names.who(row),
        counted_text(outliers as u64, "run"),
        seconds_text(min),
        seconds_text(max)
    )
}

/// What the harness costs at worst, where that was measured: the engine that does nothing against the fastest that
/// reads.
pub fn harness<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Option<String> {
    let pairs = rows.clone().filter(|row| is_null(row)).filter_map(|null| {
        let same =
            |row: &&Row| row.stored_as == null.stored_as && row.read_as == null.read_as && !is_null(row);
        let fastest = rows.clone().filter(same).map(|row| row.read.read.median).min_by(f64::total_cmp)?;
        let taken = null.read.read.median;
        (fastest > 0.0).then_some((taken / fastest, taken, fastest, null.read.reads))
    });
    let (share, taken, fastest, reads) = pairs.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let taken = if taken < 1e-6 { "under 1 µs".to_owned() } else { seconds_text(taken) };
    Some(format!(
        "The harness itself takes {taken} for {}: {:.2} % of the fastest engine's {}.",
        counted_text(reads, "read"),
        share * 100.0,
        seconds_text(fastest),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::row;

    fn sentence(rows: &[Row]) -> String {
        all(rows)[0].sentence(&Names::of(rows))
    }

    #[test]
    fn the_fastest_and_the_reason_are_told() {
        let rows =
            [row("libhdf5", 8.0, Some(1500)), row("hyperslab", 0.1, Some(15)), row("libhdf5", 0.3, Some(15))];
        assert_eq!(
            sentence(&rows),
            "Read 1x717: hyperslab is fastest, 0.10 s; libhdf5 takes 0.30 s, 3.0 times as long; \
             the slowest, libhdf5, takes 8.00 s, 80 times as long: it decodes 1,500 chunks, not 15."
        );
    }

    #[test]
    fn an_engine_that_does_nothing_wins_nothing() {
        let rows = [row("null", 0.000_1, None), row("hyperslab", 0.1, None)];
        let findings = all(&rows);
        assert_eq!(findings[0].ranked.len(), 1);
        assert!(sentence(&rows).starts_with("Read 1x717: hyperslab is fastest"));
        assert_eq!(
            harness(rows.iter()).unwrap(),
            "The harness itself takes 100 µs for 10 reads: 0.10 % of the fastest engine's 0.10 s."
        );
        assert!(harness(rows[1..].iter()).is_none());
    }

    #[test]
    fn what_overlaps_is_not_called_faster() {
        let rows = [row("a", 1.0, None), row("b", 1.01, None)];
        assert!(sentence(&rows).contains("b takes about as long, 1.01 s"));
        let stored = |name: &str, seconds| Row { stored_as: name.into(), ..row("a", seconds, None) };
        let own = [stored("as it is", 1.0), stored("chunks 2x2 none", 1.01)];
        assert!(sentence(&own).contains("; about as fast: a on the file as it is"), "{}", sentence(&own));
    }

    #[test]
    fn what_is_extrapolated_is_marked_wherever_it_is_quoted() {
        let mut part = row("a", 1.0, None);
        (part.read.reads_in_all, part.read.extrapolated_read) = (90, Some(9.0));
        let text = sentence(&[part]);
        assert!(text.contains("≈9.00 s") && text.contains("extrapolated from 10 of 90 reads"), "{text}");
    }

    #[test]
    fn counts_of_a_part_are_compared_with_the_same_part_only() {
        let part = |name, seconds, decodes, reads| {
            let mut part = row(name, 0.1, Some(decodes));
            let read = &mut part.read;
            (read.reads, read.reads_in_all, read.extrapolated_read) = (reads, 90, Some(seconds));
            part
        };
        let text = sentence(&[part("a", 1.0, 15, 10), part("b", 9.0, 150, 10)]);
        assert!(
            text.contains("9.0 times as long: in 10 measured reads it decodes 150 chunks, not 15 (≈"),
            "{text}"
        );
        let mut whole = row("b", 9.0, Some(1500));
        (whole.read.reads, whole.read.reads_in_all) = (90, 90);
        let text = sentence(&[part("a", 1.0, 15, 10), whole]);
        assert!(text.contains("9.0 times as long (≈: extrapolated from 10 of 90 reads)."), "{text}");
    }
}
