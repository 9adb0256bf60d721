//! Which page size serves the file as a whole: as text, and as a section of a page.

use crate::failure::one_line;
use crate::output::{self, Line, table};
use hyperslab_advise::PageCandidate;
use hyperslab_apps::advise::Pages;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Align, Column, Section, Table};
use hyperslab_storage::pattern::bytes_text;

/// The answer, a table of what was tried, and the line.
pub(super) fn text(pages: &Pages) -> String {
    let (head, rows) = tried(pages);
    let head: Vec<(&str, output::Align)> = head
        .iter()
        .enumerate()
        .map(|(column, title)| {
            (title.as_str(), if column == 0 { output::Align::Left } else { output::Align::Right })
        })
        .collect();
    let rows: Vec<Line> = rows.into_iter().map(Line::Cells).collect();
    let table = table(&head, &rows);
    format!("\n{}\n{table}  {}\n", answer(pages), one_line(&pages.line))
}

/// The same as a section of a page.
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

fn answer(pages: &Pages) -> String {
    format!(
        "pages of the file: {}; seconds of waiting to open it, to list it, and to read {}",
        pages_text(pages.advice.page_bytes),
        one_line(&pages.path)
    )
}

/// The titles of the columns, and the rows.
fn tried(pages: &Pages) -> (Vec<String>, Vec<Vec<String>>) {
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
