//! Header messages (specification IV.A.2): every field of every message, including those that readers skip.
//!
//! The values are parsed by `hyperslab-format`. The readers here go through the same bytes field by field, and check what
//! parsers ignore: reserved bytes and bits, padding, terminating NULs, and that nothing follows the last field.

mod attribute;
mod dataspace;
mod datatype;
mod layout;
mod link;
mod others;

use crate::checker::{Checked, Checker};
use crate::rule::rules;
use hyperslab_format::message::{
    AttributeInfo, BtreeK, CacheImageInfo, Comment, Dataspace, Datatype, DriverInfo, ExternalFiles,
    FileSpaceInfo, FillValue, FilterPipeline, GroupInfo, Layout, LinkInfo, ModificationTime, ReferenceCount,
    SharedMessageTableInfo, SymbolTable,
};
use hyperslab_format::object_header::{Message, MessageKind, ObjectHeader};
use hyperslab_format::{Address, Cursor};

rules! { RULES:
    /// A message ends with its last field. In version 1 headers, messages are padded to a multiple of 8 bytes with zeros.
    MESSAGE_END = Note "message-end", "IV.A.1";
    /// A text ends with a NUL where the specification demands one, and names are not empty.
    TEXT_END = Error "text-end", "";
    /// A datatype has the version that its class needs: arrays 2, VAX numbers 3, revised references 4, complex numbers 5.
    /// Some files of older libraries have arrays and revised references in version 1.
    DATATYPE_VERSION = Note "datatype-version", "IV.A.2.d";
    /// The members of a compound datatype have different names and do not overlap; an enumeration has no name twice.
    DATATYPE_MEMBERS = Error "datatype-members", "IV.A.2.d";
    /// A reference count message is only stored for counts other than 1.
    REFERENCE_COUNT_OF_ONE = Warning "reference-count-of-one", "IV.A.2.w";
    /// The sizes of the parts of an attribute message are those of its datatype and dataspace. Some files
    /// of older libraries have more bytes than a datatype needs.
    ATTRIBUTE_SIZES = Note "attribute-sizes", "IV.A.2.m";
    /// Names and texts that are marked as UTF-8 are valid UTF-8.
    UTF_8 = Warning "utf-8", "IV.A.2.g, IV.A.2.m";
}

impl Checker<'_> {
    /// Checks all messages of a header but its attributes, which [`Self::check_attributes`] checks.
    pub(crate) fn check_messages(&mut self, header: &ObjectHeader) {
        for message in &header.messages {
            if message.kind == MessageKind::ATTRIBUTE {
                continue;
            }
            let checked = self.check_message(header, message);
            self.finish(checked);
        }
    }

    fn check_message(&mut self, header: &ObjectHeader, message: &Message) -> Checked {
        if message.is_shared() {
            return self.check_shared_message(message);
        }
        let mut cursor = message.cursor(self.view.widths);
        if !self.check_body(message.kind, &mut cursor)? {
            return Ok(());
        }
        self.check_message_end(&mut cursor, header.version)
    }

    /// Checks the fields of a message. Returns false for a message whose end is not known.
    pub(crate) fn check_body(&mut self, kind: MessageKind, cursor: &mut Cursor) -> Checked<bool> {
        let whole = cursor.clone();
        match kind {
            MessageKind::DATASPACE => {
                Dataspace::parse(whole)?;
                self.read_dataspace(cursor)?;
            }
            MessageKind::DATATYPE => {
                Datatype::parse(whole)?;
                self.read_datatype(cursor, 0)?;
            }
            MessageKind::LINK_INFO => {
                LinkInfo::parse(whole)?;
                self.read_order_info(cursor, 8)?;
            }
            MessageKind::ATTRIBUTE_INFO => {
                AttributeInfo::parse(whole)?;
                self.read_order_info(cursor, 2)?;
            }
            MessageKind::FILL_VALUE_OLD => {
                FillValue::parse_old(whole)?;
                let size = cursor.u32("size")?;
                cursor.skip("fill value", size as usize)?;
            }
            MessageKind::FILL_VALUE => {
                FillValue::parse(whole)?;
                self.read_fill_value(cursor)?;
            }
            MessageKind::LINK => {
                self.read_link(cursor)?;
            }
            MessageKind::EXTERNAL_FILES => {
                let files = ExternalFiles::parse(whole)?;
                self.read_external_files(cursor, &files)?;
            }
            MessageKind::LAYOUT => {
                Layout::parse(whole)?;
                self.read_layout(cursor)?;
            }
            MessageKind::GROUP_INFO => {
                GroupInfo::parse(whole)?;
                let flags = cursor.clone().sub("version and flags", 2)?.rest()[1];
                cursor.skip("version, flags and numbers", 2 + 4 * flags.count_ones() as usize)?;
            }
            MessageKind::FILTER_PIPELINE => {
                FilterPipeline::parse(whole)?;
                self.read_filter_pipeline(cursor)?;
            }
            MessageKind::COMMENT => {
                Comment::parse(whole)?;
                cursor.nul_terminated("comment")?;
            }
            MessageKind::MODIFICATION_TIME_OLD => {
                ModificationTime::parse_old(whole)?;
                cursor.skip("time", 14)?;
                self.reserved(cursor, "reserved", 2)?;
            }
            MessageKind::MODIFICATION_TIME => {
                ModificationTime::parse(whole)?;
                cursor.skip("version", 1)?;
                self.reserved(cursor, "reserved", 3)?;
                cursor.skip("seconds", 4)?;
            }
            MessageKind::SHARED_MESSAGE_TABLE => {
                SharedMessageTableInfo::parse(whole)?;
                cursor.skip("version, address, indices", 2 + usize::from(self.view.widths.offset))?;
            }
            MessageKind::CONTINUATION => {
                let widths = self.view.widths;
                cursor.skip("offset and length", usize::from(widths.offset) + usize::from(widths.length))?;
            }
            MessageKind::SYMBOL_TABLE => {
                SymbolTable::parse(whole)?;
                cursor.skip("addresses", 2 * usize::from(self.view.widths.offset))?;
            }
            MessageKind::BTREE_K => {
                BtreeK::parse(whole)?;
                cursor.skip("version and node sizes", 7)?;
            }
            MessageKind::DRIVER_INFO => {
                let info = DriverInfo::parse(whole)?;
                cursor.skip("version to information", 11 + info.data.len())?;
            }
            MessageKind::REFERENCE_COUNT => {
                let count = ReferenceCount::parse(whole)?.0;
                self.demand(count != 1, &REFERENCE_COUNT_OF_ONE, cursor.structure(), cursor.at(), || {
                    "the message is not needed for a count of 1".to_owned()
                });
                cursor.skip("version and count", 5)?;
            }
            MessageKind::FILE_SPACE_INFO => {
                FileSpaceInfo::parse(whole)?;
                self.read_file_space_info(cursor)?;
            }
            MessageKind::CACHE_IMAGE => {
                CacheImageInfo::parse(whole)?;
                let widths = self.view.widths;
                cursor
                    .skip("version to size", 1 + usize::from(widths.offset) + usize::from(widths.length))?;
            }
            // Empty space may contain anything, and unknown messages have any form.
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Checks that nothing follows the last field of a message but padding.
    fn check_message_end(&mut self, cursor: &mut Cursor, header_version: u8) -> Checked {
        let (at, left) = (cursor.at(), cursor.left());
        let padding = if header_version == 1 { 7 } else { 0 };
        let rest = cursor.rest();
        let is_zero = rest.iter().all(|&byte| byte == 0);
        self.demand(left <= padding && is_zero, &MESSAGE_END, cursor.structure(), at, || {
            format!(
                "{left} bytes follow the last field{}",
                if is_zero { "" } else { ", not all of them zero" }
            )
        });
        Ok(())
    }

    /// Checks a message that is stored elsewhere: in another object header, or in the heap of shared messages.
    fn check_shared_message(&mut self, message: &Message) -> Checked {
        let mut cursor = message.cursor(self.view.widths);
        self.read_shared_location(message.kind, &mut cursor)?;
        self.with_context(|context| context.resolve_message(message))?;
        Ok(())
    }

    /// Reads the location of a shared message, and counts the use of what is there.
    pub(crate) fn read_shared_location(&mut self, kind: MessageKind, cursor: &mut Cursor) -> Checked {
        let version = cursor.version(1..=3)?;
        let class = cursor.u8("type")?;
        if version == 1 {
            self.reserved(cursor, "reserved", 6)?;
            cursor.length("link name offset")?;
        } else if class == 1 {
            let id: [u8; 8] = cursor.bytes("heap ID", 8)?[..].try_into().expect("eight bytes");
            self.use_shared(kind, id);
            return Ok(());
        }
        let address = cursor.address_defined("object header address")?;
        self.use_datatype(kind, address);
        Ok(())
    }

    /// Counts the use of a message in the heap of shared messages. False if it was used before.
    pub(crate) fn use_shared(&mut self, kind: MessageKind, id: [u8; 8]) -> bool {
        let Some(heap) = self.shared.as_ref().and_then(|table| table.heap(kind)) else { return true };
        if !self.counts_uses {
            return false;
        }
        let uses = self.shared_uses.entry((heap, id)).or_default();
        *uses += 1;
        *uses == 1
    }

    fn use_datatype(&mut self, kind: MessageKind, address: Address) {
        if kind == MessageKind::DATATYPE && self.counts_uses {
            *self.datatype_uses.entry(address).or_default() += 1;
        }
    }
}
