//! What a recipe came to, as the sections of a page: from them the terminal and the page of the docs are written.

use crate::bench::tables;
use hyperslab_apps::bench::word;
use hyperslab_bench::recipe::{Judged, Kind, Measured, Metric, Report, TableReport, Verdict};
use hyperslab_report::{Align, Column, Figure, Page, Section, Table};
use hyperslab_units::size::bytes_text;
use hyperslab_units::{capitalised, count_text};
use std::collections::BTreeSet;

/// The whole report.
pub(super) fn page(report: &Report) -> Page {
    let scale = match report.shrink {
        1.0 => "at the published size".to_owned(),
        shrink => format!("with data and caches at {shrink:.4} of the published size"),
    };
    let engines = report.engines.iter().map(|used| format!("{} {}", used.engine, used.version));
    let engines = engines.collect::<Vec<_>>().join(", ");
    Page {
        topic: report.publication.clone(),
        lead: vec![format!("Run {scale}, with {engines}. {}", capitalised(counts_text(report).trim_end()))],
        sections: report.tables.iter().map(section).collect(),
        ..Page::new(&report.recipe)
    }
}

/// A page for the terminal.
pub(super) fn text(page: &Page) -> String {
    let mut text = format!("{}: {}\n", page.title, page.topic);
    for section in &page.sections {
        text += &format!("\n{}\n", section.title);
        section.text.iter().for_each(|note| text += &format!("  {note}\n"));
        tables_of(section).for_each(|table| text += &format!("\n{}", tables::text(table)));
    }
    page.lead.iter().for_each(|line| text += &format!("\n{line}\n"));
    text
}

/// All pages in Markdown: how many effects came out how, then a section for each.
pub(super) fn markdown(reports: &[Report]) -> String {
    let mut text = tables::markdown(&summary(reports));
    for page in reports.iter().map(page) {
        text += &format!("\n## {}\n\n*{}*\n\n{}\n", page.title, page.topic, page.lead.join("\n\n"));
        for section in &page.sections {
            text += &format!("\n### {}\n\n", section.title);
            for table in tables_of(section).filter(|table| !table.is_folded) {
                text += &format!("{}\n", tables::markdown(table));
            }
            section.text.iter().for_each(|note| text += &format!("{note}\n\n"));
            for table in tables_of(section).filter(|table| table.is_folded) {
                let (title, table) = (&table.title, tables::markdown(table));
                text += &format!("<details><summary>{title}</summary>\n\n{table}\n</details>\n");
            }
        }
    }
    text
}

fn tables_of(section: &Section) -> impl Iterator<Item = &Table> {
    section
        .figures
        .iter()
        .filter_map(|figure| if let Figure::Table(table) = figure { Some(table) } else { None })
}

fn summary(reports: &[Report]) -> Table {
    let effects = |report: &Report, verdict| {
        let all = report.tables.iter().flat_map(|part| &part.effects);
        all.filter(|effect| effect.verdict == verdict).count()
    };
    let tables = reports.iter().flat_map(|report| &report.tables);
    let verdicts: BTreeSet<Verdict> =
        tables.flat_map(|part| &part.effects).map(|effect| effect.verdict).collect();
    let of = |verdict: &Verdict| (verdict_text(*verdict), Align::Right);
    let columns = std::iter::once(("recipe".to_owned(), Align::Left)).chain(verdicts.iter().map(of));
    reports.iter().fold(Table::new("Effects", columns), |table, report| {
        let count = |verdict: &Verdict| match effects(report, *verdict) {
            0 => String::new(),
            count => count.to_string(),
        };
        table.row(std::iter::once(format!("[{0}](#{0})", report.recipe)).chain(verdicts.iter().map(count)))
    })
}

fn section(part: &TableReport) -> Section {
    let not_run = part.not_run.iter().map(|one| format!("Not run: {}: {}.", one.what, one.why));
    let text = part.notes.iter().cloned().chain(not_run).collect();
    let mut section = Section { text, ..Section::new(&part.title) };
    if !part.effects.is_empty() {
        let columns = ["effect", "published", "measured", "verdict", "why"].map(|title| (title, Align::Left));
        section = section.figure(Table::new("Effects", columns).rows(part.effects.iter().map(effect)));
    }
    if part.cells.is_empty() { section } else { section.figure(figures(part)) }
}

fn effect(effect: &Judged) -> [String; 5] {
    let others =
        effect.others.iter().map(|other| format!("{}: {}", other.by.name(), effect.figure(other.measured)));
    let own = effect.measured.map(|measured| effect.figure(measured));
    [
        effect.says.clone(),
        effect.published_text(),
        own.into_iter().chain(others).collect::<Vec<_>>().join("; "),
        format!("**{}**", verdict_text(effect.verdict)),
        capitalised(&effect.because),
    ]
}

/// What was measured, beside what was published.
fn figures(part: &TableReport) -> Table {
    let metrics = metrics(part);
    let mut columns = vec![Column::new("measurement", Align::Left), Column::new("engine", Align::Left)];
    for metric in &metrics {
        let of = ["published", "measured"].map(|whose| format!("{}{whose}", prefixed(*metric)));
        columns.extend(of.map(|title| Column::new(title, Align::Right)));
    }
    columns
        .extend(["decodes", "simulated", "requests", "read"].map(|title| Column::new(title, Align::Right)));
    let rows = part.cells.iter().map(|cell| cells(cell, &metrics));
    Table::new("Figures", columns).rows(rows).folded()
}

fn cells(cell: &Measured, metrics: &[Metric]) -> Vec<String> {
    let mut cells = vec![cell.cell.clone(), cell.by.name().to_owned()];
    for metric in metrics {
        let published = cell.published.iter().find(|published| published.metric == *metric);
        cells.push(published.map(|published| metric.text(published.value)).unwrap_or_default());
        let measured = cell.value(*metric).filter(|_| metric.is_of(cell.kind));
        cells.push(measured.map(|value| metric.text(value)).unwrap_or_default());
    }
    let is_filtered = cell.cache.is_some_and(|cache| cache.is_filtered);
    let simulated = cell.simulated.filter(|_| is_filtered);
    cells.push(cell.decodes.filter(|decodes| *decodes > 0).map(count_text).unwrap_or_default());
    cells.push(simulated.map(|simulated| count_text(simulated.decodes)).unwrap_or_default());
    let is_read = cell.kind == Kind::Read;
    cells.push(if is_read { count_text(cell.read_calls) } else { String::new() });
    cells.push(if is_read { bytes_text(cell.read_bytes) } else { String::new() });
    cells
}

/// What was published of any cell of the table; where nothing was, the size of files and seconds of all else.
fn metrics(part: &TableReport) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for published in part.cells.iter().flat_map(|cell| &cell.published) {
        if !metrics.contains(&published.metric) {
            metrics.push(published.metric);
        }
    }
    if metrics.is_empty() {
        let are_files = part.cells.iter().all(|cell| cell.kind == Kind::File);
        metrics.push(if are_files { Metric::FileBytes } else { Metric::Seconds });
        if part.cells.iter().any(|cell| cell.kind == Kind::Write && cell.objects.is_some()) {
            metrics.push(Metric::Overhead);
        }
    }
    metrics
}

fn prefixed(metric: Metric) -> &'static str {
    match metric {
        Metric::First => "first, ",
        Metric::Average => "average, ",
        Metric::Total => "with open and close, ",
        Metric::Overhead => "overhead, ",
        Metric::PageAccesses => "accesses, ",
        Metric::PageHits => "hits, ",
        Metric::PageMisses => "misses, ",
        Metric::PageEvictions => "evictions, ",
        _ => "",
    }
}

/// `as published`, `no longer`.
fn verdict_text(verdict: Verdict) -> String {
    word(&verdict).replace('-', " ")
}

/// Whether the simulator agrees with the library.
fn counts_text(report: &Report) -> String {
    let counts = &report.counts;
    let cells = || report.tables.iter().flat_map(|part| &part.cells);
    if cells().all(|cell| cell.cache.is_none_or(|cache| !cache.is_filtered)) {
        return "decodes: nothing passes filters here\n".to_owned();
    }
    if counts.compared == 0 {
        return "decodes: this build of libhdf5 hides its filters, so they cannot be counted; those shown are simulated\n".to_owned();
    }
    let mut text = match counts.differing.len() {
        0 => format!(
            "decodes: in all {} cells where they are both counted and simulated, they are as many\n",
            counts.compared
        ),
        some => format!(
            "decodes: {some} of {} cells where they are both counted and simulated DIFFER\n",
            counts.compared
        ),
    };
    for differing in &counts.differing {
        text += &format!("  {differing}\n");
    }
    text
}
