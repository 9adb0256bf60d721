//! Object Reference Count message (specification IV.A.2.w, type 0x16): the number of hard links to an object, if it is
//! not 1. Only in version 2 object headers; version 1 stores the number in its prefix.

use crate::{Cursor, Encoder, FormatError};

/// The number of hard links to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceCount(pub u32);

impl ReferenceCount {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        Ok(Self(cursor.u32("reference count")?))
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(0);
        out.u32(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn reads_the_count() {
        let body = Build::default().u8(0).u32(3);
        assert_eq!(ReferenceCount::parse(body.cursor()), Ok(ReferenceCount(3)));
        body.each_prefix(|cursor| assert!(ReferenceCount::parse(cursor).is_err()));
    }
}
