//! What compression saves against what it costs to read.

use super::matrix::detail;
use super::{bytes_label, pictures};
use crate::bench::document::{Document, Measured};
use crate::bench::finding::{self, grouped, is_null};
use crate::size;
use hyperslab_bench::matrix::Row;
use hyperslab_bench::study::pipeline_text;
use hyperslab_report::{Axis, Points, Scale, Scatter, Section};

/// A picture for each access to files of different sizes.
pub(super) fn section(document: &Document) -> Section {
    let usable = |measured: &&Measured| !is_null(&measured.row) && ratio(&measured.row).is_some();
    let groups = grouped(document.rows.iter().filter(usable).map(|one| (&one.row.read_as, one)));
    let mut groups: Vec<Vec<&Measured>> = groups.into_iter().map(|(_, group)| group).collect();
    groups.iter_mut().for_each(fastest_of_each);
    groups.retain(|group| {
        let ratios = group.iter().filter_map(|measured| ratio(&measured.row));
        let (low, high) = ratios.fold((f64::INFINITY, 0.0f64), |(low, high), r| (low.min(r), high.max(r)));
        high > 1.02 * low
    });
    let section = Section::new("Compression against speed").text(
        "Each point is a file: to the right the smaller, upwards the faster to read, by each engine with the cache \
         that suits it best. What lies to the left of and below another point is worse in both.",
    );
    pictures(section, &groups, "The numbers of these points", picture)
}

/// Bytes of values for a byte of the file.
pub(super) fn ratio(row: &Row) -> Option<f64> {
    let (storage, write) = (row.storage.as_ref()?, row.write.as_ref()?);
    size::ratio(storage.logical_bytes(), write.file_bytes)
}

/// Bytes of values a second.
fn speed(row: &Row) -> f64 {
    row.read.bytes as f64 / row.read.read.median.max(f64::MIN_POSITIVE)
}

/// Where a point lies, its label, and what is said when it is pointed at.
type Place = (f64, f64, String, String);

/// The points of each name together.
pub(super) fn by_name(points: impl Iterator<Item = (String, Place)>) -> Vec<Points> {
    grouped(points).into_iter().map(|(name, points)| Points { name, points }).collect()
}

/// Leaves each engine its fastest cache for each file.
fn fastest_of_each(group: &mut Vec<&Measured>) {
    let all = group.clone();
    group.retain(|one| {
        let same = |other: &&&Measured| {
            other.row.stored_as == one.row.stored_as && other.row.engine == one.row.engine
        };
        all.iter().filter(same).all(|other| other.row.seconds() >= one.row.seconds())
    });
}

fn picture(group: &[&Measured]) -> Scatter {
    let point = |measured: &&Measured| {
        let row = &measured.row;
        let filters = row.storage.as_ref().map(|storage| pipeline_text(&storage.filters)).unwrap_or_default();
        let tip =
            format!("{}\nratio {:.2}, {}", detail(row), ratio(row).unwrap_or_default(), rate(speed(row)));
        (finding::engine(row), (ratio(row).unwrap_or_default(), speed(row), filters, tip))
    };
    let mut groups = by_name(group.iter().map(point));
    // One engine's names are enough: those of the others lie at the same ratios.
    groups.iter_mut().skip(1).flat_map(|points| &mut points.points).for_each(|point| point.2.clear());
    let ratios = group.iter().filter_map(|measured| ratio(&measured.row));
    let speeds = group.iter().map(|measured| speed(&measured.row));
    Scatter {
        title: format!("Reading {}", group[0].row.read_as),
        x: Axis::over("bytes of values to a byte of the file", Scale::Linear, ratios, |ratio| {
            format!("{ratio}")
        }),
        y: Axis::over("values a second", Scale::Log2, speeds, rate),
        groups,
        diagonal: None,
    }
}

fn rate(bytes: f64) -> String {
    format!("{}/s", bytes_label(bytes))
}
