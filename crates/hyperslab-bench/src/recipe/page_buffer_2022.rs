//! # page-buffer-2022
//!
//! *Creating Cloud-Optimized HDF5 Files*, Aleksandar Jelenak, ESIP Summer Meeting 2022: the table of the local file system.
//!
//! An ICESat-2 ATL03 product (2.29 GiB, 171 groups, 1,001 datasets, 7.7 MB of metadata) was repacked with file-space pages of
//! 4 and 8 MiB, which made it 0.18 % and 0.35 % larger. Its contents and the places of all chunks were listed with page
//! buffers of 4, 8 and 16 MiB. A buffer that holds all metadata read one or two pages and took 32 to 36 s instead of 44 s; a
//! buffer of one page of 4 MiB read 943 pages, evicted 942, and took 45 s.
//!
//! ## What is run
//!
//! Files with as many groups, datasets and about as much metadata are made, their datasets laid out before any has values:
//! headers and chunk indexes lie apart. Raw data is less, for none is read. Every group, dataset, attribute and place of a
//! chunk is asked for, by libhdf5 with its page buffer and its own statistics, and by hyperslab, which has no page buffer:
//! its requests stand beside. The listing from cloud storage is not run here.
//!
//! ## With `--scale`
//!
//! Datasets and groups become fewer, pages and buffers smaller with them.

use super::plan::{Cell, Effect, Metric, Part, Plan, EngineKind};
use crate::study::{Storage, Tree, Wanted};

pub(super) const PUBLICATION: &str =
    "Creating Cloud-Optimized HDF5 Files (Aleksandar Jelenak, ESIP Summer Meeting, 2022)";

const GROUPS: u64 = 171;
const DATASETS: u64 = 1_001;
/// Chunks of a dataset: an index of three nodes.
const CHUNKS: u64 = 100;
const CHUNK: u64 = 256;
/// Attributes of each object, so that metadata comes to the published 7.7 MB.
const ATTRIBUTES: u64 = 6;
const MIB: u64 = 1 << 20;
/// Bytes of the product as it came, and by how many more pages of 4 and 8 MiB made it larger.
const ORIGINAL: f64 = 2_458_294_886.0;
const BY_FOUR: f64 = 4_345_472.0;
const BY_EIGHT: f64 = 8_539_776.0;

/// What was published of a buffer: seconds, accesses, hits, misses, evictions.
type Listed = [f64; 5];

/// The study with as many datasets fewer.
pub(super) fn plan(scale: f64) -> Plan {
    let datasets = ((DATASETS as f64 * scale).round() as u64).max(2);
    let shrink = datasets as f64 / DATASETS as f64;
    // Whole pages of the least size that there is.
    let page = |mebibytes: u64| {
        const SMALLEST: f64 = 512.0;
        ((mebibytes * MIB) as f64 * shrink / SMALLEST).round().max(1.0) as u64 * SMALLEST as u64
    };
    let (four, eight, sixteen) = (page(4), 2 * page(4), 4 * page(4));
    let tree = |page_bytes: Option<u64>| {
        let element = "<f4".parse().expect("an element type");
        let plain = Storage::plain(vec![CHUNKS * CHUNK], element);
        Tree {
            // The root is one of those that are published.
            groups: ((GROUPS as f64 * shrink).round() as u64).saturating_sub(1),
            datasets,
            attributes: ATTRIBUTES,
            storage: Storage { chunks: Some(vec![CHUNK]), page_bytes, ..plain },
            seed: 1,
            is_laid_out_first: true,
        }
    };
    let original = Cell::make("original", tree(None)).published(Metric::FileBytes, ORIGINAL * shrink);
    let of_four = Cell::make("4 MiB pages", tree(Some(four)))
        .published(Metric::FileBytes, (ORIGINAL + BY_FOUR) * shrink);
    let of_eight = Cell::make("8 MiB pages", tree(Some(eight)))
        .published(Metric::FileBytes, (ORIGINAL + BY_EIGHT) * shrink);
    let bytes = |cell: &Cell| cell.figure(Metric::FileBytes);
    // The last page of metadata and that of raw data are full or nearly empty, as it comes: half a page either way.
    let larger = |says, of: &Cell, by| Effect::beyond(says, bytes(of), bytes(&original), by * shrink, 0.5);
    let of_sizes = vec![
        larger("Pages of 4 MiB make the file larger by about one of them.", &of_four, BY_FOUR),
        larger("Pages of 8 MiB make the file larger by about one of them.", &of_eight, BY_EIGHT),
    ];

    let unpaged = Cell::visit("original, no page buffer", "original", Wanted::Places);
    let unpaged = unpaged.published(Metric::Total, 43.945);
    let listed = |of: &str, buffer: u64, published: Listed| {
        let name = format!("{of}, buffer of {buffer} MiB");
        let bytes = match buffer {
            4 => four,
            8 => eight,
            _ => sixteen,
        };
        let [seconds, accesses, hits, misses, evictions] = published;
        Cell::visit(&name, of, Wanted::Places)
            .by(&[EngineKind::Libhdf5])
            .page_buffer(bytes)
            .published(Metric::Total, seconds)
            .published(Metric::PageAccesses, accesses)
            .published(Metric::PageHits, hits)
            .published(Metric::PageMisses, misses)
            .published(Metric::PageEvictions, evictions)
    };
    let four_in_four = listed("4 MiB pages", 4, [44.934, 6_634.0, 5_691.0, 943.0, 942.0]);
    let eight_in_eight = listed("8 MiB pages", 8, [34.885, 6_636.0, 6_635.0, 1.0, 0.0]);
    let four_in_eight = listed("4 MiB pages", 8, [33.523, 6_634.0, 6_632.0, 2.0, 0.0]);
    let eight_in_sixteen = listed("8 MiB pages", 16, [36.089, 6_636.0, 6_635.0, 1.0, 0.0]);
    let four_in_sixteen = listed("4 MiB pages", 16, [32.423, 6_634.0, 6_632.0, 2.0, 0.0]);
    let unbuffered = |of: &str| Cell::visit(&format!("{of}, no page buffer"), of, Wanted::Places);
    let of_reads = vec![
        Effect::ratio(
            "A buffer of one page of 4 MiB reads hundreds of times as many pages as one that holds all metadata.",
            Metric::PageMisses,
            &four_in_four,
            &four_in_eight,
        ),
        Effect::equal(
            "Pages of 8 MiB in a buffer of 8 MiB: one page is read.",
            eight_in_eight.figure(Metric::PageMisses),
            1.0,
            0.0,
        ),
        Effect::same(
            "A buffer larger than all metadata brings nothing more.",
            Metric::PageMisses,
            &[&four_in_eight, &four_in_sixteen],
        )
        .within(1.0),
        Effect::ratio(
            "With a buffer that holds all metadata, listing the local file is 1.3 times faster than from the original.",
            Metric::Total,
            &unpaged,
            &four_in_eight,
        ),
        Effect::ratio(
            "With a buffer of one page of 4 MiB, listing takes 1.3 times as long as with one that holds all metadata.",
            Metric::Total,
            &four_in_four,
            &four_in_eight,
        ),
        Effect::same(
            "With a buffer of one page of 4 MiB, listing takes as long as from the original.",
            Metric::Total,
            &[&four_in_four, &unpaged],
        ),
        Effect::found(
            "Pages alone do nothing: without a page buffer as many requests are made as to the original, or more.",
            unbuffered("8 MiB pages").figure(Metric::ReadCalls),
            unpaged.figure(Metric::ReadCalls),
            0.8,
        ),
    ];
    Plan {
        shrink,
        parts: vec![
            Part {
                title: "The files".to_owned(),
                cells: vec![original, of_four, of_eight],
                effects: of_sizes,
                notes: vec![
                    "The published file has 2.2 GiB more raw data, which a listing does not read.".to_owned(),
                ],
            },
            Part {
                title: "Listing all objects and the places of all chunks, local file system".to_owned(),
                cells: vec![
                    unpaged,
                    unbuffered("4 MiB pages"),
                    unbuffered("8 MiB pages"),
                    four_in_four,
                    eight_in_eight,
                    four_in_eight,
                    eight_in_sixteen,
                    four_in_sixteen,
                ],
                effects: of_reads,
                notes: vec!["The published listing ran in Python (h5py 3.7, HDF5 1.13.1).".to_owned()],
            },
        ],
    }
}
