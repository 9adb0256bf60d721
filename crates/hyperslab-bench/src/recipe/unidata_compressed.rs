//! # unidata-compressed
//!
//! *Large-Enough Cache Very Important When Reading Compressed NetCDF-4/HDF5 Data*, Unidata Developer's Blog.
//!
//! Monthly precipitation of a climate model, 1560x128x256 floats, was read month by month from a netCDF-4 file in chunks
//! of 64x128x256 (8 MiB), deflated at level 1. Under a chunk cache of 1 MiB a read took 211 ms on average, under one of
//! 16 MB 4.6 ms: each chunk was decompressed once, not once for every month. An uncompressed netCDF-4 file and the classic
//! file took 1.5 ms. Compression saved a tenth of the classic file's size; without it, netCDF-4 took 2.5 % more.
//!
//! ## What is run
//!
//! Values are made up so that deflate saves as much as published. The four files are read month by month, each after it was
//! taken out of the system's page cache, as there. The classic file needs netCDF-C; the others are written and read by
//! libhdf5 and by netCDF-C, each its own.
//!
//! ## With `--scale`
//!
//! Longitudes become fewer, chunks and caches smaller with them: months, chunks and decodes stay as many as published.

use super::plan::{Cell, Effect, Metric, Part, Plan};
use super::unidata::{BLOG, MIB, Precipitation, READERS, WRITERS};
use crate::study::FilterSpec;

pub(super) const PUBLICATION: &str = BLOG;

const CHUNK: [u64; 3] = [64, 128, 256];
/// Ratio that gzip level 6 reaches where deflate level 1 makes 185,543,248 bytes of 204,472,320.
const RATIO: f64 = 1.115;

/// The study with rows as much shorter.
pub(super) fn plan(scale: f64) -> Plan {
    let data = Precipitation::scaled(scale);
    let shrink = data.shrink();
    let values = data.values(RATIO);
    let size = |bytes: f64| bytes * shrink;
    let deflated = Cell::file("deflated", data.chunked(CHUNK, &[FilterSpec::Gzip(1)]), values.clone());
    let deflated = deflated.by(&WRITERS).published(Metric::FileBytes, size(185_543_248.0));
    let plain = Cell::file("uncompressed", data.chunked(CHUNK, &[]), values.clone());
    let plain = plain.by(&WRITERS).published(Metric::FileBytes, size(209_926_962.0));
    let classic = data.classic(values).published(Metric::FileBytes, size(204_523_236.0));

    let read = |name: &str, of: &str, first: f64, average: f64| {
        let cell = Cell::read(&format!("{of}, {name}"), of, data.time_steps()).cold();
        cell.published(Metric::First, first * 1e-6).published(Metric::Average, average * 1e-6)
    };
    let small = read("1 MiB", "deflated", 387_147.0, 211_280.0).by(&READERS).cache(MIB);
    let large = read("16 MB", "deflated", 320_176.0, 4_558.0).by(&READERS).cache(16_000_000);
    let raw = read("1 MiB", "uncompressed", 459.0, 1_466.0).by(&READERS).cache(MIB);
    let old = read("month by month", "classic", 2_172.0, 1_538.0).by(&[super::EngineKind::Netcdf]);
    let bytes = |cell: &Cell| cell.figure(Metric::FileBytes);

    let of_reads = vec![
        Effect::ratio(
            "A chunk cache of 16 MB instead of 1 MB makes reads of compressed data 46 times faster on average.",
            Metric::Average,
            &small,
            &large,
        ),
        Effect::same(
            "The first read takes about as long under either cache.",
            Metric::First,
            &[&small, &large],
        ),
        Effect::ratio(
            "The first month of the compressed file takes two orders of magnitude longer than that of the classic file.",
            Metric::First,
            &large,
            &old,
        ),
        Effect::ratio(
            "With a cache that is large enough, compressed data takes three times as long as the classic file on average.",
            Metric::Average,
            &large,
            &old,
        ),
        Effect::same(
            "Uncompressed, netCDF-4 is as fast as the classic file on average.",
            Metric::Average,
            &[&raw, &old],
        ),
        Effect::ratio(
            "Uncompressed, netCDF-4 has the first month sooner than the classic file.",
            Metric::First,
            &old,
            &raw,
        ),
    ];
    let of_sizes = vec![
        Effect::equal(
            "Without compression, netCDF-4 takes 2.5 % more than the classic file.",
            bytes(&plain),
            size(209_926_962.0),
            0.005,
        )
        .remark("25 chunks of 64 months are stored for 1,560 months: 40 months of padding are 2.6 %"),
    ];
    Plan {
        shrink,
        parts: vec![
            Part {
                title: "Sizes of the files".to_owned(),
                cells: vec![classic, deflated, plain],
                effects: of_sizes,
                notes: vec![
                    "Values are made up so that deflate saves a tenth, as published: that it does is no result.".to_owned(),
                ],
            },
            Part {
                title: "Month by month, the file not in the page cache".to_owned(),
                cells: vec![small, large, raw, old],
                effects: of_reads,
                notes: vec!["The figures published are netCDF-C's.".to_owned()],
            },
        ],
    }
}
