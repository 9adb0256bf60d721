//! What was measured, as people read it: a table for each storage and access, and what is fastest.

use crate::output::{Align, Line, table};
use crate::size;
use hyperslab_bench::matrix::{Row, Rows, Summary};
use hyperslab_doctor::predict::seconds_text;

const HEAD: [(&str, Align); 10] = [
    ("engine", Align::Left),
    ("chunk cache", Align::Left),
    ("read", Align::Right),
    ("spread", Align::Right),
    ("open+read+close", Align::Right),
    ("a read", Align::Right),
    ("decodes", Align::Right),
    ("requests", Align::Right),
    ("memory", Align::Right),
    ("", Align::Right),
];

/// The whole report.
pub(super) fn text(rows: &Rows) -> String {
    let mut text = String::new();
    let mut rest = rows.rows.as_slice();
    while let Some(first) = rest.first() {
        let same = |row: &Row| row.stored_as == first.stored_as && row.read_as == first.read_as;
        let (group, others) = rest.split_at(rest.iter().take_while(|row| same(row)).count());
        text += &group_text(group);
        text.push('\n');
        rest = others;
    }
    text += &written(&rows.rows);
    for note in &rows.notes {
        text += &format!("note: {note}\n");
    }
    for skipped in &rows.skipped {
        text += &format!("not measured: {}: {}\n", skipped.what, skipped.why);
    }
    text
}

/// One storage read in one way, the fastest first.
fn group_text(group: &[Row]) -> String {
    let mut sorted: Vec<&Row> = group.iter().collect();
    sorted.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    let best = sorted[0].seconds();
    let first = sorted[0];
    let reads = match first.read.reads == first.read.reads_in_all {
        true => format!("{} reads", first.read.reads),
        false => {
            format!("{} of {} reads, the time of all reckoned", first.read.reads, first.read.reads_in_all)
        }
    };
    let mut text =
        format!("{}, read {}: {reads}, {}\n", first.stored_as, first.read_as, size::bytes(first.read.bytes));
    let lines: Vec<Line> = sorted.iter().map(|row| Line::Cells(cells(row, best))).collect();
    text += &table(&HEAD, &lines);
    let outliers: usize = group.iter().map(|row| row.read.read.outliers).sum();
    if outliers > 0 {
        text +=
            &format!("  warning: {outliers} runs strayed far from the others; something else was at work\n");
    }
    for row in group {
        if let (Some(counted), Some(simulated)) = (row.read.decodes, row.read.simulated_decodes)
            && counted != simulated
        {
            text +=
                &format!("  note: {}: {counted} decodes were counted, {simulated} simulated\n", row.engine);
        }
    }
    if let (Some(fastest), Some(slowest)) = (sorted.first(), sorted.last())
        && slowest.seconds() > 1.5 * fastest.seconds()
    {
        text += &format!("  {}\n", reason(fastest, slowest));
    }
    text
}

fn cells(row: &Row, best: f64) -> Vec<String> {
    let cache = match (row.cache, row.is_default_cache) {
        (None, _) => "none to set".to_owned(),
        (Some(cache), true) => format!("{} (default)", size::bytes(cache.nbytes)),
        (Some(cache), false) => {
            format!("{}, {} slots, w0 {}", size::bytes(cache.nbytes), cache.nslots, cache.w0)
        }
    };
    let decodes = match (row.read.decodes, row.read.simulated_decodes) {
        (Some(counted), _) => counted.to_string(),
        (None, Some(simulated)) => format!("{simulated} (simulated)"),
        (None, None) => String::new(),
    };
    let engine =
        if row.version.is_empty() { row.engine.clone() } else { format!("{} {}", row.engine, row.version) };
    vec![
        engine,
        cache,
        seconds_text(row.seconds()),
        spread(&row.read.read),
        seconds_text(row.read.open_read_close.median),
        seconds_text(row.read.average),
        decodes,
        row.read.read_calls.to_string(),
        size::bytes(row.read.memory_bytes),
        if best > 0.0 { format!("{:.2}x", row.seconds() / best) } else { String::new() },
    ]
}

/// `±3 % of 5`.
fn spread(summary: &Summary) -> String {
    if summary.runs < 2 || summary.median == 0.0 {
        return format!("{} run", summary.runs);
    }
    let half = (summary.max - summary.min) / 2.0 / summary.median;
    format!("±{:.0} % of {}", half * 100.0, summary.runs)
}

/// Why one is slower than the other, from what was counted.
fn reason(fastest: &Row, slowest: &Row) -> String {
    let ratio = slowest.seconds() / fastest.seconds();
    let decodes = |row: &Row| row.read.decodes.or(row.read.simulated_decodes);
    let who = |row: &Row| match row.cache {
        Some(cache) => format!("{} with a cache of {}", row.engine, size::bytes(cache.nbytes)),
        None => row.engine.clone(),
    };
    let because = match (decodes(fastest), decodes(slowest)) {
        (Some(few), Some(many)) if few > 0 && many > few + few / 2 => {
            format!(": it decodes {many} chunks, not {few}")
        }
        _ if slowest.read.read_calls > fastest.read.read_calls * 2 => {
            format!(": it makes {} requests, not {}", slowest.read.read_calls, fastest.read.read_calls)
        }
        _ => String::new(),
    };
    format!("{} takes {ratio:.1} times as long as {}{because}", who(slowest), who(fastest))
}

/// The files that were made, each once.
fn written(rows: &[Row]) -> String {
    let head = [
        ("stored as", Align::Left),
        ("written in blocks of", Align::Left),
        ("write", Align::Right),
        ("open+write+close", Align::Right),
        ("file", Align::Right),
        ("beyond the values", Align::Right),
    ];
    let mut lines: Vec<Line> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for row in rows {
        let Some(write) = &row.write else { continue };
        if seen.contains(&row.stored_as.as_str()) {
            continue;
        }
        seen.push(&row.stored_as);
        let sign = if write.overhead_bytes < 0 { "-" } else { "" };
        lines.push(Line::Cells(vec![
            row.stored_as.clone(),
            write.written_as.clone(),
            seconds_text(write.write.median),
            seconds_text(write.open_write_close.median),
            size::bytes(write.file_bytes),
            format!("{sign}{}", size::bytes(write.overhead_bytes.unsigned_abs())),
        ]));
    }
    if lines.is_empty() { String::new() } else { table(&head, &lines) + "\n" }
}
