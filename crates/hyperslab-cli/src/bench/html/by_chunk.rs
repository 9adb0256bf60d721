//! Time against the size of chunks: too small costs requests, too large costs decodes of values that were not asked for.

use super::by_cache::{joined, times};
use super::{PICTURES_MAX, bytes_label, pictures};
use crate::bench::document::{Document, Measured};
use crate::bench::finding::{self, grouped, is_null};
use crate::size;
use hyperslab_bench::matrix::Row;
use hyperslab_bench::study::Storage;
use hyperslab_doctor::pattern::shape_text;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_report::{Axis, Curves, Line, Mark, Point, Scale, Section};

/// More lines in one picture are not told apart.
const LINES_MAX: usize = 8;

/// A picture for each access that was tried with several sizes of chunks.
pub(super) fn section(document: &Document) -> Section {
    let read = document.rows.iter().filter(|measured| !is_null(&measured.row));
    // More lines than there are colours: a picture for each pipeline.
    let mut groups: Vec<Vec<&Measured>> = grouped(read.map(|one| (&one.row.read_as, one)))
        .into_iter()
        .flat_map(
            |(_, group)| if lines(&group).len() > LINES_MAX { by_pipeline(&group) } else { vec![group] },
        )
        .collect();
    groups.retain(|group| sizes(group).len() > 1);
    let left_out = groups.len().saturating_sub(PICTURES_MAX);
    let mut section = Section::new("Time against the size of chunks").text(
        "Every chunk that a read touches is fetched and decoded whole, so large chunks cost reads that want little of \
         them; small ones cost a request each. The dashed lines are chunk caches: chunks beyond them are decoded for \
         every read. Both axes are logarithmic.",
    );
    if left_out > 0 {
        section = section.text(format!("{left_out} more accesses are in the table of all figures."));
    }
    pictures(section, &groups, "The numbers of these curves", picture)
}

/// One group for all that differ in their chunks alone.
fn by_pipeline<'a>(group: &[&'a Measured]) -> Vec<Vec<&'a Measured>> {
    let named = group
        .iter()
        .copied()
        .filter_map(|one| Some((without_chunks(one.row.storage.as_ref()?, &one.row), one)));
    grouped(named).into_iter().map(|(_, group)| group).collect()
}

/// Bytes of a chunk of what was made here.
fn chunk_bytes(row: &Row) -> Option<u64> {
    row.storage.as_ref()?.chunk_bytes()
}

fn sizes(group: &[&Measured]) -> Vec<u64> {
    let mut sizes: Vec<u64> = group.iter().filter_map(|measured| chunk_bytes(&measured.row)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

fn picture(group: &[&Measured]) -> Curves {
    let marks = marks(group);
    let xs = sizes(group).into_iter().map(|bytes| bytes as f64).chain(marks.iter().map(|mark| mark.x));
    Curves {
        title: format!("Reading {}", group[0].row.read_as),
        x: Axis::over("bytes of a chunk", Scale::Log2, xs, bytes_label),
        y: times(group),
        lines: lines(group),
        marks,
    }
}

/// The same storage, engine and cache over all chunk shapes; what has no chunks is level.
fn lines(group: &[&Measured]) -> Vec<Line> {
    let mut points = Vec::new();
    let mut sorted: Vec<&Row> = group.iter().map(|measured| &measured.row).collect();
    sorted.retain(|row| row.storage.is_some());
    sorted.sort_by_key(|row| chunk_bytes(row));
    for row in sorted {
        let Some(storage) = &row.storage else { continue };
        let chunks =
            storage.chunks.as_ref().map_or_else(|| "no chunks".to_owned(), |chunks| shape_text(chunks));
        let point = Point {
            x: chunk_bytes(row).unwrap_or_default() as f64,
            y: row.seconds(),
            text: format!("{} in {chunks}", seconds_text(row.seconds())),
        };
        let name = [finding::engine(row), finding::cache(row), without_chunks(storage, row)];
        let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        points.push(((name, storage.chunks.is_none()), point));
    }
    let mut lines = joined(points);
    lines.sort_by_key(|line| line.is_level);
    lines
}

/// What else is decided about a storage.
fn without_chunks(storage: &Storage, row: &Row) -> String {
    let Some(chunks) = &storage.chunks else { return row.stored_as.clone() };
    let words = row.stored_as.replacen(&format!("chunks {}", shape_text(chunks)), "", 1);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The caches under which it was read.
fn marks(group: &[&Measured]) -> Vec<Mark> {
    let (low, high) = match sizes(group).as_slice() {
        [low, .., high] => (*low, *high),
        _ => return Vec::new(),
    };
    let mut caches: Vec<(u64, bool)> = group
        .iter()
        .filter_map(|measured| Some((measured.row.cache?.nbytes, measured.row.is_default_cache)))
        .filter(|(nbytes, _)| (low / 4..=high.saturating_mul(4)).contains(nbytes) && *nbytes > 0)
        .collect();
    caches.sort_unstable();
    caches.dedup_by_key(|(nbytes, _)| *nbytes);
    let text = |(nbytes, is_default): &(u64, bool)| match is_default {
        true => format!("default cache, {}", size::bytes(*nbytes)),
        false => format!("cache of {}", size::bytes(*nbytes)),
    };
    caches.iter().map(|cache| Mark { x: cache.0 as f64, text: text(cache) }).collect()
}
