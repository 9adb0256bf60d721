//! Cells as points: what compression saves against speed, time against the size of chunks, what was simulated against
//! what was measured.

use super::engines::detail;
use super::{Drawn, bytes_label, seconds_label};
use hyperslab_bench::document::Measured;
use hyperslab_bench::document::finding::{time, times_text};
use hyperslab_bench::document::names::{self, grouped, is_null};
use hyperslab_bench::matrix::Row;
use hyperslab_engines::CreationProperties;
use hyperslab_report::{Axis, Points, Scale, Scatter, Section};
use hyperslab_storage::pattern::shape_text;
use std::collections::BTreeSet;

/// Where a point lies, its label, and what is said when it is pointed at.
type Place = (f64, f64, String, String);

/// The points of each name together.
fn by_name(points: impl Iterator<Item = (String, Place)>) -> Vec<Points> {
    grouped(points).into_iter().map(|(name, points)| Points { name, points }).collect()
}

/// The chunk shape, in words.
fn chunks(storage: &CreationProperties) -> String {
    storage
        .chunks
        .as_ref()
        .map_or_else(|| "no chunks".to_owned(), |chunks| format!("chunks {}", shape_text(chunks)))
}

/// Everything that tells a storage from those with the same chunks: its filters, and what else is not as usual.
fn without_chunks(row: &Row) -> String {
    let Some(storage) = &row.storage else { return "the file as it is".to_owned() };
    let words = row.stored_as.replacen(&chunks(storage), "", 1);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The accesses by one engine, the first that was measured: one picture each, with a point for each file under the
/// cache that suits it best.
fn by_access<'a>(drawn: &Drawn<'a>) -> Vec<Vec<&'a Measured>> {
    let read = || drawn.document.rows.iter().filter(|measured| !is_null(&measured.row));
    let Some(first) = read().next().map(|measured| names::engine(&measured.row)) else { return Vec::new() };
    let own = read().filter(|measured| names::engine(&measured.row) == first);
    let files = |group: Vec<&'a Measured>| {
        let fastest = |rows: Vec<&'a Measured>| {
            rows.into_iter().min_by(|a, b| a.row.seconds().total_cmp(&b.row.seconds()))
        };
        let files = grouped(group.into_iter().map(|one| (&one.row.stored_as, one)));
        files.into_iter().filter_map(|(_, rows)| fastest(rows)).collect::<Vec<_>>()
    };
    grouped(own.map(|one| (&one.row.read_as, one))).into_iter().map(|(_, group)| files(group)).collect()
}

/// A picture for each access to files of different sizes.
pub(super) fn by_ratio(drawn: &Drawn<'_>) -> Section {
    let mut groups = by_access(drawn);
    groups.iter_mut().for_each(|group| group.retain(|one| ratio(drawn, &one.row).is_some()));
    groups.retain(|group| {
        let ratios = group.iter().filter_map(|one| ratio(drawn, &one.row));
        let (low, high) = ratios.fold((f64::INFINITY, 0.0f64), |(low, high), r| (low.min(r), high.max(r)));
        high > 1.02 * low
    });
    let section = Section::new("Compression against speed").text(
        "Each point is a storage: to the right the smaller, upwards the faster to read. What lies to the left of and \
         below another point is worse in both. Colour and form are the chunks, the label is the rest.",
    );
    drawn.pictures(section, &groups, "The numbers of these points", |group| ratio_picture(group, drawn))
}

/// Bytes of values for a byte that is stored.
fn ratio(drawn: &Drawn<'_>, row: &Row) -> Option<f64> {
    drawn.document.head.data.ratio_of(row)
}

/// Bytes of values a second.
fn speed(row: &Row) -> f64 {
    row.read.bytes as f64 / row.read.read.median.max(f64::MIN_POSITIVE)
}

fn ratio_picture(group: &[&Measured], drawn: &Drawn<'_>) -> Scatter {
    let place = |measured: &&Measured| {
        let row = &measured.row;
        let own = ratio(drawn, row)?;
        let tip = format!("{}\nratio {own:.2}, {}", detail(row, drawn), rate(speed(row)));
        let name = row.storage.as_ref().map_or("the file as it is".to_owned(), chunks);
        let label = if row.storage.is_some() { without_chunks(row) } else { String::new() };
        Some((name, (own, speed(row), label, tip)))
    };
    let ratios = group.iter().filter_map(|one| ratio(drawn, &one.row));
    let speeds = group.iter().map(|one| speed(&one.row));
    Scatter {
        title: ratio_title(group, drawn),
        x: Axis::over("bytes of values to a byte that is stored", Scale::Linear, ratios, |ratio| {
            format!("{ratio}")
        }),
        y: Axis::over("values a second", Scale::Log2, speeds, rate),
        groups: by_name(group.iter().filter_map(place)),
        diagonal: None,
    }
}

/// `Reading 1x717: chunks 4x4 gzip=4 is 2.1 times smaller than chunks 4x4 none, and takes 1.3 times as long`.
fn ratio_title(group: &[&Measured], drawn: &Drawn<'_>) -> String {
    let what = format!("Reading {}", group[0].row.read_as);
    let of = |one: &&&Measured| ratio(drawn, &one.row).unwrap_or(0.0);
    let smallest = group.iter().max_by(|a, b| of(a).total_cmp(&of(b)));
    let fastest = group.iter().min_by(|a, b| a.row.seconds().total_cmp(&b.row.seconds()));
    match (smallest, fastest) {
        (Some(small), Some(fast)) if !std::ptr::eq(*small, *fast) => format!(
            "{what}: {} is {} times smaller than {}, and takes {} times as long",
            names::stored(&small.row),
            times_text(of(&small) / of(&fast)),
            names::stored(&fast.row),
            times_text(small.row.seconds() / fast.row.seconds())
        ),
        (Some(small), _) => {
            format!("{what}: {} is both the smallest and the fastest", names::stored(&small.row))
        }
        _ => what,
    }
}

fn rate(bytes: f64) -> String {
    format!("{}/s", bytes_label(bytes))
}

/// A picture for each access that was tried with several sizes of chunks.
pub(super) fn by_chunk(drawn: &Drawn<'_>) -> Section {
    let mut groups = by_access(drawn);
    groups.iter_mut().for_each(|group| group.retain(|one| chunk_bytes(drawn, &one.row).is_some()));
    groups.retain(|group| {
        let sizes = group.iter().filter_map(|one| chunk_bytes(drawn, &one.row));
        sizes.collect::<BTreeSet<u64>>().len() > 1
    });
    let section = Section::new("Time against the size of chunks").text(
        "Every chunk that a read touches is fetched and decoded whole, so large chunks cost reads that want little of \
         them; small ones cost a request each. Points of different shapes are not joined: nothing lies between them.",
    );
    drawn.pictures(section, &groups, "The numbers of these chunks", |group| chunk_picture(group, drawn))
}

/// Bytes of a chunk of what was read.
fn chunk_bytes(drawn: &Drawn<'_>, row: &Row) -> Option<u64> {
    let data = &drawn.document.head.data;
    let element_bytes = row.storage.as_ref().map_or(data.element_bytes, |storage| storage.element.bytes());
    Some(data.chunks_of(row)?.iter().fold(element_bytes, |bytes, dim| bytes.saturating_mul(*dim)))
}

fn chunk_picture(group: &[&Measured], drawn: &Drawn<'_>) -> Scatter {
    let bytes = |one: &Measured| chunk_bytes(drawn, &one.row).unwrap_or_default() as f64;
    let shape = |row: &Row| {
        drawn.document.head.data.chunks_of(row).map(|chunks| shape_text(chunks)).unwrap_or_default()
    };
    let place = |measured: &&Measured| {
        let row = &measured.row;
        (without_chunks(row), (bytes(measured), row.seconds(), shape(row), detail(row, drawn)))
    };
    let mut groups = by_name(group.iter().map(place));
    // One pipeline's shapes are enough: those of the others lie above and below them.
    let most =
        groups.iter().enumerate().max_by_key(|(_, points)| points.points.len()).map(|(place, _)| place);
    let others = groups.iter_mut().enumerate().filter(|(place, _)| Some(*place) != most);
    others.flat_map(|(_, points)| &mut points.points).for_each(|point| point.2.clear());
    let what = format!("Reading {}", group[0].row.read_as);
    let seconds = |one: &&&Measured| one.row.seconds();
    let title = match (
        group.iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b))),
        group.iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b))),
    ) {
        (Some(fast), Some(slow)) if seconds(&fast) > 0.0 => format!(
            "{what}: chunks of {} are fastest, {}; those of {} take {} times as long",
            shape(&fast.row),
            time(&fast.row),
            shape(&slow.row),
            times_text(seconds(&slow) / seconds(&fast))
        ),
        _ => what,
    };
    Scatter {
        title,
        x: Axis::over("bytes of a chunk", Scale::Log2, group.iter().map(|one| bytes(one)), bytes_label),
        y: Axis::over("time to read", Scale::Log10, group.iter().map(|one| one.row.seconds()), seconds_label),
        groups,
        diagonal: None,
    }
}

/// Decodes and seconds as simulated and as measured, where a libhdf5 was counted or predicted.
pub(super) fn simulated(drawn: &Drawn<'_>) -> Section {
    let counted = |row: &Row| Some((row.read.simulated_decodes? as f64, row.read.decodes? as f64));
    let predicted = |row: &Row| Some((row.read.predicted_seconds?, row.read.read.median));
    let with = |pair: &dyn Fn(&Row) -> Option<(f64, f64)>| -> Vec<&Measured> {
        let is_drawn = |row: &Row| pair(row).is_some_and(|(x, y)| x > 0.0 && y > 0.0);
        drawn.document.rows.iter().filter(|measured| is_drawn(&measured.row)).collect()
    };
    let (decodes, seconds) = (with(&counted), with(&predicted));
    if decodes.is_empty() && seconds.is_empty() {
        return Section::default();
    }
    let mut section = Section::new("Simulated against measured").text(
        "The simulator follows the library's chunk cache decision by decision without reading anything; the doctor \
         makes its findings of these counts. On the dashed line both are the same.",
    );
    if !decodes.is_empty() {
        let equal =
            decodes.iter().filter(|one| one.row.read.decodes == one.row.read.simulated_decodes).count();
        let title =
            format!("Chunks decoded: {equal} of {} cells were counted as they were simulated", decodes.len());
        let axes = ["simulated", "counted in the library"];
        section = section.figure(pairs(drawn, title, axes, &decodes, &counted, |n| format!("{n:.0}")));
    }
    if !seconds.is_empty() {
        let near = seconds
            .iter()
            .filter_map(|one| predicted(&one.row))
            .filter(|(x, y)| (x / y).ln().abs() < 1.3f64.ln());
        let title =
            format!("Seconds: {} of {} cells within 30 % of what was predicted", near.count(), seconds.len());
        section = section.figure(pairs(
            drawn,
            title,
            ["predicted", "measured"],
            &seconds,
            &predicted,
            seconds_label,
        ));
    }
    let mut shown = decodes.clone();
    shown.extend(seconds.iter().filter(|one| !decodes.iter().any(|other| std::ptr::eq(*other, **one))));
    section.figure(drawn.behind("The numbers of these points", shown))
}

fn pairs(
    drawn: &Drawn<'_>,
    title: String,
    [x, y]: [&str; 2],
    cells: &[&Measured],
    pair: &dyn Fn(&Row) -> Option<(f64, f64)>,
    label: impl Fn(f64) -> String,
) -> Scatter {
    let place = |measured: &&Measured| {
        let row = &measured.row;
        let (across, up) = pair(row)?;
        let tip = format!("{}\n{x} {}, {y} {}", detail(row, drawn), label(across), label(up));
        Some((names::engine(row), (across, up, String::new(), tip)))
    };
    let groups = by_name(cells.iter().filter_map(place));
    let values = groups.iter().flat_map(|points| &points.points).flat_map(|point| [point.0, point.1]);
    let axis = Axis::over(x, Scale::Log10, values, label);
    Scatter {
        title,
        y: Axis { title: y.to_owned(), ..axis.clone() },
        x: axis,
        groups,
        diagonal: Some("both the same".to_owned()),
    }
}
