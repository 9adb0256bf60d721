//! Numbers and byte strings as they are stored, written as NumPy writes them: `<f4`, `>i2`, `u1`, `S16`.

use hyperslab::Datatype;
use hyperslab_create::datatypes::{ByteOrder, Charset, fixed_string, float_in, integer_in};
use std::fmt;
use std::str::FromStr;

/// A type of numbers or of byte strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// What its bits mean.
    pub kind: Kind,
    /// Bytes of one in the file.
    pub bytes: u32,
    /// Byte order in the file; in memory it is always the machine's own.
    pub is_big_endian: bool,
}

/// What the bits of a scalar mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `i`
    Signed,
    /// `u`
    Unsigned,
    /// `f`
    Float,
    /// `S`: a string of fixed length.
    Text,
}

/// Longest string that is written.
const TEXT_BYTES_MAX: u32 = 1 << 16;

impl Scalar {
    /// A scalar of a kind and size that are written.
    pub fn new(kind: Kind, bytes: u32, is_big_endian: bool) -> Option<Self> {
        let is_known = match kind {
            Kind::Signed | Kind::Unsigned => matches!(bytes, 1 | 2 | 4 | 8),
            Kind::Float => matches!(bytes, 4 | 8),
            Kind::Text => (1..=TEXT_BYTES_MAX).contains(&bytes),
        };
        let has_order = bytes > 1 && kind != Kind::Text;
        is_known.then_some(Self { kind, bytes, is_big_endian: is_big_endian && has_order })
    }

    /// Bytes that belong together when the byte order changes: those of a number, one of a text.
    pub fn unit(&self) -> usize {
        if self.kind == Kind::Text { 1 } else { self.bytes as usize }
    }

    /// True where its bytes in the file are not those in memory.
    pub fn is_swapped(&self) -> bool {
        self.is_big_endian != cfg!(target_endian = "big") && self.unit() > 1
    }

    /// Its datatype in a file; `None` for a float of a size that has none.
    pub fn datatype(&self) -> Option<Datatype> {
        let order = if self.is_big_endian { ByteOrder::Big } else { ByteOrder::Little };
        match self.kind {
            Kind::Signed => Some(integer_in(self.bytes, true, order)),
            Kind::Unsigned => Some(integer_in(self.bytes, false, order)),
            Kind::Text => Some(fixed_string(self.bytes, Charset::Ascii)),
            Kind::Float => float_in(self.bytes, order),
        }
    }

    /// The scalar that is nearest to a number, in the machine's byte order. A string has it as text.
    pub fn bytes_of(&self, number: f64) -> Vec<u8> {
        let size = self.bytes as usize;
        // Conversions saturate, and so does an integer that is cut off below.
        let integer = |low: i128, high: i128| (number as i128).clamp(low, high);
        let bits = match self.kind {
            Kind::Float if size == 4 => return (number as f32).to_ne_bytes().to_vec(),
            Kind::Float => return number.to_ne_bytes().to_vec(),
            Kind::Text => {
                let mut text = number.to_string().into_bytes();
                text.resize(size, 0);
                return text;
            }
            Kind::Signed => integer(-(1 << (8 * size - 1)), (1 << (8 * size - 1)) - 1),
            Kind::Unsigned => integer(0, (1 << (8 * size)) - 1),
        };
        let mut bytes = bits.to_le_bytes()[..size].to_vec();
        if cfg!(target_endian = "big") {
            bytes.reverse();
        }
        bytes
    }
}

impl FromStr for Scalar {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fail = || {
            format!(
                "there is no element type {text:?}; write a byte order (<, >), a kind (i, u, f, S) and bytes: <f4, >i2, u1, S16; or \
                 records of them: {{a:<f4,b:<i2,c:<f4[3],d:S1}}"
            )
        };
        let (is_big_endian, rest) = match text.strip_prefix('>') {
            Some(rest) => (true, rest),
            None => (
                cfg!(target_endian = "big") && !text.starts_with('<'),
                text.trim_start_matches(['<', '|', '=']),
            ),
        };
        let mut letters = rest.chars();
        let kind = match letters.next() {
            Some('i') => Kind::Signed,
            Some('u') => Kind::Unsigned,
            Some('f') => Kind::Float,
            Some('S') => Kind::Text,
            _ => return Err(fail()),
        };
        let bytes = letters.as_str().parse().map_err(|_| fail())?;
        Self::new(kind, bytes, is_big_endian).ok_or_else(fail)
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match (self.unit(), self.is_big_endian) {
            (1, _) => "|",
            (_, true) => ">",
            (_, false) => "<",
        };
        let kind = match self.kind {
            Kind::Signed => 'i',
            Kind::Unsigned => 'u',
            Kind::Float => 'f',
            Kind::Text => 'S',
        };
        write!(f, "{order}{kind}{}", self.bytes)
    }
}
