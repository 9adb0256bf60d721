//! What is encoded is decoded to the same bytes: every filter that is written, many sizes, many kinds of data.

use hyperslab_filters::{Encoded, FilterSpec, Pipeline, Scratch, table};
use hyperslab_testkit::scale;
use proptest::prelude::*;

/// A filter with parameters as a file has them.
#[derive(Debug, Clone)]
struct Case {
    id: u16,
    parameters: Vec<u32>,
    /// Chunks are whole elements of this size.
    element: usize,
}

impl Case {
    /// Parameters that contain the number of elements get that of the chunk.
    fn sized(mut self, elements: usize) -> Self {
        if matches!(self.id, 5 | 6) {
            self.parameters[2] = elements as u32;
        }
        if self.id == 32013 {
            // A header of zfp: one dimension, reversible.
            let kind = self.parameters[0];
            let shape = u64::from(kind) | (elements.max(1) as u64 - 1) << 4;
            let (low, high) = (shape as u32, (shape >> 32) as u32 | 2176 << 20);
            self.parameters = vec![0, u32::from_le_bytes(*b"zfp\x05"), low, high];
        }
        if self.id == 32026 && self.parameters.len() > 7 {
            let rows = (1..40).rev().find(|rows| elements.is_multiple_of(*rows)).unwrap_or(1);
            let columns = elements / rows;
            let inner = (1..9).rev().find(|inner| columns.is_multiple_of(*inner)).unwrap_or(1);
            let shape = [3, rows, columns / inner, inner].map(|number| number as u32);
            self.parameters.splice(7.., shape);
        }
        self
    }
}

fn case() -> impl Strategy<Value = Case> {
    let made = |id, parameters: Vec<u32>, element| Case { id, parameters, element };
    let element = prop_oneof![Just(1u32), Just(2), Just(3), Just(4), Just(8), Just(12), Just(16)];
    prop_oneof![
        (0u32..=9).prop_map(move |level| made(1, vec![level], 1)),
        element.clone().prop_map(move |size| made(2, vec![size], 1)),
        Just(made(3, vec![], 1)),
        (any::<bool>(), 1u32..=16, prop_oneof![1u32..=32, Just(64)], 1u32..=700).prop_map(
            move |(nn, pairs, bits, line)| {
                let size = match bits {
                    ..=8 => 1,
                    9..=16 => 2,
                    64 => 8,
                    _ => 4,
                };
                made(4, vec![if nn { 32 } else { 4 }, 2 * pairs, bits, line], size)
            }
        ),
        // Compounds of texts have all bits, as they are needed here.
        (1u32..5, 1u32..5).prop_map(move |(first, second)| {
            let size = first + second;
            made(5, vec![12, 0, 0, 3, size, 2, 0, 4, first, first, 4, second][..].into(), size as usize)
        }),
        (prop_oneof![Just(1u32), Just(2), Just(4), Just(8)], 0u32..2, 0u32..2, 0u32..2, any::<(u32, u32)>())
            .prop_map(move |(size, signed, order, filled, fill)| {
                let mut parameters = vec![2, 0, 0, 0, size, signed, order, filled, fill.0, fill.1];
                parameters.resize(20, 0);
                made(6, parameters, size as usize)
            }),
        (1u32..=9).prop_map(move |level| made(307, vec![level], 1)),
        Just(made(32000, vec![4, 261, 0], 1)),
        prop_oneof![Just(10u32), Just(20)].prop_map(move |version| made(305, vec![1, version, 0], 1)),
        (0u32..4).prop_map(move |kind| made(32013, vec![kind], [4, 8, 4, 8][kind as usize])),
        (element.clone(), 0u32..=9, 0u32..3, 0u32..6).prop_map(move |(size, level, shuffle, codec)| {
            made(32001, vec![2, 2, size, 0, level, shuffle, codec], 1)
        }),
        (element.clone(), 0u32..=9, 0u32..4, prop_oneof![0u32..3, 4u32..6], any::<bool>(), 0u32..9).prop_map(
            move |(size, level, shuffle, codec, is_array, block)| {
                let mut parameters = vec![1, 1000 * block, size, 0, level, shuffle, codec];
                // The shape follows from the size of the chunk.
                parameters.extend(is_array.then_some(0));
                made(32026, parameters, size as usize)
            }
        ),
        (0u32..3000).prop_map(move |block| made(32004, vec![block], 1)),
        (element, 0u32..40, prop_oneof![Just(0u32), Just(2), Just(3)]).prop_map(
            move |(size, groups, codec)| {
                made(32008, vec![0, 4, size, 8 * groups, codec, 3], size as usize)
            }
        ),
        (0u32..8).prop_map(move |level| made(32015, vec![level], 1)),
        (0u32..2, prop_oneof![Just(0u32), Just(1), Just(2), Just(4)], 0u32..2, 0u32..3).prop_map(
            move |(version, width, differences, level)| {
                made(32020, vec![version, width, differences, level], width.max(1) as usize)
            }
        ),
    ]
}

/// Bytes like those of files: equal, small, smooth, any.
fn chunk() -> impl Strategy<Value = Vec<u8>> {
    let count = prop_oneof![Just(0usize), Just(1), 2usize..40, 40usize..9000];
    (count, 0u8..5, any::<u64>()).prop_map(|(count, kind, seed)| {
        let noise = |i: usize| ((i as u64 + 1).wrapping_mul(seed | 1) >> 29) as u8;
        let byte = |i: usize| match kind {
            0 => seed as u8,
            1 => noise(i) & 3,
            2 => (i / 97) as u8,
            3 => [(i / 12) as u8, 7, 0, noise(i) & 1][i % 4],
            _ => noise(i),
        };
        (0..count).map(byte).collect()
    })
}

/// A pixel of szip has no bits above its precision.
fn without_padding(case: &Case, raw: &mut [u8]) {
    if let Case { id: 4, parameters, element } = case
        && !matches!(parameters[2], 32 | 64)
    {
        let mask = u32::MAX >> (32 - parameters[2]);
        raw.chunks_exact_mut(*element).for_each(|bytes| {
            bytes.iter_mut().zip(mask.to_le_bytes()).for_each(|(byte, mask)| *byte &= mask);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(scale().of(4000) as u32))]

    #[test]
    fn one_filter(case in case(), mut raw in chunk()) {
        raw.truncate(raw.len() / case.element * case.element);
        without_padding(&case, &mut raw);
        let case = case.clone().sized(raw.len() / case.element);
        let mut scratch = Scratch::new();
        let optional = FilterSpec { id: case.id, optional: true, parameters: &case.parameters };
        let pipeline = Pipeline::new(&[optional], case.element, raw.len()).unwrap();
        let Encoded { bytes, mask } = pipeline.encode(&raw, &mut scratch).unwrap();
        let stored = bytes.to_vec();
        // What does not become smaller is stored as it is, by the filters that may do so.
        prop_assert!(mask == 0 || matches!(case.id, 4 | 32000 | 32001 | 32013) && stored == raw);
        prop_assert!(mask == 0 || case.id != 32013 || raw.is_empty());
        let mut out = vec![0x55; raw.len()];
        pipeline.decode_into(&stored, mask, &mut scratch, &mut out).unwrap();
        prop_assert!(out == raw, "{:?}", case);
        prop_assert!(pipeline.max_decoded_len(&stored, mask).unwrap() >= raw.len());
        // A scratch that has been used gives the same bytes.
        let again = pipeline.encode(&raw, &mut scratch).unwrap();
        prop_assert!(again.bytes == stored && again.mask == mask);
    }

    #[test]
    fn filters_on_top_of_each_other(cases in prop::collection::vec(case(), 1..4), raw in chunk()) {
        // Filters that depend on the number of elements are skipped where another one came before.
        let cases: Vec<Case> = cases.into_iter().map(|case| case.sized(raw.len())).collect();
        let specs: Vec<_> = cases
            .iter()
            .filter(|case| case.id != 4 || matches!(case.parameters[2], 8 | 16 | 32 | 64))
            .map(|case| FilterSpec { id: case.id, optional: true, parameters: &case.parameters })
            .collect();
        let pipeline = Pipeline::new(&specs, 1, raw.len()).unwrap();
        let mut scratch = Scratch::new();
        let Encoded { bytes, mask } = pipeline.encode(&raw, &mut scratch).unwrap();
        let stored = bytes.to_vec();
        let mut out = vec![0x55; raw.len()];
        pipeline.decode_into(&stored, mask, &mut scratch, &mut out).unwrap();
        prop_assert!(out == raw);
    }
}

#[test]
fn every_filter_that_is_written_has_cases() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut found: Vec<u16> = (0..500).map(|_| case().new_tree(&mut runner).unwrap().current().id).collect();
    found.sort_unstable();
    found.dedup();
    // BitGroom and Granular BitRound do nothing but round.
    let keeps = |id: &u16| !matches!(id, 32022 | 32023);
    let written = table().iter().filter(|entry| entry.write).map(|entry| entry.id).filter(keeps);
    assert!(written.eq(found));
}

#[test]
fn values_that_would_be_lost_are_refused() {
    let refused = |parameters: [u32; 10], raw: &[u8]| {
        let parameters: Vec<u32> = parameters.into_iter().chain([0; 10]).collect();
        let filter = FilterSpec { id: 6, optional: false, parameters: &parameters };
        let pipeline = Pipeline::new(&[filter], 1, raw.len()).unwrap();
        pipeline
            .encode(raw, &mut Scratch::new())
            .map(|encoded| encoded.bytes.to_vec())
            .map_err(|e| e.to_string())
    };
    // Three bits for integers that differ by 7, and by 8.
    assert!(refused([2, 3, 2, 0, 1, 0, 0, 0, 0, 0], &[10, 17]).is_ok());
    let error = refused([2, 3, 2, 0, 1, 0, 0, 0, 0, 0], &[10, 18]).unwrap_err();
    assert!(error.contains("differ by 8 do not fit in 3 bits"), "{error}");
    // With a fill value, the number of ones stands for it.
    assert!(refused([2, 3, 2, 0, 1, 0, 0, 1, 99, 0], &[10, 17]).is_err());
    assert!(refused([2, 3, 2, 0, 1, 0, 0, 1, 99, 0], &[10, 16]).is_ok());
    // Another number of elements than the parameters say.
    assert!(refused([2, 3, 5, 0, 1, 0, 0, 0, 0, 0], &[10, 17]).is_err());
}

#[test]
fn floats_without_a_number_are_stored_with_all_bits() {
    for (size, raw) in [
        (4, [1.5f32, f32::NAN, -2.25, f32::NEG_INFINITY].map(f32::to_le_bytes).concat()),
        (8, [1.5f64, f64::NAN, -2.25, f64::INFINITY].map(f64::to_le_bytes).concat()),
    ] {
        let mut parameters = vec![0, 1, 4, 1, size, 0, 0, 1];
        parameters.resize(20, 0);
        let filter = FilterSpec { id: 6, optional: false, parameters: &parameters };
        let pipeline = Pipeline::new(&[filter], 1, raw.len()).unwrap();
        let mut scratch = Scratch::new();
        let stored = pipeline.encode(&raw, &mut scratch).unwrap().bytes.to_vec();
        assert_eq!(stored[0], 8 * size as u8);
        assert_eq!(pipeline.decode(&stored, 0, &mut scratch, 100).unwrap(), raw);
    }
}
