//! Superblocks of all versions, byte by byte.

use super::*;
use crate::testing::{Build, drive};
use crate::{Bytes, Stop};

const NARROW: Widths = Widths { offset: 4, length: 2 };

fn signature(widths: Widths, version: u8) -> Build {
    Build::new(widths).bytes(&SIGNATURE).u8(version)
}

/// A superblock of version 0 or 1 with these addresses.
fn early(version: u8, widths: Widths, base: u64, end: u64) -> Build {
    let head = signature(widths, version).zeros(4).u8(widths.offset).u8(widths.length).zeros(1);
    let ranks = head.u16(5).u16(17).u32(1);
    let ranks = if version == 1 { ranks.u16(33).zeros(2) } else { ranks };
    let addresses = ranks.address(base).address(u64::MAX).address(end).address(u64::MAX);
    let entry = addresses.length(0).address(0x60).u32(1).u32(0);
    let scratch = Build::new(widths).address(0x88).address(0x2a8).pad_to(16);
    entry.and(&scratch)
}

/// A superblock of version 2 or 3, without its checksum.
fn late(version: u8, widths: Widths, base: u64, end: u64) -> Build {
    let head = signature(widths, version).u8(widths.offset).u8(widths.length).u8(0);
    head.address(base).address(u64::MAX).address(end).address(0x30)
}

fn parse(file: &Build) -> Result<Superblock, FormatError> {
    let (outcome, _) = drive(file.done(), locate);
    outcome
}

fn refused(file: Build) -> &'static str {
    parse(&file).unwrap_err().field
}

#[test]
fn versions_0_and_1_end_with_the_entry_of_the_root_group() {
    for widths in [Widths::default(), NARROW] {
        for version in [0, 1] {
            let file = early(version, widths, 0, 0x800);
            let superblock = parse(&file).unwrap();
            assert_eq!(
                (superblock.version, superblock.widths, superblock.root),
                (version, widths, Address(0x60))
            );
            assert_eq!(superblock.root_symbol_table, Some((Address(0x88), Address(0x2a8))));
            assert_eq!((superblock.group_leaf_k, superblock.group_internal_k), (5, 17));
            assert_eq!(superblock.chunk_internal_k, if version == 1 { 33 } else { 32 });
            assert_eq!((superblock.end_of_file, superblock.extension), (Address(0x800), None));
            assert_eq!(superblock.consistency_flags, Superblock::WRITE_ACCESS);
            for len in 0..file.len() {
                assert!(locate(View::new(&file.done().slice(..len))).is_err(), "{len} bytes");
            }
        }
    }
}

#[test]
fn versions_2_and_3_are_guarded_by_a_checksum() {
    for version in [2, 3] {
        let file = late(version, Widths::default(), 0, 0x800).checksum();
        let superblock = parse(&file).unwrap();
        assert_eq!((superblock.version, superblock.root, superblock.base), (version, Address(0x30), 0));
        assert_eq!(
            (superblock.group_leaf_k, superblock.group_internal_k, superblock.chunk_internal_k),
            (4, 16, 32)
        );
        for at in 0..file.len() {
            let byte = file.done()[at];
            assert!(parse(&file.with_byte(at, byte ^ 0x10)).is_err(), "byte {at}");
        }
        for len in 0..file.len() {
            assert!(locate(View::new(&file.done().slice(..len))).is_err(), "{len} bytes");
        }
    }
}

#[test]
fn a_user_block_comes_first() {
    for at in [512, 1024, 8192] {
        let file = Build::default()
            .bytes(b"hello")
            .pad_to(at)
            .and(&late(2, Widths::default(), at, 0x8000).checksum());
        let superblock = parse(&file).unwrap();
        assert_eq!((superblock.at, superblock.base), (at, at));
        assert_eq!(superblock.end_of_file, Address(0x8000 - at));
        let bytes = file.done();
        let view = superblock.view(View::new(&bytes));
        assert_eq!(view.absolute(Address(2)), at + 2);
    }
    // 768 is not a possible offset of a superblock.
    let file =
        Build::default().pad_to(768).and(&late(2, Widths::default(), 768, 0x8000).checksum()).zeros(4096);
    assert_eq!(refused(file), "signature");
}

#[test]
fn where_the_superblock_is_counts_more_than_where_it_says() {
    // A user block was put before a file, and one was removed.
    let added = Build::default().pad_to(512).and(&early(0, Widths::default(), 0, 0x800));
    let superblock = parse(&added).unwrap();
    assert_eq!((superblock.base, superblock.stored_base, superblock.end_of_file), (512, 0, Address(0x800)));
    assert!(superblock.check_end_of_file(0x800 + 512).is_ok());
    assert!(superblock.check_end_of_file(0x800 + 511).is_err());

    let removed = early(0, Widths::default(), 512, 0x800);
    let superblock = parse(&removed).unwrap();
    assert_eq!((superblock.base, superblock.stored_base, superblock.end_of_file), (0, 512, Address(0x600)));
    assert!(superblock.check_end_of_file(0x600).is_ok());
}

#[test]
fn a_truncated_file_is_told_from_a_whole_one() {
    let superblock = parse(&late(2, Widths::default(), 0, 100).checksum()).unwrap();
    assert!(superblock.check_end_of_file(100).is_ok());
    assert!(superblock.check_end_of_file(200).is_ok());
    let error = superblock.check_end_of_file(99).unwrap_err();
    // The third address after the first 12 bytes.
    assert_eq!((error.field, error.at), ("end of file address", 12 + 2 * 8));
}

#[test]
fn the_first_place_is_asked_for_alone_and_all_others_at_once() {
    let file =
        Build::default().pad_to(2048).and(&late(2, Widths::default(), 0, 0x8000).checksum()).pad_to(5000);
    let (outcome, rounds) = drive(file.done(), locate);
    assert_eq!(outcome.unwrap().at, 2048);
    // 512, 1024, 2048, 4096.
    assert_eq!(rounds, [1, 4]);
    let (outcome, rounds) = drive(late(2, Widths::default(), 0, 0x8000).checksum().done(), locate);
    assert!(outcome.is_ok());
    assert_eq!(rounds, [1]);
}

#[test]
fn other_files_are_named_as_such() {
    for bytes in [Bytes::new(), Bytes::from_static(b"\x89HDF"), Bytes::from(vec![b'x'; 5000])] {
        let Err(Stop::Bad(error)) = locate(View::new(&bytes)) else { panic!() };
        assert!(error.to_string().contains("not an HDF5 file"), "{error}");
    }
}

#[test]
fn what_no_writer_writes_is_refused_by_name() {
    let whole = |widths| late(2, widths, 0, 0x800).checksum();
    let wide = |at: usize, value: u8| parse(&whole(Widths::default()).with_byte(at, value)).unwrap_err();
    assert!(wide(8, 4).is_unsupported());
    assert!(wide(9, 16).is_unsupported());
    assert!(wide(10, 32).is_unsupported());
    assert_eq!(wide(9, 3).field, "size of offsets");

    let flags = signature(Widths::default(), 3)
        .u8(8)
        .u8(8)
        .u8(8)
        .address(0)
        .address(u64::MAX)
        .address(99)
        .address(48);
    assert_eq!(refused(flags.checksum()), "file consistency flags");
    assert_eq!(refused(late(2, Widths::default(), 0x800, 0x800).checksum()), "base address");
    assert_eq!(refused(late(2, Widths::default(), 0, 0x30).checksum()), "root group object header address");

    let early = early(0, Widths::default(), 0, 0x800);
    assert_eq!(refused(early.with_byte(9, 1)), "version of the file's free space storage");
    assert_eq!(refused(early.with_byte(16, 0)), "group leaf node K");
    assert_eq!(refused(early.with_byte(20, 8)), "file consistency flags");
    assert_eq!(refused(early.with_byte(32, 0)), "address of file free space info");
    assert_eq!(refused(early.with_byte(55, 0)), "driver information block address");
    assert_eq!(refused(early.with_byte(72, 3)), "root entry, cache type");
}
