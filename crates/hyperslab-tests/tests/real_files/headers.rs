//! Superblocks and object headers of real files.

use hyperslab_format::message::cache_image::{Overlay, OverlayEntries};
use hyperslab_format::message::{
    Attribute, AttributeInfo, BtreeK, CacheImage, CacheImageInfo, Comment, Dataspace, Datatype, DriverInfo,
    ExternalFiles, FileSpaceInfo, FillValue, FilterPipeline, GroupInfo, Layout, Link, LinkInfo,
    ModificationTime, ReferenceCount, SharedMessageTableInfo, SymbolTable,
};
use hyperslab_format::object_header::{
    Context, Message, MessageKind, ObjectHeader, ObjectKind, SharedMessageList, SharedMessageTable,
};
use hyperslab_format::superblock::{self, SuperblockExtension};
use hyperslab_format::{Address, Bytes, Parse, Stop, View};
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::{Missing, require};
use std::path::PathBuf;

struct File {
    path: PathBuf,
    features: String,
}

fn files() -> Result<Vec<File>, Missing> {
    let root = corpus()?;
    let manifest = std::fs::read_to_string(root.join("MANIFEST.tsv")).unwrap();
    let lines = manifest.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    Ok(lines
        .filter(|columns| columns[5] == "hdf5")
        .map(|columns| File { path: root.join(columns[0]), features: columns[6].to_owned() })
        .collect())
}

const PARTS: [&str; 3] =
    ["test_subfiling_stripe_sizes.h5", "tfamily00000.h5", "h5clear_fsm_persist_noclose.h5"];

/// Parses a message with the parser of its kind.
fn parse_message(context: Context<'_>, message: &Message) -> Parse<()> {
    let cursor = context.resolve_message(message)?.cursor;
    match message.kind {
        MessageKind::DATASPACE => drop(Dataspace::parse(cursor)?),
        MessageKind::LINK_INFO => drop(LinkInfo::parse(cursor)?),
        MessageKind::DATATYPE => drop(Datatype::parse(cursor)?),
        MessageKind::FILL_VALUE_OLD => drop(FillValue::parse_old(cursor)?),
        MessageKind::FILL_VALUE => drop(FillValue::parse(cursor)?),
        MessageKind::LINK => drop(Link::parse(cursor)?),
        MessageKind::EXTERNAL_FILES => drop(ExternalFiles::parse(cursor)?),
        MessageKind::LAYOUT => drop(Layout::parse(cursor)?),
        MessageKind::GROUP_INFO => drop(GroupInfo::parse(cursor)?),
        MessageKind::FILTER_PIPELINE => drop(FilterPipeline::parse(cursor)?),
        MessageKind::ATTRIBUTE => drop(Attribute::parse(context, cursor, None)?),
        MessageKind::COMMENT => drop(Comment::parse(cursor)?),
        MessageKind::MODIFICATION_TIME_OLD => drop(ModificationTime::parse_old(cursor)?),
        MessageKind::SHARED_MESSAGE_TABLE => drop(SharedMessageTableInfo::parse(cursor)?),
        MessageKind::SYMBOL_TABLE => drop(SymbolTable::parse(cursor)?),
        MessageKind::MODIFICATION_TIME => drop(ModificationTime::parse(cursor)?),
        MessageKind::BTREE_K => drop(BtreeK::parse(cursor)?),
        MessageKind::DRIVER_INFO => drop(DriverInfo::parse(cursor)?),
        MessageKind::ATTRIBUTE_INFO => drop(AttributeInfo::parse(cursor)?),
        MessageKind::REFERENCE_COUNT => drop(ReferenceCount::parse(cursor)?),
        MessageKind::FILE_SPACE_INFO => drop(FileSpaceInfo::parse(cursor)?),
        MessageKind::CACHE_IMAGE => drop(CacheImageInfo::parse(cursor)?),
        MessageKind::NIL | MessageKind::CONTINUATION => {}
        other => assert!(!other.is_known(), "{other} has no parser here"),
    }
    Ok(())
}

fn read_root(bytes: &Bytes) -> Parse<ObjectKind> {
    let view = View::new(bytes);
    let superblock = superblock::locate(view)?;
    let view = superblock.view(view);
    let extension = SuperblockExtension::parse(view, &superblock)?;
    // A few files have a metadata cache image.
    let info = extension.as_ref().and_then(|extension| extension.cache_image);
    let image = info.map(|info| CacheImage::parse(view, info)).transpose()?;
    let entries = image.map(|image| OverlayEntries::new(view, &image)).unwrap_or_default();
    let overlay = Overlay::new(bytes, &entries);
    let view = superblock.view(View::new(&overlay));
    let table = extension.and_then(|extension| extension.shared_messages);
    let table = table.map(|info| SharedMessageTable::parse(view, info)).transpose()?;
    for index in table.iter().flat_map(|table| &table.indexes) {
        SharedMessageList::parse(view, index)?;
    }
    let context = Context { view, shared: table.as_ref() };
    let root = ObjectHeader::parse(view, superblock.root)?;
    for message in &root.messages {
        parse_message(context, message)?;
    }
    Ok(root.kind())
}

#[test]
fn every_root_group_is_read_whole() {
    let mut failures = Vec::new();
    for File { path, features } in require!(files()) {
        let bytes = Bytes::from(std::fs::read(&path).unwrap());
        let outcome = read_root(&bytes);
        assert!(!matches!(outcome, Err(Stop::Need(_))), "a file in memory lacks nothing");
        if features.contains("MALFORMED") {
            continue;
        }
        // A member of several files refers to addresses in the others; one file was never closed and has no root.
        let part = path.to_string_lossy();
        let part = features.contains("driver-info:") || PARTS.iter().any(|name| part.ends_with(name));
        if !part && outcome != Ok(ObjectKind::Group) {
            failures.push(format!("{} ({features}): {outcome:?}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn nothing_but_an_error_comes_of_truncated_files() {
    for File { path, .. } in require!(files()) {
        let bytes = Bytes::from(std::fs::read(&path).unwrap());
        for len in [0, 1, 7, 8, 9, 20, 47, 48, 95, 96, 100, 511, 512, 600, 800, 1000, 1500, 2047] {
            let _ = read_root(&bytes.slice(..bytes.len().min(len)));
        }
        let _ = ObjectHeader::parse(View::new(&bytes), Address(u64::MAX - 3));
    }
}
