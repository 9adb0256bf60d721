//! What two benches of the same question differ in, beyond what their runs scatter.

use super::head::Head;
use super::measured::Measured;
use super::names::{Names, is_null};
use crate::matrix::Row;
use hyperslab_measure::runner::Summary;
use hyperslab_units::{counted_text, size};
use serde::{Deserialize, Serialize};

/// Medians nearer to each other than this are alike, however little the runs scatter.
const NOISE: f64 = 1.1;

/// An older document, and what is different now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// The older document, as it was named.
    pub older: String,
    /// When it was measured, and with which hyperslab.
    pub measured: String,
    /// Cells that are in both.
    pub compared: usize,
    /// Cells that the older document does not have.
    pub only_now: usize,
    /// Cells that it alone has.
    pub only_then: usize,
    /// What changed, the largest factor first.
    pub changed: Vec<Change>,
}

/// One number of one cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The cell, in words.
    pub cell: String,
    /// Which number: `read`, `write`, `decodes`, `requests`, `fetched`, `size`.
    pub of: String,
    /// Then; seconds, bytes or a count.
    pub then: f64,
    /// Now.
    pub now: f64,
}

impl Changes {
    /// What `now` has that `then` had not; times where the runs do not overlap and the medians are a tenth apart, counts
    /// where they are not the same.
    pub fn between(older: &str, (head, then): (&Head, &[Measured]), now: &[Measured], names: &Names) -> Self {
        let own = |rows: &[Measured]| -> Vec<Measured> {
            rows.iter().filter(|measured| !is_null(&measured.row)).cloned().collect()
        };
        let (mut rest, mine) = (own(then), own(now));
        let (mut changed, mut compared) = (Vec::new(), 0);
        for Measured { row, .. } in &mine {
            let exact = rest.iter().position(|other| is_same(&other.row, row, true));
            let Some(place) = exact.or_else(|| rest.iter().position(|other| is_same(&other.row, row, false)))
            else {
                continue;
            };
            compared += 1;
            changed.extend(Change::all(&rest.remove(place).row, row, names));
        }
        let factor = |change: &Change| (change.now / change.then).ln().abs();
        changed.sort_by(|a: &Change, b: &Change| factor(b).total_cmp(&factor(a)));
        Self {
            older: older.to_owned(),
            measured: format!("{}, hyperslab {}", head.date, head.hyperslab),
            compared,
            only_now: mine.len() - compared,
            only_then: rest.len(),
            changed,
        }
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let lacking = |number: usize, what: &str| match number {
            0 => String::new(),
            some => format!(", {some} {what}"),
        };
        let changed = match self.changed.len() {
            0 => "nothing changed beyond the noise".to_owned(),
            some => format!("{} changed beyond the noise", counted_text(some as u64, "number")),
        };
        format!(
            "Compared with {} ({}): {changed} in {}{}{}.",
            self.older,
            self.measured,
            counted_text(self.compared as u64, "cell"),
            lacking(self.only_now, "only now"),
            lacking(self.only_then, "only then"),
        )
    }
}

impl Change {
    fn all(then: &Row, now: &Row, names: &Names) -> Vec<Self> {
        let cell = format!("{}, read {}: {}", now.stored_as, now.read_as, names.who(now));
        let change =
            |of: &str, then: f64, now: f64| Self { cell: cell.clone(), of: of.to_owned(), then, now };
        let mut found = Vec::new();
        // The times of all reads of an access scatter as those of the part that was measured.
        if is_beyond_noise(&then.read.read, &now.read.read) {
            found.push(change("read", then.seconds(), now.seconds()));
        }
        let counts = |row: &Row| {
            [
                ("decodes", row.read.decodes),
                ("requests", Some(row.read.read_calls)),
                ("fetched", Some(row.read.read_bytes)),
                ("size", row.write.as_ref().map(|write| write.file_bytes)),
            ]
        };
        for ((of, then), (_, now)) in counts(then).into_iter().zip(counts(now)) {
            if let (Some(then), Some(now)) = (then, now)
                && then != now
            {
                found.push(change(of, then as f64, now as f64));
            }
        }
        if let (Some(then), Some(now)) = (&then.write, &now.write)
            && is_beyond_noise(&then.write, &now.write)
        {
            found.push(change("write", then.write.median, now.write.median));
        }
        found
    }

    /// A value of it, in its unit.
    pub fn text(&self, value: f64) -> String {
        match self.of.as_str() {
            "read" | "write" => hyperslab_doctor::predict::seconds_text(value),
            "fetched" | "size" => size::bytes(value as u64),
            _ => format!("{value}"),
        }
    }
}

fn is_beyond_noise(then: &Summary, now: &Summary) -> bool {
    let is_apart = then.max < now.min || now.max < then.min;
    let times = now.median / then.median;
    is_apart && times.is_finite() && !(1.0 / NOISE..NOISE).contains(&times)
}

/// The same question; of the same library, or, where it was renewed meanwhile, of one of its kind.
fn is_same(then: &Row, now: &Row, by_library: bool) -> bool {
    let kind = |row: &Row| row.engine.split(' ').next().unwrap_or_default().to_owned();
    let same_engine = if by_library { then.engine == now.engine } else { kind(then) == kind(now) };
    let same_cache = then.is_default_cache && now.is_default_cache || then.cache == now.cache;
    let written = |row: &Row| row.write.as_ref().map(|write| write.access.clone());
    same_engine
        && same_cache
        && (&then.stored_as, &then.storage, &then.access) == (&now.stored_as, &now.storage, &now.access)
        && (then.buffers, written(then)) == (now.buffers, written(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::row;

    fn changes(then: &[Row], now: &[Row]) -> Changes {
        let measured = |rows: &[Row]| -> Vec<Measured> {
            rows.iter().cloned().map(|row| Measured { row, command: String::new() }).collect()
        };
        let then = (&Head::default(), &measured(then)[..]);
        Changes::between("old.json", then, &measured(now), &Names::of(now.iter()))
    }

    #[test]
    fn what_the_runs_scatter_is_no_change() {
        let then = [row("libhdf5 (h5py 3.15)", 1.0, Some(5)), row("hyperslab", 1.0, Some(5))];
        let now = [row("libhdf5 (h5py 3.16)", 3.0, Some(5)), row("hyperslab", 1.03, Some(6))];
        let found = changes(&then, &now);
        let told: Vec<(&str, f64, f64)> =
            found.changed.iter().map(|change| (change.of.as_str(), change.then, change.now)).collect();
        assert_eq!(told, [("read", 1.0, 3.0), ("decodes", 5.0, 6.0)]);
        assert!(
            found.sentence().contains("2 numbers changed beyond the noise in 2 cells."),
            "{}",
            found.sentence()
        );
        let same = changes(&now, &now);
        assert!(same.sentence().contains("nothing changed beyond the noise in 2 cells."));
        let less = changes(&now, &[row("hyperslab", 1.0, Some(6))]);
        assert_eq!((less.compared, less.only_now, less.only_then), (1, 0, 1));
    }
}
