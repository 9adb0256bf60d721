//! The plan of a bench, as a table.

use hyperslab_bench::document::names::{buffers, settings};
use hyperslab_bench::plan::{Plan, PlannedCell, PlannedWrite};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Table};

/// Files and cells, with what each takes.
pub(super) fn plan(plan: &Plan) -> Table {
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
    let rows = plan.writes.iter().map(write).chain(plan.cells.iter().map(cell));
    Table::new("What would be measured", columns).rows(rows)
}
