//! The fields of a dataspace message.

use crate::checker::{Checked, Checker};
use hyperslab_format::Cursor;

const HAS_MAX_DIMS: u8 = 0x01;
const HAS_PERMUTATION: u8 = 0x02;

impl Checker<'_> {
    pub(super) fn read_dataspace(&mut self, cursor: &mut Cursor) -> Checked {
        let length = usize::from(cursor.widths().length);
        let version = cursor.version(1..=2)?;
        let rank = usize::from(cursor.u8("dimensionality")?);
        let at = cursor.at();
        let flags = cursor.u8("flags")?;
        // Permutation indices were planned for version 1, but no library wrote them.
        self.only_bits(
            (cursor.structure(), at),
            "flags",
            flags.into(),
            (HAS_MAX_DIMS | HAS_PERMUTATION).into(),
        );
        if version == 1 {
            self.reserved(cursor, "reserved", 5)?;
        } else {
            cursor.skip("type", 1)?;
        }
        cursor.skip("dimension sizes", rank * length)?;
        if flags & HAS_MAX_DIMS != 0 {
            cursor.skip("dimension maximum sizes", rank * length)?;
        }
        Ok(())
    }
}
