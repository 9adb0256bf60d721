//! # unidata-series
//!
//! *NetCDF-4 AR-4 Timeseries Reads and Cache Sizes* and *What Cache Size Should be Used to Read AR-4/AR-5 3D Data?*, Unidata
//! Developer's Blog.
//!
//! Monthly precipitation of a climate model, 1560x128x256 floats, uncompressed in chunks of 256x128x128, was read as time
//! series under chunk caches of 0.5 to 32 MiB. Up to 4 MiB a series took 2.7 ms on average; from 16 MiB on 35 ms, an order
//! of magnitude more. Months were slow under 16 MiB only, and fast again under 32 MiB: "No explanation why 16 MB works so
//! poorly."
//!
//! There is one. A chunk is 256x128x128x4 bytes, exactly 16 MiB. An uncompressed chunk that does not fit the cache is not
//! read whole: only what is selected is. Once one fits, whole chunks are read, and each evicts the one before: a month
//! touches 2 chunks, a series 7. Under 32 MiB two fit, so months are fast again; series need 112 MiB.
//!
//! ## What is run
//!
//! The same reads under the same caches, and under 128 MiB, where the 7 chunks of a series fit: the first 1,000 time series,
//! and 300 months. The bytes that are read from the file show the cause.
//!
//! ## With `--scale`
//!
//! Longitudes become fewer, chunks and caches smaller with them, so that as many chunks fit.

use super::plan::{Cell, Effect, Metric, Part, Plan};
use super::unidata::{BLOG, MIB, Precipitation, READERS, WRITERS};

pub(super) const PUBLICATION: &str = BLOG;

const CHUNK: [u64; 3] = [256, 128, 128];
const FILE: &str = "chunks of 256x128x128";
const SERIES: u64 = 1_000;
const MONTHS: u64 = 300;
/// Caches in halves of a MiB, with microseconds: first and average time series, first month.
const PUBLISHED: [(u64, [f64; 3]); 5] = [
    (1, [1_279_615.0, 2_589.0, 2_298.0]),
    (2, [1_279_613.0, 2_641.0, 2_292.0]),
    (8, [1_298_543.0, 2_789.0, 2_335.0]),
    (32, [1_470_297.0, 34_603.0, 11_572.0]),
    (64, [1_470_360.0, 34_541.0, 1_841.0]),
];
/// In which all chunks of a time series fit: 128 MiB.
const ENOUGH: u64 = 256;

/// The study with rows as much shorter.
pub(super) fn plan(scale: f64) -> Plan {
    let data = Precipitation::scaled(scale);
    let file = Cell::file(FILE, data.chunked(CHUNK, &[]), data.values(1.115)).by(&WRITERS);
    let cache_text = |halves: u64| match halves {
        1 => "0.5 MiB".to_owned(),
        halves => format!("{} MiB", halves / 2),
    };
    let read = |what: &str, halves: u64, access, most| {
        let name = format!("{what}, {}", cache_text(halves));
        Cell::read(&name, FILE, access).by(&READERS).cache(halves * MIB / 2).cold().reads(most)
    };
    let (mut series, mut months) = (Vec::new(), Vec::new());
    for (halves, [first, average, first_month]) in PUBLISHED {
        let cell = read("series", halves, data.time_series(), SERIES);
        series.push(cell.published(Metric::First, first * 1e-6).published(Metric::Average, average * 1e-6));
        let cell = read("months", halves, data.time_steps(), MONTHS);
        months.push(cell.published(Metric::First, first_month * 1e-6));
    }
    series.push(read("series", ENOUGH, data.time_series(), SERIES));
    months.push(read("months", ENOUGH, data.time_steps(), MONTHS));
    let of_default = |what: &str, access, most| {
        Cell::read(&format!("{what}, default cache"), FILE, access).by(&READERS).cold().reads(most)
    };
    series.push(of_default("series", data.time_series(), SERIES));
    months.push(of_default("months", data.time_steps(), MONTHS));

    let [_, one, four, sixteen, thirty_two, enough] = [0, 1, 2, 3, 4, 5];
    let of_series = vec![
        Effect::ratio(
            "A cache of 16 MiB instead of 4 MiB makes time series an order of magnitude slower on average.",
            Metric::Average,
            &series[sixteen],
            &series[four],
        ),
        Effect::same(
            "A cache of 32 MiB is as slow as one of 16 MiB.",
            Metric::Average,
            &[&series[thirty_two], &series[sixteen]],
        ),
        Effect::same(
            "Up to 4 MiB the size of the cache does not matter.",
            Metric::Average,
            &[&series[one], &series[four]],
        ),
        Effect::ratio(
            "The first time series takes a little longer under 16 MiB than under 4 MiB.",
            Metric::First,
            &series[sixteen],
            &series[four],
        ),
    ];
    let of_months = vec![
        Effect::ratio(
            "The first month takes about five times as long under a cache of 16 MiB as under 4 MiB.",
            Metric::First,
            &months[sixteen],
            &months[four],
        ),
        Effect::ratio(
            "Under 32 MiB the first month is fast again.",
            Metric::First,
            &months[sixteen],
            &months[thirty_two],
        ),
    ];
    let causes = vec![
        Effect::found(
            "Under 16 MiB months are slow on average, too, for exactly one chunk fits, and a month touches two.",
            months[sixteen].figure(Metric::Average),
            months[thirty_two].figure(Metric::Average),
            5.0,
        ),
        Effect::found(
            "With a cache for the 7 chunks that it touches, a time series is fast again.",
            series[sixteen].figure(Metric::Average),
            series[enough].figure(Metric::Average),
            5.0,
        ),
        Effect::found(
            "The cause is bytes: under 16 MiB, all chunks that a series touches are read for each series.",
            series[sixteen].figure(Metric::ReadBytes),
            series[four].figure(Metric::ReadBytes),
            5.0,
        ),
    ];
    let note = "The figures published are netCDF-C's.".to_owned();
    Plan {
        shrink: data.shrink(),
        parts: vec![
            Part { title: "The file".to_owned(), cells: vec![file], effects: Vec::new(), notes: Vec::new() },
            Part {
                title: format!("The first {SERIES} time series, the file not in the page cache"),
                cells: series,
                effects: of_series,
                notes: vec![note.clone(), "Published averages are of all 32,768 time series.".to_owned()],
            },
            Part {
                title: format!("{MONTHS} months, the file not in the page cache"),
                cells: months,
                effects: of_months,
                notes: vec![note],
            },
            Part { title: "The cause".to_owned(), cells: Vec::new(), effects: causes, notes: Vec::new() },
        ],
    }
}
