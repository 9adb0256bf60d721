//! Time against the size of the chunk cache, as steps: between two sizes that were measured, the time falls where what
//! comes again begins to fit.

use super::{Drawn, PICTURES_MAX, bytes_label, seconds_label};
use hyperslab_bench::document::finding::{time, times_text};
use hyperslab_bench::document::names::{self, grouped, is_null, stored};
use hyperslab_bench::document::{Document, Measured};
use hyperslab_bench::matrix::Row;
use hyperslab_measure::access::{Access, BlockWalk};
use hyperslab_report::{Axis, Curves, Line, Mark, Point, Scale, Section};
use hyperslab_units::size;
use std::collections::BTreeSet;

/// A picture for each access to each file that was read under several caches.
pub(super) fn section(drawn: &Drawn<'_>) -> Section {
    let document = drawn.document;
    let read = document.rows.iter().filter(|measured| !is_null(&measured.row));
    let groups = grouped(read.map(|one| ((&one.row.read_as, &one.row.stored_as), one)));
    let mut groups: Vec<Vec<&Measured>> = groups.into_iter().map(|(_, group)| group).collect();
    groups.retain(|group| sizes(group).len() > 1);
    // Where the cache matters most comes first.
    groups.sort_by(|a, b| spread(b).total_cmp(&spread(a)));
    let left_out = groups.len().saturating_sub(PICTURES_MAX);
    let mut section = Section::new("Time against the chunk cache").text(
        "A library that has to decode a chunk again for every read falls off a cliff. Marks are caches that were \
         measured; between two of them the step lies where one chunk, or all chunks that come again, begin to fit: the \
         dashed lines. Both axes are logarithmic; drag over a stretch to see it larger, double-click to come back.",
    );
    if left_out > 0 {
        section = section
            .text(format!("{left_out} more, where the cache matters less, are in the table of all figures."));
    }
    drawn.pictures(section, &groups, "The numbers of these curves", |group| picture(group, document))
}

/// The different cache sizes, rising.
fn sizes(group: &[&Measured]) -> BTreeSet<u64> {
    group.iter().filter_map(|measured| Some(measured.row.cache?.nbytes)).collect()
}

/// Slowest by fastest under caches of different sizes.
fn spread(group: &[&Measured]) -> f64 {
    let seconds =
        group.iter().filter(|measured| measured.row.cache.is_some()).map(|measured| measured.row.seconds());
    let (low, high) = seconds.fold((f64::INFINITY, 0.0f64), |(low, high), s| (low.min(s), high.max(s)));
    high / low
}

fn picture(group: &[&Measured], document: &Document) -> Curves {
    let first = &group[0].row;
    let marks = marks(first, document);
    let sizes = sizes(group);
    let smallest = sizes.iter().copied().find(|bytes| *bytes > 0).unwrap_or(1) as f64;
    // A cache of nothing has no logarithm: it stands left of the smallest.
    let nothing = smallest / 4.0;
    let has_nothing = sizes.contains(&0);
    let place = move |bytes: u64| if bytes == 0 { nothing } else { bytes as f64 };
    let xs = sizes.iter().copied().map(place).chain(marks.iter().map(|mark| mark.x));
    let x = Axis::over("chunk cache", Scale::Log2, xs, bytes_label);
    let x = if has_nothing { x.labelled(nothing, "none") } else { x };
    Curves { title: title(group), x, y: times(group), lines: lines(group, place, &marks), marks }
}

/// `Reading 1x717, the file as it is: 12 times as fast from a cache of 8.0 MiB on`.
fn title(group: &[&Measured]) -> String {
    let what = format!("Reading {}, {}", group[0].row.read_as, stored(&group[0].row));
    let set = group.iter().map(|measured| &measured.row).filter(|row| row.cache.is_some());
    let steps = grouped(set.map(|row| (names::engine(row), row))).into_iter().flat_map(|(_, mut rows)| {
        rows.sort_by_key(|row| row.cache.map(|cache| cache.nbytes));
        let pair = |pair: &[&Row]| {
            (pair[0].seconds() / pair[1].seconds(), pair[1].cache.map_or(0, |cache| cache.nbytes))
        };
        rows.windows(2).map(pair).collect::<Vec<_>>()
    });
    match steps.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((times, bytes)) if times > 1.25 => {
            format!(
                "{what}: {} times as fast with a cache of {} as with the next smaller",
                times_text(times),
                size::bytes(bytes)
            )
        }
        _ => format!("{what}: the size of the cache makes no difference"),
    }
}

/// The axis of times.
fn times(group: &[&Measured]) -> Axis {
    let seconds = group.iter().map(|measured| measured.row.seconds());
    Axis::over("time to read", Scale::Log10, seconds, seconds_label)
}

/// A line for each library and its other buffers, one more for each number of slots where these were varied, too; and a level
/// one for an engine that has no cache to set.
fn lines(group: &[&Measured], place: impl Fn(u64) -> f64, marks: &[Mark]) -> Vec<Line> {
    let caches = |row: &Row| {
        let same = |other: &&&Measured| other.row.engine == row.engine && other.row.buffers == row.buffers;
        group.iter().filter(same).count()
    };
    let different = sizes(group).len();
    let varies_slots = |row: &Row| caches(row) > different;
    let name = |row: &Row| {
        let engine = names::engine(row);
        let name = match row.cache {
            Some(cache) if varies_slots(row) => format!("{engine}, {} slots, w0 {}", cache.nslots, cache.w0),
            Some(_) => engine,
            None => format!("{engine} (no cache to set)"),
        };
        std::iter::once(name).chain(names::buffers(row.buffers)).collect::<Vec<_>>().join(", ")
    };
    let mut points = Vec::new();
    let mut sorted: Vec<&Row> = group.iter().map(|measured| &measured.row).collect();
    sorted.sort_by_key(|row| row.cache.map(|cache| cache.nbytes));
    for row in sorted {
        let x = row.cache.map_or(0.0, |cache| place(cache.nbytes));
        let cache = row.cache.map(|cache| size::bytes(cache.nbytes)).unwrap_or_default();
        let text = format!("{} {cache}", time(row));
        points.push(((name(row), row.cache.is_none()), Point { x, y: row.seconds(), text, is_bend: false }));
    }
    let line = |((name, is_level), points): ((String, bool), Vec<Point>)| Line {
        points: if is_level { points } else { stepped(points, marks) },
        name,
        is_level,
        is_step: !is_level,
    };
    let mut lines: Vec<Line> = grouped(points).into_iter().map(line).collect();
    // Libraries before the engine that they are compared with.
    lines.sort_by_key(|line| line.is_level);
    lines
}

/// The points, and between two of them a bend at the first mark: there the time is already that of the larger cache.
fn stepped(points: Vec<Point>, marks: &[Mark]) -> Vec<Point> {
    let mut found: Vec<Point> = Vec::new();
    for point in points {
        if let Some(last) = found.last() {
            let between =
                marks.iter().map(|mark| mark.x).filter(|x| (last.x..point.x).contains(x) && *x > last.x);
            let cliff = between.fold(f64::INFINITY, f64::min);
            // What fits from a size on fits at that size.
            if cliff.is_finite() {
                found.push(Point { x: cliff, is_bend: true, ..point.clone() });
            }
        }
        found.push(point);
    }
    found
}

/// What has to fit: one chunk, and all that come again.
fn marks(row: &Row, document: &Document) -> Vec<Mark> {
    let data = &document.head.data;
    let (chunks, shape, element_bytes) = match &row.storage {
        Some(storage) => (storage.chunks.as_ref(), &storage.shape, storage.element.bytes()),
        None => (data.chunks.as_ref(), &data.shape, data.element_bytes),
    };
    let Some(chunks) = chunks else { return Vec::new() };
    let chunk_bytes = chunks.iter().product::<u64>().saturating_mul(element_bytes);
    let again = chunks_that_come_again(&row.access, chunks, shape);
    let mut marks =
        vec![Mark { x: chunk_bytes as f64, text: format!("one chunk fits, {}", size::bytes(chunk_bytes)) }];
    if let Some(number @ 2..) = again {
        let bytes = chunk_bytes.saturating_mul(number);
        marks.push(Mark { x: bytes as f64, text: format!("{number} chunks fit, {}", size::bytes(bytes)) });
    }
    marks
}

/// How many chunks a sweep goes over before it comes back to the first of them: those that all dimensions which move
/// faster lead through, and those that one block touches.
fn chunks_that_come_again(access: &Access, chunks: &[u64], shape: &[u64]) -> Option<u64> {
    let BlockWalk::Sweep { order } = &access.walk else { return None };
    let touched = |axis: usize| access.block[axis].div_ceil(chunks[axis].max(1));
    let all = |axis: usize| shape[axis].div_ceil(chunks[axis].max(1));
    // The slowest dimension along which a next block lies in the same chunks.
    let shared = |axis: &usize| access.block[*axis] < chunks[*axis].min(shape[*axis]);
    let slowest = order.iter().position(shared)?;
    let slower = order[..=slowest].iter().map(|axis| touched(*axis));
    Some(slower.chain(order[slowest + 1..].iter().map(|axis| all(*axis))).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_lies_where_chunks_begin_to_fit() {
        let point = |x, y| Point { x, y, ..Point::default() };
        let mark = |x| Mark { x, text: String::new() };
        let found =
            stepped(vec![point(1.0, 9.0), point(8.0, 1.0), point(16.0, 1.0)], &[mark(4.0), mark(6.0)]);
        let told: Vec<(f64, f64, bool)> =
            found.iter().map(|point| (point.x, point.y, point.is_bend)).collect();
        assert_eq!(told, [(1.0, 9.0, false), (4.0, 1.0, true), (8.0, 1.0, false), (16.0, 1.0, false)]);
    }

    #[test]
    fn what_comes_again_is_a_row_of_chunks() {
        let again = |block: &[u64], order: &[usize], chunks: &[u64], shape: &[u64]| {
            let access =
                Access { walk: BlockWalk::Sweep { order: order.to_vec() }, ..Access::sweep(block.to_vec()) };
            chunks_that_come_again(&access, chunks, shape)
        };
        // The case study: rows of a granule, four scans to a chunk.
        assert_eq!(again(&[1, 1, 1, 717], &[0, 1, 2, 3], &[4, 30, 9, 717], &[60, 30, 9, 717]), Some(1));
        // Maps of a series whose chunks hold many times: all chunks of a map.
        assert_eq!(again(&[1, 721, 1440], &[0, 1, 2], &[365, 103, 103], &[8760, 721, 1440]), Some(7 * 14));
        // The same swept the other way round.
        assert_eq!(again(&[1, 4], &[1, 0], &[5, 4], &[20, 16]), Some(1));
        assert_eq!(again(&[1, 4], &[0, 1], &[5, 4], &[20, 16]), Some(4));
        // Whole chunks never come again.
        assert_eq!(again(&[5, 4], &[0, 1], &[5, 4], &[20, 16]), None);
    }
}
