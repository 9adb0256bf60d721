//! The summary as text.

use super::arguments::Rank;
use super::summary::{Savings, Summary, Variable};
use crate::failure::one_line;
use crate::output::{Align, Line, table};
use hyperslab_advise::SurveyedStorage;
use hyperslab_doctor::pattern::{bytes_text, shape_text};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::{count_text, list_text};

/// Variables and files that are shown.
const ROWS_MAX: usize = 20;

pub(super) fn render(summary: &Summary) -> String {
    let mut text = headline(summary).join("\n") + "\n";
    let variables: Vec<&Variable> =
        summary.variables.iter().filter(|variable| variable.savings.rewritten > 0).collect();
    if variables.is_empty() {
        return text;
    }
    let mut head = vec![
        ("variable", Align::Left),
        ("files", Align::Right),
        ("now", Align::Left),
        ("recommended", Align::Left),
    ];
    head.extend(costs_head(summary));
    let rows = variables.iter().map(|variable| {
        let mut cells = vec![one_line(&variable.path), count_text(variable.files)];
        cells.extend([storage_text(&variable.present), recommended_text(variable)]);
        cells.extend(costs(summary, &variable.savings));
        cells
    });
    text.push_str(&format!("\nvariables, by the {} that are saved:\n", rank_text(summary.rank)));
    text.push_str(&rows_text(&head, rows.collect()));
    if summary.files > 1 {
        let head: Vec<(&str, Align)> =
            std::iter::once(("file", Align::Left)).chain(costs_head(summary)).collect();
        let rows = summary.best_files.iter().map(|file| {
            let mut cells = vec![one_line(&file.file)];
            cells.extend(costs(summary, &file.savings));
            cells
        });
        text.push_str("\nfiles:\n");
        text.push_str(&rows_text(&head, rows.collect()));
    }
    text
}

/// What was examined, and what all of it would save.
pub(super) fn headline(summary: &Summary) -> Vec<String> {
    let number = |count: u64, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{} {one}s", count_text(count)),
    };
    let total = &summary.total;
    let mut first = format!(
        "{}, {}; {} examined",
        number(summary.files, "file"),
        bytes_text(summary.file_bytes),
        number(total.datasets, "dataset")
    );
    if summary.datasets_not_examined > 0 {
        first.push_str(&format!(
            ", {} smaller or without chunks to choose",
            count_text(summary.datasets_not_examined)
        ));
    }
    if summary.unreadable > 0 {
        first.push_str(&format!("; {} not readable, or not completely", number(summary.unreadable, "file")));
    }
    let mut lines = vec![first];
    if total.rewritten == 0 {
        lines.push("all of them are stored well".to_owned());
        return lines;
    }
    lines.push(format!(
        "repacking {} would {}, and the reads would {}; it takes about {}",
        number(total.rewritten, "dataset"),
        change("save", total.saved(Rank::Bytes), |bytes| bytes_text(bytes as u64), total.bytes as f64),
        change("be shorter by", total.saved(Rank::Seconds), seconds_text, total.seconds),
        seconds_text(total.repack_seconds)
    ));
    if total.dollars_a_month + total.dollars > 0.0 {
        lines.push(format!(
            "at {}: ${:.2} → ${:.2} a month, and ${:.2} → ${:.2} each time that everything is read",
            summary.asked.place,
            total.dollars_a_month,
            total.dollars_a_month_then,
            total.dollars,
            total.dollars_then
        ));
    }
    let reads = if summary.asked.reads.is_empty() {
        "the usual reads of each dataset".to_owned()
    } else {
        format!("the reads {}", list_text(&summary.asked.reads))
    };
    lines.push(format!(
        "seconds are those of reading everything once, on average over {reads} and over {}",
        list_text(&summary.asked.readers)
    ));
    lines
}

/// `save 3 MiB of 12 MiB (25 %)`, or `take 1 MiB more`.
fn change(less: &str, saved: f64, text: impl Fn(f64) -> String, of: f64) -> String {
    if saved < 0.0 {
        return format!("take {} more", text(-saved));
    }
    format!("{less} {} of {} ({:.0} %)", text(saved), text(of), 100.0 * saved / of.max(f64::MIN_POSITIVE))
}

pub(super) fn rank_text(rank: Rank) -> &'static str {
    match rank {
        Rank::Seconds => "seconds",
        Rank::Bytes => "bytes",
        Rank::Dollars => "dollars",
    }
}

/// `1x73x144, gzip=4`
pub(super) fn storage_text(storage: &SurveyedStorage) -> String {
    let chunk = storage.chunk.as_deref().map_or_else(|| "contiguous".to_owned(), shape_text);
    if storage.filters == "none" { chunk } else { format!("{chunk}, {}", storage.filters) }
}

pub(super) fn recommended_text(variable: &Variable) -> String {
    let text = storage_text(&variable.recommended);
    match variable.recommendations {
        0 | 1 => text,
        more => format!("{text}, and {} others", count_text(more - 1)),
    }
}

pub(super) fn costs_head(summary: &Summary) -> Vec<(&'static str, Align)> {
    let mut head = vec![("bytes", Align::Right), ("reads", Align::Right)];
    if has_prices(summary) {
        head.push(("a month", Align::Right));
    }
    head
}

/// The cells of the costs: now and then.
pub(super) fn costs(summary: &Summary, savings: &Savings) -> Vec<String> {
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

fn rows_text(head: &[(&str, Align)], mut rows: Vec<Vec<String>>) -> String {
    let more = rows.len().saturating_sub(ROWS_MAX);
    rows.truncate(ROWS_MAX);
    let mut lines: Vec<Line> = rows.into_iter().map(Line::Cells).collect();
    if more > 0 {
        lines.push(Line::Text(format!("and {} more (--json)", count_text(more as u64))));
    }
    table(head, &lines)
}
