//! Link Info message (specification IV.A.2.c, type 0x02): the location of a new-style group's dense link storage, and
//! whether creation order is tracked.
//!
//! ```text
//! version 0 | flags | [max. creation index 8] | fractal heap | name index | [creation order index]
//! ```

use super::dense_storage::{DenseStorage, INDEXED, TRACKED, flags};
use crate::{Address, Cursor, Encoder, FormatError};

/// The storage of a group's links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkInfo {
    /// The largest creation index assigned so far, if creation order is tracked.
    pub max_creation_index: Option<u64>,
    /// The fractal heap with the links; `None` if all of them are messages of the object header.
    pub heap: Option<Address>,
    /// The version 2 B-tree of links by name (records of type 5).
    pub name_index: Option<Address>,
    /// The version 2 B-tree of links by creation order (records of type 6).
    pub creation_order_index: Option<Address>,
}

impl LinkInfo {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        let flags = cursor.flags(TRACKED | INDEXED)?;
        let mut max_creation_index = None;
        if flags & TRACKED != 0 {
            let field = "maximum creation index";
            let at = cursor.at();
            let value = cursor.u64(field)?;
            if i64::try_from(value).is_err() {
                return Err(cursor.invalid_at(at, field, "the maximum creation index is negative"));
            }
            max_creation_index = Some(value);
        }
        let DenseStorage { heap, name_index, creation_order_index } =
            DenseStorage::parse(&mut cursor, flags)?;
        Ok(Self { max_creation_index, heap, name_index, creation_order_index })
    }

    /// True if creation order is tracked.
    pub fn tracks_creation_order(&self) -> bool {
        self.max_creation_index.is_some()
    }

    /// Encodes the message. With `indexed`, it has a field for the creation order index, even if there is none yet.
    pub fn encode(&self, out: &mut Encoder, indexed: bool) {
        let indexed = indexed || self.creation_order_index.is_some();
        let flags = flags(self.tracks_creation_order(), indexed);
        out.u8(0);
        out.u8(flags);
        if let Some(index) = self.max_creation_index {
            out.u64(index);
        }
        let Self { heap, name_index, creation_order_index, .. } = *self;
        DenseStorage { heap, name_index, creation_order_index }.encode(out, flags);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn the_flags_decide_what_is_there() {
        let plain = Build::default().u8(0).u8(0).address(8).address(9);
        let info = LinkInfo::parse(plain.cursor()).unwrap();
        assert_eq!(
            (info.heap, info.name_index, info.creation_order_index),
            (Some(Address(8)), Some(Address(9)), None)
        );
        assert!(!info.tracks_creation_order());
        plain.each_prefix(|cursor| assert!(LinkInfo::parse(cursor).is_err()));

        let all = Build::default().u8(0).u8(3).u64(5).address(u64::MAX).address(u64::MAX).address(10);
        let info = LinkInfo::parse(all.cursor()).unwrap();
        assert_eq!((info.max_creation_index, info.heap), (Some(5), None));
        assert_eq!(info.creation_order_index, Some(Address(10)));
        all.each_prefix(|cursor| assert!(LinkInfo::parse(cursor).is_err()));
        assert_eq!(LinkInfo::parse(all.with_byte(9, 0x80).cursor()).unwrap_err().at, 2);
    }
}
