//! The fields of a data layout message.

use crate::checker::{Checked, Checker};
use hyperslab_format::Cursor;

const COMPACT: u8 = 0;
const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;
const SINGLE_FILTERED: u8 = 0x02;

impl Checker<'_> {
    /// Reads a layout that the parser accepts.
    pub(super) fn read_layout(&mut self, cursor: &mut Cursor) -> Checked {
        let (offset, length) = (usize::from(cursor.widths().offset), usize::from(cursor.widths().length));
        let version = cursor.u8("version")?;
        if version < 3 {
            return self.read_early_layout(cursor, offset);
        }
        match cursor.u8("layout class")? {
            COMPACT => {
                let size = cursor.u16("size")?;
                cursor.skip("raw data", size.into())?;
            }
            CONTIGUOUS => cursor.skip("address and size", offset + length)?,
            CHUNKED if version == 3 => {
                let rank = usize::from(cursor.u8("dimensionality")?);
                cursor.skip("address and sizes", offset + 4 * rank)?;
            }
            CHUNKED => {
                let flags = cursor.u8("flags")?;
                let rank = usize::from(cursor.u8("dimensionality")?);
                let width = usize::from(cursor.u8("dimension size encoded length")?);
                cursor.skip("sizes", rank * width)?;
                let parameters = match cursor.u8("chunk indexing type")? {
                    1 if flags & SINGLE_FILTERED != 0 => length + 4,
                    3 => 1,
                    4 => 5,
                    5 => 6,
                    _ => 0,
                };
                cursor.skip("parameters and address", parameters + offset)?;
            }
            _ => cursor.skip("address and index", offset + 4)?,
        }
        Ok(())
    }

    fn read_early_layout(&mut self, cursor: &mut Cursor, offset: usize) -> Checked {
        let rank = usize::from(cursor.u8("dimensionality")?);
        let class = cursor.u8("layout class")?;
        self.reserved(cursor, "reserved", 5)?;
        if class != COMPACT {
            cursor.skip("data address", offset)?;
        }
        cursor.skip("dimension sizes", 4 * rank)?;
        if class == COMPACT {
            let size = cursor.u32("compact data size")?;
            cursor.skip("raw data", size as usize)?;
        }
        Ok(())
    }
}
