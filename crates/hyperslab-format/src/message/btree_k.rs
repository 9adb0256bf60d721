//! B-tree 'K' Values message (specification IV.A.2.t, type 0x13): the sizes of version 1 B-tree nodes, if they are not
//! the defaults. It is in the superblock extension.

use crate::{Cursor, Encoder, FormatError};

/// The half ranks of version 1 B-trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BtreeK {
    /// Half the maximum number of children of a chunk B-tree node.
    pub chunk_internal: u16,
    /// Half the maximum number of children of a group B-tree node.
    pub group_internal: u16,
    /// Half the maximum number of entries of a symbol table node.
    pub group_leaf: u16,
}

impl Default for BtreeK {
    /// The values that libhdf5 uses if the application does not set others.
    fn default() -> Self {
        Self { chunk_internal: 32, group_internal: 16, group_leaf: 4 }
    }
}

impl BtreeK {
    /// True if nodes of these sizes can be counted in 16 bits, as they are in the file.
    pub fn is_valid(&self) -> bool {
        const K_MAX: u16 = u16::MAX / 2;
        [self.chunk_internal, self.group_internal, self.group_leaf].iter().all(|k| (1..=K_MAX).contains(k))
    }

    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        Ok(Self {
            chunk_internal: cursor.u16("indexed storage internal node K")?,
            group_internal: cursor.u16("group internal node K")?,
            group_leaf: cursor.u16("group leaf node K")?,
        })
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(0);
        out.u16(self.chunk_internal);
        out.u16(self.group_internal);
        out.u16(self.group_leaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn reads_three_ranks() {
        let body = Build::default().u8(0).u16(32).u16(16).u16(4);
        let ranks = BtreeK { chunk_internal: 32, group_internal: 16, group_leaf: 4 };
        assert_eq!(BtreeK::parse(body.cursor()), Ok(ranks));
        body.each_prefix(|cursor| assert!(BtreeK::parse(cursor).is_err()));
    }
}
