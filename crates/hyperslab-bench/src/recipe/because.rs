//! Why figures differ, or no longer do, from what was counted: chunks that fit a cache, decodes, bytes, requests.

use super::judge::{Verdict, cell};
use super::measured::{CacheFit, Kind, Measured};
use super::plan::{Claim, Effect, Metric};
use super::words;
use hyperslab_doctor::pattern::bytes_text as bytes;
use hyperslab_doctor::{count_text as count, list_text as list};

/// The reason for a verdict, without the verdict.
pub(super) fn sentence(effect: &Effect, verdict: Verdict, measured: &[Measured]) -> String {
    let mut parts = Vec::new();
    match &effect.claim {
        Claim::Times { more, less, .. } | Claim::AtLeast { more, less, .. } => {
            let (Some(more), Some(less)) = (cell(more, measured), cell(less, measured)) else {
                return String::new();
            };
            match verdict {
                Verdict::NoLonger | Verdict::Weaker => parts.extend(fit(more)),
                _ => parts.extend([fit(more), fit(less)].into_iter().flatten()),
            }
            parts.dedup();
            if !is_of_files(&effect.claim) {
                let (more, less) = if verdict == Verdict::Reversed { (less, more) } else { (more, less) };
                parts.push(counted(more, less));
            }
        }
        Claim::Alike { figures, .. } => {
            let cells: Vec<&Measured> = figures.iter().filter_map(|figure| cell(figure, measured)).collect();
            parts.extend(spread(&cells).filter(|_| !is_of_files(&effect.claim)));
        }
        Claim::Equal { .. } => {}
    }
    if matches!(verdict, Verdict::NoLonger | Verdict::Weaker | Verdict::Reversed)
        && let Some(Claim::Times { more, less, .. }) = &effect.as_then
        && let (Some(more), Some(less)) = (cell(more, measured), cell(less, measured))
    {
        let ratio = more.seconds.median / less.seconds.median;
        let mut then = format!("with what was set then it is {}", words::factor(ratio));
        if let Some(fit) = fit(more) {
            then += &format!(", for {fit}");
        }
        then += &format!(": {}", counted(more, less));
        parts.push(then);
    }
    parts.extend(effect.remark.map(str::to_owned));
    parts.join("; ")
}

/// True where sizes of files are compared, to which no count is a reason.
fn is_of_files(claim: &Claim) -> bool {
    claim.figures().iter().all(|figure| matches!(figure.metric, Metric::FileBytes | Metric::Overhead))
}

/// What a chunk cache can hold of what a read touches.
fn fit(measured: &Measured) -> Option<String> {
    let fit = measured.cache?;
    let CacheFit { settings, is_default, chunk_bytes, chunks_touched, is_filtered } = fit;
    let cache = match is_default {
        true => format!(
            "the default cache of {} {}, {},",
            measured.who.name(),
            measured.version,
            bytes(settings.nbytes)
        ),
        false => format!("a cache of {}", bytes(settings.nbytes)),
    };
    let chunk = bytes(chunk_bytes);
    Some(match (fit.chunks_held(), is_filtered) {
        (0, true) => {
            format!("{cache} does not hold a chunk of {chunk}, which is decoded whole for every read")
        }
        (0, false) => format!("{cache} does not hold a chunk of {chunk}, {}", parts_read(measured)),
        (held, _) if held < chunks_touched => {
            let chunks = if held == 1 { "chunk" } else { "chunks" };
            format!(
                "{cache} holds {} {chunks} of {chunk}, and a read touches {}",
                count(held),
                count(chunks_touched)
            )
        }
        (_, _) if chunks_touched == 1 => format!("{cache} holds a chunk of {chunk}"),
        _ => format!("{cache} holds the {} chunks of {chunk} that a read touches", count(chunks_touched)),
    })
}

/// What is read of chunks that no cache holds: what is selected, or more, where the library fills a buffer with what lies
/// beside it (the sieve buffer of releases that use it for chunks).
fn parts_read(measured: &Measured) -> String {
    match measured.simulated.map(|simulated| simulated.driver_bytes) {
        None => "of which parts are read".to_owned(),
        Some(read) if read <= measured.bytes => "of which only what is selected is read".to_owned(),
        Some(read) => {
            let (read, selected) = (bytes(read), bytes(measured.bytes));
            format!("of which more than what is selected is read: {read} for {selected} of all reads")
        }
    }
}

/// The counts in which two cells differ, or that they have in common.
fn counted(more: &Measured, less: &Measured) -> String {
    let decodes = |cell: &Measured| cell.decodes.or(cell.simulated.map(|simulated| simulated.decodes));
    // Who has no chunks decodes none.
    let (many, few) = (decodes(more).unwrap_or(0), decodes(less).unwrap_or(0));
    if many > 0 || few > 0 {
        return match many == few {
            true => format!("both decode {} chunks", count(many)),
            false => format!("{} chunks are decoded against {}", count(many), count(few)),
        };
    }
    // A few kilobytes or calls are those of opening a file.
    let differs = |many: u64, few: u64, least: u64| many > few + few / 2 + least;
    if more.kind != Kind::Read || less.kind != Kind::Read {
        let (many, few) = (count(more.write_calls), count(less.write_calls));
        return match differs(more.write_calls, less.write_calls, 10) {
            true => format!("{many} calls write the file against {few}"),
            false => format!("{many} and {few} calls write the file"),
        };
    }
    if differs(more.read_bytes, less.read_bytes, 1 << 16) {
        let (many, few) = (bytes(more.read_bytes), bytes(less.read_bytes));
        return format!("{many} are read from the file against {few}");
    }
    let (many, few) = (count(more.read_calls), count(less.read_calls));
    match differs(more.read_calls, less.read_calls, 50) {
        true => format!("{many} requests are made against {few}"),
        false => format!("no count explains it: {many} requests are made against {few}"),
    }
}

/// What several cells count.
fn spread(cells: &[&Measured]) -> Option<String> {
    let decodes: Option<Vec<String>> = cells
        .iter()
        .map(|cell| cell.decodes.or(cell.simulated.map(|simulated| simulated.decodes)).map(count))
        .collect();
    let decodes = decodes.filter(|decodes| decodes.iter().any(|decodes| decodes != "0"))?;
    Some(format!("{} chunks are decoded", list(&decodes)))
}
