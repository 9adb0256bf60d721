//! # compression-2015
//!
//! *Improving I/O Performance When Working with HDF5 Compressed Datasets*, The HDF Group, 2015, Tables 1 to 8.
//!
//! A granule of the Cross-track Infrared Sounder holds `ES_ImaginaryLW`: big-endian 32-bit floats, 60x30x9x717, in chunks
//! of 4x30x9x717 that are 2.95 MiB each. Its rows of 717 values, 16,200 of them, were read in 0.1 s from the file as it
//! came and in 345 s from a copy compressed by gzip level 6: a chunk did not fit the chunk cache of 1 MiB, so that it was
//! read and decompressed for each of its 1,080 rows. A cache of 3 MiB, reads of whole chunks, or chunks of 1x30x9x717
//! each made an end of it.
//!
//! ## What is run
//!
//! Values are made up so that gzip level 6 makes the dataset 1.076 times smaller, as published. Both files are written in
//! both chunk shapes, then read by rows under caches of 1 MiB, 3 MiB and the library's default, and by whole chunks under
//! 1 MiB. Every decode is counted inside the library, and compared with the simulated cache.
//!
//! ## With `--scale`
//!
//! Rows become shorter, and chunks and caches smaller with them: reads, chunks and decodes stay as many as published.

use super::plan::{Cell, Content, Effect, Metric, Part, Plan};
use crate::data::Synthetic;
use crate::study::{Access, FilterSpec, Storage};

/// EngineKind published what, and where.
pub(super) const PUBLICATION: &str =
    "Improving I/O Performance When Working with HDF5 Compressed Datasets (The HDF Group, 2015)";

const RAW: &str = "File.h5";
const GZIP: &str = "File_with_compression.h5";
const RAW_SMALL: &str = "File-small-chunk.h5";
const GZIP_SMALL: &str = "File_with_compression-small-chunk.h5";

/// Elements of a row.
const ROW: u64 = 717;
const MIB: u64 = 1 << 20;
/// Bytes of the compressed dataset, as `h5dump` printed them.
const COMPRESSED_BYTES: f64 = 43_162_046.0;

/// The study with rows as much shorter.
pub(super) fn plan(scale: f64) -> Plan {
    let row = ((ROW as f64 * scale).round() as u64).max(1);
    let shrink = row as f64 / ROW as f64;
    let shape = [60, 30, 9, row];
    let element = ">f4".parse().expect("an element type");
    let values = Content::Synthetic(Synthetic::with_ratio(&shape, element, 1.0765, 1));
    let stored = |chunk: u64, filters: &[FilterSpec]| Storage {
        unlimited: true,
        chunks: Some(vec![chunk, 30, 9, row]),
        filters: filters.to_vec(),
        fill_value: Some(-999.3),
        ..Storage::plain(shape.to_vec(), element)
    };
    let gzip = [FilterSpec::Gzip(6)];
    let file = |name: &str, storage| Cell::file(name, storage, values.clone());
    let published_bytes = COMPRESSED_BYTES * shrink;
    let compressed = file(GZIP, stored(4, &gzip)).published(Metric::FileBytes, published_bytes);
    let files = Part {
        title: "The files".to_owned(),
        cells: vec![
            file(RAW, stored(4, &[])),
            compressed,
            file(RAW_SMALL, stored(1, &[])),
            file(GZIP_SMALL, stored(1, &gzip)),
        ],
        effects: Vec::new(),
        notes: vec![
            "The figure published for File_with_compression.h5 is that of its dataset alone.".to_owned(),
            "Values are made up to be 1.076 times smaller by gzip level 6, as published: that they are is no result."
                .to_owned(),
        ],
    };

    let rows = |of: &str, cache: &str| {
        Cell::read(&format!("{of}, rows, {cache}"), of, Access::sweep(vec![1, 1, 1, row]))
    };
    let chunks = |of: &str| {
        let access = Access::sweep(vec![4, 30, 9, row]);
        Cell::read(&format!("{of}, whole chunks, 1 MiB"), of, access).cache(MIB)
    };
    let raw_1 = rows(RAW, "1 MiB").cache(MIB).published(Metric::Seconds, 0.1);
    let gzip_1 = rows(GZIP, "1 MiB").cache(MIB).published(Metric::Seconds, 345.0);
    let raw_3 = rows(RAW, "3 MiB").cache(3 * MIB).published(Metric::Seconds, 0.1);
    let gzip_3 = rows(GZIP, "3 MiB").cache(3 * MIB).published(Metric::Seconds, 0.37);
    let raw_default = rows(RAW, "default cache");
    let gzip_default = rows(GZIP, "default cache");
    let raw_chunks = chunks(RAW).published(Metric::Seconds, 0.04);
    let gzip_chunks = chunks(GZIP).published(Metric::Seconds, 0.36);
    let raw_small = rows(RAW_SMALL, "1 MiB").cache(MIB).published(Metric::Seconds, 0.08);
    let gzip_small = rows(GZIP_SMALL, "1 MiB").cache(MIB).published(Metric::Seconds, 0.36);

    let by_rows = vec![
        Effect::ratio(
            "Under the default cache, rows of the compressed dataset take thousands of times as long as those of the uncompressed one.",
            Metric::Seconds,
            &gzip_1,
            &raw_1,
        )
        .today(&gzip_default, &raw_default),
        Effect::times(
            "The disk is touched 16,200 times under a cache of 1 MB, 15 times under one of 3 MB.",
            gzip_1.figure(Metric::Decodes),
            gzip_3.figure(Metric::Decodes),
            16_200.0 / 15.0,
        ),
        Effect::ratio(
            "A cache of 3 MB instead of 1 MB makes rows of the compressed dataset a thousand times faster.",
            Metric::Seconds,
            &gzip_1,
            &gzip_3,
        ),
        Effect::same(
            "Under a cache of 3 MB, rows of the compressed dataset take only about four times as long as those of the uncompressed one.",
            Metric::Seconds,
            &[&gzip_3, &raw_3],
        ),
        Effect::same(
            "The size of the cache does not matter to the uncompressed dataset.",
            Metric::Seconds,
            &[&raw_1, &raw_3],
        ),
    ];
    let by_chunks = vec![
        Effect::ratio(
            "Read by whole chunks under the cache of 1 MB, the compressed dataset is about a thousand times faster than by rows.",
            Metric::Seconds,
            &gzip_1,
            &gzip_chunks,
        ),
        Effect::ratio(
            "Read by whole chunks, the compressed dataset takes ten times as long as the uncompressed one.",
            Metric::Seconds,
            &gzip_chunks,
            &raw_chunks,
        ),
    ];
    let in_small_chunks = vec![
        Effect::ratio(
            "In chunks of 1x30x9x717, which fit the cache of 1 MB, rows of the compressed dataset are about a thousand times faster.",
            Metric::Seconds,
            &gzip_1,
            &gzip_small,
        ),
        Effect::same(
            "All three ways out (a larger cache, whole chunks, smaller chunks) come to the same.",
            Metric::Seconds,
            &[&gzip_3, &gzip_chunks, &gzip_small],
        ),
    ];
    Plan {
        shrink,
        parts: vec![
            files,
            Part {
                title: format!("Tables 1, 2, 5 and 6: by rows of 1x1x1x{row}"),
                cells: vec![raw_1, gzip_1, raw_3, gzip_3, raw_default, gzip_default],
                effects: by_rows,
                notes: Vec::new(),
            },
            Part {
                title: format!("Tables 3 and 7: by whole chunks of 4x30x9x{row}"),
                cells: vec![raw_chunks, gzip_chunks],
                effects: by_chunks,
                notes: Vec::new(),
            },
            Part {
                title: format!("Tables 4 and 8: by rows, in chunks of 1x30x9x{row}"),
                cells: vec![raw_small, gzip_small],
                effects: in_small_chunks,
                notes: Vec::new(),
            },
        ],
    }
}
