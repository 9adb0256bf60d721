//! What the parsers read of real files, encoded again: the same structure comes out, and mostly the same bytes.

use hyperslab_format::group;
use hyperslab_format::heap::NoFilters;
use hyperslab_format::message::attribute::{AttributeVersions, NewAttribute};
use hyperslab_format::message::{
    Attribute, AttributeInfo, BtreeK, Comment, Dataspace, Datatype, DriverInfo, ExternalFiles, FileSpaceInfo,
    FillValue, FilterPipeline, GroupInfo, Layout, Link, LinkInfo, LinkTarget, ModificationTime,
    ReferenceCount, SharedMessageTableInfo, SymbolTable,
};
use hyperslab_format::object_header::{Context, Message, MessageKind, ObjectHeader};
use hyperslab_format::superblock::{self, Superblock, SuperblockExtension};
use hyperslab_format::{Address, Bytes, Cursor, Encoder, FormatError, Parse, View, Widths};
use hyperslab_testkit::files::{corpus, fixtures, hdf5_files};
use hyperslab_testkit::require;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;
use std::path::Path;

const FILE_BYTES_MAX: u64 = 8 << 20;
/// Structures that may be encoded to other bytes of the same meaning, and why.
const OTHER_BYTES: [(&str, &str); 6] = [
    ("dataspace message", "maximum sizes are left out where they equal the sizes"),
    ("attribute message", "for the dataspace in it"),
    ("datatype message", "the padding bits around significant bits are not kept"),
    ("data layout message", "a few writers leave space behind compact data"),
    ("link message", "a few writers use wider lengths than needed"),
    ("file space info message", "the threshold at the end of pages, and the end of allocation, are not kept"),
];

/// How many messages of a kind and version were encoded, and how many of them to the same bytes.
#[derive(Debug, Default)]
struct Outcome {
    messages: usize,
    same_bytes: usize,
}

/// What was encoded, by the structure and its version.
#[derive(Debug, Default)]
struct Outcomes(BTreeMap<(&'static str, u8), Outcome>);

impl Outcomes {
    fn add(&mut self, structure: &'static str, version: u8, original: &[u8], encoded: &[u8]) {
        let outcome = self.0.entry((structure, version)).or_default();
        outcome.messages += 1;
        // A message of version 1 headers is padded to 8 bytes.
        let is_padding = |rest: &[u8]| rest.len() < 8 && rest.iter().all(|&byte| byte == 0);
        outcome.same_bytes += usize::from(original.strip_prefix(encoded).is_some_and(is_padding));
    }
}

/// Parses a message, encodes what was found, and parses that. Returns the encoded bytes.
fn round_trip<T: PartialEq + Debug>(
    message: &Message,
    widths: Widths,
    parse: impl Fn(Cursor) -> Result<T, FormatError>,
    encode: impl Fn(&T, &mut Encoder),
) -> Option<Vec<u8>> {
    let found = parse(message.cursor(widths)).ok()?;
    let mut out = Encoder::new(message.kind.structure(), widths);
    encode(&found, &mut out);
    let bytes = out.finish().unwrap_or_else(|error| panic!("{error}: {found:?}"));
    let again = parse(Cursor::new("encoded", message.at, Bytes::from(bytes.clone()), widths));
    assert_eq!(again.as_ref(), Ok(&found), "{bytes:02x?}");
    Some(bytes)
}

/// Encodes a message that its own body contains; `None` if it cannot be parsed or has no encoder of its version.
fn encode_message(context: Context<'_>, message: &Message) -> Option<Vec<u8>> {
    let widths = context.view.widths;
    let version = *message.body.first()?;
    match message.kind {
        MessageKind::DATASPACE => {
            round_trip(message, widths, Dataspace::parse, |found, out| found.encode(out, version))
        }
        MessageKind::DATATYPE => {
            round_trip(message, widths, Datatype::parse, |found, out| found.encode(out, version >> 4))
        }
        MessageKind::FILL_VALUE if version > 1 => {
            round_trip(message, widths, FillValue::parse, |found, out| found.encode(out, version))
        }
        MessageKind::LAYOUT if version > 2 => {
            let parse = |cursor| Layout::parse(cursor).map(without_offset);
            round_trip(message, widths, parse, |found, out| found.encode(out, version))
        }
        MessageKind::FILTER_PIPELINE => {
            round_trip(message, widths, FilterPipeline::parse, |found, out| found.encode(out, version))
        }
        MessageKind::ATTRIBUTE => encode_attribute(context, message),
        MessageKind::LINK => round_trip(message, widths, Link::parse, Link::encode),
        MessageKind::LINK_INFO => {
            let indexed = message.body[1] & 0x02 != 0;
            round_trip(message, widths, LinkInfo::parse, |found, out| found.encode(out, indexed))
        }
        MessageKind::ATTRIBUTE_INFO => {
            let indexed = message.body[1] & 0x02 != 0;
            round_trip(message, widths, AttributeInfo::parse, |found, out| found.encode(out, indexed))
        }
        MessageKind::GROUP_INFO => round_trip(message, widths, GroupInfo::parse, GroupInfo::encode),
        MessageKind::SYMBOL_TABLE => round_trip(message, widths, SymbolTable::parse, SymbolTable::encode),
        MessageKind::EXTERNAL_FILES => {
            round_trip(message, widths, ExternalFiles::parse, ExternalFiles::encode)
        }
        MessageKind::COMMENT => round_trip(message, widths, Comment::parse, Comment::encode),
        MessageKind::MODIFICATION_TIME => {
            round_trip(message, widths, ModificationTime::parse, ModificationTime::encode)
        }
        MessageKind::REFERENCE_COUNT => {
            round_trip(message, widths, ReferenceCount::parse, ReferenceCount::encode)
        }
        MessageKind::BTREE_K => round_trip(message, widths, BtreeK::parse, BtreeK::encode),
        MessageKind::DRIVER_INFO => round_trip(message, widths, DriverInfo::parse, DriverInfo::encode),
        MessageKind::SHARED_MESSAGE_TABLE => {
            round_trip(message, widths, SharedMessageTableInfo::parse, SharedMessageTableInfo::encode)
        }
        MessageKind::FILE_SPACE_INFO if version == 1 => {
            round_trip(message, widths, FileSpaceInfo::parse, FileSpaceInfo::encode)
        }
        _ => None,
    }
}

/// The offset of compact data in the file is not a part of the message.
fn without_offset(layout: Layout) -> Layout {
    match layout {
        Layout::Compact { data, .. } => Layout::Compact { data, at: 0 },
        other => other,
    }
}

fn encode_attribute(context: Context<'_>, message: &Message) -> Option<Vec<u8>> {
    let body = &message.body;
    // A shared dataspace is in the heap of shared messages, where attributes are not encoded to.
    if body[0] > 1 && body[1] & 0x02 != 0 {
        return None;
    }
    let found = Attribute::parse(context, message.cursor(context.view.widths), None).ok()?;
    let word = |at: usize| usize::from(u16::from_le_bytes([body[at], body[at + 1]]));
    let padded = |len: usize| if body[0] == 1 { len.next_multiple_of(8) } else { len };
    let start = if body[0] == 3 { 9 } else { 8 };
    let datatype = start + padded(word(2));
    let dataspace = datatype + padded(word(4));
    let is_committed = found.datatype.committed.is_some();
    let versions = AttributeVersions {
        message: body[0],
        datatype: if is_committed { 1 } else { body[datatype] >> 4 },
        dataspace: body[dataspace],
    };
    let mut out = Encoder::new("attribute message", context.view.widths);
    let Attribute { name, charset, datatype, dataspace, data, .. } = &found;
    let new = NewAttribute { name, charset: *charset, datatype, dataspace, data };
    new.encode(&mut out, versions);
    let bytes = out.finish().unwrap();
    let cursor = Cursor::new("encoded", 0, Bytes::from(bytes.clone()), context.view.widths);
    assert_eq!(Attribute::parse(context, cursor, None).as_ref(), Ok(&found));
    Some(bytes)
}

/// Encodes a header, and compares what is parsed of that with the original.
fn encode_header(view: View<'_>, header: &ObjectHeader) {
    let mut out = Encoder::new("object header", view.widths);
    header.encode(&mut out);
    let bytes = Bytes::from(out.finish().unwrap());
    let again = ObjectHeader::parse(View::new(&bytes).with(0, view.widths), Address(0)).unwrap();
    let kept = |header: &ObjectHeader| {
        let has_content =
            |message: &&Message| ![MessageKind::NIL, MessageKind::CONTINUATION].contains(&message.kind);
        let messages = header.messages.iter().filter(has_content);
        let parts = messages
            .map(|message| (message.kind, message.flags, message.creation_order, message.body.clone()));
        let order = (header.tracks_attribute_order(), header.indexes_attribute_order());
        (
            header.version,
            header.reference_count,
            header.times,
            header.attribute_phase_change,
            order,
            parts.collect::<Vec<_>>(),
        )
    };
    assert_eq!(kept(&again), kept(header));
}

/// The headers that the links of a header lead to.
fn linked(view: View<'_>, header: &ObjectHeader) -> Parse<Vec<Address>> {
    let mut links = header.links(view.widths);
    if let Some(table) = header.symbol_table(view.widths)? {
        links.extend(group::old::list(table).advance(&view)?);
    }
    if let Some(mut list) = header.link_info(view.widths)?.and_then(|info| group::dense::list(&info)) {
        links.extend(list.advance(&view, &NoFilters)?);
    }
    let hard = links.into_iter().flatten().filter_map(|link| match link.target {
        LinkTarget::Hard(address) => Some(address),
        _ => None,
    });
    Ok(hard.collect())
}

fn encode_superblock(bytes: &Bytes, found: &Superblock, outcomes: &mut Outcomes) {
    let mut out = Encoder::new("superblock", found.widths);
    found.encode(&mut out);
    let encoded = out.finish().unwrap();
    assert_eq!(encoded.len() as u64, Superblock::bytes(found.version, found.widths));
    let at = found.at as usize;
    let original = &bytes[at..bytes.len().min(at + encoded.len())];
    outcomes.add("superblock", found.version, original, &encoded);
    let mut file = bytes.to_vec();
    file[at..at + encoded.len()].copy_from_slice(&encoded);
    assert_eq!(superblock::locate(View::new(&Bytes::from(file))).as_ref(), Ok(found));
}

fn encode_file(path: &Path, outcomes: &mut Outcomes) -> Parse<()> {
    let bytes = Bytes::from(std::fs::read(path).unwrap());
    let superblock = superblock::locate(View::new(&bytes))?;
    encode_superblock(&bytes, &superblock, outcomes);
    let view = superblock.view(View::new(&bytes));
    let mut seen: HashSet<Address> = HashSet::new();
    let mut open = vec![superblock.root];
    open.extend(superblock.extension);
    while let Some(address) = open.pop() {
        if !seen.insert(address) {
            continue;
        }
        let Ok(header) = ObjectHeader::parse(view, address) else { continue };
        encode_header(view, &header);
        for message in header.messages.iter().filter(|message| !message.is_shared()) {
            if let Some(encoded) = encode_message(Context::from(view), message) {
                outcomes.add(message.kind.structure(), version(message), &message.body, &encoded);
            }
        }
        open.extend(linked(view, &header).unwrap_or_default());
    }
    let _ = SuperblockExtension::parse(view, &superblock);
    Ok(())
}

/// The version of a message; 0 for those without.
fn version(message: &Message) -> u8 {
    match message.kind {
        MessageKind::DATATYPE => message.body[0] >> 4,
        MessageKind::SYMBOL_TABLE | MessageKind::COMMENT => 0,
        _ => message.body[0],
    }
}

#[test]
fn what_was_parsed_is_encoded_again() {
    let mut files = hdf5_files(&require!(fixtures()), FILE_BYTES_MAX);
    files.extend(hdf5_files(&require!(corpus()), FILE_BYTES_MAX));
    let mut outcomes = Outcomes::default();
    // A file that cannot be opened has nothing to encode.
    let read = files.iter().filter(|path| encode_file(path, &mut outcomes).is_ok()).count();
    println!("{read} files: {outcomes:#?}");
    assert!(read > files.len() / 2, "{read} of {} files", files.len());
    for ((structure, version), Outcome { messages, same_bytes }) in &outcomes.0 {
        let may_differ = OTHER_BYTES.iter().any(|(name, _)| *name == *structure);
        let what =
            format!("{structure} of version {version}: {same_bytes} of {messages} have the same bytes");
        assert!(may_differ || same_bytes == messages, "{what}");
    }
    for (structure, _) in OTHER_BYTES {
        assert!(outcomes.0.iter().any(|((name, _), outcome)| *name == structure && outcome.same_bytes > 0));
    }
}
