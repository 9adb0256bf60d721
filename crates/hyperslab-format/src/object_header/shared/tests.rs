//! Shared messages.

use super::*;
use crate::message::{Attribute, Datatype};
use crate::object_header::SharedMessageIndex;
use crate::testing::{Build, drive};
use crate::{Name, Stop};

fn int16() -> Build {
    Build::default().u8(0x10).uint(0x08, 3).u32(2).u16(0).u16(16)
}

/// An object header of version 2 with one datatype message.
fn header(flags: u8, body: &Build) -> Build {
    let message = Build::default().u8(3).u16(body.len() as u16).u8(flags).and(body);
    Build::default().bytes(b"OHDR").u8(2).u8(0).u8(message.len() as u8).and(&message).checksum()
}

fn place(version: u8, at: u64) -> Build {
    let head = Build::default().u8(version);
    match version {
        1 => head.zeros(7).length(99).address(at),
        _ => head.u8(2).address(at),
    }
}

fn datatype(
    file: Bytes,
    context: impl Fn(View<'_>) -> Parse<Option<Datatype>>,
) -> Result<Datatype, FormatError> {
    drive(file, context).0.map(|datatype| datatype.expect("the header has a datatype"))
}

fn of_header_at_0(view: View<'_>) -> Parse<Option<Datatype>> {
    ObjectHeader::parse(view, Address(0))?.datatype(view.into())
}

#[test]
fn all_versions_point_to_a_committed_datatype() {
    for version in 1..=3 {
        let file = header(2, &place(version, 300)).pad_to(300).and(&header(0, &int16()));
        let found = datatype(file.done(), of_header_at_0).unwrap();
        assert_eq!((found.size, found.committed), (2, Some(Address(300))));
        for len in 0..file.len() {
            assert!(
                datatype(file.done().slice(..len), of_header_at_0).is_err(),
                "version {version}, {len} bytes"
            );
        }
    }
    // Read directly, the datatype is not committed elsewhere.
    let file = header(0, &int16());
    assert_eq!(datatype(file.done(), of_header_at_0).unwrap().committed, None);
}

#[test]
fn the_first_of_a_chain_is_the_committed_one() {
    let file = header(2, &place(2, 300))
        .pad_to(300)
        .and(&header(2, &place(2, 600)))
        .pad_to(600)
        .and(&header(0, &int16()));
    assert_eq!(datatype(file.done(), of_header_at_0).unwrap().committed, Some(Address(300)));
}

#[test]
fn a_message_that_points_to_itself_is_refused() {
    let error = datatype(header(2, &place(2, 0)).done(), of_header_at_0).unwrap_err();
    assert!(matches!(error.problem, crate::Problem::Limit { limit: "SHARED_DEPTH_MAX", .. }), "{error}");
}

#[test]
fn an_object_without_the_message_is_named() {
    let empty = Build::default().bytes(b"OHDR").u8(2).u8(0).u8(0).checksum();
    let file = header(2, &place(2, 300)).pad_to(300).and(&empty);
    let error = datatype(file.done(), of_header_at_0).unwrap_err();
    assert!(error.to_string().contains("at 0x12c has no such message"), "{error}");
}

#[test]
fn a_heap_id_needs_a_table_with_the_type() {
    let file = header(2, &Build::default().u8(3).u8(1).zeros(8));
    assert_eq!(datatype(file.done(), of_header_at_0).unwrap_err().field, "heap ID");

    let index = |types| SharedMessageIndex {
        types,
        min_bytes: 0,
        list_max: 50,
        messages: 1,
        index: None,
        is_btree: false,
        heap: Some(Address(7)),
    };
    let table = SharedMessageTable { indexes: vec![index(1 << 1), index(1 << 3 | 1 << 5)] };
    assert_eq!(table.heap(MessageKind::DATATYPE), Some(Address(7)));
    assert_eq!(table.heap(MessageKind::FILL_VALUE_OLD), Some(Address(7)));
    assert_eq!(table.heap(MessageKind::ATTRIBUTE), None);
    assert_eq!(table.heap(MessageKind(0x77)), None);
}

#[test]
fn an_attribute_may_share_datatype_and_dataspace() {
    let space = Build::default().u8(2).zeros(3);
    let shared = place(3, 300);
    let sizes = Build::default().u8(3).u8(1).u16(2).u16(shared.len() as u16).u16(space.len() as u16).u8(0);
    let body = sizes.bytes(b"a\0").and(&shared).and(&space).u16(77);
    let file = Build::default().pad_to(300).and(&header(0, &int16()));
    let (outcome, rounds) = drive(file.done(), |view| Attribute::parse(view.into(), body.cursor(), None));
    let attribute = outcome.unwrap();
    assert_eq!((attribute.name, &attribute.data[..]), (Name::from("a"), &[77, 0][..]));
    assert_eq!(attribute.datatype.committed, Some(Address(300)));
    assert_eq!(rounds, [1]);
    body.each_prefix(|cursor| {
        let outcome = Attribute::parse(View::new(&file.done()).into(), cursor, None);
        assert!(matches!(outcome, Err(Stop::Bad(_))));
    });
}

#[test]
fn many_attributes_of_one_datatype_read_its_header_once() {
    let shared = place(3, 300);
    let sizes = Build::default().u8(3).u8(1).u16(2).u16(shared.len() as u16).u16(4).u8(0);
    let body = sizes.bytes(b"a\0").and(&shared).u8(2).zeros(3).u16(77);
    let file = Build::default().pad_to(300).and(&header(0, &int16())).done();
    let mut found = Found::default();
    let first = Attribute::parse_with(View::new(&file).into(), body.cursor(), None, &mut found).unwrap();
    // The second time, no bytes of the file are available.
    let nothing = Bytes::new();
    let second = Attribute::parse_with(View::new(&nothing).into(), body.cursor(), None, &mut found).unwrap();
    assert_eq!(first, second);
    assert!(Attribute::parse(View::new(&nothing).into(), body.cursor(), None).is_err());
}
