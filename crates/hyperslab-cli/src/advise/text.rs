//! Advice as text.

use super::page_sizes;
use crate::failure::one_line;
use crate::output::{Align, Line, table};
use crate::terminal;
use hyperslab_advise::{Advice, Origin, Recommendation, StorageAnswer, Together, Verdict};
use hyperslab_apps::advise::{Document, chunk_text, kept_text, storage_text};
use hyperslab_apps::facts;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::{list_text, ratio_text, render_forecast};
use hyperslab_pages::advise::words::{payback, sensitivity, slower_text, why_not};
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;

/// Storages of the Pareto set that are shown.
const PARETO_MAX: usize = 8;
/// A read becomes much longer by at least this factor and this number of seconds.
const SLOWED_RATIO_MIN: f64 = 2.0;
const SLOWED_SECONDS_MIN: f64 = 1.0;
/// No choice slows a reader by as much, unless the data must become smaller.
const SLOWED_BY_BOUND_MIN: f64 = 1.06;

/// The whole document.
pub(super) fn render(document: &Document) -> String {
    let mut text = String::new();
    for advice in &document.datasets {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&dataset(document, advice));
    }
    for together in &document.together {
        text.push_str(&read_together(together));
    }
    for skipped in &document.skipped {
        text.push_str(&format!("{}: no advice: {}\n", one_line(&skipped.path), skipped.reason));
    }
    if document.library.is_none() && !document.datasets.is_empty() {
        text.push_str(&format!("\nseconds are by {}\n", facts::CONSTANTS));
    }
    if let Some(pages) = &document.pages {
        text.push_str(&page_sizes::text(pages));
    }
    if let Some(forecast) = &document.forecast {
        text.push('\n');
        text.push_str(&render_forecast(forecast, terminal::columns()));
    }
    text
}

/// The shape that some datasets have in common, and what each loses by it.
fn read_together(together: &Together) -> String {
    let chunk = chunk_text(together.chunk.as_deref());
    let names: Vec<String> = together.datasets.iter().map(|one| one_line(&one.path)).collect();
    let mut text = format!(
        "\nread together: {} have the same dimensions; one shape for all: {chunk}\n",
        list_text(&names)
    );
    for one in &together.datasets {
        text.push_str(&format!(
            "  {}: {}; {}\n",
            one_line(&one.path),
            storage_text(&one.storage),
            slower_text(one.slower)
        ));
    }
    text
}

/// What the others are compared with.
fn present_text(advice: &Advice) -> &'static str {
    if advice.origin == Origin::Hdf5 { "now" } else { "plain values" }
}

fn dataset(document: &Document, advice: &Advice) -> String {
    let mut text = format!(
        "{}  {} {}, {}\n{}: {}\n",
        one_line(&advice.path),
        shape_text(&advice.shape),
        advice.dtype,
        bytes_text(advice.logical_bytes),
        present_text(advice),
        storage_text(&advice.present)
    );
    let names: Vec<String> = advice.reads.iter().map(|read| read.name.clone()).collect();
    let origin =
        if document.reads_are_usual { ", the usual reads of such data; --read names yours" } else { "" };
    text.push_str(&format!("reads: {}{origin}\n", list_text(&names)));
    let place =
        if advice.place == "local" { String::new() } else { format!("; the file at {}", advice.place) };
    text.push_str(&format!("readers: {}{place}\n", list_text(&advice.readers)));
    if let Some(size_max) = advice.size_max {
        text.push_str(&format!("size: at most {} (--size-bound)", bytes_text(size_max)));
        if let Some(least) = advice.smallest_beyond_size_max {
            text.push_str(&format!(
                "; no storage that was tried is so small, the smallest takes {}",
                bytes_text(least)
            ));
        }
        text.push('\n');
    }
    text.push('\n');
    if let Some((all, each)) = advice.recommendations.split_first() {
        text.push_str(&recommendation(advice, all));
        let others: Vec<&Recommendation> = each.iter().filter(|one| one.storage != all.storage).collect();
        if !others.is_empty() {
            text.push_str("\nfor one reader alone:\n");
        }
        for one in others {
            let number = advice.readers.iter().position(|reader| *reader == one.reader).unwrap_or(0);
            let seconds = one.storage.seconds.get(number).copied().unwrap_or(0.0);
            text.push_str(&format!(
                "  {}: {}; all reads {}\n",
                one.reader,
                storage_text(&one.storage),
                seconds_text(seconds)
            ));
        }
    }
    text.push_str(&caches(advice));
    text.push_str(&format!(
        "\nno other storage is better in everything, the fastest first:\n{}",
        pareto(advice)
    ));
    text.push_str(&format!(
        "\n{} chunk shapes considered, {} simulated, {} storages measured or computed{}\n",
        count_text(advice.shapes_considered as u64),
        count_text(advice.simulated as u64),
        count_text(advice.measured as u64),
        if advice.is_cut { "; the time was over before all were (--seconds)" } else { "" }
    ));
    text
}

fn recommendation(advice: &Advice, one: &Recommendation) -> String {
    let mut text = match one.verdict {
        Verdict::AlreadyGood if advice.smallest_beyond_size_max.is_some() => {
            format!("{}\n", kept_text(advice))
        }
        Verdict::AlreadyGood => {
            format!("{}: no other storage is much better for all readers\n", kept_text(advice))
        }
        Verdict::Rewrite => format!("recommended: {}\n", storage_text(&one.storage)),
    };
    if let Some(error) = one.storage.largest_error {
        text.push_str(&format!(
            "lossy: in the sampled chunks, no value changes by more than {error:.3e}; `hyperslab repack` reports the largest \
             error of all values\n"
        ));
    }
    if let (Some(largest), Some(promise)) =
        (one.storage.largest_relative_error, one.storage.relative_error_max)
    {
        text.push_str(&format!(
            "lossy: no value changes by more than {} of it; in the sampled chunks, by at most {}\n",
            share_text(promise),
            share_text(largest)
        ));
    }
    text.push_str(&cost_of_bound(advice, one));
    text.push_str(&slowed(advice, one));
    text.push_str(&effects(advice, one));
    text.extend(payback(one).map(|sentence| sentence + "\n"));
    if let Some(seconds) = one.storage.write_seconds {
        text.push_str(&format!("writing it by libhdf5 takes about {}\n", seconds_text(seconds)));
    }
    text.push_str(&sensitivity(one));
    if !one.alternatives.is_empty() {
        text.push_str("\nwhy not:\n");
    }
    for other in &one.alternatives {
        text.push_str(&format!("  {}\n    {}\n", storage_text(&other.storage), why_not(&other.why_not)));
    }
    if !one.lines.is_empty() {
        text.push_str("\nto make it:\n");
    }
    for line in &one.lines {
        // Lines of a shell say themselves what they are for.
        let tool = if line.line.split(' ').next() == Some(line.tool) { "shell" } else { line.tool };
        text.push_str(&format!("  {tool:<9} {}\n", one_line(&line.line)));
    }
    text
}

/// A share as a percentage, never less than it is: `0.0489 %`.
fn share_text(share: f64) -> String {
    if share == 0.0 {
        return "0 %".to_owned();
    }
    let unit = 10f64.powi((share * 100.0).log10().floor() as i32 - 2);
    // To three digits, upwards.
    let percent = (share * 100.0 / unit - 1e-9).ceil() * unit;
    let digits = (-unit.log10().round()).clamp(0.0, 18.0) as usize;
    format!("{percent:.digits$} %")
}

/// The chunk caches with which the dataset is read well as it is.
fn caches(advice: &Advice) -> String {
    let lines = advice.caches.iter().map(|cache| {
        format!(
            "  {}: a chunk cache of {}: all reads {} → {}\n    {}\n",
            cache.reader,
            bytes_text(cache.nbytes),
            seconds_text(cache.seconds),
            seconds_text(cache.seconds_then),
            one_line(&cache.line)
        )
    });
    let lines: String = lines.collect();
    if lines.is_empty() {
        lines
    } else {
        format!("\nwithout rewriting, in programs that can be changed:\n{lines}")
    }
}

/// How much slower the dataset is read when it must become smaller.
fn cost_of_bound(advice: &Advice, one: &Recommendation) -> String {
    let total = |storage: &StorageAnswer| storage.seconds.iter().sum::<f64>();
    let slower = total(&one.storage) / total(&advice.present).max(1e-12);
    if one.verdict != Verdict::Rewrite || slower < SLOWED_BY_BOUND_MIN {
        return String::new();
    }
    format!(
        "all reads take {} as long as {}, because the data must become smaller\n",
        ratio_text(slower),
        present_text(advice)
    )
}

/// The reads that the recommended storage makes much longer, though all together become shorter: said before anything else.
fn slowed(advice: &Advice, one: &Recommendation) -> String {
    let mut text = String::new();
    for (number, read) in advice.reads.iter().enumerate() {
        let slowed = (0..advice.readers.len()).filter_map(|reader| {
            let [now, then] =
                [&advice.present, &one.storage].map(|storage| storage.reads[reader][number].seconds);
            let is_much = then >= SLOWED_RATIO_MIN * now && then - now >= SLOWED_SECONDS_MIN;
            is_much
                .then(|| format!("{} {} → {}", advice.readers[reader], seconds_text(now), seconds_text(then)))
        });
        let slowed: Vec<String> = slowed.collect();
        if !slowed.is_empty() {
            text.push_str(&format!(
                "slower than {}: {} with {}\n",
                present_text(advice),
                read.name,
                list_text(&slowed)
            ));
        }
    }
    text
}

/// What each read takes before and after, in each reader.
fn effects(advice: &Advice, one: &Recommendation) -> String {
    let mut head = vec![("read", Align::Left), ("weight", Align::Right)];
    head.extend(advice.readers.iter().map(|reader| (reader.as_str(), Align::Right)));
    let is_changed = one.verdict == Verdict::Rewrite;
    let rows = advice.reads.iter().enumerate().map(|(number, read)| {
        let mut cells = vec![read.text(), read.weight.to_string()];
        for reader in 0..advice.readers.len() {
            let [before, after] = [&advice.present, &one.storage]
                .map(|storage| seconds_text(storage.reads[reader][number].seconds));
            cells.push(if is_changed { format!("{before} → {after}") } else { before });
        }
        Line::Cells(cells)
    });
    let rows: Vec<Line> = rows.collect();
    table(&head, &rows)
}

fn pareto(advice: &Advice) -> String {
    let head = [
        ("chunks", Align::Left),
        ("filters", Align::Left),
        ("size", Align::Right),
        ("reads", Align::Right),
        ("write", Align::Right),
        ("requests", Align::Right),
    ];
    let has_price = advice.pareto.iter().any(|storage| storage.dollars > 0.0);
    let head: Vec<(&str, Align)> =
        head.into_iter().chain(has_price.then_some(("price", Align::Right))).collect();
    let row = |storage: &StorageAnswer| {
        let mean = storage.seconds.iter().sum::<f64>() / storage.seconds.len().max(1) as f64;
        let mut cells = vec![
            chunk_text(storage.chunk.as_deref()),
            storage.filters.clone(),
            bytes_text(storage.stored_bytes),
            seconds_text(mean),
            storage.write_seconds.map_or_else(|| "?".to_owned(), seconds_text),
            count_text(storage.requests.round() as u64),
        ];
        cells.extend(has_price.then(|| format!("${:.4}", storage.dollars)));
        Line::Cells(cells)
    };
    let mut rows: Vec<Line> = advice.pareto.iter().take(PARETO_MAX).map(row).collect();
    if advice.pareto.len() > PARETO_MAX {
        rows.push(Line::Text(format!("and {} more (--json)", advice.pareto.len() - PARETO_MAX)));
    }
    table(&head, &rows)
}
