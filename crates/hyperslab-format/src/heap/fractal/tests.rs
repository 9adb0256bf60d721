use super::*;
use crate::message::Filter;
use crate::testing::{Build, every_prefix_fails};
use crate::{Bytes, FormatError, Problem, Stop};
use proptest::prelude::*;

/// The shape of a test heap. Its header is at the end of an image; its blocks are at the given addresses.
pub(crate) struct Shape {
    pub(crate) id_bytes: u16,
    pub(crate) checksummed: bool,
    pub(crate) huge_index: u64,
    pub(crate) root: u64,
    pub(crate) root_rows: u16,
    pub(crate) filters: Option<(u64, u32)>,
}

pub(crate) const SHAPE: Shape =
    Shape { id_bytes: 7, checksummed: true, huge_index: u64::MAX, root: 0, root_rows: 0, filters: None };

/// A filter pipeline message, version 2, with the filter 32000.
const PIPELINE: [u8; 10] = [2, 1, 0x00, 0x7D, 0, 0, 0, 0, 0, 0];

/// Appends a header to `image`: 2 blocks of 64 bytes per row, direct blocks of up to 128 bytes, objects of up to 100
/// bytes.
pub(crate) fn header(image: Build, shape: &Shape) -> Build {
    let start = image.here();
    let filter_bytes = if shape.filters.is_some() { PIPELINE.len() as u16 } else { 0 };
    let image = image.text("FRHP").u8(0).u16(shape.id_bytes).u16(filter_bytes);
    let image = image.u8(if shape.checksummed { 2 } else { 0 }).u32(100);
    let image = image.u64(1).u64(shape.huge_index).u64(0).undefined();
    let image = image.u64(4096).u64(4096).u64(0).u64(3).u64(0).u64(0).u64(0).u64(0);
    let image = image.u16(2).u64(64).u64(128).u16(16).u16(1).u64(shape.root).u16(shape.root_rows);
    let image = match shape.filters {
        Some((stored, mask)) => image.u64(stored).u32(mask).bytes(&PIPELINE),
        None => image,
    };
    image.checksum_since(start)
}

/// Appends a direct block of `bytes` bytes to `image`, for the heap at `heap` and at `offset` in managed space.
pub(crate) fn direct(image: Build, heap: u64, offset: u16, bytes: u64, objects: &[u8]) -> Build {
    let start = image.here();
    let image = image.text("FHDB").u8(0).u64(heap).u16(offset).u32(0).bytes(objects).pad_to(start.0 + bytes);
    let sum = crate::checksum::lookup3(&image.as_slice()[start.0 as usize..]);
    image.patch(start.0 + 15, &sum.to_le_bytes())
}

/// The heap ID of a managed object: offset in 2 bytes, length in 1, and padding.
pub(crate) fn managed(offset: u16, len: u8) -> [u8; 7] {
    let offset = offset.to_le_bytes();
    [0, offset[0], offset[1], len, 0, 0, 0]
}

/// Which of these objects are found.
fn are_found(image: &Build, ids: &[[u8; 7]]) -> Vec<bool> {
    let view = image.view();
    let heap = FractalHeap::parse(&view, Address(0)).unwrap();
    let mut sought = HeapIds::of_bytes(7);
    ids.iter().for_each(|id| sought.push(id));
    let mut found = vec![None; ids.len()];
    let mut each = |number: usize, object: Result<HeapObject, FormatError>| {
        assert!(found[number].replace(object.is_ok()).is_none(), "once");
    };
    Objects::new(sought).advance(&view, &heap, &NoFilters, &mut each).unwrap();
    found.into_iter().map(Option::unwrap).collect()
}

fn object(image: &Build, id: &[u8]) -> Parse<Bytes> {
    let view = image.view();
    Ok(FractalHeap::parse(&view, Address(0))?.object(&view, id)?.bytes)
}

#[test]
fn an_object_says_where_it_lies() {
    let found = |image: &Build, id: &[u8]| {
        let view = image.view();
        let object = FractalHeap::parse(&view, Address(0)).unwrap().object(&view, id).unwrap();
        let mut cursor = object.cursor("object", view.widths);
        cursor.skip("head", 3).unwrap();
        (object.at, cursor.at())
    };
    assert_eq!(found(&one_block(), &managed(19, 5)), (BLOCK + 19, BLOCK + 19 + 3));
    // The object is in its own ID, so the offset is that of the heap.
    assert_eq!(found(&header(Build::default(), &SHAPE), b"\x25tiny!!"), (0, 0));
}

const BLOCK: u64 = 200;

fn one_block() -> Build {
    let image = header(Build::default(), &Shape { root: BLOCK, ..SHAPE });
    direct(image.pad_to(BLOCK), 0, 0, 64, b"hello, heap")
}

#[test]
fn a_heap_may_be_one_direct_block() {
    let image = one_block();
    assert_eq!(object(&image, &managed(19, 5)).unwrap(), "hello");
    assert_eq!(object(&image, &managed(26, 4)).unwrap(), "heap");
    every_prefix_fails(&image, |view| FractalHeap::parse(view, Address(0))?.object(view, &managed(19, 5)));
    let wrong =
        [managed(18, 5), managed(60, 5), managed(19, 0), managed(19, 101), managed(64, 4), managed(5000, 4)];
    for id in wrong {
        object(&image, &id).unwrap_err();
    }
    object(&image, &managed(19, 5)[..6]).unwrap_err();
    for first in [0x40, 0x30, 0x10] {
        object(&image, &[first, 0, 0, 0, 0, 0, 0]).unwrap_err();
    }
    let error = object(&image.patch(BLOCK + 50, b"!"), &managed(19, 5)).unwrap_err();
    assert!(matches!(error, Stop::Bad(FormatError { problem: Problem::Checksum { .. }, .. })), "{error:?}");
}

#[test]
fn the_owner_and_the_offset_of_a_block_count() {
    for (owner, offset) in [(8, 0), (0, 64)] {
        let image = header(Build::default(), &Shape { root: BLOCK, ..SHAPE }).pad_to(BLOCK);
        object(&direct(image, owner, offset, 64, b"hello"), &managed(19, 5)).unwrap_err();
    }
}

/// Rows of 2: two rows of 64-byte blocks, one of 128-byte blocks, then indirect blocks of 256 bytes with two rows each.
fn indirect(image: Build, offset: u16, children: &[u64]) -> Build {
    let start = image.here();
    let image = image.text("FHIB").u8(0).u64(0).u16(offset);
    children.iter().fold(image, |image, &child| image.u64(child)).checksum_since(start)
}

fn many_blocks() -> Build {
    const NONE: u64 = u64::MAX;
    let image = header(Build::default(), &Shape { root: BLOCK, root_rows: 4, ..SHAPE }).pad_to(BLOCK);
    let image = indirect(image, 0, &[NONE, 400, NONE, NONE, 500, NONE, NONE, 300]);
    let image = indirect(image.pad_to(300), 768, &[NONE, NONE, 700, NONE]).pad_to(400);
    let image = direct(image, 0, 64, 64, b"first").pad_to(500);
    let image = direct(image, 0, 256, 128, b"larger").pad_to(700);
    direct(image, 0, 896, 64, b"nested")
}

#[test]
fn blocks_are_found_through_indirect_blocks() {
    let image = many_blocks();
    assert_eq!(object(&image, &managed(64 + 19, 5)).unwrap(), "first");
    assert_eq!(object(&image, &managed(256 + 19, 6)).unwrap(), "larger");
    assert_eq!(object(&image, &managed(896 + 19, 6)).unwrap(), "nested");
    for unallocated in [19, 128 + 19, 384 + 19, 512 + 19, 768 + 19, 1024 + 19] {
        object(&image, &managed(unallocated, 5)).unwrap_err();
    }
    let ids = [managed(64 + 19, 5), managed(19, 5), managed(896 + 19, 6)];
    assert_eq!(are_found(&image, &ids), [true, false, true]);
}

#[test]
fn tiny_objects_are_in_the_id() {
    let image = one_block();
    assert_eq!(object(&image, b"\x25tiny!!").unwrap(), "tiny!!");
    object(&image, b"\x26tiny!!").unwrap_err();
    let extended = header(Build::default(), &Shape { id_bytes: 40, root: BLOCK, ..SHAPE });
    let mut id = vec![0x20, 29];
    id.extend_from_slice(&[b'x'; 38]);
    assert_eq!(object(&extended, &id).unwrap().len(), 30);
    id[0] = 0x21;
    object(&extended, &id).unwrap_err();
}

#[test]
fn huge_objects_are_in_the_file() {
    use crate::btree::v2::tests::{header as tree, node};
    let record = |id: u64, address: u64, len: u64| [address, len, id].map(u64::to_le_bytes).concat();
    let image = header(Build::default(), &Shape { huge_index: 200, ..SHAPE }).pad_to(200);
    let image = tree(image, 1, (128, 24), 1, Address(300), 1).pad_to(300);
    let image = node(image, 1, &[record(5, 600, 4)], &[(400, 1), (500, 1)]).pad_to(400);
    let image = node(image, 1, &[record(3, 604, 4)], &[]).pad_to(500);
    let image = node(image, 1, &[record(8, 608, 4000)], &[]).pad_to(600).text("fivethreeight");
    let id = |key: u8| [0x10, key, 0, 0, 0, 0, 0];
    assert_eq!(object(&image, &id(5)).unwrap(), "five");
    assert_eq!(object(&image, &id(3)).unwrap(), "thre");
    for absent in [4, 8, 9] {
        object(&image, &id(absent)).unwrap_err();
    }
    // Only the path to a single object is read; for many objects the whole tree is read.
    assert_eq!(object(&image.clone().patch(500, b"nope"), &id(3)).unwrap(), "thre");
    assert_eq!(are_found(&image, &[5, 3, 8, 5, 3].map(id)), [true, true, false, true, true]);
    // If the ID has room, there is no tree.
    let direct = header(Build::default(), &Shape { id_bytes: 17, ..SHAPE }).pad_to(600).text("five");
    let direct_id = [&[0x10][..], &600u64.to_le_bytes(), &4u64.to_le_bytes()].concat();
    assert_eq!(object(&direct, &direct_id).unwrap(), "five");
    object(&header(Build::default(), &SHAPE), &id(5)).unwrap_err();
}

/// The filter of these tests: inverts every byte.
struct Invert;

impl Unfilter for Invert {
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        _: u64,
    ) -> Result<Bytes, FormatError> {
        assert!(matches!(pipeline.filters[..], [Filter { id: 32000, .. }]));
        Ok(if mask == 1 { stored } else { stored.iter().map(|byte| !byte).collect() })
    }
}

#[test]
fn filters_are_undone_before_anything_is_read() {
    for (mask, stored) in [(0, 64), (1, 64), (0, 63)] {
        let image = header(Build::default(), &Shape { root: BLOCK, filters: Some((stored, mask)), ..SHAPE });
        let mut image = direct(image.pad_to(BLOCK), 0, 0, 64, b"hello, heap");
        if mask == 0 {
            let inverted: Vec<u8> = image.as_slice()[BLOCK as usize..].iter().map(|byte| !byte).collect();
            image = image.patch(BLOCK, &inverted);
        }
        let view = image.view();
        let heap = FractalHeap::parse(&view, Address(0)).unwrap();
        let found = heap.object_with(&view, &managed(19, 5), &Invert);
        let found = found.ok().map(|object| (object.bytes, object.at));
        assert_eq!(found, (stored == 64).then_some((Bytes::from_static(b"hello"), BLOCK)));
        let refused = heap.object(&view, &managed(19, 5)).unwrap_err();
        assert!(matches!(refused, Stop::Bad(error) if error.is_unsupported()));
    }
}

proptest! {
    #[test]
    fn any_change_ends_in_an_object_or_an_error(
        changes in proptest::collection::vec((0usize..764, any::<u8>()), 1..6),
        id in proptest::collection::vec(any::<u8>(), 7),
        offset in 0u16..1100,
    ) {
        let image = changes.into_iter().fold(many_blocks(), |image, (at, byte)| image.patch(at as u64, &[byte]));
        let mut bytes = image.as_slice().to_vec();
        for _ in 0..8 {
            let frozen = Bytes::from(bytes.clone());
            let view = View::new(&frozen);
            let Err(Stop::Bad(error)) = FractalHeap::parse(&view, Address(0)).and_then(|heap| {
                let _ = heap.object(&view, &id);
                heap.object(&view, &managed(offset, 5))
            }) else { break };
            let Problem::Checksum { computed, .. } = error.problem else { break };
            bytes[error.at as usize..][..4].copy_from_slice(&computed.to_le_bytes());
        }
    }
}
