//! Shared Message Table message (specification IV.A.2.p, type 0x0F): the location of messages that several objects
//! share. It is in the superblock extension; the table itself is [`crate::object_header::SharedMessageTable`].

use crate::{Address, Cursor, Encoder, FormatError};

/// The location of the table of shared messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedMessageTableInfo {
    /// The address of the table ("SMTB").
    pub address: Address,
    /// The number of its indexes.
    pub indexes: u8,
}

/// `H5O_SHMESG_MAX_NINDEXES`.
const INDEXES_MAX: u8 = 8;

impl SharedMessageTableInfo {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        let address = cursor.address_defined("shared message table address")?;
        let at = cursor.at();
        let indexes = cursor.u8("number of indices")?;
        if indexes == 0 || indexes > INDEXES_MAX {
            let what = format!("{indexes} indexes, but only 1 to {INDEXES_MAX} are possible");
            return Err(cursor.invalid_at(at, "number of indices", what));
        }
        Ok(Self { address, indexes })
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(0);
        out.address("shared message table address", Some(self.address));
        out.u8(self.indexes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn reads_address_and_number_of_indexes() {
        let body = Build::default().u8(0).address(0x400).u8(2);
        let info = SharedMessageTableInfo { address: Address(0x400), indexes: 2 };
        assert_eq!(SharedMessageTableInfo::parse(body.cursor()), Ok(info));
        body.each_prefix(|cursor| assert!(SharedMessageTableInfo::parse(cursor).is_err()));
        for count in [0, 9] {
            assert_eq!(SharedMessageTableInfo::parse(body.with_byte(9, count).cursor()).unwrap_err().at, 9);
        }
    }
}
