//! What changed since an older bench, as a table.

use hyperslab_bench::document::{Change, Changes};
use hyperslab_report::{Align, Table};

/// What changed, as a table.
pub fn table(changes: &Changes) -> Table {
    let left = ["cell", "of"].map(|title| (title, Align::Left));
    let right = ["then", "now", ""].map(|title| (title, Align::Right));
    let row = |change: &Change| {
        let times = change.now / change.then;
        let times = if change.then > 0.0 { format!("{times:.2}x") } else { String::new() };
        [change.cell.clone(), change.of.clone(), change.text(change.then), change.text(change.now), times]
    };
    Table::new("What changed", left.into_iter().chain(right)).rows(changes.changed.iter().map(row))
}
