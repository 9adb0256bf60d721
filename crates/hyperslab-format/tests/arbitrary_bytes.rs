//! Any bytes at all may come in: every parser answers with a value or an error.

use hyperslab_format::checksum::lookup3;
use hyperslab_format::message::{
    Attribute, AttributeInfo, BtreeK, CacheImage, CacheImageInfo, Comment, Dataspace, Datatype, DriverInfo,
    ExternalFiles, FileSpaceInfo, FillValue, FilterPipeline, GroupInfo, Layout, Link, LinkInfo,
    ModificationTime, ReferenceCount, SharedMessageTableInfo, SymbolTable,
};
use hyperslab_format::object_header::{Context, ObjectHeader, SharedMessageTable};
use hyperslab_format::superblock::{self, SuperblockExtension};
use hyperslab_format::{Address, Bytes, Cursor, Parse, View, Widths};
use hyperslab_testkit::scale;
use proptest::collection::vec;
use proptest::prelude::*;

/// Small numbers are likelier to be versions, flags and lengths that lead on to further fields.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![4 => 0u8..4, 2 => 0u8..32, 1 => Just(0xff), 2 => any::<u8>()]
}

fn widths() -> impl Strategy<Value = Widths> {
    let width = || prop::sample::select(vec![2u8, 4, 8]);
    (width(), width()).prop_map(|(offset, length)| Widths { offset, length })
}

/// One datatype after another, so that the bytes of compounds and arrays hold whole datatypes.
fn datatypes() -> impl Strategy<Value = Vec<u8>> {
    let head = (1u8..6, 0u8..12, 0u32..0x200, 1u32..20, vec(byte(), 0..20)).prop_map(
        |(version, class, bits, size, rest)| {
            let mut bytes = vec![version << 4 | class];
            bytes.extend_from_slice(&bits.to_le_bytes()[..3]);
            bytes.extend_from_slice(&size.to_le_bytes());
            bytes.extend(rest);
            bytes
        },
    );
    vec(head, 1..8).prop_map(|heads| heads.concat())
}

fn every_message(cursor: &Cursor, context: Context<'_>) {
    let cursor = || cursor.clone();
    if let Ok(datatype) = Datatype::parse(cursor()) {
        let _ = (datatype.to_string(), datatype.is_variable(), datatype.contains_reference());
    }
    if let Ok(dataspace) = Dataspace::parse(cursor()) {
        let _ = (dataspace.rank(), dataspace.elements());
    }
    let _ = Attribute::parse(context, cursor(), None);
    let _ = Attribute::parse_name(cursor());
    let _ = AttributeInfo::parse(cursor());
    let _ = BtreeK::parse(cursor());
    let _ = CacheImageInfo::parse(cursor());
    let _ = Comment::parse(cursor());
    let _ = DriverInfo::parse(cursor());
    let _ = ExternalFiles::parse(cursor());
    let _ = FileSpaceInfo::parse(cursor());
    let _ = FillValue::parse(cursor());
    let _ = FillValue::parse_old(cursor());
    let _ = FilterPipeline::parse(cursor());
    let _ = GroupInfo::parse(cursor());
    let _ = Layout::parse(cursor());
    let _ = Link::parse(cursor());
    let _ = LinkInfo::parse(cursor());
    let _ = ModificationTime::parse(cursor());
    let _ = ModificationTime::parse_old(cursor());
    let _ = ReferenceCount::parse(cursor());
    let _ = SharedMessageTableInfo::parse(cursor());
    let _ = SymbolTable::parse(cursor());
}

fn whole_header(view: View<'_>, address: Address) -> Parse<()> {
    let header = ObjectHeader::parse(view, address)?;
    let context = view.into();
    let _ = (header.kind(), header.dataspace(context), header.datatype(context), header.fill_value(context));
    let _ = (header.filter_pipeline(context), header.attributes(context), header.links(view.widths));
    for message in &header.messages {
        every_message(&message.cursor(view.widths), context);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: scale().of(2000) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages(bytes in vec(byte(), 0..200), widths in widths()) {
        let bytes = Bytes::from(bytes);
        let view = View::new(&bytes).with(0, widths);
        every_message(&Cursor::new("message", 0, bytes.clone(), widths), view.into());
    }

    #[test]
    fn datatypes_in_datatypes(bytes in datatypes(), widths in widths()) {
        let bytes = Bytes::from(bytes);
        let view = View::new(&bytes).with(0, widths);
        every_message(&Cursor::new("message", u64::MAX - 5, bytes.clone(), widths), view.into());
    }

    #[test]
    fn headers_of_version_1(count in 0u16..9, messages in vec(byte(), 0..400), widths in widths()) {
        let mut file = vec![1, 0];
        file.extend(count.to_le_bytes());
        file.extend([1, 0, 0, 0]);
        file.extend((messages.len() as u32 / 8 * 8).to_le_bytes());
        file.extend([0; 4]);
        file.extend(messages);
        let file = Bytes::from(file);
        let _ = whole_header(View::new(&file).with(0, widths), Address(0));
    }

    #[test]
    fn headers_of_version_2(
        flags in 0u8..0x40,
        kinds in vec((0u8..0x20, byte(), vec(byte(), 0..60)), 0..6),
        widths in widths(),
    ) {
        let mut messages = Vec::new();
        for (kind, message_flags, body) in kinds {
            messages.push(kind);
            messages.extend((body.len() as u16).to_le_bytes());
            messages.push(message_flags);
            if flags & 0x04 != 0 {
                messages.extend([3, 0]);
            }
            messages.extend(body);
        }
        let mut file = b"OHDR\x02".to_vec();
        file.push(flags);
        file.extend(vec![0; if flags & 0x20 != 0 { 16 } else { 0 }]);
        file.extend(vec![0; if flags & 0x10 != 0 { 4 } else { 0 }]);
        file.extend(&(messages.len() as u64).to_le_bytes()[..1 << (flags & 0x03)]);
        file.extend(messages);
        file.extend(lookup3(&file).to_le_bytes());
        let file = Bytes::from(file);
        let _ = whole_header(View::new(&file).with(0, widths), Address(0));
    }

    #[test]
    fn superblocks(version in 0u8..4, rest in vec(byte(), 0..120), guarded in any::<bool>()) {
        let mut file = b"\x89HDF\r\n\x1a\n".to_vec();
        file.push(version);
        file.extend(rest);
        if guarded {
            // Where the checksum of 8-byte addresses lies.
            file.resize(44, 0);
            file[9..11].fill(8);
            file.extend(lookup3(&file).to_le_bytes());
        }
        let file = Bytes::from(file);
        let view = View::new(&file);
        if let Ok(superblock) = superblock::locate(view) {
            let view = superblock.view(view);
            let _ = superblock.check_end_of_file(view.file_len());
            let _ = SuperblockExtension::parse(view, &superblock);
            let _ = superblock.driver_info.map(|address| DriverInfo::parse_block(view, address));
            let _ = whole_header(view, superblock.root);
        }
    }

    #[test]
    fn tables_and_images(bytes in vec(byte(), 0..200), size in 0u64..200, indexes in any::<u8>(), widths in widths()) {
        for signature in [b"MDCI", b"SMTB"] {
            let mut file = signature.to_vec();
            file.extend(&bytes);
            file.extend(lookup3(&file).to_le_bytes());
            let info = CacheImageInfo { address: Some(Address(0)), size: size.min(file.len() as u64) };
            let whole = CacheImageInfo { size: file.len() as u64, ..info };
            let file = Bytes::from(file);
            let view = View::new(&file).with(0, widths);
            let _ = (CacheImage::parse(view, info), CacheImage::parse(view, whole));
            let _ = SharedMessageTable::parse(view, SharedMessageTableInfo { address: Address(0), indexes });
        }
    }
}
