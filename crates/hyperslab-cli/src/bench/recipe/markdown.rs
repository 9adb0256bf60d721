//! What recipes came to, as sections of a page of the docs.

use super::text::{cells, counts_text, engines_text, head, metrics, verdict_text};
use crate::output::Align;
use hyperslab_bench::recipe::{Judged, Report, TableReport, Verdict, capitalised};

/// All reports: how many effects came out how, then a section for each.
pub(super) fn page(reports: &[Report]) -> String {
    let sections: Vec<String> = reports.iter().map(section).collect();
    format!("{}\n{}", summary(reports), sections.join("\n"))
}

const VERDICTS: [Verdict; 7] = [
    Verdict::AsPublished,
    Verdict::Weaker,
    Verdict::NoLonger,
    Verdict::Reversed,
    Verdict::Confirmed,
    Verdict::NotConfirmed,
    Verdict::NotRun,
];

fn summary(reports: &[Report]) -> String {
    let effects = |report: &Report, verdict| {
        let all = report.tables.iter().flat_map(|part| &part.effects);
        all.filter(|effect| effect.verdict == verdict).count()
    };
    let used = |verdict: &&Verdict| reports.iter().any(|report| effects(report, **verdict) > 0);
    let verdicts: Vec<Verdict> = VERDICTS.iter().filter(used).copied().collect();
    let head: Vec<(String, Align)> = std::iter::once(("recipe".to_owned(), Align::Left))
        .chain(verdicts.iter().map(|verdict| (verdict_text(*verdict).to_owned(), Align::Right)))
        .collect();
    let rows = reports.iter().map(|report| {
        let counts = verdicts.iter().map(|verdict| match effects(report, *verdict) {
            0 => String::new(),
            count => count.to_string(),
        });
        std::iter::once(format!("[{0}](#{0})", report.recipe)).chain(counts).collect()
    });
    table(&head, rows)
}

fn section(report: &Report) -> String {
    let scale = match report.shrink {
        1.0 => "at the published size".to_owned(),
        shrink => format!("with data and caches at {shrink:.4} of the published size"),
    };
    let mut text = format!("## {}\n\n*{}*\n\n", report.recipe, report.publication);
    text += &format!(
        "Run {scale}, with {}. {}\n",
        engines_text(report),
        capitalised(counts_text(report).trim_end())
    );
    for part in &report.tables {
        text += &part_text(part);
    }
    text
}

fn part_text(part: &TableReport) -> String {
    let mut text = format!("\n### {}\n\n", part.title);
    if !part.effects.is_empty() {
        let head = ["effect", "published", "measured", "verdict", "why"];
        let head: Vec<(String, Align)> = head.map(|title| (title.to_owned(), Align::Left)).into();
        text += &table(&head, part.effects.iter().map(effect));
        text.push('\n');
    }
    for note in &part.notes {
        text += &format!("{note}\n\n");
    }
    for not_run in &part.not_run {
        text += &format!("Not run: {}: {}.\n\n", not_run.what, not_run.why);
    }
    if part.cells.is_empty() {
        return text;
    }
    let metrics = metrics(part);
    let mut columns = head(&metrics);
    columns.insert(0, ("measurement".to_owned(), Align::Left));
    let rows = part.cells.iter().map(|cell| [vec![cell.cell.clone()], cells(cell, &metrics)].concat());
    text + &format!("<details><summary>Figures</summary>\n\n{}\n</details>\n", table(&columns, rows))
}

fn effect(effect: &Judged) -> Vec<String> {
    let others: Vec<String> = effect
        .others
        .iter()
        .map(|other| format!("{}: {}", other.by.name(), effect.figure(other.measured)))
        .collect();
    let own = effect.measured.map(|measured| effect.figure(measured));
    vec![
        effect.says.clone(),
        effect.published_text(),
        own.into_iter().chain(others).collect::<Vec<_>>().join("; "),
        format!("**{}**", verdict_text(effect.verdict)),
        capitalised(&effect.because),
    ]
}

/// A table in Markdown.
fn table(head: &[(String, Align)], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let mut text = line(&mut head.iter().map(|(title, _)| title.clone()));
    text += &format!(
        "|{}|\n",
        head.iter()
            .map(|(_, align)| if *align == Align::Right { "---:" } else { "---" })
            .collect::<Vec<_>>()
            .join("|")
    );
    rows.for_each(|row| text += &line(&mut row.into_iter()));
    text
}
