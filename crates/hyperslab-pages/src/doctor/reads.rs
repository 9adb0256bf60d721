//! What each read costs in each library: a matrix for each dataset that was examined read by read.

use hyperslab_apps::error::one_line;
use hyperslab_doctor::predict::seconds_text;
use hyperslab_doctor::{DatasetReport, ProfileReport, ReadReport, Report, ratio_text};
use hyperslab_report::{HeatCell, HeatMap, HeatRow, Section};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::shape_beside;
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;

pub(super) fn section(report: &Report) -> Section {
    let examined = report.datasets.iter().filter(|dataset| !dataset.reads.is_empty());
    examined.map(matrix).fold(Section::new("What each read costs"), Section::figure)
}

fn matrix(report: &DatasetReport) -> HeatMap {
    let profiles = report.reads.first().map(|read| read.profiles.as_slice()).unwrap_or_default();
    let mut columns: Vec<(String, String)> =
        profiles.iter().map(|profile| heading(&profile.name, profile.cache)).collect();
    columns.push((String::new(), "hyperslab".to_owned()));
    HeatMap {
        title: format!("{}: predicted time of all reads of a kind", one_line(&report.path)),
        corner: "read".to_owned(),
        columns,
        rows: report.reads.iter().map(|read| row(report, read)).collect(),
        compares: "times the best of its row:".to_owned(),
    }
}

/// The library, and its release with its cache.
pub(super) fn heading(profile: &str, cache: CacheSettings) -> (String, String) {
    let cache = bytes_text(cache.nbytes);
    match profile.split_once(' ') {
        Some((library @ ("libhdf5" | "netCDF-C"), release)) => {
            (library.to_owned(), format!("{release}, {cache}"))
        }
        _ => (String::new(), format!("{profile}, {cache}")),
    }
}

fn row(report: &DatasetReport, read: &ReadReport) -> HeatRow {
    let seconds = || read.profiles.iter().map(|profile| profile.predicted_seconds);
    let best = seconds().chain([read.hyperslab.predicted_seconds]).fold(f64::INFINITY, f64::min);
    let times = |seconds: f64| Some(seconds / best.max(f64::MIN_POSITIVE));
    let mut cells: Vec<Option<HeatCell>> = read
        .profiles
        .iter()
        .map(|profile| {
            Some(HeatCell {
                times: times(profile.predicted_seconds),
                text: seconds_text(profile.predicted_seconds),
                detail: detail(report, profile),
            })
        })
        .collect();
    let engine = &read.hyperslab;
    cells.push(Some(HeatCell {
        times: times(engine.predicted_seconds),
        text: seconds_text(engine.predicted_seconds),
        detail: counts(engine.decodes, engine.amplification, engine.driver_reads, engine.driver_bytes),
    }));
    let reads = counted_text(read.reads, "read");
    let note = match shape_beside(&read.name, &read.shape) {
        Some(shape) => format!("{shape}, {reads}"),
        None => reads,
    };
    HeatRow { name: read.name.clone(), note, cells, ..HeatRow::default() }
}

fn detail(report: &DatasetReport, profile: &ProfileReport) -> String {
    let decodes = if report.filters.is_empty() { None } else { profile.amplification };
    let counts = counts(profile.decodes, decodes, profile.driver_reads, profile.driver_bytes);
    let about = if profile.exact { "" } else { "\nextrapolated from a part of the reads" };
    format!("{}, libhdf5 {}\n{counts}{about}", profile.name, profile.version)
}

/// `16,200 decodes, 1080x each chunk; 16,200 requests, 46.7 GiB fetched`
fn counts(decodes: u64, amplification: Option<f64>, requests: u64, bytes: u64) -> String {
    let fetched = format!("{}, {} fetched", counted_text(requests, "request"), bytes_text(bytes));
    match amplification {
        Some(ratio) => {
            format!("{}, {} each chunk\n{fetched}", counted_text(decodes, "decode"), ratio_text(ratio))
        }
        None => fetched,
    }
}
