//! Group Info message (specification IV.A.2.k, type 0x0A): when a new-style group moves its links out of the object
//! header, and how large its creator expected it to become. Not needed for reading.
//!
//! ```text
//! version 0 | flags | [max. compact 2 | min. dense 2] | [estimated entries 2 | estimated name length 2]
//! ```

use crate::{Cursor, Encoder, FormatError};

/// Thresholds and estimates of a group; `None` means the library's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupInfo {
    /// The maximum number of compact links, and the minimum number of dense links (defaults 8 and 6).
    pub phase_change: Option<(u16, u16)>,
    /// The expected number of links, and the expected length of their names (defaults 4 and 8).
    pub estimate: Option<(u16, u16)>,
}

const PHASE_CHANGE: u8 = 0x01;
const ESTIMATE: u8 = 0x02;

impl GroupInfo {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        let flags = cursor.flags(PHASE_CHANGE | ESTIMATE)?;
        let mut info = Self::default();
        if flags & PHASE_CHANGE != 0 {
            info.phase_change =
                Some((cursor.u16("maximum compact value")?, cursor.u16("minimum dense value")?));
        }
        if flags & ESTIMATE != 0 {
            info.estimate = Some((
                cursor.u16("estimated number of entries")?,
                cursor.u16("estimated link name length of entries")?,
            ));
        }
        Ok(info)
    }

    /// Encodes the message.
    pub fn encode(&self, out: &mut Encoder) {
        let flag = |bit, is_set| if is_set { bit } else { 0 };
        out.u8(0);
        out.u8(flag(PHASE_CHANGE, self.phase_change.is_some()) | flag(ESTIMATE, self.estimate.is_some()));
        for (first, second) in self.phase_change.into_iter().chain(self.estimate) {
            out.u16(first);
            out.u16(second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    #[test]
    fn what_is_not_stored_is_the_default() {
        assert_eq!(GroupInfo::parse(Build::default().u8(0).u8(0).cursor()), Ok(GroupInfo::default()));
        let body = Build::default().u8(0).u8(3).u16(8).u16(6).u16(4).u16(20);
        let info = GroupInfo { phase_change: Some((8, 6)), estimate: Some((4, 20)) };
        assert_eq!(GroupInfo::parse(body.cursor()), Ok(info));
        body.each_prefix(|cursor| assert!(GroupInfo::parse(cursor).is_err()));
        let estimate = Build::default().u8(0).u8(2).u16(4).u16(20);
        assert_eq!(GroupInfo::parse(estimate.cursor()).unwrap().phase_change, None);
    }
}
