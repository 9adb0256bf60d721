//! The tables of the summary, which the text and the page have in common.

use hyperslab_advise::SurveyedStorage;
use hyperslab_apps::advise::brief_text;
use hyperslab_apps::archive::{Savings, Summary, Variable};
use hyperslab_apps::error::one_line;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::Align;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};

/// A table of the summary.
pub struct SavingsTable {
    /// The titles of the columns.
    pub head: Vec<(&'static str, Align)>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

/// The variables that are worth rewriting.
pub fn variables(summary: &Summary) -> SavingsTable {
    let titles = [
        ("variable", Align::Left),
        ("files", Align::Right),
        ("now", Align::Left),
        ("recommended", Align::Left),
    ];
    let head = titles.into_iter().chain(costs_head(summary)).collect();
    let row = |variable: &Variable| {
        let mut cells = vec![one_line(&variable.path), count_text(variable.files)];
        cells.extend([storage_text(&variable.present), recommended_text(variable)]);
        cells.extend(costs(summary, &variable.savings));
        cells
    };
    SavingsTable { head, rows: summary.rewritten().map(row).collect() }
}

/// The files of which most is saved.
pub fn files(summary: &Summary) -> SavingsTable {
    let head = std::iter::once(("file", Align::Left)).chain(costs_head(summary)).collect();
    let rows = summary.best_files.iter().map(|file| {
        let mut cells = vec![one_line(&file.file)];
        cells.extend(costs(summary, &file.savings));
        cells
    });
    SavingsTable { head, rows: rows.collect() }
}

fn storage_text(storage: &SurveyedStorage) -> String {
    brief_text(storage.chunk.as_deref(), &storage.filters)
}

fn recommended_text(variable: &Variable) -> String {
    let text = storage_text(&variable.recommended);
    match variable.recommendations {
        0 | 1 => text,
        more => format!("{text}, and {}", counted_text(more - 1, "other")),
    }
}

fn costs_head(summary: &Summary) -> Vec<(&'static str, Align)> {
    let mut head = vec![("bytes", Align::Right), ("reads", Align::Right)];
    if has_prices(summary) {
        head.push(("a month", Align::Right));
    }
    head
}

/// The cells of the costs: now and then.
fn costs(summary: &Summary, savings: &Savings) -> Vec<String> {
    let mut cells = vec![
        format!("{} → {}", bytes_text(savings.bytes), bytes_text(savings.bytes_then)),
        format!("{} → {}", seconds_text(savings.seconds), seconds_text(savings.seconds_then)),
    ];
    if has_prices(summary) {
        cells.push(format!("${:.2} → ${:.2}", savings.dollars_a_month, savings.dollars_a_month_then));
    }
    cells
}

fn has_prices(summary: &Summary) -> bool {
    summary.total.dollars_a_month > 0.0
}
