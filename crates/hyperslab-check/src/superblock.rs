//! The superblock, the blocks that it refers to, and its extension (specification II).

use crate::checker::{Checked, Checker};
use crate::rule::rules;
use hyperslab_format::message::{
    BtreeK, CacheImageInfo, DriverInfo, FileSpaceInfo, FileSpaceStrategy, SharedMessageTableInfo,
};
use hyperslab_format::object_header::{MessageKind, ObjectHeader};
use hyperslab_format::superblock::Superblock;
use hyperslab_format::{Address, Cursor, FormatError};

rules! { RULES:
    /// The file is as long as the superblock says: a shorter file is truncated.
    TRUNCATED = Error "truncated", "II.A";
    /// The file has no bytes after the end of file that the superblock states.
    BYTES_AFTER_END = Note "bytes-after-end", "II.A";
    /// The base address is the offset of the superblock. Tools that add or remove a user block may leave it as it was.
    BASE_ADDRESS = Warning "base-address", "II.A";
    /// A file with a superblock of version 3 was closed: no consistency flag is set. The library refuses to open it otherwise.
    NOT_CLOSED = Error "not-closed", "II.A";
    /// The addresses of the root group's B-tree and heap in the superblock are those in its symbol table message.
    ROOT_CACHE = Error "root-cache", "III.C";
    /// The superblock extension has only messages about the file.
    EXTENSION_MESSAGE = Error "extension-message", "II.C";
    /// A file that is allocated in pages ends at the end of a page.
    PAGED_END = Warning "paged-end", "IV.A.2.x";
    /// A page has from 512 bytes to 1 GiB, as the library demands of new files.
    PAGE_SIZE = Warning "page-size", "IV.A.2.x; H5Pfcpl.c";
    /// Free-space managers are recorded exactly if free space is to be kept.
    PERSISTENT_SPACE = Error "persistent-space", "IV.A.2.x";
}

const STRUCTURE: &str = "superblock";
/// `H5F_FILE_SPACE_PAGE_SIZE_MIN` and `H5F_FILE_SPACE_PAGE_SIZE_MAX` in libhdf5.
const PAGE_BYTES: std::ops::RangeInclusive<u64> = 512..=1 << 30;

impl Checker<'_> {
    /// Checks the superblock itself.
    pub(crate) fn check_superblock(&mut self) -> Checked {
        let superblock = self.superblock.clone();
        let (version, widths) = (superblock.version, superblock.widths);
        if superblock.base > 0 {
            self.claim_at("user block", 0, superblock.base)?;
        }
        let mut cursor = self.cursor(STRUCTURE, Address(0), Superblock::bytes(version, widths))?;
        if version < 2 {
            cursor.skip("signature, versions", 11)?;
            self.reserved(&mut cursor, "reserved", 1)?;
            cursor.skip("version of shared header message format, widths", 3)?;
            self.reserved(&mut cursor, "reserved", 1)?;
            cursor.skip("node sizes, flags", 8)?;
            if version == 1 {
                cursor.skip("indexed storage internal node K", 2)?;
                self.reserved(&mut cursor, "reserved", 2)?;
            }
            cursor
                .skip("addresses, root entry", 5 * usize::from(widths.offset) + usize::from(widths.length))?;
            let cache_type = cursor.u32("cache type")?;
            self.reserved(&mut cursor, "root entry, reserved", 4)?;
            if cache_type == 0 {
                // The scratch-pad space is not used then.
            } else if cache_type == 1 {
                let used = 2 * usize::from(widths.offset);
                cursor.skip("scratch-pad space", used.min(16))?;
            }
        }
        self.check_end_of_file(&superblock);
        let base = superblock.stored_base;
        self.demand(base == superblock.base, &BASE_ADDRESS, STRUCTURE, superblock.at, || {
            format!("the base address is {base:#x}, but the superblock is at byte {:#x}", superblock.base)
        });
        // Libraries before 1.8 set flags in files of version 0; those of version 2 are reserved and not read.
        let is_closed = superblock.consistency_flags == 0 || version < 3;
        self.demand(is_closed, &NOT_CLOSED, STRUCTURE, superblock.at, || {
            format!(
                "file consistency flags {:#04x}: a writer has the file open, or crashed",
                superblock.consistency_flags
            )
        });
        if let Some(address) = superblock.driver_info {
            let checked = self.check_driver_block(address);
            self.finish(checked);
        }
        Ok(())
    }

    fn check_end_of_file(&mut self, superblock: &Superblock) {
        let (len, at) = (self.view.file_len(), superblock.end_of_file_at);
        let end = superblock.base.saturating_add(superblock.end_of_file.0);
        if len < end {
            let what = format!("the file has {len} bytes, but should have {end}");
            self.report(&TRUNCATED, STRUCTURE, at, what);
        } else if len > end {
            let what = format!("{} bytes follow the end of the file at byte {end}", len - end);
            self.report(&BYTES_AFTER_END, STRUCTURE, end, what);
        }
        if let Some(page) = self.page_bytes {
            let what = || {
                format!(
                    "the file ends at address {:#x}, with pages of {page} bytes",
                    superblock.end_of_file.0
                )
            };
            self.demand(superblock.end_of_file.0.is_multiple_of(page), &PAGED_END, STRUCTURE, at, what);
        }
    }

    fn check_driver_block(&mut self, address: Address) -> Checked {
        const BLOCK: &str = "driver information block";
        let mut cursor = self.peek(BLOCK, address, 16)?;
        cursor.version(0..=0)?;
        self.reserved(&mut cursor, "reserved", 3)?;
        let size = cursor.u32("driver information size")?;
        self.claim(BLOCK, address, 16 + u64::from(size))
    }

    /// Compares the symbol table that the superblock caches with that in the root group's header.
    pub(crate) fn check_root_cache(&mut self, root: &ObjectHeader) {
        let Some((btree, heap)) = self.superblock.root_symbol_table else { return };
        let Ok(Some(table)) = root.symbol_table(self.view.widths) else { return };
        self.demand(
            (btree, heap) == (table.btree, table.heap),
            &ROOT_CACHE,
            STRUCTURE,
            self.superblock.at,
            || {
                let (of_btree, of_heap) = (table.btree, table.heap);
                format!(
                    "B-tree at {btree} and heap at {heap}, but the root group has {of_btree} and {of_heap}"
                )
            },
        );
    }

    /// Checks the superblock extension and what it refers to.
    pub(crate) fn check_extension(&mut self) -> Checked {
        let Some(address) = self.superblock.extension else { return Ok(()) };
        let header = self.object_header(address)?;
        for message in &header.messages {
            let belongs = matches!(
                message.kind,
                MessageKind::NIL
                    | MessageKind::CONTINUATION
                    | MessageKind::SHARED_MESSAGE_TABLE
                    | MessageKind::BTREE_K
                    | MessageKind::DRIVER_INFO
                    | MessageKind::FILE_SPACE_INFO
                    | MessageKind::CACHE_IMAGE
            ) || !message.kind.is_known();
            self.demand(belongs, &EXTENSION_MESSAGE, "superblock extension", message.at, || {
                format!("a {} in the superblock extension", message.kind)
            });
        }
        self.check_messages(&header);
        if let Some(sizes) = self.of_header(&header, MessageKind::BTREE_K, BtreeK::parse) {
            self.node_sizes.group_internal = sizes.group_internal.into();
            self.node_sizes.group_leaf = sizes.group_leaf.into();
            self.node_sizes.chunk_internal = sizes.chunk_internal.into();
        }
        // The driver only matters to whoever opens the members of a file.
        self.of_header(&header, MessageKind::DRIVER_INFO, DriverInfo::parse);
        if let Some(info) = self.of_header(&header, MessageKind::CACHE_IMAGE, CacheImageInfo::parse)
            && let Some(address) = info.address.filter(|_| info.size > 0)
        {
            let claimed = self.claim("metadata cache image", address, info.size);
            self.finish(claimed);
        }
        let space = self.of_header(&header, MessageKind::FILE_SPACE_INFO, FileSpaceInfo::parse);
        if let Some(space) = space {
            self.check_file_space(&header, &space);
        }
        let table = self.of_header(&header, MessageKind::SHARED_MESSAGE_TABLE, SharedMessageTableInfo::parse);
        if let Some(table) = table {
            let checked = self.check_shared_table(table);
            self.finish(checked);
        }
        Ok(())
    }

    fn check_file_space(&mut self, header: &ObjectHeader, space: &FileSpaceInfo) {
        const MESSAGE: &str = "file space info message";
        let at = header.first(MessageKind::FILE_SPACE_INFO).map_or(0, |message| message.at);
        if space.strategy == FileSpaceStrategy::Page {
            let page = space.page_size;
            let what = || format!("pages of {page} bytes");
            self.demand(PAGE_BYTES.contains(&page), &PAGE_SIZE, MESSAGE, at, what);
        }
        let has_managers = space.managers.iter().any(Option::is_some);
        let keeps =
            matches!(space.strategy, FileSpaceStrategy::FreeSpaceAggregators | FileSpaceStrategy::Page);
        self.demand(!has_managers || (space.persist && keeps), &PERSISTENT_SPACE, MESSAGE, at, || {
            "free-space managers in a file that does not keep free space".to_owned()
        });
        for &manager in space.managers.iter().flatten() {
            let checked = self.check_file_free_space(manager);
            self.finish(checked);
        }
    }

    /// The first message of a kind. Its error has been reported already.
    fn of_header<T>(
        &mut self,
        header: &ObjectHeader,
        kind: MessageKind,
        parse: impl Fn(Cursor) -> Result<T, FormatError>,
    ) -> Option<T> {
        header.first(kind).and_then(|message| parse(message.cursor(self.view.widths)).ok())
    }
}
