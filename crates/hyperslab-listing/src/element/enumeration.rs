//! Enumerations as h5py reads them.
//!
//! An enumeration of `FALSE` = 0 and `TRUE` = 1 is a Boolean of one byte. If the type in memory differs from that in
//! the file (a Boolean that is not a signed byte, an odd precision, one byte that claims to be big-endian), libhdf5
//! converts by name, and a value without a name becomes all ones. Otherwise values are not changed.

use hyperslab::number::{integer_value, is_native_integer, is_whole};
use hyperslab_format::message::datatype::Integer;
use hyperslab_format::message::{ByteOrder, Class, Datatype};
use hyperslab_format::{Bytes, Name};

/// How the values of one enumeration are read.
#[derive(Debug, Clone, PartialEq)]
pub struct Enumeration {
    integer: Integer,
    size: u32,
    is_boolean: bool,
    /// The values that have a name, sorted; `None` if values without a name are not changed.
    named: Option<Vec<i128>>,
}

impl Enumeration {
    /// Returns `None` if the base is not an integer type that NumPy has.
    pub fn new(base: &Datatype, members: &[(Name, Bytes)]) -> Option<Self> {
        let Class::Integer(integer) = &base.class else { return None };
        if !is_native_integer(base.size) {
            return None;
        }
        let value = |bytes: &Bytes| integer_value(integer, bytes);
        let has = |name: &[u8], wanted| {
            members.iter().any(|(found, bytes)| found.as_bytes() == name && value(bytes) == wanted)
        };
        let is_boolean = members.len() == 2 && has(b"FALSE", 0) && has(b"TRUE", 1);
        let passes = is_whole(integer, base.size)
            && (base.size > 1 || integer.order != ByteOrder::Big)
            && (!is_boolean || (base.size == 1 && integer.signed));
        let named = (!passes).then(|| {
            let mut named: Vec<i128> = members.iter().map(|(_, bytes)| value(bytes)).collect();
            named.sort_unstable();
            named
        });
        Some(Self { integer: integer.clone(), size: base.size, is_boolean, named })
    }

    /// True for an enumeration of `FALSE` and `TRUE`.
    pub fn is_boolean(&self) -> bool {
        self.is_boolean
    }

    /// Bytes of a value in memory.
    pub fn bytes(&self) -> usize {
        if self.is_boolean { 1 } else { self.size as usize }
    }

    /// True if the bytes of an element are those of its value, except possibly for their order.
    pub fn passes(&self) -> bool {
        self.named.is_none()
    }

    /// Byte order in the file.
    pub fn order(&self) -> ByteOrder {
        self.integer.order
    }

    /// The value of an element.
    pub fn value(&self, element: &[u8]) -> i128 {
        let value = integer_value(&self.integer, element);
        match &self.named {
            Some(named) if named.binary_search(&value).is_err() => {
                match (self.is_boolean, self.integer.signed) {
                    (true, _) => 0xff,
                    (false, true) => -1,
                    (false, false) => i128::from(u64::MAX >> (64 - 8 * self.size)),
                }
            }
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enumeration(size: u32, signed: bool, order: ByteOrder, members: &[(&str, u8)]) -> Enumeration {
        let precision = 8 * size as u16;
        let class = Class::Integer(Integer { order, signed, bit_offset: 0, precision });
        let base = Datatype { size, class, committed: None };
        let bytes = |value: u8| {
            let mut bytes = vec![0; size as usize];
            let at = if order == ByteOrder::Big { bytes.len() - 1 } else { 0 };
            bytes[at] = value;
            Bytes::from(bytes)
        };
        let members: Vec<_> =
            members.iter().map(|(name, value)| (Name::from(*name), bytes(*value))).collect();
        Enumeration::new(&base, &members).unwrap()
    }

    #[test]
    fn plain_values_pass_with_or_without_a_name() {
        let plain = enumeration(2, true, ByteOrder::Big, &[("A", 1)]);
        assert!(plain.passes());
        assert_eq!((plain.value(&[0, 1]), plain.value(&[1, 0]), plain.bytes()), (1, 256, 2));
    }

    #[test]
    fn a_boolean_is_one_byte() {
        let byte = enumeration(1, true, ByteOrder::Little, &[("TRUE", 1), ("FALSE", 0)]);
        assert!(byte.is_boolean() && byte.passes());
        assert_eq!(byte.value(&[7]), 7);
        let wide = enumeration(4, true, ByteOrder::Little, &[("FALSE", 0), ("TRUE", 1)]);
        assert_eq!((wide.bytes(), wide.value(&[1, 0, 0, 0]), wide.value(&[2, 0, 0, 0])), (1, 1, 0xff));
        assert!(!enumeration(1, true, ByteOrder::Little, &[("FALSE", 1), ("TRUE", 0)]).is_boolean());
    }

    #[test]
    fn values_without_a_name_are_lost_where_libhdf5_converts() {
        let signed = enumeration(1, true, ByteOrder::Big, &[("A", 1), ("B", 3)]);
        assert_eq!((signed.value(&[3]), signed.value(&[2])), (3, -1));
        let unsigned = enumeration(1, false, ByteOrder::Big, &[("A", 1)]);
        assert_eq!(unsigned.value(&[2]), 0xff);
    }
}
