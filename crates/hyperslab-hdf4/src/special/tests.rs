//! Descriptions of special elements, whole and cut.

use super::*;
use crate::coder::Nbit;
use crate::{Coder, tag};

/// Bytes of numbers of the widths that their types say.
macro_rules! bytes {
    ($($number:expr),* $(,)?) => {{
        let mut bytes: Vec<u8> = Vec::new();
        $(bytes.extend($number.to_be_bytes());)*
        bytes
    }};
}

fn chunked(coder: &[u8]) -> Vec<u8> {
    let flags: u32 = if coder.is_empty() { 0 } else { 3 };
    let mut bytes = bytes![
        5u16,
        67i32,
        0u8,
        flags,
        24i32,
        4i32,
        2i32,
        tag::VDATA,
        7u16,
        1u16,
        0u16,
        2i32,
        0x100u32,
        6i32,
        2i32,
        0u32,
        4i32,
        2i32,
        2i32,
        0x8001u16
    ];
    bytes.extend(coder);
    bytes
}

#[test]
fn every_kind_is_parsed() {
    let linked = bytes![1u16, 5000i32, 4096i32, 16i32, 3u16];
    let expected = Linked { length: 5000, block_bytes: 4096, blocks_per_table: 16, table: 3 };
    assert_eq!(Special::parse(&linked, 0).unwrap(), Special::Linked(expected));

    let mut external = bytes![2u16, 40i32, 8i32, 5i32];
    external.extend(b"a.dat");
    let Special::External(external) = Special::parse(&external, 0).unwrap() else { panic!() };
    assert_eq!((external.length, external.offset, external.name.as_bytes()), (40, 8, &b"a.dat"[..]));

    let nbit = bytes![3u16, 0u16, 100i32, 9u16, 0u16, 2u16, 24u32, 1u16, 0u16, 11i32, 12i32];
    let Special::Compressed(compressed) = Special::parse(&nbit, 0).unwrap() else { panic!() };
    let coder = Nbit { number_type: 24, extends_sign: true, fills_with_ones: false, start_bit: 11, bits: 12 };
    assert_eq!(compressed, Compressed { length: 100, data: 9, coder: Coder::Nbit(coder) });

    let deflate = bytes![3u16, 8i32, 0u16, 4u16, 6u16];
    let Special::Chunked(found) = Special::parse(&chunked(&deflate), 0).unwrap() else { panic!() };
    assert_eq!(found.table, (tag::VDATA, 7));
    assert_eq!(found.dimensions[0], ChunkedDimension { length: 6, chunk: 2, is_unlimited: true });
    assert!(!found.dimensions[1].is_unlimited);
    assert_eq!((found.fill, found.coder), (vec![0x80, 1], Coder::Deflate { level: 6 }));
    let Special::Chunked(plain) = Special::parse(&chunked(&[]), 0).unwrap() else { panic!() };
    assert_eq!(plain.coder, Coder::None);
}

#[test]
fn every_cut_is_an_error() {
    let whole = chunked(&bytes![3u16, 8i32, 0u16, 4u16, 6u16]);
    for len in 0..whole.len() {
        Special::parse(&whole[..len], 0).unwrap_err();
    }
}

#[test]
fn impossible_fields_are_errors() {
    let fails = |bytes: Vec<u8>, words: &str| {
        let error = Special::parse(&bytes, 16).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    fails(bytes![6u16], "kind 6 are not read");
    fails(bytes![1u16, -1i32, 4096i32, 16i32, 3u16], "-1 is negative");
    fails(bytes![3u16, 0u16, 100i32, 9u16, 0u16, 9u16], "coder 9 is not read");
    fails(bytes![3u16, 0u16, 1i32, 9u16, 0u16, 2u16, 24u32, 1u16, 0u16, 3i32, 12i32], "12 bits from bit 3");
    fails(bytes![5u16, 67i32, 0u8, 0u32, 24i32, 4i32, 2i32, tag::VDATA, 7u16, 1u16, 0u16, 40i32], "RANK_MAX");
}
