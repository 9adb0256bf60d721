//! The summary as text.

use crate::output::{Line, table};
use hyperslab_apps::archive::Summary;
use hyperslab_pages::archive::tables::{self, SavingsTable};
use hyperslab_pages::archive::words::{headline, rank_text};
use hyperslab_units::count_text;

/// Variables and files that are shown.
const ROWS_MAX: usize = 20;

pub(super) fn render(summary: &Summary) -> String {
    let mut text = headline(summary).join("\n") + "\n" + &summary.passed_over.line();
    if summary.total.rewritten == 0 {
        return text;
    }
    text.push_str(&format!("\nvariables, by the {} that are saved:\n", rank_text(summary.rank)));
    text.push_str(&table_text(tables::variables(summary)));
    if summary.files > 1 {
        text.push_str("\nfiles:\n");
        text.push_str(&table_text(tables::files(summary)));
    }
    text
}

fn table_text(SavingsTable { head, mut rows }: SavingsTable) -> String {
    let more = rows.len().saturating_sub(ROWS_MAX);
    rows.truncate(ROWS_MAX);
    let mut lines: Vec<Line> = rows.into_iter().map(Line::Cells).collect();
    if more > 0 {
        lines.push(Line::Text(format!("and {} more (--json)", count_text(more as u64))));
    }
    table(&head, &lines)
}
