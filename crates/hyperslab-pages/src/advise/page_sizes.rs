//! Which page size serves the file as a whole.

use hyperslab_advise::PageCandidate;
use hyperslab_apps::advise::Pages;
use hyperslab_apps::error::one_line;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, Section, Table};
use hyperslab_units::size::bytes_text;

/// The answer, a table of what was tried, and the line.
pub(super) fn section(pages: &Pages) -> Section {
    let (head, rows) = tried(pages);
    let align = |column| if column == 0 { Align::Left } else { Align::Right };
    let columns = head.into_iter().enumerate().map(|(column, title)| Column::new(title, align(column)));
    let tried = rows
        .into_iter()
        .fold(Table::new("Seconds of waiting for the store", columns), |table, row| table.row(row));
    let line = Table::new("To make it", vec![Column::new("line", Align::Command)]).row([&*pages.line]);
    Section::new("Pages").text(format!("{}.", answer(pages))).figure(tried).figure(line)
}

/// The answer, in a sentence.
pub fn answer(pages: &Pages) -> String {
    format!(
        "pages of the file: {}; seconds of waiting to open it, to list it, and to read {}",
        pages_text(pages.advice.page_bytes),
        one_line(&pages.path)
    )
}

/// What was tried: the titles of the columns, and the rows.
pub fn tried(pages: &Pages) -> (Vec<String>, Vec<Vec<String>>) {
    let titles = pages.advice.candidates.first().into_iter().flat_map(|one| &one.readers);
    let head = ["pages", "file"].into_iter().map(str::to_owned);
    let head = head.chain(titles.map(|reader| reader.reader.clone())).collect();
    let row = |one: &PageCandidate| {
        let too_large = if one.is_too_large { " (too large)" } else { "" };
        let file = format!("{}{too_large}", bytes_text(one.file_bytes));
        let seconds = one.readers.iter().map(|reader| seconds_text(reader.seconds));
        [pages_text(one.page_bytes), file].into_iter().chain(seconds).collect()
    };
    (head, pages.advice.candidates.iter().map(row).collect())
}

fn pages_text(page_bytes: Option<u64>) -> String {
    page_bytes.map_or_else(|| "none, metadata first".to_owned(), bytes_text)
}
