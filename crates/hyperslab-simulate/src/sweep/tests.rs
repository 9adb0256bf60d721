//! Counts of whole patterns.

use super::*;
use crate::ChunkedStorage;
use crate::facts::{ChunkMap, StoredChunk};
use hyperslab_storage::pattern::RandomPlaces;
use proptest::prelude::*;
use std::sync::Arc;

/// The same counts, obtained by simulating every read.
fn one_by_one(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
) -> ReadCounts {
    let mut sim = ChunkCacheSim::new(geometry, settings, version);
    let mut total = ReadCounts::default();
    for (start, count) in sweep.blocks() {
        total.add(sim.read(&start, &count));
    }
    total
}

/// The loads of each chunk, obtained in the same way.
fn loads_one_by_one(
    geometry: &Geometry,
    settings: CacheSettings,
    version: LibVersion,
    sweep: &Sweep,
) -> Vec<(u64, u64)> {
    let mut sim = ChunkCacheSim::new(geometry, settings, version);
    sim.record_loads();
    for (start, count) in sweep.blocks() {
        sim.read(&start, &count);
    }
    let mut chunks: Vec<u64> = sim.loads().iter().map(|load| load.chunk).collect();
    chunks.sort_unstable();
    chunks.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}

fn case_study(chunk: &[u64]) -> Geometry {
    let storage = ChunkedStorage {
        chunk_dims: chunk.to_vec(),
        is_filtered: true,
        edge_chunks_unfiltered: false,
        skips_missing_chunks: false,
        chunks: None,
    };
    Geometry::chunked(&[60, 30, 9, 717], 4, storage).unwrap()
}

#[test]
fn the_case_study_counts() {
    let geometry = case_study(&[4, 30, 9, 717]);
    let rows = Sweep::row_major(geometry.shape(), &[1, 1, 1, 717]);
    let decodes = |nbytes, nslots, version| {
        let counts =
            simulate_sweep(&geometry, CacheSettings { nbytes, nslots, w0: 0.75 }, version, &rows, 1_000_000);
        assert!(counts.is_exact);
        assert_eq!((counts.reads, counts.chunks_touched), (16_200, 15));
        counts.decodes
    };
    assert_eq!(decodes(1 << 20, 521, LibVersion::V1_8), 16_200);
    assert_eq!(decodes(1 << 20, 521, LibVersion::V1_14), 16_200);
    assert_eq!(decodes(3_097_439, 521, LibVersion::V1_14), 16_200);
    assert_eq!(decodes(3_097_440, 521, LibVersion::V1_14), 15);
    assert_eq!(decodes(3 << 20, 521, LibVersion::V1_14), 15);
    assert_eq!(decodes(8 << 20, 8191, LibVersion::V2_2), 15);
}

#[test]
fn a_billion_reads_are_counted_exactly_by_their_period() {
    let storage = ChunkedStorage {
        chunk_dims: vec![100, 1000, 1000],
        is_filtered: true,
        edge_chunks_unfiltered: false,
        skips_missing_chunks: false,
        chunks: None,
    };
    let geometry = Geometry::chunked(&[1000, 40_000, 25_000], 4, storage).unwrap();
    let series = Sweep::row_major(geometry.shape(), &[1000, 1, 1]);
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let counts = simulate_sweep(&geometry, settings, LibVersion::V1_14, &series, 1_000_000);
    assert!(counts.is_exact);
    assert_eq!(counts.reads, 1_000_000_000);
    assert_eq!(counts.decodes, 10_000_000_000);
}

#[test]
fn beyond_the_limit_the_rest_is_extrapolated_and_said_to_be() {
    let geometry = Geometry::contiguous(&[100_000, 50, 50_000], 4, true).unwrap();
    let columns = Sweep::row_major(geometry.shape(), &[100_000, 50, 1]);
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let counts = simulate_sweep(&geometry, settings, LibVersion::V2_2, &columns, 100_000);
    assert!(!counts.is_exact);
    assert!(counts.reads_simulated < 50_000);
    let exact = 100_000u64 * 50 * 50_000;
    assert!(counts.driver_reads.abs_diff(exact) <= exact / 100, "{}", counts.driver_reads);
}

#[test]
fn monstrous_reads_are_estimated_at_once() {
    let storage = ChunkedStorage {
        chunk_dims: vec![1, 1],
        is_filtered: true,
        edge_chunks_unfiltered: false,
        skips_missing_chunks: false,
        chunks: Some(Arc::new(ChunkMap::from_chunks(1 << 60, []))),
    };
    let sparse = Geometry::chunked(&[1 << 30, 1 << 30], 8, storage).unwrap();
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let all = Sweep::row_major(sparse.shape(), sparse.shape());
    let counts = simulate_sweep(&sparse, settings, LibVersion::V2_2, &all, 1_000);
    assert_eq!((counts.is_exact, counts.decodes, counts.chunk_visits), (false, 0, 1 << 60));
    let flat = Geometry::contiguous(&[1 << 30, 2, 2], 8, true).unwrap();
    let column = Sweep::row_major(flat.shape(), &[1 << 30, 1, 1]);
    let counts = simulate_sweep(&flat, settings, LibVersion::V2_2, &column, 1_000);
    assert!(!counts.is_exact && counts.driver_reads == 4 << 30);
    // A column of any length is one row of windows, and exact.
    let long = Geometry::contiguous(&[1 << 40, 2], 8, true).unwrap();
    let column = Sweep::row_major(long.shape(), &[1 << 40, 1]);
    let counts = simulate_sweep(&long, settings, LibVersion::V2_2, &column, 1_000);
    assert!(counts.is_exact && counts.driver_reads == 2 << 28);
}

#[test]
fn nothing_to_read_costs_nothing() {
    let geometry = case_study(&[4, 30, 9, 717]).rechunked(&[1, 1, 1, 1]).unwrap();
    let empty = Geometry::contiguous(&[0, 5], 4, true).unwrap();
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let sweep = Sweep::row_major(empty.shape(), &[1, 5]);
    assert_eq!(simulate_sweep(&empty, settings, LibVersion::V2_2, &sweep, 10).reads, 0);
    assert_eq!(geometry.chunks().unwrap().grid_chunks(), 60 * 30 * 9 * 717);
}

#[test]
fn a_sweep_that_returns_to_no_chunk_loads_each_stored_chunk_once() {
    let stored = (0..200_000u64).step_by(2).map(|i| (i, StoredChunk { bytes: 3, is_filtered: i % 4 == 0 }));
    let storage = ChunkedStorage {
        chunk_dims: vec![1, 10],
        is_filtered: true,
        edge_chunks_unfiltered: false,
        skips_missing_chunks: false,
        chunks: Some(Arc::new(ChunkMap::from_chunks(200_000, stored))),
    };
    let geometry = Geometry::chunked(&[2000, 1000], 1, storage).unwrap();
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    for block in [[2000, 1000], [1, 1000], [1, 10], [7, 40]] {
        let sweep = Sweep::row_major(geometry.shape(), &block);
        // Fewer visits than there are chunks: were it simulated, it would not be exact.
        let counts = simulate_sweep(&geometry, settings, LibVersion::V2_2, &sweep, 1_000);
        let slow = one_by_one(&geometry, settings, LibVersion::V2_2, &sweep);
        assert!(counts.is_exact && counts.reads_simulated == sweep.reads());
        assert_eq!((counts.chunks_touched, counts.chunk_visits), (100_000, slow.chunks_touched));
        assert_eq!(
            (counts.decodes, counts.driver_reads, counts.driver_bytes),
            (slow.decodes, slow.driver_reads, slow.driver_bytes)
        );
    }
}

#[test]
fn strided_blocks_and_random_places_count_what_their_reads_do() {
    let geometry = case_study(&[4, 10, 3, 100]);
    let shape = geometry.shape().to_vec();
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let random = RandomPlaces { count: 300, seed: 5 };
    let every = Sweep::row_major(&shape, &[5, 30, 9, 717]).every(&[2, 1, 3, 50]);
    for sweep in [every.clone(), Sweep::row_major(&shape, &[1, 9, 9, 9]).at_random(random)] {
        let counts = simulate_sweep(&geometry, settings, LibVersion::V1_14, &sweep, u64::MAX);
        let mut sim = ChunkCacheSim::new(&geometry, settings, LibVersion::V1_14);
        let mut slow = ReadCounts::default();
        for (start, covered) in sweep.blocks() {
            let count: Vec<u64> =
                covered.iter().zip(sweep.step()).map(|(len, step)| len.div_ceil(*step)).collect();
            slow.add(sim.read_strided(&start, &count, sweep.step()));
        }
        assert!(counts.is_exact && slow.decodes > 0, "{sweep}");
        assert_eq!((counts.decodes, counts.chunk_visits), (slow.decodes, slow.chunks_touched), "{sweep}");
        let loads = loads_by_chunk(&geometry, settings, LibVersion::V1_14, &sweep, u64::MAX).unwrap();
        assert_eq!(loads.iter().map(|(_, times)| times).sum::<u64>(), slow.decodes, "{sweep}");
        assert_eq!(loads.len() as u64, counts.chunks_touched, "{sweep}");
    }
    let plain = Touched::by_sweep(&geometry, &every);
    let counts = simulate_sweep(&geometry, settings, LibVersion::V1_14, &every, u64::MAX);
    assert_eq!(counts.touched, plain, "the blocks of a strided sweep are those of the whole one");
}

#[test]
fn what_is_extrapolated_of_random_places_is_so_in_every_count() {
    let geometry = case_study(&[4, 10, 3, 100]);
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let places = RandomPlaces { count: 4_000, seed: 9 };
    let sweep = Sweep::row_major(geometry.shape(), &[1, 9, 9, 9]).at_random(places);
    let count = |visits_max| simulate_sweep(&geometry, settings, LibVersion::V1_14, &sweep, visits_max);
    let (all, part) = (count(u64::MAX), count(10_000));
    assert!(all.is_exact && !part.is_exact && part.reads_simulated < 4_000);
    let close = |a: u64, b: u64| a.abs_diff(b) <= b / 20;
    for (of, part, all) in [
        ("decodes", part.decodes, all.decodes),
        ("evictions", part.work.evictions, all.work.evictions),
        ("visits", part.chunk_visits, all.chunk_visits),
        ("touched", part.touched.visits, all.touched.visits),
        ("elements", part.touched.elements, all.touched.elements),
        ("chunks", part.chunks_touched, all.chunks_touched),
    ] {
        assert!(all > 0 && close(part, all), "{of}: {part} for {all}");
    }
    assert_eq!(part.touched.reads, 4_000);
}

#[test]
fn a_read_at_random_places_that_is_too_large_is_estimated_at_once() {
    let storage = ChunkedStorage {
        chunk_dims: vec![1, 1],
        is_filtered: true,
        edge_chunks_unfiltered: false,
        skips_missing_chunks: false,
        chunks: None,
    };
    let fine = Geometry::chunked(&[1 << 14, 1 << 14], 8, storage).unwrap();
    let settings = CacheSettings { nbytes: 1 << 20, nslots: 521, w0: 0.75 };
    let places = RandomPlaces { count: 1_000_000, seed: 1 };
    let sweep = Sweep::row_major(fine.shape(), &[1 << 13, 1 << 13]).at_random(places);
    let counts = simulate_sweep(&fine, settings, LibVersion::V2_2, &sweep, 1_000);
    assert_eq!((counts.is_exact, counts.reads_simulated), (false, 0));
    assert_eq!((counts.decodes, counts.chunks_touched), (1_000_000 << 26, 1 << 28));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    /// Checks that counting by groups and periods does not change the counts.
    #[test]
    fn groups_and_periods_count_what_reading_one_by_one_does(
        dims in prop_oneof![
            prop::collection::vec((1u64..14, 1u64..7, 1u64..14), 1..4),
            // Many reads of few chunks: counters change for a long time before they end.
            prop::collection::vec((20u64..70, 10u64..40, 1u64..4), 1..3),
        ],
        nbytes in prop_oneof![0u64..400, 0u64..9000],
        nslots in 0u64..30,
        w0 in prop::sample::select(vec![0.0, 0.3, 0.75, 1.0]),
        version in prop::sample::select(vec![
            LibVersion::V1_8, LibVersion::V1_10_0, LibVersion::V1_14, LibVersion::V2_1, LibVersion::V2_2]),
        is_filtered: bool,
        edge_chunks_unfiltered: bool,
        missing in 0u64..40,
        order_seed: u64,
    ) {
        let shape: Vec<u64> = dims.iter().map(|d| d.0).collect();
        let chunk: Vec<u64> = dims.iter().map(|d| d.1).collect();
        let block: Vec<u64> = dims.iter().map(|d| d.2).collect();
        let grid: u64 = shape.iter().zip(&chunk).map(|(s, c)| s.div_ceil(*c)).product();
        let stored = (0..grid).filter(|i| (i * 7 + order_seed) % 40 >= missing)
            .map(|i| (i, StoredChunk { bytes: 1 + i, is_filtered: i % 5 != 0 }));
        let chunks = Some(Arc::new(ChunkMap::from_chunks(grid, stored)));
        let storage = ChunkedStorage {
            chunk_dims: chunk, is_filtered, edge_chunks_unfiltered, skips_missing_chunks: false, chunks };
        let geometry = Geometry::chunked(&shape, 2, storage).unwrap();
        let mut order: Vec<usize> = (0..shape.len()).collect();
        order.rotate_left((order_seed % shape.len() as u64) as usize);
        let sweep = Sweep::new(&shape, &block, &order);
        let settings = CacheSettings { nbytes, nslots, w0 };
        let slow = one_by_one(&geometry, settings, version, &sweep);
        let fast = simulate_sweep(&geometry, settings, version, &sweep, u64::MAX);
        prop_assert!(fast.is_exact);
        prop_assert_eq!(
            (fast.decodes, fast.driver_reads, fast.driver_bytes),
            (slow.decodes, slow.driver_reads, slow.driver_bytes)
        );
        // Chunk by chunk, too: a chunk that bypasses the cache is loaded once a read, in one request or several.
        let loads = loads_by_chunk(&geometry, settings, version, &sweep, u64::MAX).unwrap();
        prop_assert_eq!(&loads, &loads_one_by_one(&geometry, settings, version, &sweep));
        if is_filtered && !edge_chunks_unfiltered {
            prop_assert_eq!(loads.iter().map(|(_, times)| times).sum::<u64>(), slow.driver_reads);
        }
    }
}
