//! Conversion of elements from one datatype to another, as libhdf5 converts them when the datatypes of a virtual dataset
//! and of its source differ.
//!
//! | from | to | |
//! |---|---|---|
//! | integer, enumeration | integer | clipped to the range of the target |
//! | integer, enumeration | float | rounded to even |
//! | float | integer | truncated, clipped; NaN: see [`nan_as_integer`] |
//! | float | float | rounded; too large values become infinite |
//! | enumeration | enumeration with all of its names | by name; a value without a name becomes all ones |
//! | text of fixed length | the same | truncated or padded as the target is; not between character sets |
//! | array, complex | the same shape | element by element |
//! | compound | compound | member by member, by name |
//!
//! The target must be a type of C and NumPy, in either byte order. For other targets, libhdf5's result depends on the
//! type that its caller wants in memory, so they are not converted.
//!
//! Wrong results of libhdf5 2.0 are not imitated:
//! * Its conversion bit by bit turns -0.25 into the smallest integer, loses a carry into the exponent of the smallest
//!   floats, and turns integers outside the range of half precision into NaN.
//! * Its conversion by the processor does not clip half-precision numbers to the range of integers, nor floats just
//!   above it (2³¹ as a 4-byte integer).
//! * It pairs the names of two enumerations by their positions instead of by the names.

use super::bits::write_bits;
use super::float::Value;
use super::integer::{integer_value, is_native_integer, is_whole, write_clipped};
use super::mode::ConversionMode;
use super::native::NativeFloat;
use hyperslab_format::Bytes;
use hyperslab_format::message::datatype::{Float, Integer, StringPadding};
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// Converts elements of one datatype to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Converter {
    from_bytes: usize,
    to_bytes: usize,
    method: Method,
}

#[derive(Debug, Clone, PartialEq)]
enum Method {
    Same,
    Number {
        from: Number,
        to: Number,
        is_processor: bool,
    },
    Text {
        from: StringPadding,
        to: StringPadding,
    },
    /// The values of the source, sorted, each with the value of the same name in the target.
    Named(Vec<(Bytes, Bytes)>),
    Repeat(Box<Converter>),
    /// The offset of each member in the source and in the target, and its conversion.
    Compound(Vec<(usize, usize, Converter)>),
}

#[derive(Debug, Clone, PartialEq)]
enum Number {
    Integer(Integer),
    Float(Float),
}

impl Converter {
    /// The conversion between two datatypes; `None` if libhdf5 has none, or if the target is not a type of C.
    pub fn new(from: &Datatype, to: &Datatype) -> Option<Self> {
        let (from_bytes, to_bytes) = (from.size as usize, to.size as usize);
        let is_same = from.class == to.class || from.class.is_same_text(&to.class);
        let method = if from_bytes == to_bytes && is_same { Method::Same } else { method(from, to)? };
        Some(Self { from_bytes, to_bytes, method })
    }

    /// The size of a converted element in bytes.
    pub fn to_bytes(&self) -> usize {
        self.to_bytes
    }

    /// Converts all elements of `from` into `to`, which must have room for the same number of converted elements.
    pub fn convert(&self, from: &[u8], to: &mut [u8]) {
        if self.from_bytes == 0 || self.to_bytes == 0 {
            return;
        }
        if self.method == Method::Same {
            return to.copy_from_slice(from);
        }
        let elements = from.chunks_exact(self.from_bytes).zip(to.chunks_exact_mut(self.to_bytes));
        elements.for_each(|(from, to)| self.element(from, to));
    }

    fn element(&self, from: &[u8], to: &mut [u8]) {
        match &self.method {
            Method::Same => to.copy_from_slice(from),
            Method::Number { from: source, to: target, is_processor } => {
                target.write(source, from, *is_processor, to);
            }
            Method::Text { from: source, to: target } => convert_text(*source, from, *target, to),
            Method::Named(values) => match values.binary_search_by(|(value, _)| value[..].cmp(from)) {
                Ok(found) => to.copy_from_slice(&values[found].1),
                Err(_) => to.fill(0xff),
            },
            Method::Repeat(part) => part.convert(from, to),
            Method::Compound(members) => {
                to.fill(0);
                for (source, target, member) in members {
                    let from = &from[*source..source + member.from_bytes];
                    member.convert(from, &mut to[*target..target + member.to_bytes]);
                }
            }
        }
    }
}

fn method(from: &Datatype, to: &Datatype) -> Option<Method> {
    match (&from.class, &to.class) {
        (Class::FixedString { padding, charset }, Class::FixedString { padding: target, charset: other }) => {
            (charset == other).then_some(Method::Text { from: *padding, to: *target })
        }
        (Class::Array { dims, base }, Class::Array { dims: other_dims, base: other }) => (dims == other_dims)
            .then(|| Converter::new(base, other))?
            .map(|part| Method::Repeat(Box::new(part))),
        (Class::Complex { base }, Class::Complex { base: other }) => {
            Converter::new(base, other).map(|part| Method::Repeat(Box::new(part)))
        }
        (Class::Compound { members }, Class::Compound { members: others }) => {
            // libhdf5 leaves members that the source does not have uninitialized, so there is no result to match.
            let members = others.iter().map(|target| {
                let source = members.iter().find(|source| source.name == target.name)?;
                let member = Converter::new(&source.datatype, &target.datatype)?;
                Some((source.offset as usize, target.offset as usize, member))
            });
            members.collect::<Option<_>>().map(Method::Compound)
        }
        (Class::Enum { base, .. }, Class::Integer(_) | Class::Float(_)) => method(base, to),
        (Class::Enum { members, .. }, Class::Enum { members: others, .. }) => {
            let values = members.iter().map(|(name, value)| {
                let (_, target) = others.iter().find(|(other, _)| other == name)?;
                Some((value.clone(), target.clone()))
            });
            let mut values: Vec<_> = values.collect::<Option<_>>()?;
            values.sort_unstable();
            let is_whole = |(value, target): &(Bytes, Bytes)| {
                value.len() == from.size as usize && target.len() == to.size as usize
            };
            values.iter().all(is_whole).then_some(Method::Named(values))
        }
        _ => {
            let (source, target) = (Number::of(from)?, Number::of(to)?);
            let is_processor = source.is_native(from.size) && target.is_native(to.size);
            target.is_whole(to.size).then_some(Method::Number { from: source, to: target, is_processor })
        }
    }
}

impl Number {
    fn of(datatype: &Datatype) -> Option<Self> {
        match &datatype.class {
            Class::Integer(integer) if datatype.size <= 16 && integer.precision <= 64 => {
                Some(Self::Integer(integer.clone()))
            }
            Class::Float(float) if datatype.size <= 16 => Some(Self::Float(float.clone())),
            _ => None,
        }
    }

    /// True for a type of C, in either byte order.
    fn is_whole(&self, size: u32) -> bool {
        match self {
            Self::Integer(integer) => is_native_integer(size) && is_whole(integer, size),
            Self::Float(float) => NativeFloat::same_as(float, size).is_some(),
        }
    }

    /// True for a type of C in the byte order of this machine.
    fn is_native(&self, size: u32) -> bool {
        let order = match self {
            Self::Integer(integer) => integer.order,
            Self::Float(float) => float.order,
        };
        self.is_whole(size) && (order == ByteOrder::Little || size == 1 && matches!(self, Self::Integer(_)))
    }

    /// Writes the value of the source element `from` as a number of this type.
    fn write(&self, source: &Number, from: &[u8], is_processor: bool, to: &mut [u8]) {
        match (source, self) {
            (Self::Integer(source), Self::Integer(target)) => {
                write_clipped(integer_value(source, from), target, to);
            }
            (Self::Integer(source), Self::Float(target)) => {
                let mode =
                    if is_processor { ConversionMode::Processor } else { ConversionMode::BitsOfInteger };
                let value = Value::of_integer(integer_value(source, from));
                write_bits(value.encode(target, mode), target.order, to);
            }
            (Self::Float(source), Self::Float(target)) => {
                let mode = if is_processor { ConversionMode::Processor } else { ConversionMode::Bits };
                write_bits(Value::of(source, from).encode(target, mode), target.order, to);
            }
            (Self::Float(source), Self::Integer(target)) => {
                let value = Value::of(source, from).truncated();
                let nan = || if is_processor { nan_as_integer(from.len(), target, to.len()) } else { 0 };
                write_clipped(value.unwrap_or_else(nan), target, to);
            }
        }
    }
}

/// The integer that an x86-64 processor returns for NaN, which C does not define: the lowest signed integer of the width
/// in which it converts (that of the next larger signed type), truncated to the width of the target.
fn nan_as_integer(from_bytes: usize, target: &Integer, to_bytes: usize) -> i128 {
    match (target.signed, to_bytes) {
        (true, 2) if from_bytes == 16 => i128::from(i16::MIN),
        (true, 4) => i128::from(i32::MIN),
        (true, 8) => i128::from(i64::MIN),
        (false, 8) => 1 << 63,
        _ => 0,
    }
}

/// Converts text of fixed length. A target that is terminated by NUL has no NUL if the text fills it.
fn convert_text(padding: StringPadding, from: &[u8], target: StringPadding, to: &mut [u8]) {
    let len = match padding {
        StringPadding::SpacePad => from.len() - from.iter().rev().take_while(|&&byte| byte == b' ').count(),
        _ => from.iter().position(|&byte| byte == 0).unwrap_or(from.len()),
    };
    let kept = len.min(to.len());
    to[..kept].copy_from_slice(&from[..kept]);
    to[kept..].fill(if target == StringPadding::SpacePad { b' ' } else { 0 });
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::message::datatype::{Charset, Member};

    fn datatype(size: u32, class: Class) -> Datatype {
        Datatype { size, class, committed: None }
    }

    fn integer(size: u32, signed: bool, order: ByteOrder) -> Datatype {
        datatype(size, Class::Integer(Integer { order, signed, bit_offset: 0, precision: 8 * size as u16 }))
    }

    fn float(native: NativeFloat, order: ByteOrder) -> Datatype {
        datatype(native.memory_bytes(), Class::Float(Float { order, ..native.layout() }))
    }

    fn converted(from: &Datatype, to: &Datatype, elements: &[u8]) -> Vec<u8> {
        let converter = Converter::new(from, to).unwrap();
        let mut out = vec![0xaa; elements.len() / from.size as usize * to.size as usize];
        converter.convert(elements, &mut out);
        out
    }

    use ByteOrder::{Big, Little};
    use NativeFloat::{Double, Half, Single};

    #[test]
    fn integers_are_clipped_in_either_order() {
        let from = integer(4, true, Big);
        let elements = [-1i32, 70_000, 5].map(i32::to_be_bytes).concat();
        assert_eq!(converted(&from, &integer(2, false, Little), &elements), [0, 0, 0xff, 0xff, 5, 0]);
        assert_eq!(converted(&from, &integer(1, true, Little), &elements), [0xff, 0x7f, 5]);
    }

    #[test]
    fn floats_lose_their_fraction_and_what_is_not_a_number_everything() {
        let elements = [-1.9, 300.0, f64::NAN, f64::INFINITY].map(f64::to_le_bytes).concat();
        let to = integer(1, true, Little);
        assert_eq!(converted(&float(Double, Little), &to, &elements), [0xff, 0x7f, 0, 0x7f]);
        let four = converted(&float(Double, Little), &integer(4, true, Little), &elements);
        assert_eq!(four[8..12], i32::MIN.to_le_bytes());
        let four = converted(&float(Double, Little), &integer(4, true, Big), &elements);
        assert_eq!(four[8..12], [0; 4]);
    }

    #[test]
    fn integers_become_the_nearest_float() {
        let elements = [(1i64 << 24) + 1, (1 << 24) + 3].map(i64::to_le_bytes).concat();
        let expected = [16_777_216f32, 16_777_220.0].map(f32::to_be_bytes).concat();
        assert_eq!(converted(&integer(8, true, Little), &float(Single, Big), &elements), expected);
        // The processor compares with the largest value before it rounds.
        let elements = 65_519i32.to_le_bytes();
        assert_eq!(converted(&integer(4, true, Little), &float(Half, Little), &elements), [0, 0x7c]);
        assert_eq!(converted(&integer(4, true, Little), &float(Half, Big), &elements), [0x7b, 0xff]);
    }

    #[test]
    fn text_is_cut_and_padded() {
        let text = |size, padding| datatype(size, Class::FixedString { padding, charset: Charset::Ascii });
        let from = text(4, StringPadding::SpacePad);
        assert_eq!(converted(&from, &text(6, StringPadding::NullPad), b"ab  "), b"ab\0\0\0\0");
        assert_eq!(converted(&from, &text(2, StringPadding::NullTerminate), b"abc "), b"ab");
        let from = text(4, StringPadding::NullPad);
        assert_eq!(converted(&from, &text(6, StringPadding::SpacePad), b"a\0b\0"), b"a     ");
        let utf8 =
            datatype(4, Class::FixedString { padding: StringPadding::NullPad, charset: Charset::Utf8 });
        assert_eq!(Converter::new(&from, &utf8), None);
    }

    #[test]
    fn members_are_found_by_name() {
        let member = |name: &str, offset, datatype| Member { name: name.into(), offset, datatype };
        let array = |base| datatype(2 * 4, Class::Array { dims: vec![2], base: Box::new(base) });
        let from = datatype(
            12,
            Class::Compound {
                members: vec![
                    member("a", 0, integer(4, true, Little)),
                    member("b", 4, array(float(Single, Little))),
                ],
            },
        );
        let target = |name: &str| {
            let members = vec![
                member(name, 0, array(integer(4, true, Little))),
                member("a", 8, integer(1, true, Little)),
            ];
            datatype(9, Class::Compound { members })
        };
        let element = [&1000i32.to_le_bytes()[..], &2.5f32.to_le_bytes(), &(-3.5f32).to_le_bytes()].concat();
        let expected = [&2i32.to_le_bytes()[..], &(-3i32).to_le_bytes(), &[127]].concat();
        assert_eq!(converted(&from, &target("b"), &element), expected);
        assert_eq!(Converter::new(&from, &target("c")), None);
    }

    #[test]
    fn enumerations_are_matched_by_name() {
        let enumeration = |base: Datatype, members: &[(&str, &[u8])]| {
            let members = members.iter().map(|(name, value)| ((*name).into(), Bytes::copy_from_slice(value)));
            datatype(base.size, Class::Enum { base: Box::new(base), members: members.collect() })
        };
        let from = enumeration(integer(2, true, Big), &[("red", &[1, 0]), ("green", &[0, 2])]);
        let names: [(&str, &[u8]); 3] = [("blue", &[1]), ("green", &[7]), ("red", &[9])];
        let to = enumeration(integer(1, true, Little), &names);
        assert_eq!(converted(&from, &to, &[0, 2, 1, 0, 0, 3]), [7, 9, 0xff]);
        assert_eq!(Converter::new(&to, &from), None, "one has no blue");
    }

    #[test]
    fn rare_targets_and_other_classes_have_no_conversion() {
        let from = integer(4, true, Little);
        let nibble = Integer { order: Little, signed: true, bit_offset: 0, precision: 4 };
        assert_eq!(Converter::new(&from, &datatype(1, Class::Integer(nibble.clone()))), None);
        assert!(Converter::new(&datatype(1, Class::Integer(nibble)), &from).is_some());
        assert_eq!(Converter::new(&from, &datatype(4, Class::Opaque { tag: "".into() })), None);
        assert_eq!(Converter::new(&from, &integer(3, true, Little)), None);
    }
}
