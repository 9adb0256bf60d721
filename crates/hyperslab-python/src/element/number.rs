//! Numbers of widths and precisions that NumPy lacks: widened to the next number that holds every value of them.

use hyperslab::format::message::datatype::{ByteOrder, Float, Integer, Normalization};

/// A number that must be taken apart.
pub enum Number {
    /// An integer whose bits are part of its bytes, or of 3, 5, 6 or 7 bytes.
    Integer(Integer),
    /// A float that is none of NumPy's.
    Float(Float, FloatFormat),
}

/// The floating-point numbers of NumPy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatFormat {
    /// Bytes of an element.
    pub bytes: usize,
    exponent_bits: u32,
    /// Bits of the mantissa, without an implied one.
    mantissa_bits: u32,
    bias: i32,
}

/// NumPy's floats, smallest first: float16, float32, float64 and, on x86-64, the 80-bit longdouble.
pub const FLOAT_FORMATS: &[FloatFormat] = &[
    FloatFormat { bytes: 2, exponent_bits: 5, mantissa_bits: 10, bias: 15 },
    FloatFormat { bytes: 4, exponent_bits: 8, mantissa_bits: 23, bias: 127 },
    FloatFormat { bytes: 8, exponent_bits: 11, mantissa_bits: 52, bias: 1023 },
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    FloatFormat { bytes: 16, exponent_bits: 15, mantissa_bits: 64, bias: 16383 },
];

impl FloatFormat {
    /// The smallest format that holds every value of a float of the file.
    pub fn holding(float: &Float, bytes: usize) -> Option<Self> {
        let bias = i64::from(float.exponent_bias);
        let top = 1i64.checked_shl(u32::from(float.exponent_size))? - bias - 1;
        FLOAT_FORMATS.iter().copied().find(|format| {
            format.bytes >= bytes
                && u32::from(float.mantissa_size) <= format.mantissa_bits
                && top <= i64::from(format.bias) + 1
                && 1 - bias >= 1 - i64::from(format.bias)
        })
    }

    /// True where a float of the file is this very format.
    pub fn is(self, float: &Float, bytes: usize) -> bool {
        let (exponent, mantissa) = (self.exponent_bits, self.mantissa_bits);
        let normalization = if self.is_extended() { Normalization::None } else { Normalization::Implied };
        (bytes, float.bit_offset) == (self.bytes, 0)
            && (u32::from(float.exponent_size), u32::from(float.mantissa_size)) == (exponent, mantissa)
            && u32::from(float.mantissa_location) == 0
            && u32::from(float.exponent_location) == mantissa
            && u32::from(float.sign_location) == mantissa + exponent
            && i64::from(float.exponent_bias) == i64::from(self.bias)
            && (float.normalization == normalization || self.is_extended())
            && match float.order {
                ByteOrder::Little => true,
                ByteOrder::Big => !self.is_extended(),
                ByteOrder::Vax => false,
            }
    }

    /// The 80-bit format keeps the first bit of its mantissa.
    fn is_extended(self) -> bool {
        self.bytes == 16
    }

    /// The bits of a value.
    fn encode(self, value: &Value) -> u128 {
        let top = (1u128 << self.exponent_bits) - 1;
        let (negative, exponent, mantissa) = match *value {
            Value::Zero { negative } => (negative, 0, 0),
            Value::Infinite { negative } => (negative, top, if self.is_extended() { 1 << 63 } else { 0 }),
            Value::NotANumber { negative } => {
                let quiet = 1u128 << (self.mantissa_bits - 1);
                (negative, top, if self.is_extended() { quiet | (quiet >> 1) } else { quiet })
            }
            Value::Finite { negative, significand, exponent } => {
                let biased = i64::from(exponent) + i64::from(self.bias);
                let stored = if self.is_extended() { self.mantissa_bits - 1 } else { self.mantissa_bits };
                let kept = 63 - stored;
                if biased >= top as i64 {
                    return self.encode(&Value::Infinite { negative });
                }
                if biased >= 1 {
                    let mantissa = u128::from(significand >> kept);
                    let mask = if self.is_extended() { u128::MAX } else { (1 << self.mantissa_bits) - 1 };
                    (negative, biased as u128, mantissa & mask)
                } else {
                    let shift = i64::from(kept) + 1 - biased;
                    (negative, 0, if shift < 64 { u128::from(significand >> shift) } else { 0 })
                }
            }
        };
        let sign = u128::from(negative) << (self.mantissa_bits + self.exponent_bits);
        sign | (exponent << self.mantissa_bits) | mantissa
    }
}

/// What a floating-point number says. A finite one is `significand * 2^(exponent - 63)`, its first bit set.
enum Value {
    Zero { negative: bool },
    Finite { negative: bool, significand: u64, exponent: i32 },
    Infinite { negative: bool },
    NotANumber { negative: bool },
}

impl Number {
    /// Rebuilds one number; it keeps its byte order.
    pub fn rebuild(&self, source: &[u8], target: &mut [u8]) {
        let (bits, order) = match self {
            Number::Integer(integer) => (decode_integer(integer, source) as u128, integer.order),
            Number::Float(float, format) => (format.encode(&decode_float(float, source)), float.order),
        };
        let little = bits.to_le_bytes();
        target.copy_from_slice(&little[..target.len()]);
        if order == ByteOrder::Big {
            target.reverse();
        }
    }
}

/// The value of an integer of at most 8 bytes, sign-extended.
pub fn decode_integer(integer: &Integer, source: &[u8]) -> i128 {
    let bits = field(load(source, integer.order), integer.bit_offset.into(), integer.precision.into());
    let precision = u32::from(integer.precision).min(127);
    let negative = integer.signed && precision > 0 && bits >> (precision - 1) & 1 == 1;
    if negative { bits as i128 - (1i128 << precision) } else { bits as i128 }
}

fn decode_float(float: &Float, source: &[u8]) -> Value {
    let bits = load(source, float.order);
    let negative = field(bits, float.sign_location.into(), 1) == 1;
    let exponent = field(bits, float.exponent_location.into(), float.exponent_size.into());
    let mantissa = field(bits, float.mantissa_location.into(), float.mantissa_size.into());
    let mantissa_bits = u32::from(float.mantissa_size);
    let top = (1u128 << u32::from(float.exponent_size).min(127)) - 1;
    let implied = float.normalization == Normalization::Implied;
    // Without an implied bit, the mantissa's first bit stands for 1, so that the fraction has one bit less.
    let fraction_bits = if implied { mantissa_bits } else { mantissa_bits.saturating_sub(1) };
    let fraction = mantissa & ((1u128 << fraction_bits.min(127)) - 1);
    if exponent == top && float.order != ByteOrder::Vax {
        return if fraction == 0 { Value::Infinite { negative } } else { Value::NotANumber { negative } };
    }
    let subnormal = exponent == 0;
    let significand = if implied && !subnormal { mantissa | (1 << mantissa_bits) } else { mantissa };
    if significand == 0 {
        return Value::Zero { negative };
    }
    let power = i64::from(exponent.max(1) as u32) - i64::from(float.exponent_bias) - i64::from(fraction_bits);
    let first_bit = 127 - significand.leading_zeros();
    let shift = significand.leading_zeros();
    let significand = ((significand << shift) >> 64) as u64;
    let exponent = i32::try_from(power + i64::from(first_bit)).unwrap_or(i32::MAX);
    Value::Finite { negative, significand, exponent }
}

/// Up to 16 bytes as one number.
fn load(source: &[u8], order: ByteOrder) -> u128 {
    let mut bytes = [0; 16];
    let len = source.len().min(16);
    bytes[..len].copy_from_slice(&source[..len]);
    if order == ByteOrder::Big {
        bytes[..len].reverse();
    }
    u128::from_le_bytes(bytes)
}

fn field(bits: u128, location: u32, size: u32) -> u128 {
    let shifted = bits.checked_shr(location).unwrap_or(0);
    if size < 128 { shifted & ((1 << size) - 1) } else { shifted }
}
