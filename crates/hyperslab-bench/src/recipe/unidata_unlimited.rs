//! # unidata-unlimited
//!
//! *Smaller Chunk Sizes For Unlimited Dimension*, Unidata Developer's Blog.
//!
//! Monthly precipitation of a climate model, 1560x128x256 floats, uncompressed, in chunks of 4, 8, 16, 32 and 64 months by
//! 64x128 places, was read month by month and as time series, under a chunk cache of 1 MiB. Few months to a chunk read
//! months as fast as the classic file; 64 months to a chunk read time series four times faster than it.
//!
//! ## What is run
//!
//! The six files are written by libhdf5 and netCDF-C (the classic one by netCDF-C alone), each read by whoever wrote it and
//! the HDF5 files by hyperslab: every month, and the first 1,000 of the 32,768 time series. Each file is taken out of the
//! system's page cache before.
//!
//! ## With `--scale`
//!
//! Longitudes become fewer, chunks and the cache smaller with them.

use super::plan::{Cell, Effect, Metric, Part, Plan, EngineKind};
use super::unidata::{BLOG, MIB, Precipitation, READERS, WRITERS};

pub(super) const PUBLICATION: &str = BLOG;

/// Of the time series, so many are read.
const SERIES: u64 = 1_000;
/// Months to a chunk, and microseconds: first and average read of months, first and average time series.
const PUBLISHED: [(u64, [f64; 4]); 5] = [
    (4, [7_021.0, 1_567.0, 2_434_194.0, 15_954.0]),
    (8, [14_084.0, 1_538.0, 2_317_802.0, 13_627.0]),
    (16, [82_906.0, 1_570.0, 1_531_121.0, 12_686.0]),
    (32, [145_295.0, 2_138.0, 1_299_189.0, 12_265.0]),
    (64, [21_960.0, 2_825.0, 863_365.0, 2_356.0]),
];
const CLASSIC: [f64; 4] = [2_155.0, 1_603.0, 2_399_157.0, 9_181.0];

/// The study with rows as much shorter.
pub(super) fn plan(scale: f64) -> Plan {
    let data = Precipitation::scaled(scale);
    let values = data.values(1.115);
    let mut files = vec![data.classic(values.clone())];
    let (mut months, mut series) = (Vec::new(), Vec::new());
    let with = |cell: Cell, first: f64, average: f64| {
        cell.published(Metric::First, first * 1e-6).published(Metric::Average, average * 1e-6)
    };
    for (length, [first, average, first_series, average_series]) in PUBLISHED {
        let name = format!("chunks of {length}x64x128");
        files.push(Cell::file(&name, data.chunked([length, 64, 128], &[]), values.clone()).by(&WRITERS));
        let read = |what: &str, access| {
            Cell::read(&format!("{name}, {what}"), &name, access).by(&READERS).cache(MIB).cold()
        };
        months.push(with(read("months", data.time_steps()), first, average));
        series.push(with(read("series", data.time_series()).reads(SERIES), first_series, average_series));
    }
    let classic = |what: &str, access| Cell::read(&format!("classic, {what}"), "classic", access).cold();
    let [first, average, first_series, average_series] = CLASSIC;
    let classic_months = with(classic("months", data.time_steps()).by(&[EngineKind::Netcdf]), first, average);
    let classic_series = classic("series", data.time_series()).by(&[EngineKind::Netcdf]).reads(SERIES);
    let classic_series = with(classic_series, first_series, average_series);

    let [four, eight, sixteen, thirty_two, sixty_four] = [0, 1, 2, 3, 4];
    let of_months = vec![
        Effect::same(
            "Chunks of 4, 8 or 16 months read months as fast as the classic file on average.",
            Metric::Average,
            &[&months[four], &months[eight], &months[sixteen], &classic_months],
        ),
        Effect::ratio(
            "Chunks of 64 months read months more slowly than chunks of 8, on average.",
            Metric::Average,
            &months[sixty_four],
            &months[eight],
        ),
        Effect::ratio(
            "The first month comes much later from chunks of 32 months than from chunks of 8.",
            Metric::First,
            &months[thirty_two],
            &months[eight],
        ),
        Effect::ratio(
            "Chunks of 64 months have the first month sooner than chunks of 32.",
            Metric::First,
            &months[thirty_two],
            &months[sixty_four],
        ),
    ];
    let of_series = vec![
        Effect::ratio(
            "Chunks of 64 months read time series about four times faster than the classic file, on average.",
            Metric::Average,
            &classic_series,
            &series[sixty_four],
        ),
        Effect::ratio(
            "Chunks of 4 months read time series more slowly than the classic file, on average.",
            Metric::Average,
            &series[four],
            &classic_series,
        ),
        Effect::ratio(
            "From 32 to 64 months to a chunk, time series become five times faster.",
            Metric::Average,
            &series[thirty_two],
            &series[sixty_four],
        ),
    ];
    months.push(classic_months);
    series.push(classic_series);
    let note = "The figures published are netCDF-C's.".to_owned();
    Plan {
        shrink: data.shrink(),
        parts: vec![
            Part { title: "The files".to_owned(), cells: files, effects: Vec::new(), notes: Vec::new() },
            Part {
                title: "Month by month, the file not in the page cache".to_owned(),
                cells: months,
                effects: of_months,
                notes: vec![note.clone()],
            },
            Part {
                title: format!("The first {SERIES} time series, the file not in the page cache"),
                cells: series,
                effects: of_series,
                notes: vec![note, "Published averages are of all 32,768 time series.".to_owned()],
            },
        ],
    }
}
