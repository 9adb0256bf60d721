//! Datatypes of all classes, byte by byte.

use super::*;
use crate::testing::Build;
use crate::{Bytes, Encoder, FormatError, Problem, Widths};

fn head(version: u8, class: u8, bits: u32, size: u32) -> Build {
    Build::default().u8(version << 4 | class).uint(bits.into(), 3).u32(size)
}

fn int32() -> Build {
    head(1, 0, 0x08, 4).u16(0).u16(32)
}

fn float64() -> Build {
    head(1, 1, 0x3f20, 8).u16(0).u16(64).u8(52).u8(11).u8(0).u8(52).u32(1023)
}

/// Parses `body`, and checks that every prefix of it is an error.
fn parse(body: &Build) -> Datatype {
    body.each_prefix(|cursor| assert!(Datatype::parse(cursor).is_err()));
    Datatype::parse(body.cursor()).unwrap()
}

fn error(body: &Build) -> FormatError {
    Datatype::parse(body.cursor()).unwrap_err()
}

#[test]
fn integers_in_both_orders_and_of_odd_precision() {
    assert_eq!(parse(&int32()).to_string(), "int32");
    let body = head(1, 0, 0x01, 2).u16(3).u16(12);
    let Class::Integer(integer) = parse(&body).class else { panic!() };
    assert_eq!(integer, Integer { order: ByteOrder::Big, signed: false, bit_offset: 3, precision: 12 });
    assert_eq!(parse(&body).to_string(), "big-endian uint16 (12 bits from bit 3)");
    assert_eq!(error(&head(1, 0, 0, 2).u16(5).u16(12)).field, "bit precision");
    assert_eq!(error(&head(1, 0, 0, 2).u16(0).u16(0)).field, "bit precision");
    assert_eq!(error(&head(1, 0, 0, 0).u16(0).u16(8)).field, "size");
}

#[test]
fn floats_of_ieee_and_of_others() {
    let double = parse(&float64());
    assert_eq!(double.to_string(), "float64");
    let Class::Float(float) = double.class else { panic!() };
    assert!(float.is_ieee(8));
    assert_eq!((float.sign_location, float.normalization), (63, Normalization::Implied));

    let bfloat16 = head(1, 1, 0x0f20, 2).u16(0).u16(16).u8(7).u8(8).u8(0).u8(7).u32(127);
    assert_eq!(parse(&bfloat16).to_string(), "float16 (exponent 8 bits, mantissa 7 bits)");
}

#[test]
fn the_vax_order_exists_since_version_3() {
    let body = |version, bits| head(version, 1, bits, 4).u16(0).u16(32).u8(23).u8(8).u8(0).u8(23).u32(129);
    let order = |body: &Build| match parse(body).class {
        Class::Float(float) => float.order,
        other => panic!("{other:?}"),
    };
    assert_eq!(order(&body(3, 0x1f61)), ByteOrder::Vax);
    assert_eq!(order(&body(1, 0x1f61)), ByteOrder::Big);
    assert_eq!(order(&body(1, 0x1f60)), ByteOrder::Little);
    assert_eq!(error(&body(3, 0x1f60)).field, "byte order");
}

#[test]
fn the_parts_of_a_float_fit_and_do_not_overlap() {
    let body = |sign: u32, exponent: (u8, u8), mantissa: (u8, u8)| {
        let head = head(1, 1, 0x20 | sign << 8, 4).u16(0).u16(32);
        head.u8(exponent.0).u8(exponent.1).u8(mantissa.0).u8(mantissa.1).u32(127)
    };
    parse(&body(31, (23, 8), (0, 23)));
    assert_eq!(error(&body(32, (23, 8), (0, 23))).field, "sign location");
    assert_eq!(error(&body(31, (23, 0), (0, 23))).field, "exponent size");
    assert_eq!(error(&body(31, (23, 10), (0, 23))).field, "exponent size");
    assert_eq!(error(&body(31, (23, 8), (200, 100))).field, "mantissa size");
    for overlap in [body(30, (23, 8), (0, 23)), body(3, (23, 8), (0, 23)), body(31, (22, 8), (0, 23))] {
        assert_eq!(error(&overlap).field, "floating-point properties");
    }
}

#[test]
fn time_bitfield_opaque_and_text() {
    assert_eq!(parse(&head(1, 2, 0, 8).u16(64)).to_string(), "time64");
    assert_eq!(parse(&head(1, 4, 1, 2).u16(0).u16(16)).to_string(), "big-endian bitfield16");
    let opaque = parse(&head(1, 5, 8, 7).bytes(b"tag\0\0\0\0\0"));
    assert_eq!(opaque.class, Class::Opaque { tag: "tag".into() });
    assert_eq!(error(&head(1, 5, 7, 7).zeros(7)).field, "length of tag");
    let text = parse(&head(1, 3, 0x12, 10));
    let expected = Class::FixedString { padding: StringPadding::SpacePad, charset: Charset::Utf8 };
    assert_eq!((text.class, text.size), (expected, 10));
    assert!(error(&head(1, 3, 0x03, 10)).is_unsupported());
    assert!(error(&head(1, 3, 0x20, 10)).is_unsupported());
}

#[test]
fn references_old_and_revised() {
    let reference = |version, bits, size| parse(&head(version, 7, bits, size)).class;
    assert_eq!(reference(1, 0, 8), Class::Reference(Reference::Object));
    assert_eq!(reference(1, 1, 12), Class::Reference(Reference::Region));
    for kind in 2..=4 {
        for version in [1, 4] {
            let expected = Class::Reference(Reference::Standard { version });
            assert_eq!(reference(version, 0x10 | kind, 18), expected);
        }
    }
    assert_eq!(error(&head(1, 7, 0, 4)).field, "size");
    assert_eq!(error(&head(1, 7, 1, 8)).field, "size");
    assert_eq!(error(&head(4, 7, 0x22, 64)).field, "reference version");
    assert_eq!(error(&head(4, 7, 5, 64)).field, "reference type");
    assert!(parse(&head(1, 7, 0, 8)).contains_reference());
}

#[test]
fn version_1_members_have_dimensions_of_their_own() {
    let tail = |rank| Build::default().u8(rank).zeros(11).u32(2).u32(3).u32(0).u32(0);
    let body = head(1, 6, 2, 32)
        .bytes(b"a\0\0\0\0\0\0\0")
        .u32(0)
        .and(&tail(0))
        .and(&float64())
        .bytes(b"seven b\0")
        .u32(8)
        .and(&tail(2))
        .and(&int32());
    let datatype = parse(&body);
    assert_eq!(datatype.to_string(), "{a: float64, seven b: [2,3] of int32}");
    let Class::Compound { members } = datatype.class else { panic!() };
    assert_eq!((members[1].offset, members[1].datatype.size), (8, 24));
    // The dimensions 2 x 3 x 0 and a rank of 5.
    assert_eq!(error(&head(1, 6, 1, 32).zeros(12).and(&tail(3)).and(&int32())).field, "dimension size");
    assert_eq!(error(&head(1, 6, 1, 32).zeros(12).and(&tail(5)).and(&int32())).field, "dimensionality");
}

#[test]
fn version_2_pads_names_and_version_3_nothing() {
    let two = head(2, 6, 1, 4).bytes(b"x\0\0\0\0\0\0\0").u32(0).and(&int32());
    assert_eq!(parse(&two).to_string(), "{x: int32}");
    for (size, width) in [(4u32, 1usize), (255, 1), (256, 2), (65_536, 3), (1 << 24, 4)] {
        let offset = u64::from(size) - 4;
        let three = head(3, 6, 1, size).bytes(b"x\0").uint(offset, width).and(&int32());
        let Class::Compound { members } = parse(&three).class else { panic!() };
        assert_eq!(u64::from(members[0].offset), offset);
    }
}

#[test]
fn members_fit_and_share_neither_names_nor_bytes() {
    let member = |name: &[u8], offset| Build::default().bytes(name).u8(offset).and(&int32());
    let two = |first: Build, second: Build| head(3, 6, 2, 8).and(&first).and(&second);
    // Members need not be in order.
    parse(&two(member(b"b\0", 4), member(b"a\0", 0)));
    assert_eq!(error(&two(member(b"a\0", 0), member(b"b\0", 5))).field, "byte offset of member");
    assert_eq!(error(&two(member(b"a\0", 0), member(b"b\0", 3))).field, "byte offset of member");
    assert_eq!(error(&two(member(b"a\0", 4), member(b"b\0", 1))).field, "byte offset of member");
    assert_eq!(error(&two(member(b"a\0", 0), member(b"a\0", 4))).field, "name");
    assert_eq!(error(&head(3, 6, 0, 8)).field, "number of members");
}

#[test]
fn enumerations_keep_the_bytes_of_their_values() {
    for version in [1, 2] {
        let body = head(version, 8, 2, 4).and(&int32()).bytes(b"RED\0\0\0\0\0GREENISH\0\0\0\0\0\0\0\0");
        let datatype = parse(&body.u32(0).u32(7));
        assert_eq!(datatype.to_string(), "enum int32 {RED, GREENISH}");
        let Class::Enum { members, .. } = datatype.class else { panic!() };
        assert_eq!(members[1], ("GREENISH".into(), Bytes::from_static(&[7, 0, 0, 0])));
    }
    let three = head(3, 8, 1, 4).and(&int32()).bytes(b"RED\0").u32(1);
    assert_eq!(parse(&three).to_string(), "enum int32 {RED}");
    assert_eq!(error(&head(3, 8, 1, 2).and(&int32()).bytes(b"RED\0").u32(1)).field, "size");
    assert_eq!(error(&head(3, 8, 1, 4).and(&int32()).bytes(b"\0").u32(1)).field, "name");
}

#[test]
fn variable_length_data() {
    let sequence = parse(&head(1, 9, 0, 16).and(&int32()));
    assert_eq!(sequence.to_string(), "sequence of int32");
    assert!(sequence.is_variable() && !sequence.contains_reference());
    let text = parse(&head(1, 9, 0x111, 16).and(&int32()));
    let (padding, charset, base) = (StringPadding::NullPad, Charset::Utf8, parse(&int32()).into());
    let expected = Class::VlenString { padding, charset, base };
    assert_eq!((text.class.clone(), text.is_variable()), (expected, true));
    // Programs on big-endian machines write characters with their byte order.
    let big_endian = head(1, 9, 0x111, 16).and(&head(1, 0, 0x01, 1).u16(0).u16(8));
    let mut out = Encoder::new("datatype message", Widths::default());
    parse(&big_endian).encode(&mut out, 1);
    assert_eq!(out.finish().unwrap(), big_endian.as_slice());
    assert!(error(&head(1, 9, 2, 16).and(&int32())).is_unsupported());
    assert_eq!(error(&head(1, 9, 0, 8).and(&int32())).field, "size");
}

#[test]
fn arrays_say_their_size_twice() {
    let two = head(2, 10, 0, 24).u8(2).zeros(3).u32(2).u32(3).u32(0).u32(1).and(&int32());
    assert_eq!(parse(&two).to_string(), "[2,3] of int32");
    let three = head(3, 10, 0, 24).u8(2).u32(2).u32(3).and(&int32());
    assert_eq!(parse(&three).to_string(), "[2,3] of int32");
    assert_eq!(error(&head(3, 10, 0, 20).u8(2).u32(2).u32(3).and(&int32())).field, "size");
    // 2^31 x 2 x 4 bytes is 0 in 32 bits.
    assert_eq!(error(&head(3, 10, 0, 4).u8(2).u32(1 << 31).u32(2).and(&int32())).field, "size");
    let ranks = error(&head(3, 10, 0, 4).u8(33).zeros(132).and(&int32()));
    assert!(matches!(ranks.problem, Problem::Limit { max: 32, found: 33, .. }));
}

#[test]
fn complex_numbers_have_two_equal_parts() {
    let complex = |bits, size| head(5, 11, bits, size).and(&float64());
    assert_eq!(parse(&complex(1, 16)).to_string(), "complex of float64");
    assert_eq!(error(&complex(1, 8)).field, "size");
    assert!(error(&complex(0, 16)).is_unsupported());
    assert!(error(&complex(3, 16)).is_unsupported());
    assert!(!error(&complex(9, 16)).is_unsupported());
}

#[test]
fn versions_classes_and_nesting_are_bounded() {
    assert!(error(&head(0, 0, 0, 4).zeros(4)).is_unsupported());
    assert!(error(&head(6, 0, 0, 4).zeros(4)).is_unsupported());
    assert_eq!(error(&head(1, 12, 0, 4)).field, "class");
    let nested = |depth: usize| {
        let outer = (0..depth).fold(Build::default(), |body, _| body.and(&head(1, 9, 0, 16)));
        Datatype::parse(outer.and(&int32()).cursor())
    };
    assert!(nested(31).is_ok());
    let error = nested(32).unwrap_err();
    assert_eq!((error.field, error.at), ("nesting", 32 * 8));
    assert!(nested(100_000).is_err());
}

#[test]
fn many_unused_bits_are_unusual() {
    let of = |size, offset, precision| head(1, 0, 0, size).u16(offset).u16(precision);
    for (size, offset, precision) in [(1, 0, 1), (2, 3, 12), (4, 0, 17), (4, 8, 9), (8, 0, 64)] {
        assert!(!parse(&of(size, offset, precision)).has_unusual_padding(), "{size} {offset} {precision}");
    }
    for (size, offset, precision) in [(2, 0, 1), (4, 0, 16), (4, 7, 9), (1000, 0, 32)] {
        let body = of(size, offset, precision);
        assert!(parse(&body).has_unusual_padding(), "{size} {offset} {precision}");
        // As in a larger datatype.
        let array = head(2, 10, 0, size).u8(1).zeros(3).u32(1).u32(0).and(&body);
        assert!(parse(&array).has_unusual_padding());
    }
    assert!(!parse(&float64()).has_unusual_padding());
}
