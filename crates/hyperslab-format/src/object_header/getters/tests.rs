//! Typed messages of whole headers.

use super::*;
use crate::testing::{Build, drive};
use crate::{Address, Bytes, View};

const WIDTHS: Widths = Widths { offset: 8, length: 8 };

fn header(messages: &[(MessageKind, Build)]) -> Build {
    let messages = messages.iter().fold(Build::default(), |all, (kind, body)| {
        all.u8(kind.0 as u8).u16(body.len() as u16).u8(0).and(body)
    });
    Build::default().bytes(b"OHDR").u8(2).u8(0x01).u16(messages.len() as u16).and(&messages).checksum()
}

fn parse(file: &Bytes) -> (ObjectHeader, Context<'_>) {
    let view = View::new(file);
    (ObjectHeader::parse(view, Address(0)).unwrap(), view.into())
}

fn int16() -> Build {
    Build::default().u8(0x10).uint(0x08, 3).u32(2).u16(0).u16(16)
}

fn attribute(name: &[u8], data: &[u8]) -> Build {
    let (datatype, dataspace) = (int16(), Build::default().u8(2).zeros(3));
    let head = Build::default().u8(2).u8(0).u16(name.len() as u16).u16(12).u16(4);
    head.bytes(name).and(&datatype).and(&dataspace).bytes(data)
}

#[test]
fn one_broken_attribute_hides_no_other() {
    let kind = MessageKind::ATTRIBUTE;
    let file = header(&[
        (kind, attribute(b"a\0", &[1, 0])),
        (kind, attribute(b"short\0", &[1])),
        (kind, Build::default().u8(9).zeros(20)),
        (kind, attribute(b"z\0", &[2, 0])),
    ]);
    let (outcome, _) =
        drive(file.done(), |view| ObjectHeader::parse(view, Address(0))?.attributes(view.into()));
    let attributes = outcome.unwrap();
    let names: Vec<_> = attributes.iter().map(|attribute| attribute.name.clone()).collect();
    assert_eq!(names, [Some("a".into()), Some("short".into()), None, Some("z".into())]);
    let good: Vec<_> = attributes.iter().map(|attribute| attribute.attribute.is_ok()).collect();
    assert_eq!(good, [true, false, false, true]);
}

#[test]
fn one_broken_link_hides_no_other() {
    let link = |version| Build::default().u8(version).u8(0).u8(1).bytes(b"x").address(9);
    let file = header(&[(MessageKind::LINK, link(2)), (MessageKind::LINK, link(1))]).done();
    let (header, _) = parse(&file);
    let links = header.links(WIDTHS);
    assert_eq!((links.len(), links[0].is_err(), links[1].is_ok()), (2, true, true));
}

#[test]
fn the_new_fill_value_comes_before_the_old_one() {
    let old = Build::default().u32(2).bytes(b"ab");
    let new = Build::default().u8(2).u8(2).u8(2).u8(1).u32(2).bytes(b"cd");
    let value = |messages: &[(MessageKind, Build)]| {
        let file = header(messages).done();
        let (header, context) = parse(&file);
        header.fill_value(context).map(|fill| fill.map(|fill| fill.value))
    };
    let (old, new) = ((MessageKind::FILL_VALUE_OLD, old), (MessageKind::FILL_VALUE, new));
    let datatype = (MessageKind::DATATYPE, int16());
    assert_eq!(value(&[old.clone(), new, datatype.clone()]), Ok(Some(Fill::User(Bytes::from_static(b"cd")))));
    assert_eq!(value(&[old, datatype.clone()]), Ok(Some(Fill::User(Bytes::from_static(b"ab")))));
    assert_eq!(value(std::slice::from_ref(&datatype)), Ok(None));
    let long = (MessageKind::FILL_VALUE_OLD, Build::default().u32(3).bytes(b"abc"));
    assert!(value(&[long, datatype]).is_err());
}

#[test]
fn the_modification_time_has_three_sources() {
    let new = (MessageKind::MODIFICATION_TIME, Build::default().u8(1).zeros(3).u32(60));
    let old = (MessageKind::MODIFICATION_TIME_OLD, Build::default().bytes(b"19700101000002").zeros(2));
    let time = |messages: &[(MessageKind, Build)]| {
        let file = header(messages).done();
        parse(&file).0.modification_time(WIDTHS).unwrap()
    };
    assert_eq!(time(&[old.clone(), new]), Some(ModificationTime(60)));
    assert_eq!(time(&[old]), Some(ModificationTime(2)));
    assert_eq!(time(&[]), None);
    let times = Build::default().bytes(b"OHDR").u8(2).u8(0x20).u32(1).u32(2).u32(3).u32(4).u8(0).checksum();
    let times = times.done();
    assert_eq!(parse(&times).0.modification_time(WIDTHS), Ok(Some(ModificationTime(3))));
}

#[test]
fn what_is_not_there_is_none() {
    let file = header(&[]).done();
    let (header, context) = parse(&file);
    assert_eq!(header.dataspace(context), Ok(None));
    assert_eq!(header.datatype(context), Ok(None));
    assert_eq!(header.filter_pipeline(context), Ok(None));
    assert_eq!(header.layout(WIDTHS), Ok(None));
    assert_eq!(header.external_files(WIDTHS), Ok(None));
    assert_eq!(header.link_info(WIDTHS), Ok(None));
    assert_eq!(header.group_info(WIDTHS), Ok(None));
    assert_eq!(header.symbol_table(WIDTHS), Ok(None));
    assert_eq!(header.attribute_info(WIDTHS), Ok(None));
    assert_eq!(header.comment(WIDTHS), Ok(None));
    assert_eq!(header.attributes(context), Ok(Vec::new()));
}
