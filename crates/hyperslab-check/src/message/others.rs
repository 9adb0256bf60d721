//! The fields of messages that have few of them.

use crate::checker::{Checked, Checker};
use crate::general::{RESERVED, UNKNOWN};
use hyperslab_format::Cursor;
use hyperslab_format::heap::LocalHeap;
use hyperslab_format::message::ExternalFiles;

impl Checker<'_> {
    /// Link info and attribute info: flags, the largest creation index if tracked, two or three addresses.
    pub(super) fn read_order_info(&mut self, cursor: &mut Cursor, index_bytes: usize) -> Checked {
        let offset = usize::from(cursor.widths().offset);
        cursor.skip("version", 1)?;
        let flags = cursor.u8("flags")?;
        cursor.skip("maximum creation index", if flags & 1 != 0 { index_bytes } else { 0 })?;
        cursor.skip("addresses", if flags & 2 != 0 { 3 * offset } else { 2 * offset })?;
        Ok(())
    }

    pub(super) fn read_fill_value(&mut self, cursor: &mut Cursor) -> Checked {
        const HAS_VALUE: u8 = 0x20;
        let at = cursor.at();
        let version = cursor.u8("version")?;
        let (allocation, has_value) = if version == 3 {
            let flags = cursor.u8("flags")?;
            (flags & 0x03, flags & HAS_VALUE != 0)
        } else {
            let allocation = cursor.u8("space allocation time")?;
            cursor.skip("fill value write time", 1)?;
            let defined = cursor.u8("fill value defined")?;
            self.demand(defined <= 1, &UNKNOWN, cursor.structure(), at, || {
                format!("fill value defined: {defined} is neither 0 nor 1")
            });
            (allocation, version == 1 || defined != 0)
        };
        self.demand((1..=3).contains(&allocation), &UNKNOWN, cursor.structure(), at, || {
            format!("space allocation time {allocation} is not 1 to 3")
        });
        if has_value {
            let size = cursor.u32("size")? as i32;
            cursor.skip("fill value", usize::try_from(size).unwrap_or_default())?;
        }
        Ok(())
    }

    pub(super) fn read_external_files(&mut self, cursor: &mut Cursor, files: &ExternalFiles) -> Checked {
        let widths = cursor.widths();
        let (offset, length) = (usize::from(widths.offset), usize::from(widths.length));
        let (structure, at) = (cursor.structure(), cursor.at());
        cursor.skip("version", 1)?;
        self.reserved(cursor, "reserved", 3)?;
        let allocated = usize::from(cursor.u16("allocated slots")?);
        let used = usize::from(cursor.u16("used slots")?);
        cursor.skip("heap address and slots", offset + 3 * length * used)?;
        // Slots without content.
        cursor.skip("unused slots", (3 * length * (allocated - used)).min(cursor.left()))?;
        let heap = LocalHeap::parse(&self.view, files.heap)?.read(&self.view)?;
        let mut named = Vec::new();
        for slot in &files.slots {
            let name = heap.text("name offset", slot.name_offset)?;
            self.demand(!name.as_bytes().is_empty(), &super::TEXT_END, structure, at, || {
                "an external file has no name".to_owned()
            });
            named.push((slot.name_offset, name.as_bytes().len() as u64 + 1));
        }
        self.check_local_heap(files.heap, named)
    }

    pub(super) fn read_filter_pipeline(&mut self, cursor: &mut Cursor) -> Checked {
        const OPTIONAL: u64 = 1;
        let (structure, start) = (cursor.structure(), cursor.at());
        let version = cursor.u8("version")?;
        let count = cursor.u8("number of filters")?;
        if version == 1 {
            self.reserved(cursor, "reserved", 6)?;
        }
        self.demand(count > 0, &UNKNOWN, structure, start, || "a pipeline without filters".to_owned());
        for _ in 0..count {
            let id = cursor.u16("filter identification")?;
            let name_len = if version == 1 || id >= 256 { cursor.u16("name length")? } else { 0 };
            let at = cursor.at();
            let flags = cursor.u16("flags")?;
            self.only_bits((structure, at), "filter flags", flags.into(), OPTIONAL);
            let values = usize::from(cursor.u16("number of client data values")?);
            let name = cursor.bytes("name", name_len.into())?;
            if let Some(end) = name.iter().position(|&byte| byte == 0) {
                self.zeros_after(structure, at, "filter name", &name, end);
            } else if !name.is_empty() {
                self.report(&super::TEXT_END, structure, at, "the name of a filter has no NUL");
            }
            cursor.skip("client data", 4 * values)?;
            if version == 1 && values % 2 == 1 {
                self.reserved(cursor, "padding", 4)?;
            }
            if version >= 3 {
                let len = cursor.u16("configuration length")?;
                let at = cursor.at();
                if cursor.bytes("configuration", len.into())?.contains(&0) {
                    self.report(&super::TEXT_END, structure, at, "the configuration of a filter has a NUL");
                }
            }
        }
        Ok(())
    }

    pub(super) fn read_file_space_info(&mut self, cursor: &mut Cursor) -> Checked {
        let widths = cursor.widths();
        let (offset, length) = (usize::from(widths.offset), usize::from(widths.length));
        let version = cursor.u8("version")?;
        if version == 0 {
            let strategy = cursor.u8("strategy")?;
            cursor.skip("threshold", length)?;
            cursor.skip("free-space managers", if strategy == 1 { 6 * offset } else { 0 })?;
            return Ok(());
        }
        cursor.skip("strategy", 1)?;
        let at = cursor.at();
        let persist = cursor.u8("persisting free-space")?;
        self.demand(persist <= 1, &RESERVED, cursor.structure(), at, || {
            format!("persisting free-space: {persist} is neither 0 nor 1")
        });
        cursor.skip("threshold to end of allocation", 2 * length + 2 + offset)?;
        cursor.skip("free-space managers", if persist != 0 { 12 * offset } else { 0 })?;
        Ok(())
    }
}
