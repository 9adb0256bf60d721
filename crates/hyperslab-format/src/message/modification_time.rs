//! Object Modification Time messages (specification IV.A.2.o and s, types 0x0E and 0x12), old and new.
//!
//! ```text
//! 0x12   version 1 | reserved 3 | seconds 4
//! 0x0E   YYYYMMDDhhmmss in ASCII digits | reserved 2
//! ```

use crate::{Cursor, Encoder, FormatError};

/// The time of the last modification of an object, in seconds since 1970-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModificationTime(pub i64);

impl ModificationTime {
    /// Parses the new message (0x12).
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(1..=1)?;
        cursor.skip("reserved", 3)?;
        Ok(Self(cursor.u32("seconds after UNIX epoch")?.into()))
    }

    /// Parses the old message (0x0E).
    pub fn parse_old(mut cursor: Cursor) -> Result<Self, FormatError> {
        let mut part = |field, digits| {
            let at = cursor.at();
            let text = cursor.bytes(field, digits)?;
            let value = text.iter().try_fold(0i64, |value, byte| {
                byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'))
            });
            value.ok_or_else(|| cursor.invalid_at(at, field, "not a valid decimal number"))
        };
        let (year, month, day) = (part("year", 4)?, part("month", 2)?, part("day of month", 2)?);
        let (hour, minute, second) = (part("hour", 2)?, part("minute", 2)?, part("second", 2)?);
        cursor.skip("reserved", 2)?;
        // As in libhdf5, a 13th month or a 61st second carries over to the next year or minute.
        let year = year + (month - 1).div_euclid(12);
        let days = days_to_month(year, (month - 1).rem_euclid(12)) + day - 1;
        Ok(Self(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
}

/// Days from 1970-01-01 to the first day of a month (0 to 11) in the Gregorian calendar. Computed with years that begin
/// in March, so that the leap day is the last day of its year.
fn days_to_month(year: i64, month: i64) -> i64 {
    let year = if month < 2 { year - 1 } else { year };
    let month = (month + 10) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 - 719_468
}

impl ModificationTime {
    /// Encodes the new message (0x12). Its seconds are unsigned and have 32 bits.
    pub fn encode(&self, out: &mut Encoder) {
        out.u8(1);
        out.zeros(3);
        match u32::try_from(self.0) {
            Ok(seconds) => out.u32(seconds),
            Err(_) => {
                out.refuse("seconds after UNIX epoch", format!("{} is not between 1970 and 2106", self.0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    fn old(text: &str) -> i64 {
        ModificationTime::parse_old(Build::default().bytes(text.as_bytes()).zeros(2).cursor()).unwrap().0
    }

    #[test]
    fn reads_dates_before_and_after_the_epoch() {
        // Values from `date -u -d '...' +%s`.
        assert_eq!(old("19700101000000"), 0);
        assert_eq!(old("19980729134709"), 901_720_029);
        assert_eq!(old("20000229235959"), 951_868_799);
        assert_eq!(old("19691231235959"), -1);
        assert_eq!(old("20241301000000"), old("20250101000000"));
    }

    #[test]
    fn refuses_what_is_no_date() {
        let text = Build::default().bytes(b"1998O729134709").zeros(2).cursor();
        let error = ModificationTime::parse_old(text).unwrap_err();
        assert_eq!((error.field, error.at), ("month", 4));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let new = Build::default().u8(1).zeros(3).u32(86_400);
        assert_eq!(ModificationTime::parse(new.cursor()), Ok(ModificationTime(86_400)));
        new.each_prefix(|cursor| assert!(ModificationTime::parse(cursor).is_err()));
        let old = Build::default().bytes(b"19980729134709").zeros(2);
        old.each_prefix(|cursor| assert!(ModificationTime::parse_old(cursor).is_err()));
    }
}
