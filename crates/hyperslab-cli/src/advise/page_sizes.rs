//! Which page size serves the file as a whole, as text.

use crate::failure::one_line;
use crate::output::{self, Line, table};
use hyperslab_apps::advise::Pages;
use hyperslab_pages::advise::page_sizes::{answer, tried};

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
