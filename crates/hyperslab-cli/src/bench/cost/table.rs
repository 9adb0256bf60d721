//! The plan as text.

use super::{Plan, PlannedCell, PlannedWrite};
use crate::bench::model::names::{buffers, settings};
use crate::size;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Table};
use hyperslab_units::counted_text;

impl Plan {
    /// `36 cells, about 4 min predicted, at most 1.2 GiB on the disk at one time`.
    pub(in crate::bench) fn sentence(&self) -> String {
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

    /// Files and cells, with what each takes.
    pub(in crate::bench) fn table(&self) -> Table {
        let columns = [
            ("stored as", Align::Left),
            ("read", Align::Left),
            ("engine", Align::Left),
            ("chunk cache", Align::Left),
            ("a run", Align::Right),
            ("runs", Align::Right),
            ("all", Align::Right),
            ("", Align::Left),
        ];
        let write = |write: &PlannedWrite| {
            let none = String::new;
            [
                write.stored_as.clone(),
                "written".to_owned(),
                none(),
                none(),
                none(),
                none(),
                seconds_text(write.seconds),
                none(),
            ]
        };
        let cell = |cell: &PlannedCell| {
            let cache = cell.cache.map(settings).into_iter();
            [
                cell.stored_as.clone(),
                cell.read_as.clone(),
                cell.engine.clone(),
                cache.chain(buffers(cell.buffers)).collect::<Vec<_>>().join(", "),
                seconds_text(cell.run_seconds),
                cell.runs.to_string(),
                seconds_text(cell.seconds),
                if cell.is_left_out { "left out".to_owned() } else { String::new() },
            ]
        };
        let rows = self.writes.iter().map(write).chain(self.cells.iter().map(cell));
        Table::new("What would be measured", columns).rows(rows)
    }
}
