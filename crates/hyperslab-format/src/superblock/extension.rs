//! Superblock extension (specification II.C): an object header with further properties of the file. All of them are
//! optional, and each is parsed separately.

use super::Superblock;
use crate::message::{BtreeK, CacheImageInfo, DriverInfo, FileSpaceInfo, SharedMessageTableInfo};
use crate::object_header::{Message, MessageKind, ObjectHeader};
use crate::{Cursor, FormatError, Parse, View, Widths};

/// Further properties of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuperblockExtension {
    /// Sizes of B-tree nodes, if they are not the defaults.
    pub btree_k: Option<BtreeK>,
    /// The file driver of the writer, if the file is one of several.
    pub driver_info: Option<DriverInfo>,
    /// The location of messages that several objects share.
    pub shared_messages: Option<SharedMessageTableInfo>,
    /// The management of file space.
    pub file_space: Option<FileSpaceInfo>,
    /// Metadata saved in one block, which replaces the bytes at its addresses.
    pub cache_image: Option<CacheImageInfo>,
}

/// The last writer did not know a message, and may have made it invalid.
const WAS_UNKNOWN: u8 = 0x20;

impl SuperblockExtension {
    /// Parses the extension, if the file has one. `view` has the base and widths of the file.
    pub fn parse(view: View<'_>, superblock: &Superblock) -> Parse<Option<Self>> {
        let Some(address) = superblock.extension else { return Ok(None) };
        let header = ObjectHeader::parse(view, address)?;
        let widths = view.widths;
        Ok(Some(Self {
            btree_k: read(&header, widths, MessageKind::BTREE_K, BtreeK::parse)?,
            driver_info: read(&header, widths, MessageKind::DRIVER_INFO, DriverInfo::parse)?,
            shared_messages: read(
                &header,
                widths,
                MessageKind::SHARED_MESSAGE_TABLE,
                SharedMessageTableInfo::parse,
            )?,
            file_space: read(&header, widths, MessageKind::FILE_SPACE_INFO, FileSpaceInfo::parse)?,
            cache_image: read(&header, widths, MessageKind::CACHE_IMAGE, CacheImageInfo::parse)?,
        }))
    }
}

fn read<T>(
    header: &ObjectHeader,
    widths: Widths,
    kind: MessageKind,
    parse: impl Fn(Cursor) -> Result<T, FormatError>,
) -> Result<Option<T>, FormatError> {
    let known = |message: &&Message| message.flags & WAS_UNKNOWN == 0;
    header.first(kind).filter(known).map(|message| parse(message.cursor(widths))).transpose()
}
