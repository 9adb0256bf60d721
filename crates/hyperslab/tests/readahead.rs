//! Walks that take whole chunks one by one decode each of them once: whether the reader, or a thread that works ahead
//! of it, comes first is a matter of luck, that only one of them decodes is not.

use hyperslab::io::Memory;
use hyperslab::{Dataset, File, Selection};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require};
use std::sync::Arc;

/// 128 x 128 numbers from 0 up, in chunks of 32 x 32.
const SIDE: u64 = 128;
const CHUNK: u64 = 32;
const CHUNKS: u64 = 16;
const REPETITIONS: usize = 200;

fn read(dataset: &Dataset, first: [u64; 2], count: [u64; 2]) {
    let values: Vec<i32> = dataset.read(&Selection::block(&first, &count)).unwrap();
    let rows = first[0]..first[0] + count[0];
    let expected =
        rows.flat_map(|row| (first[1]..first[1] + count[1]).map(move |column| row * SIDE + column));
    assert!(values.into_iter().map(|value| value as u64).eq(expected));
}

fn read_chunk(dataset: &Dataset, number: u64) {
    let across = SIDE / CHUNK;
    read(dataset, [number / across * CHUNK, number % across * CHUNK], [CHUNK, CHUNK]);
}

/// Does the walk again and again, each time in a newly opened file, and says how often chunks were decoded each time.
/// Looks only when all are done: what was begun ahead may end late.
fn decodes(walk: impl Fn(&Dataset, usize)) -> Result<Vec<u64>, Missing> {
    let bytes = std::fs::read(fixture("many_small_parts/parts.h5")?).expect("a fixture");
    let bytes = bytes::Bytes::from(bytes);
    let walked = |repetition| {
        let file = File::from_source(Arc::new(Memory::new("parts", bytes.clone()))).unwrap();
        walk(&file.dataset("/field").unwrap(), repetition);
        file
    };
    let files: Vec<File> = (0..REPETITIONS).map(walked).collect();
    Ok(files.iter().map(File::decodes).collect())
}

/// All chunks in an order that looks like none, another one for each seed.
fn shuffled(seed: usize) -> Vec<u64> {
    let mut order: Vec<u64> = (0..CHUNKS).collect();
    let mut state = seed as u64 * 2 + 1;
    for i in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

#[test]
fn walks_over_whole_chunks_decode_each_once() {
    let by_columns = (0..CHUNKS).map(|i| i % 4 * 4 + i / 4).collect();
    let from_both_ends = (0..CHUNKS).map(|i| if i % 2 == 0 { i / 2 } else { CHUNKS - 1 - i / 2 }).collect();
    let there_and_back = (0..CHUNKS).map(|i| if i < 8 { 2 * i } else { 2 * (CHUNKS - i) - 1 }).collect();
    let orders: [(&str, Vec<u64>); 5] = [
        ("forwards", (0..CHUNKS).collect()),
        ("backwards", (0..CHUNKS).rev().collect()),
        ("by columns", by_columns),
        ("from both ends", from_both_ends),
        ("there and back", there_and_back),
    ];
    for (name, order) in orders {
        let walk = |dataset: &Dataset, _| order.iter().for_each(|&number| read_chunk(dataset, number));
        let decodes = require!(decodes(walk));
        assert_eq!(decodes, [CHUNKS; REPETITIONS], "{name}");
    }
    let walk =
        |dataset: &Dataset, seed| shuffled(seed).iter().for_each(|&number| read_chunk(dataset, number));
    assert_eq!(decodes(walk).unwrap(), [CHUNKS; REPETITIONS]);
}

#[test]
fn a_read_of_several_chunks_amid_a_walk_decodes_none_again() {
    let walk = |dataset: &Dataset, _| {
        (0..8).for_each(|number| read_chunk(dataset, number));
        // Two rows of chunks, of which the first were announced.
        read(dataset, [2 * CHUNK, 0], [2 * CHUNK, SIDE]);
    };
    let decodes = require!(decodes(walk));
    assert_eq!(decodes, [CHUNKS; REPETITIONS]);
}

#[test]
fn a_second_walk_over_what_is_kept_decodes_nothing() {
    let walk = |dataset: &Dataset, _| {
        for part in 0..2 {
            for number in 0..CHUNKS {
                let [row, column] = [number / 4 * CHUNK + part, number % 4 * CHUNK];
                read(dataset, [row, column], [1, CHUNK]);
            }
        }
    };
    let decodes = require!(decodes(walk));
    assert_eq!(decodes, [CHUNKS; REPETITIONS]);
}
