//! A plan and its outcome as text.

use crate::failure::one_line;
use hyperslab_apps::repack::{Document, Encoder, Outcome, Plan, RaisedFeature, ReadEffect, Selection};
use hyperslab_doctor::predict::seconds_text;
use hyperslab_repack::{PlannedDataset, StorageSummary};
use hyperslab_storage::GzipEncoder;
use hyperslab_units::{counted_text, size};
use std::path::PathBuf;

/// The plan: a line for each dataset that changes, and what it takes.
pub(super) fn plan(plan: &Plan) -> String {
    let mut text = String::new();
    for line in selection(plan) {
        text.push_str(&format!("{line}\n"));
    }
    if plan.datasets.is_empty() {
        text.push_str("all data is copied as it is stored\n");
    }
    for dataset in &plan.datasets {
        text.push_str(&self::dataset(dataset));
    }
    for kept in &plan.kept {
        text.push_str(&format!("{} stays as it is: {}\n", one_line(&kept.path), one_line(&kept.reason)));
    }
    for line in raised(plan).into_iter().chain(plan.notes.iter().map(|note| one_line(note))) {
        text.push_str(&format!("{line}\n"));
    }
    let memory = plan.predicted_memory_bytes.unwrap_or(plan.memory_bytes);
    if memory > 0 {
        text.push_str(&format!("at most {} of memory", size::bytes(memory)));
        if plan.temporary_bytes > 0 {
            text.push_str(&format!(
                "; {} go through a temporary file, because memory is too small to keep them (--memory)",
                size::bytes(plan.temporary_bytes)
            ));
        }
        text.push('\n');
    }
    if let (Some(bytes), Some(seconds)) = (plan.predicted_bytes, plan.predicted_seconds) {
        let source = if plan.is_sampled == Some(true) { "predicted from samples" } else { "predicted" };
        let bytes = size::bytes(bytes);
        text.push_str(&format!("{source}: {bytes}, {} of processing\n", duration(seconds)));
    }
    text
}

/// Says that files in OUT are not repacked again.
pub(super) fn passed_over(files: &[PathBuf], out: Option<&PathBuf>) -> Option<String> {
    let out = out.filter(|_| !files.is_empty())?.display().to_string();
    Some(format!(
        "{} in {} left alone: it is the folder of new files",
        counted_text(files.len() as u64, "file"),
        one_line(&out)
    ))
}

/// `/names and 4 others stay as they are (--dry-run lists them with the reasons)`; `None` if there are none.
pub(super) fn kept(plan: &Plan) -> Option<String> {
    let first = one_line(&plan.kept.first()?.path);
    Some(match plan.kept.len() {
        1 => format!("{first} stays as it is: {}", one_line(&plan.kept[0].reason)),
        count => {
            let others = counted_text(count as u64 - 1, "other");
            format!("{first} and {others} stay as they are (--dry-run lists them with the reasons)")
        }
    })
}

/// `/view and 2 other objects need HDF5 1.10 or later: virtual datasets`, for what is newer than `--libver`.
pub(super) fn raised(plan: &Plan) -> Vec<String> {
    let line = |raised: &RaisedFeature| {
        let RaisedFeature { feature, release, path, objects } = raised;
        let what = match (path, objects) {
            (None, _) => "the file needs".to_owned(),
            (Some(path), 0 | 1) => format!("{} needs", one_line(path)),
            (Some(path), 2) => format!("{} and another object need", one_line(path)),
            (Some(path), count) => format!("{} and {} other objects need", one_line(path), count - 1),
        };
        format!("{what} HDF5 {release} or later: {feature}")
    };
    plan.raised.iter().map(line).collect()
}

/// What is left out, added and changed by the selection of objects, a line each.
fn selection(plan: &Plan) -> Vec<String> {
    let Some(selection) = &plan.selection else { return Vec::new() };
    let omitted = selection.omitted.iter().map(|path| format!("{} is left out", one_line(path)));
    let renamed = selection
        .renamed
        .iter()
        .map(|renamed| format!("{} becomes {}", one_line(&renamed.from), one_line(&renamed.to)));
    omitted.chain(renamed).chain(consequences(selection)).collect()
}

/// What follows from a selection without having been asked for.
fn consequences(selection: &Selection) -> impl Iterator<Item = String> {
    let needed = selection.needed.iter().map(|needed| {
        let (path, by) = (one_line(&needed.path), one_line(&needed.by));
        match needed.role {
            role @ ("dimension scale" | "datatype" | "source" | "target") => {
                format!("{path} is copied, too: a {role} of {by}")
            }
            attribute => format!("{path} is copied, too: the attribute {attribute} of {by} names it"),
        }
    });
    let severed = selection
        .severed
        .iter()
        .map(|severed| format!("{}: {}", one_line(&severed.path), one_line(&severed.what)));
    let dimensions = selection.dimensions.iter().map(|dimension| {
        let (path, by) = (one_line(&dimension.path), one_line(&dimension.by));
        format!("{path} stays as a dimension without a variable: {by} has it")
    });
    needed.chain(dimensions).chain(severed)
}

/// The first consequences of a selection, for a run.
pub(super) fn selected(plan: &Plan) -> Vec<String> {
    const LINES_MAX: usize = 8;
    let Some(selection) = &plan.selection else { return Vec::new() };
    let count = selection.needed.len() + selection.dimensions.len() + selection.severed.len();
    let mut lines: Vec<String> = consequences(selection).take(LINES_MAX).collect();
    if count > LINES_MAX {
        lines.push(format!("{} more such lines are in the plan (--dry-run)", count - LINES_MAX));
    }
    lines
}

/// `/t2m (1460x361x720, 1.4 GiB): contiguous -> chunks of 1x361x720, shuffle, gzip 4`
fn dataset(dataset: &PlannedDataset) -> String {
    // The user knows what the options say that he wrote himself.
    let derived = dataset.options.iter().filter(|option| DERIVED.iter().any(|name| option.starts_with(name)));
    let derived: Vec<String> = derived.map(|option| format!("`{}`", one_line(option))).collect();
    let because = if derived.is_empty() { String::new() } else { format!(" ({})", derived.join(", ")) };
    format!(
        "{} ({}, {}): {} -> {}{because}\n",
        one_line(&dataset.path),
        size::shape(&dataset.shape),
        size::bytes(dataset.logical_bytes),
        storage(&dataset.before),
        storage(&dataset.after)
    )
}

/// Options whose changes depend on the file.
const DERIVED: [&str; 2] = ["--like ", "--profile "];

fn storage(storage: &StorageSummary) -> String {
    let layout = match &storage.chunk {
        Some(chunk) => format!("chunks of {}", size::shape(chunk)),
        None => storage.layout.to_owned(),
    };
    let filters = storage.filters.iter().map(|filter| one_line(filter));
    std::iter::once(layout).chain(filters).collect::<Vec<_>>().join(", ")
}

/// `era5.nc -> out.nc`, or the name of a file that is replaced.
pub(super) fn files(document: &Document, is_in_place: bool) -> String {
    let input = one_line(&document.input);
    if is_in_place { input } else { format!("{input} -> {}", one_line(&document.output)) }
}

/// `era5.nc -> out.nc: 1.4 GiB -> 512.0 MiB (36.5 %) in 5.1 s, 280.0 MiB/s, verified`
pub(super) fn outcome(document: &Document, outcome: &Outcome, is_in_place: bool) -> String {
    let Outcome { bytes_before, bytes, seconds, .. } = *outcome;
    let percent = 100.0 * bytes as f64 / bytes_before.max(1) as f64;
    let speed = size::bytes((bytes_before as f64 / seconds.max(1e-9)) as u64);
    let verified = if outcome.verified_bytes.is_some() { "verified" } else { "not verified" };
    let mut text = format!(
        "{}: {} -> {} ({percent:.1} %) in {}, {speed}/s, {verified}\n",
        files(document, is_in_place),
        size::bytes(bytes_before),
        size::bytes(bytes),
        duration(seconds),
    );
    for rounding in &outcome.rounding {
        let path = one_line(&rounding.path);
        text.push_str(&format!("{path}: the filters round by at most {}\n", bound(rounding.error_max)));
    }
    text.push_str(&encoders(&outcome.encoders));
    text.extend(reads(&outcome.reads));
    text
}

/// `gzip was written by the fast encoder in 3 datasets of 4`
fn encoders(encoders: &[Encoder]) -> String {
    let fast = encoders.iter().filter(|one| one.encoder == GzipEncoder::Fast).count();
    match encoders {
        [] => String::new(),
        [one] => format!("{}: gzip was written by the {} encoder\n", one_line(&one.path), one.encoder),
        all if fast == all.len() => format!("gzip was written by the fast encoder in {fast} datasets\n"),
        all => format!("gzip was written by the fast encoder in {fast} of {} datasets\n", all.len()),
    }
}

/// Reads that got much faster or slower, those that gain or lose most first:
/// `/t2m, row by row (1x1x720): faster in libhdf5 1.14: 12 chunks decoded (96.0 MiB) instead of 4380 (4.2 GiB), 12 requests
/// instead of 4380, about 0.2 s instead of 40 s`.
fn reads(effects: &[ReadEffect]) -> Vec<String> {
    const LINES_MAX: usize = 6;
    let change =
        |effect: &&ReadEffect| (effect.before.predicted_seconds - effect.after.predicted_seconds).abs();
    let mut effects: Vec<_> = effects.iter().filter(|effect| effect.word().is_some()).collect();
    effects.sort_by(|a, b| change(b).total_cmp(&change(a)));
    let line = |effect: &ReadEffect| {
        let ReadEffect { path, read, shape, library, before, after } = effect;
        format!(
            "{}, {read} ({}): {} in {library}: {} chunks decoded ({}) instead of {} ({}), {} requests instead of {}, about \
             {} instead of {}\n",
            one_line(path),
            size::shape(shape),
            effect.word().unwrap_or_default(),
            after.decodes,
            size::bytes(after.decoded_bytes),
            before.decodes,
            size::bytes(before.decoded_bytes),
            after.requests,
            before.requests,
            seconds_text(after.predicted_seconds),
            seconds_text(before.predicted_seconds),
        )
    };
    effects.into_iter().take(LINES_MAX).map(line).collect()
}

/// Lines about parts that could not be read.
pub(super) fn damage(input: &str, outcome: &Outcome) -> Vec<String> {
    // The error names the file and the object, which are known here.
    let own = |error: &str, path: &str| {
        let error = [input, path].iter().fold(error, |error, name| {
            error.strip_prefix(*name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(error)
        });
        one_line(error)
    };
    let lost = outcome.lost.iter().map(|part| {
        let error = own(&part.error, &part.path);
        format!("{}: {} is left out, because it could not be read: {error}", one_line(&part.path), part.what)
    });
    let damaged = outcome.damage.iter().map(|part| {
        format!(
            "{}: of {} elements from {:?} on, what could not be read became fill values: {}",
            one_line(&part.path),
            size::shape(&part.shape),
            part.offset,
            own(&part.error, &part.path)
        )
    });
    lost.chain(damaged).collect()
}

/// Three digits of an upper bound, not less than it: `1.43e-3`.
fn bound(value: f64) -> String {
    let nearest = format!("{value:.2e}");
    let parsed: f64 = nearest.parse().unwrap_or(value);
    if parsed >= value || !value.is_finite() {
        return nearest;
    }
    let digit = 10f64.powi(value.log10().floor() as i32 - 2);
    format!("{:.2e}", parsed + digit)
}

/// `5.1 s`, `3 min 20 s`.
fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    format!("{} min {} s", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_at_a_glance() {
        assert_eq!((duration(5.07), duration(200.4)), ("5.1 s".into(), "3 min 20 s".into()));
        assert_eq!(duration(113.4), "1 min 53 s");
    }

    #[test]
    fn bounds_are_rounded_up_to_three_digits() {
        for (value, text) in [
            (0.001421234567, "1.43e-3"),
            (0.5, "5.00e-1"),
            (0.0, "0.00e0"),
            (9.991, "1.00e1"),
            (1.0, "1.00e0"),
        ] {
            assert_eq!(bound(value), text);
        }
    }
}
