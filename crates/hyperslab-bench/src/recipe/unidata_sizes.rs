//! # unidata-sizes
//!
//! *File Size and Chunking in NetCDF-4 on AR-4 Data File*, Unidata Developer's Blog.
//!
//! Monthly precipitation of a climate model, 1560x128x256 floats, uncompressed, was written as netCDF-4 in 45 chunk shapes.
//! Chunks of 1x16x32 cost 5.75 MB beyond the classic file, for the index of 99,840 chunks; chunks of 1024 months cost 64 MB,
//! whatever their other dimensions: 2,048 months are stored for 1,560. Most others cost less than 1 MB.
//!
//! ## What is run
//!
//! All 45 files are written by libhdf5 and by netCDF-C, and the classic one by netCDF-C. Shown are bytes beyond those of the
//! values; the classic file has next to none.
//!
//! ## With `--scale`
//!
//! Longitudes become fewer, and chunks narrower: padding shrinks with them, the index of chunks does not.

use super::plan::{Cell, Content, Effect, Metric, Part, Plan};
use super::unidata::{BLOG, Precipitation, WRITERS};

pub(super) const PUBLICATION: &str = BLOG;

/// Latitudes and longitudes of a chunk, in the order of the columns below.
const PLACES: [[u64; 2]; 9] =
    [[128, 128], [128, 256], [128, 32], [16, 128], [16, 256], [16, 32], [64, 128], [64, 256], [64, 32]];
/// Months of a chunk, and megabytes beyond the classic file.
const PUBLISHED: [(u64, [f64; 9]); 5] = [
    (1, [0.33, 0.25, 0.86, 1.56, 0.86, 5.75, 0.51, 0.33, 1.56]),
    (10, [0.18, 0.17, 0.23, 0.3, 0.23, 0.72, 0.2, 0.18, 0.3]),
    (256, [30.57, 30.57, 30.57, 30.58, 30.57, 30.59, 30.57, 30.57, 30.58]),
    (1024, [64.12, 64.12, 64.12, 64.12, 64.12, 64.13, 64.12, 64.12, 64.12]),
    (1560, [0.16; 9]),
];
const MEGABYTE: f64 = 1e6;
/// Bytes that every published file had beyond this study's: other variables and attributes.
const OTHER_CONTENT: f64 = 0.15 * MEGABYTE;

/// The study with rows as much shorter.
pub(super) fn plan(scale: f64) -> Plan {
    let data = Precipitation::scaled(scale);
    let shrink = data.shrink();
    let classic = data.classic(data.values(1.115));
    let first = "chunks of 1x128x256";
    let mut cells = vec![Cell::file(first, data.chunked([1, 128, 256], &[]), data.values(1.115))];
    for (months, published) in PUBLISHED {
        for ([rows, columns], megabytes) in PLACES.into_iter().zip(published) {
            let name = format!("chunks of {months}x{rows}x{columns}");
            let bytes = megabytes * MEGABYTE;
            if name == first {
                let cell = cells.remove(0).by(&WRITERS).published(Metric::Overhead, bytes);
                cells.insert(0, cell);
                continue;
            }
            let storage = data.chunked([months, rows, columns], &[]);
            let cell = Cell::file(&name, storage, Content::Of(first.to_owned())).by(&WRITERS);
            cells.push(cell.published(Metric::Overhead, bytes));
        }
    }
    let of = |shape: &str| {
        let cell = cells.iter().find(|cell| cell.name == format!("chunks of {shape}"));
        cell.expect("a chunk shape of the study")
    };
    // Of every shape with so many months.
    let all = |months: u64, metric| {
        let names = PLACES.map(|[rows, columns]| format!("{months}x{rows}x{columns}"));
        names.map(|name| of(&name).figure(metric)).to_vec()
    };
    // Padding is exact; what is not padding is an index of some bytes a chunk, which shrinks with no data, and other
    // content.
    let hundredth = 1.0 + 0.01 / shrink;
    let padded = |months: u64, remark| {
        let shape = format!("{months}x128x256");
        let bytes = of(&shape).published_value(Metric::Overhead);
        let within = 0.01 + OTHER_CONTENT / bytes;
        let says = format!("Chunks of {shape} cost {:.0} MB.", bytes / MEGABYTE);
        let cost = of(&shape).figure(Metric::Overhead);
        let cost = Effect::equal(&says, cost, bytes * shrink, within).remark(remark);
        let says = format!("Chunks of {months} months cost as much, whatever their other dimensions.");
        [cost, Effect::alike(&says, all(months, Metric::Overhead), 1.0).within(hundredth)]
    };
    let of_padding = [
        padded(1024, "2 chunks of 1024 months are stored for 1,560 months: 488 months of padding"),
        padded(256, "7 chunks of 256 months are stored for 1,560 months: 232 months of padding"),
    ];
    let of_index = [
        Effect::ratio(
            "The smallest chunks, 1x16x32, cost 17 times as much as 1x128x128.",
            Metric::Overhead,
            of("1x16x32"),
            of("1x128x128"),
        )
        .remark("99,840 chunks have an entry each in the index, against 3,120"),
        Effect::alike(
            "Where nothing is padded, the shape of chunks of 10 months or more matters little: all files are within a hundredth of one size.",
            [all(10, Metric::FileBytes), all(1560, Metric::FileBytes)].concat(),
            1.0,
        )
        .within(hundredth),
    ];
    let effects = of_padding.into_iter().flatten().chain(of_index).collect();
    cells.insert(0, classic);
    let notes = vec![
        "Published are megabytes beyond the classic file, of a file that has other content of about 0.15 MB, too.".to_owned(),
    ];
    let title = "Bytes beyond those of the values".to_owned();
    Plan { shrink, parts: vec![Part { title, cells, effects, notes }] }
}
