//! The canonical bytes of elements without variable-length members: packed, little-endian, in native types.
//!
//! A datatype is compiled once into a few steps that convert one element to its canonical bytes. Adjacent bytes that
//! are copied unchanged become one step.

use crate::element::{
    self, Enumeration, NativeFloat, integer_value, is_native_integer, is_whole, significant_bits, text_len,
};
use hyperslab_format::message::datatype::{Float, Integer, StringPadding};
use hyperslab_format::message::{ByteOrder, Class, Datatype};

/// Converts elements to canonical bytes.
#[derive(Debug, PartialEq)]
pub struct Encoder {
    element_bytes: usize,
    steps: Vec<Step>,
    has_extended: bool,
}

/// An action on the bytes from `at` on.
#[derive(Debug, PartialEq)]
struct Step {
    at: usize,
    action: Action,
}

#[derive(Debug, PartialEq)]
enum Action {
    Copy { len: usize },
    Reverse { len: usize },
    Text { len: usize, padding: StringPadding },
    Integer { size: usize, integer: Integer },
    Float { size: usize, float: Float, native: NativeFloat },
    Enumeration { size: usize, enumeration: Enumeration },
    Repeat { count: usize, stride: usize, steps: Vec<Step> },
}

impl Encoder {
    /// Returns `None` if some member has no native type: the elements are then digested as they are in the file.
    pub fn new(datatype: &Datatype) -> Option<Self> {
        let mut encoder =
            Self { element_bytes: datatype.size as usize, steps: Vec::new(), has_extended: false };
        let mut steps = Vec::new();
        encoder.compile(datatype, 0, &mut steps)?;
        encoder.steps = steps;
        Some(encoder)
    }

    /// True if the elements are already in canonical form.
    pub fn is_identity(&self) -> bool {
        let whole = Step { at: 0, action: Action::Copy { len: self.element_bytes } };
        self.steps.is_empty() || self.steps == [whole]
    }

    /// True if any number has x87 extended precision.
    pub fn has_extended(&self) -> bool {
        self.has_extended
    }

    /// Appends the canonical bytes of whole elements.
    pub fn encode(&self, elements: &[u8], out: &mut Vec<u8>) {
        if let [Step { action: Action::Reverse { len }, .. }] = self.steps[..]
            && len == self.element_bytes
        {
            return reverse_all(elements, len, out);
        }
        for element in elements.chunks_exact(self.element_bytes.max(1)) {
            run(&self.steps, element, out);
        }
    }

    fn compile(&mut self, datatype: &Datatype, at: usize, steps: &mut Vec<Step>) -> Option<()> {
        let size = datatype.size as usize;
        let action = match &datatype.class {
            Class::Integer(integer) if is_native_integer(datatype.size) => {
                if is_whole(integer, datatype.size) {
                    in_order(integer.order, size)
                } else {
                    Action::Integer { size, integer: integer.clone() }
                }
            }
            Class::Bitfield { order, bit_offset, precision } if is_native_integer(datatype.size) => {
                let integer =
                    Integer { order: *order, signed: false, bit_offset: *bit_offset, precision: *precision };
                if is_whole(&integer, datatype.size) {
                    in_order(*order, size)
                } else {
                    Action::Integer { size, integer }
                }
            }
            Class::Float(float) => self.float(float, datatype.size, NativeFloat::of(float, datatype.size)?),
            Class::FixedString { padding: StringPadding::NullPad, .. } | Class::Opaque { .. } => {
                Action::Copy { len: size }
            }
            Class::FixedString { padding, .. } => Action::Text { len: size, padding: *padding },
            Class::Enum { base, members } => {
                let enumeration = Enumeration::new(base, members)?;
                if enumeration.passes() {
                    in_order(enumeration.order(), size)
                } else {
                    Action::Enumeration { size, enumeration }
                }
            }
            Class::Compound { members } => {
                for member in members {
                    self.compile(&member.datatype, at + member.offset as usize, steps)?;
                }
                return Some(());
            }
            Class::Array { base, .. } => {
                let mut inner = Vec::new();
                self.compile(base, 0, &mut inner)?;
                repeated(inner, base.size as usize, size)
            }
            Class::Complex { base } => {
                let Class::Float(float) = &base.class else { return None };
                let native = NativeFloat::of_complex_part(float, base.size)?;
                let step = Step { at: 0, action: self.float(float, base.size, native) };
                repeated(vec![step], base.size as usize, size)
            }
            _ => return None,
        };
        push(steps, Step { at, action });
        Some(())
    }

    fn float(&mut self, float: &Float, size: u32, native: NativeFloat) -> Action {
        self.has_extended |= native == NativeFloat::Extended;
        if native != NativeFloat::Extended && native.is(float, size) {
            return in_order(float.order, size as usize);
        }
        Action::Float { size: size as usize, float: float.clone(), native }
    }
}

/// The same steps for each of the `size / stride` parts of `size` bytes.
fn repeated(steps: Vec<Step>, stride: usize, size: usize) -> Action {
    let count = size / stride.max(1);
    match steps[..] {
        [Step { at: 0, action: Action::Copy { len } }] if len == stride => {
            Action::Copy { len: count * stride }
        }
        _ => Action::Repeat { count, stride, steps },
    }
}

fn in_order(order: ByteOrder, size: usize) -> Action {
    if order == ByteOrder::Big && size > 1 {
        Action::Reverse { len: size }
    } else {
        Action::Copy { len: size }
    }
}

/// Adds a step; adjacent bytes that are copied unchanged become one step.
fn push(steps: &mut Vec<Step>, step: Step) {
    if let (Action::Copy { len }, Some(Step { at, action: Action::Copy { len: before } })) =
        (&step.action, steps.last_mut())
        && *at + *before == step.at
    {
        *before += len;
        return;
    }
    steps.push(step);
}

fn run(steps: &[Step], element: &[u8], out: &mut Vec<u8>) {
    for Step { at, action } in steps {
        let at = *at;
        match action {
            Action::Copy { len } => out.extend_from_slice(&element[at..at + len]),
            Action::Reverse { len } => out.extend(element[at..at + len].iter().rev()),
            Action::Text { len, padding } => {
                let stored = &element[at..at + len];
                let kept = text_len(*padding, stored);
                out.extend_from_slice(&stored[..kept]);
                out.resize(out.len() + len - kept, 0);
            }
            Action::Integer { size, integer } => {
                let value = if integer.signed {
                    integer_value(integer, &element[at..at + size]) as u64
                } else {
                    significant_bits(
                        &element[at..at + size],
                        integer.order,
                        integer.bit_offset,
                        integer.precision,
                    )
                };
                out.extend_from_slice(&value.to_le_bytes()[..*size]);
            }
            Action::Float { size, float, native } => {
                out.extend_from_slice(
                    element::native_float(float, &element[at..at + size], *native).as_slice(),
                );
            }
            Action::Enumeration { size, enumeration } => {
                let value = enumeration.value(&element[at..at + size]) as u64;
                out.extend_from_slice(&value.to_le_bytes()[..enumeration.bytes()]);
            }
            Action::Repeat { count, stride, steps } => {
                (0..*count).for_each(|i| run(steps, &element[at + i * stride..at + (i + 1) * stride], out));
            }
        }
    }
}

fn reverse_all(elements: &[u8], width: usize, out: &mut Vec<u8>) {
    match width {
        2 => {
            elements.as_chunks::<2>().0.iter().for_each(|n| out.extend(u16::from_be_bytes(*n).to_le_bytes()))
        }
        4 => {
            elements.as_chunks::<4>().0.iter().for_each(|n| out.extend(u32::from_be_bytes(*n).to_le_bytes()))
        }
        8 => {
            elements.as_chunks::<8>().0.iter().for_each(|n| out.extend(u64::from_be_bytes(*n).to_le_bytes()))
        }
        _ => elements.chunks_exact(width).for_each(|n| out.extend(n.iter().rev())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::message::datatype::{Charset, Member, Normalization};

    fn datatype(size: u32, class: Class) -> Datatype {
        Datatype { size, class, committed: None }
    }

    fn integer(size: u32, order: ByteOrder) -> Datatype {
        let precision = 8 * size as u16;
        datatype(size, Class::Integer(Integer { order, signed: true, bit_offset: 0, precision }))
    }

    fn compound(size: u32, members: Vec<(u32, Datatype)>) -> Datatype {
        let members = members
            .into_iter()
            .map(|(offset, datatype)| Member { name: "m".into(), offset, datatype })
            .collect();
        datatype(size, Class::Compound { members })
    }

    fn encoded(datatype: &Datatype, elements: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Encoder::new(datatype).unwrap().encode(elements, &mut out);
        out
    }

    #[test]
    fn numbers_become_little_endian() {
        assert!(Encoder::new(&integer(4, ByteOrder::Little)).unwrap().is_identity());
        for width in [2, 4, 8] {
            let stored: Vec<u8> = (0..16).collect();
            let expected: Vec<u8> = stored.chunks(width).flat_map(|n| n.iter().rev().copied()).collect();
            assert_eq!(encoded(&integer(width as u32, ByteOrder::Big), &stored), expected);
        }
    }

    #[test]
    fn compounds_are_packed_in_the_order_of_their_members() {
        let text = datatype(
            3,
            Class::FixedString { padding: StringPadding::NullTerminate, charset: Charset::Ascii },
        );
        let pair = datatype(4, Class::Array { dims: vec![2], base: Box::new(integer(2, ByteOrder::Big)) });
        let outer = compound(12, vec![(8, pair), (0, integer(1, ByteOrder::Little)), (1, text)]);
        let element = [1, b'a', 0, b'x', 9, 9, 9, 9, 0, 1, 0, 2];
        assert_eq!(encoded(&outer, &element), [1, 0, 2, 0, 1, b'a', 0, 0]);
    }

    #[test]
    fn a_compound_without_gaps_is_copied_whole() {
        let little = || integer(4, ByteOrder::Little);
        let outer = compound(8, vec![(0, little()), (4, little())]);
        assert!(Encoder::new(&outer).unwrap().is_identity());
        let gap = compound(12, vec![(0, little()), (8, little())]);
        assert!(!Encoder::new(&gap).unwrap().is_identity());
        let of_arrays = datatype(16, Class::Array { dims: vec![2], base: Box::new(outer) });
        assert!(Encoder::new(&of_arrays).unwrap().is_identity());
    }

    #[test]
    fn extended_precision_keeps_ten_bytes() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut stored: Vec<u8> = (0..16).collect();
            let float = Float {
                order,
                bit_offset: 0,
                precision: 80,
                sign_location: 79,
                exponent_location: 64,
                exponent_size: 15,
                mantissa_location: 0,
                mantissa_size: 64,
                exponent_bias: 16_383,
                normalization: Normalization::None,
            };
            let number = datatype(16, Class::Float(float));
            if order == ByteOrder::Big {
                stored.reverse();
            }
            assert!(Encoder::new(&number).unwrap().has_extended());
            assert_eq!(encoded(&number, &stored), (0..10).collect::<Vec<u8>>());
        }
    }

    #[test]
    fn odd_precision_is_widened() {
        let nibble = Integer { order: ByteOrder::Little, signed: true, bit_offset: 2, precision: 4 };
        assert_eq!(encoded(&datatype(2, Class::Integer(nibble)), &[0b10_1100, 0xff]), [0xfb, 0xff]);
        let bits = Class::Bitfield { order: ByteOrder::Big, bit_offset: 4, precision: 8 };
        assert_eq!(encoded(&datatype(2, bits), &[0xfa, 0xbf]), [0xab, 0]);
    }

    #[test]
    fn what_numpy_does_not_have_is_not_encoded() {
        assert_eq!(Encoder::new(&integer(3, ByteOrder::Little)), None);
        let time = datatype(4, Class::Time { order: ByteOrder::Little, precision: 32 });
        assert_eq!(Encoder::new(&compound(4, vec![(0, time)])), None);
    }
}
