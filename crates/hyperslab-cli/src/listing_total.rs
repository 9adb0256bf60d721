//! What listing many files takes in an object store, as a table.

use crate::output::{Align, Line, table};
use hyperslab_apps::forecast::ListingTotal;
use hyperslab_doctor::forecast::CloudReader;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;

/// A table with a row for each reader; nothing if there was no file.
pub(crate) fn listing_text(total: &ListingTotal) -> String {
    if total.readers.is_empty() {
        return String::new();
    }
    let head = [
        ("reader", Align::Left),
        ("files", Align::Right),
        ("waiting", Align::Right),
        ("requests", Align::Right),
        ("bytes", Align::Right),
        ("price", Align::Right),
    ];
    let rows = total.readers.iter().map(|one| {
        let title = CloudReader::titled(&one.reader).unwrap_or(&one.reader).to_owned();
        let cells = [count_text(one.files), seconds_text(one.seconds), count_text(one.requests)];
        let price = format!("${:.4}", one.dollars);
        Line::Cells([title].into_iter().chain(cells).chain([bytes_text(one.bytes), price]).collect())
    });
    let rows: Vec<Line> = rows.collect();
    format!("listing all of them at {}, one after the other:\n{}", total.place, table(&head, &rows))
}
