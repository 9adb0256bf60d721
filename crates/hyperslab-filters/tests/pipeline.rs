//! Pipelines as a whole: order, masks, lengths, and what a caller may rely on.

use hyperslab_filters::{
    Encoded, Filter, FilterError, FilterSpec, Pipeline, Scratch, Staged, unshuffle_elements,
};
use proptest::prelude::*;
use std::sync::Arc;

const SHUFFLE: FilterSpec<'_> = FilterSpec { id: 2, optional: true, parameters: &[4] };
const DEFLATE: FilterSpec<'_> = FilterSpec { id: 1, optional: true, parameters: &[4] };
const FLETCHER: FilterSpec<'_> = FilterSpec { id: 3, optional: false, parameters: &[] };

fn ramp(bytes: usize) -> Vec<u8> {
    (0..bytes / 4).flat_map(|i| (1000.0 + (i as f32).sin()).to_le_bytes()).chain(vec![7; bytes % 4]).collect()
}

fn orders() -> Vec<Vec<FilterSpec<'static>>> {
    vec![
        vec![],
        vec![SHUFFLE],
        vec![DEFLATE],
        vec![FLETCHER],
        vec![SHUFFLE, DEFLATE],
        vec![DEFLATE, SHUFFLE],
        vec![SHUFFLE, DEFLATE, FLETCHER],
        vec![FLETCHER, SHUFFLE, DEFLATE],
        vec![DEFLATE, DEFLATE],
        vec![FLETCHER, FLETCHER],
        vec![DEFLATE, FLETCHER, SHUFFLE, DEFLATE],
        vec![SHUFFLE, SHUFFLE, SHUFFLE],
    ]
}

/// A chunk to which all filters are applied.
fn encoded(pipeline: &Pipeline, chunk: &[u8]) -> Vec<u8> {
    let mut scratch = Scratch::new();
    let Encoded { bytes, mask } = pipeline.encode(chunk, &mut scratch).unwrap();
    assert_eq!(mask, 0, "{pipeline:?}");
    bytes.to_vec()
}

/// Chunks of nothing but zeros are the shortest that there are.
#[test]
fn no_chunk_decodes_to_more_than_was_said() {
    let raw = vec![0; 1 << 20];
    for filters in [vec![DEFLATE], vec![SHUFFLE, DEFLATE], vec![SHUFFLE, DEFLATE, FLETCHER], vec![FLETCHER]] {
        let pipeline = Pipeline::new(&filters, 4, raw.len()).unwrap();
        let stored = encoded(&pipeline, &raw);
        let most = pipeline.max_decoded_len(&stored, 0).unwrap();
        assert!(most >= raw.len(), "{filters:?}: {} stored, {most} at most", stored.len());
        assert!(most < raw.len() * 2, "{filters:?}: {} stored, {most} at most", stored.len());
    }
    let missing = FilterSpec { id: 32021, optional: true, parameters: &[] };
    let pipeline = Pipeline::lenient(&[missing], 4, raw.len()).unwrap();
    assert!(pipeline.max_decoded_len(&[0; 10], 0).is_err());
    assert_eq!(pipeline.max_decoded_len(&[0; 10], 1), Ok(10));
}

#[test]
fn every_order_comes_back() {
    let mut scratch = Scratch::new();
    for bytes in [1, 4, 1023, 4096, 100_001] {
        let chunk = ramp(bytes);
        for filters in orders() {
            let pipeline = Pipeline::new(&filters, 4, bytes).unwrap();
            let stored = encoded(&pipeline, &chunk);
            let mut out = vec![0xAA; bytes];
            pipeline.decode_into(&stored, 0, &mut scratch, &mut out).unwrap();
            assert!(out == chunk, "{pipeline:?} {bytes}");
            assert_eq!(
                pipeline.decode(&stored, 0, &mut scratch, bytes).unwrap(),
                chunk,
                "{pipeline:?} {bytes}"
            );
            assert_eq!(pipeline.decode(&stored, 0, &mut scratch, bytes * 3).unwrap(), chunk);
            if bytes > 1 {
                assert!(
                    pipeline.decode(&stored, 0, &mut scratch, bytes - 1).is_err(),
                    "{pipeline:?} {bytes}"
                );
            }
            match pipeline.decode_staged(&stored, 0, &mut scratch).unwrap() {
                Staged::Plain(plain) => assert_eq!(plain, chunk),
                Staged::Shuffled { bytes: shuffled, element_bytes } => {
                    assert_eq!((filters[0].id, element_bytes), (2, 4));
                    let mut out = vec![0; bytes];
                    unshuffle_elements(shuffled, element_bytes, 0, &mut out);
                    assert_eq!(out, chunk);
                }
            }
        }
    }
}

#[test]
fn the_shuffle_is_left_to_the_caller_where_it_was_applied_first() {
    let chunk = ramp(4000);
    for (filters, mask, shuffled) in [
        (vec![SHUFFLE, DEFLATE], 0, true),
        (vec![SHUFFLE, DEFLATE], 0b10, true),
        (vec![SHUFFLE, DEFLATE], 0b01, false),
        (vec![FLETCHER, SHUFFLE, DEFLATE], 0, false),
        (vec![FLETCHER, SHUFFLE, DEFLATE], 0b001, true),
        (vec![DEFLATE, SHUFFLE], 0, false),
    ] {
        let pipeline = Pipeline::new(&filters, 4, chunk.len()).unwrap();
        let kept: Vec<_> =
            filters.iter().enumerate().filter(|(i, _)| mask & 1 << i == 0).map(|(_, f)| *f).collect();
        let stored = encoded(&Pipeline::new(&kept, 4, chunk.len()).unwrap(), &chunk);
        let mut scratch = Scratch::new();
        let staged = pipeline.decode_staged(&stored, mask, &mut scratch).unwrap();
        assert_eq!(matches!(staged, Staged::Shuffled { .. }), shuffled, "{pipeline:?} {mask:b}");
    }
}

#[test]
fn a_chunk_of_another_length_is_refused_as_by_libhdf5() {
    let mut scratch = Scratch::new();
    for filters in orders() {
        let pipeline = Pipeline::new(&filters, 4, 400).unwrap();
        for bytes in [396, 399, 401, 404, 4000] {
            let stored = encoded(&pipeline, &ramp(bytes));
            assert!(
                pipeline.decode_into(&stored, 0, &mut scratch, &mut [0; 400]).is_err(),
                "{pipeline:?} {bytes}"
            );
            assert!(pipeline.decode_staged(&stored, 0, &mut scratch).is_err(), "{pipeline:?} {bytes}");
        }
    }
}

#[test]
fn a_fully_masked_chunk_is_a_copy() {
    let pipeline = Pipeline::new(&[SHUFFLE, DEFLATE], 4, 8).unwrap();
    let mut out = [0; 8];
    pipeline.decode_into(b"unstored", 0b11, &mut Scratch::new(), &mut out).unwrap();
    assert_eq!(&out, b"unstored");
    assert!(pipeline.decode_into(b"short", 0b11, &mut Scratch::new(), &mut out).is_err());
}

#[test]
fn an_unknown_filter_matters_only_to_chunks_stored_through_it() {
    let filters = [DEFLATE, FilterSpec { id: 32021, optional: true, parameters: &[1, 2] }];
    let error = Pipeline::new(&filters, 4, 8).unwrap_err();
    assert!(matches!(error, FilterError::Unknown { id: 32021, name: "FAPEC", .. }), "{error}");
    let pipeline = Pipeline::lenient(&filters, 4, 8).unwrap();
    assert_eq!(pipeline.problem(), Some(&error));
    let stored = encoded(&Pipeline::new(&[DEFLATE], 4, 8).unwrap(), b"8 bytes.");
    let mut out = [0; 8];
    pipeline.decode_into(&stored, 0b10, &mut Scratch::new(), &mut out).unwrap();
    assert_eq!(&out, b"8 bytes.");
    assert_eq!(pipeline.decode_into(&stored, 0, &mut Scratch::new(), &mut out).unwrap_err(), error);
}

#[test]
fn too_many_filters() {
    assert!(matches!(Pipeline::new(&[FLETCHER; 33], 4, 8), Err(FilterError::TooMany { found: 33, max: 32 })));
    let many = Pipeline::new(&[FLETCHER; 32], 4, 8).unwrap();
    let stored = encoded(&many, b"8 bytes.");
    assert_eq!(many.decode(&stored, 0, &mut Scratch::new(), 8).unwrap(), b"8 bytes.");
}

#[test]
fn a_small_chunk_that_claims_gigabytes_is_refused_before_anything_is_allocated() {
    let pipeline = Pipeline::new(&[SHUFFLE, DEFLATE], 4, 1 << 40).unwrap();
    let mut scratch = Scratch::new();
    assert!(pipeline.decode_staged(&[0x78, 0x9c, 3, 0, 0, 0, 0, 1], 0, &mut scratch).is_err());
    assert_eq!(scratch.held_bytes(), 0);
}

#[test]
fn filters_are_described_as_a_person_would() {
    let unknown = FilterSpec { id: 32030, optional: true, parameters: &[9] };
    let pipeline = Pipeline::lenient(&[SHUFFLE, DEFLATE, FLETCHER, unknown], 4, 8).unwrap();
    let said: Vec<_> = pipeline.describe().map(|(said, parameters)| (said, parameters.to_vec())).collect();
    let expected = [("shuffle", vec![4]), ("gzip 4", vec![4]), ("fletcher32", vec![]), ("FFMPEG", vec![9])];
    assert_eq!(said, expected.map(|(said, parameters)| (said.to_string(), parameters)));
}

struct Failing;

impl Filter for Failing {
    fn name(&self) -> &str {
        "failing"
    }

    fn decode(&self, _: &[u32], _: &[u8], _: usize) -> Result<Vec<u8>, hyperslab_filters::Failure> {
        panic!("chunks are stored without it")
    }
}

#[test]
fn optional_filters_that_fail_are_skipped_and_marked() {
    hyperslab_filters::register(51_968, Arc::new(Failing));
    let failing = FilterSpec { id: 51_968, optional: true, parameters: &[] };
    let missing = FilterSpec { id: 32021, optional: true, parameters: &[] };
    let chunk = ramp(4000);
    let mut scratch = Scratch::new();
    let filters = [SHUFFLE, failing, DEFLATE, missing, FLETCHER];
    let pipeline = Pipeline::lenient(&filters, 4, chunk.len()).unwrap();
    let Encoded { bytes, mask } = pipeline.encode(&chunk, &mut scratch).unwrap();
    assert_eq!(mask, 0b01010);
    let stored = bytes.to_vec();
    assert_eq!(stored, encoded(&Pipeline::new(&[SHUFFLE, DEFLATE, FLETCHER], 4, 4000).unwrap(), &chunk));
    let mut out = vec![0; chunk.len()];
    pipeline.decode_into(&stored, mask, &mut scratch, &mut out).unwrap();
    assert!(out == chunk);

    let only = Pipeline::lenient(&[failing, missing], 4, chunk.len()).unwrap();
    let unfiltered = only.encode(&chunk, &mut scratch).unwrap();
    assert_eq!((unfiltered.bytes.as_ptr(), unfiltered.mask), (chunk.as_ptr(), 0b11));

    for required in [failing, missing] {
        let filters = [SHUFFLE, FilterSpec { optional: false, ..required }];
        let pipeline = Pipeline::lenient(&filters, 4, chunk.len()).unwrap();
        let error = pipeline.encode(&chunk, &mut scratch).unwrap_err().to_string();
        assert!(error.contains("failing") || error.contains("FAPEC"), "{error}");
    }
}

#[test]
fn encoding_reuses_its_buffers() {
    let pipeline = Pipeline::new(&[SHUFFLE, DEFLATE, FLETCHER], 4, 4000).unwrap();
    let mut scratch = Scratch::new();
    pipeline.encode(&ramp(4000), &mut scratch).unwrap();
    let held = scratch.held_bytes();
    for bytes in [4000, 40, 0, 3999] {
        pipeline.encode(&ramp(bytes), &mut scratch).unwrap();
    }
    assert_eq!(scratch.held_bytes(), held);
}

struct Invert;

impl Filter for Invert {
    fn name(&self) -> &str {
        "invert"
    }

    fn decode(
        &self,
        parameters: &[u32],
        stored: &[u8],
        max_bytes: usize,
    ) -> Result<Vec<u8>, hyperslab_filters::Failure> {
        assert!(stored.len() <= max_bytes, "room for the chunk");
        Ok(stored.iter().map(|byte| byte ^ parameters[0] as u8).collect())
    }
}

#[test]
fn a_filter_of_the_program_takes_part() {
    hyperslab_filters::register(51_966, Arc::new(Invert));
    let custom = FilterSpec { id: 51_966, optional: false, parameters: &[0xff] };
    for filters in [[custom, DEFLATE], [DEFLATE, custom]] {
        let plain: Vec<u8> = if filters[0].id == 1 { b"abcd".to_vec() } else { b"abcd".map(|b| !b).to_vec() };
        let mut stored = encoded(&Pipeline::new(&[DEFLATE], 1, 4).unwrap(), &plain);
        if filters[0].id == 1 {
            stored.iter_mut().for_each(|byte| *byte = !*byte);
        }
        let mut out = [0; 4];
        let pipeline = Pipeline::new(&filters, 1, 4).unwrap();
        pipeline.decode_into(&stored, 0, &mut Scratch::new(), &mut out).unwrap();
        assert_eq!(&out, b"abcd");
    }
}

#[test]
fn pipelines_are_shared() {
    fn shared<T: Send + Sync + Clone>() {}
    fn sent<T: Send>() {}
    shared::<Pipeline>();
    sent::<Scratch>();
}

proptest! {
    #[test]
    fn damaged_chunks_never_panic(
        order in 0usize..12, bytes in 1usize..3000, damage in proptest::collection::vec(any::<(u16, u8)>(), 0..4),
        cut in 0usize..50, mask in 0u32..16,
    ) {
        let filters = &orders()[order];
        let pipeline = Pipeline::new(filters, 4, bytes).unwrap();
        let mut stored = encoded(&pipeline, &ramp(bytes));
        stored.truncate(stored.len().saturating_sub(cut));
        for (at, value) in damage {
            let len = stored.len();
            if len > 0 { stored[at as usize % len] ^= value; }
        }
        let mut scratch = Scratch::new();
        let _ = pipeline.decode_into(&stored, mask, &mut scratch, &mut vec![0; bytes]);
        let _ = pipeline.decode(&stored, mask, &mut scratch, bytes);
        let _ = pipeline.decode_staged(&stored, mask, &mut scratch);
    }
}
