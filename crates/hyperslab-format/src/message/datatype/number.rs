//! Numbers: fixed-point, floating-point, time and bit field (classes 0, 1, 2 and 4).
//!
//! ```text
//! class 0, 4   bit offset 2 | precision 2
//! class 1      bit offset 2 | precision 2 | exponent at, bits | mantissa at, bits | exponent bias 4
//! class 2      precision 2
//! ```

use super::parse::Head;
use super::{ByteOrder, Class, Float, Integer, Normalization};
use crate::{Cursor, FormatError};

impl Head {
    pub fn integer(&self, cursor: &mut Cursor) -> Result<Integer, FormatError> {
        let (bit_offset, precision) = self.significant_bits(cursor)?;
        Ok(Integer { order: self.order(), signed: self.bits & 0x08 != 0, bit_offset, precision })
    }

    pub fn bitfield(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        let (bit_offset, precision) = self.significant_bits(cursor)?;
        Ok(Class::Bitfield { order: self.order(), bit_offset, precision })
    }

    pub fn time(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        Ok(Class::Time { order: self.order(), precision: cursor.u16("bit precision")? })
    }

    pub fn float(&self, cursor: &mut Cursor) -> Result<Float, FormatError> {
        let order = self.float_order(cursor)?;
        let normalization = match (self.bits >> 4) & 0x03 {
            0 => Normalization::None,
            1 => Normalization::AlwaysSet,
            2 => Normalization::Implied,
            _ => return Err(self.unsupported(cursor, "mantissa normalization", "normalization 3")),
        };
        let (bit_offset, precision) = self.significant_bits(cursor)?;
        let sign_location = ((self.bits >> 8) & 0xff) as u8;
        let exponent_location = cursor.u8("exponent location")?;
        let exponent_size = cursor.u8("exponent size")?;
        let mantissa_location = cursor.u8("mantissa location")?;
        let mantissa_size = cursor.u8("mantissa size")?;
        let exponent_bias = cursor.u32("exponent bias")?;

        let sign = self.bit_range(cursor, "sign location", sign_location, 1)?;
        let exponent = self.bit_range(cursor, "exponent size", exponent_location, exponent_size)?;
        let mantissa = self.bit_range(cursor, "mantissa size", mantissa_location, mantissa_size)?;
        for (one, other) in [(&sign, &exponent), (&sign, &mantissa), (&exponent, &mantissa)] {
            if one.start < other.end && other.start < one.end {
                let what = format!("bits {one:?} and {other:?} of sign, exponent and mantissa overlap");
                return Err(self.invalid(cursor, "floating-point properties", what));
            }
        }
        Ok(Float {
            order,
            bit_offset,
            precision,
            sign_location,
            exponent_location,
            exponent_size,
            mantissa_location,
            mantissa_size,
            exponent_bias,
            normalization,
        })
    }

    fn order(&self) -> ByteOrder {
        if self.bits & 0x01 != 0 { ByteOrder::Big } else { ByteOrder::Little }
    }

    /// VAX order is indicated by both bits together, and only since version 3; in earlier versions bit 6 has no
    /// meaning.
    fn float_order(&self, cursor: &Cursor) -> Result<ByteOrder, FormatError> {
        match (self.bits & 0x40 != 0 && self.version >= 3, self.order()) {
            (false, order) => Ok(order),
            (true, ByteOrder::Big) => Ok(ByteOrder::Vax),
            (true, _) => Err(self.unsupported(cursor, "byte order", "bit 6 is set without bit 0")),
        }
    }

    fn significant_bits(&self, cursor: &mut Cursor) -> Result<(u16, u16), FormatError> {
        let at = cursor.at();
        let bit_offset = cursor.u16("bit offset")?;
        let precision = cursor.u16("bit precision")?;
        let end = u64::from(bit_offset) + u64::from(precision);
        if precision == 0 || end > 8 * u64::from(self.size) {
            let what = format!("{precision} bits from bit {bit_offset} in {} bytes", self.size);
            return Err(cursor.invalid_at(at, "bit precision", what));
        }
        Ok((bit_offset, precision))
    }

    fn bit_range(
        &self,
        cursor: &Cursor,
        field: &'static str,
        start: u8,
        len: u8,
    ) -> Result<std::ops::Range<u64>, FormatError> {
        let range = u64::from(start)..u64::from(start) + u64::from(len);
        if range.is_empty() || range.end > 8 * u64::from(self.size) {
            let what = format!("bits {range:?} in {} bytes", self.size);
            return Err(self.invalid(cursor, field, what));
        }
        Ok(range)
    }
}
