//! Numbers as wider ones that have each of their values: what libhdf5 makes of them is the same on each machine.

/// A kind of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Integers in two's complement.
    Signed,
    /// Integers from 0.
    Unsigned,
    /// IEEE 754.
    Float,
}

/// A type of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// Its kind.
    pub class: Class,
    /// The bytes of an element.
    pub bytes: usize,
}

/// Elements that are converted at a time: they fit in the first cache.
const PIECE: usize = 1024;

/// Turns numbers that fill the end of a buffer into wider ones that fill all of it.
pub type Widening = fn(&mut [u8]);

macro_rules! widenings {
    ($(($from_class:ident $from:ty => $($to_class:ident $to:ty),*))*) => {
        /// How numbers become wider ones; `None` where these do not have each of their values, or are not wider.
        pub fn widening(from: Number, to: Number) -> Option<Widening> {
            use Class::{Float, Signed, Unsigned};
            $($(
                if (from.class, from.bytes, to.class, to.bytes)
                    == ($from_class, size_of::<$from>(), $to_class, size_of::<$to>())
                {
                    return Some(|out| {
                        widen::<{ size_of::<$from>() }, { size_of::<$to>() }>(out, |from| {
                            (<$from>::from_ne_bytes(from) as $to).to_ne_bytes()
                        });
                    });
                }
            )*)*
            None
        }
    };
}

widenings! {
    (Signed i8 => Signed i16, Signed i32, Signed i64, Float f32, Float f64)
    (Signed i16 => Signed i32, Signed i64, Float f32, Float f64)
    (Signed i32 => Signed i64, Float f64)
    (Unsigned u8 => Unsigned u16, Unsigned u32, Unsigned u64, Signed i16, Signed i32, Signed i64, Float f32, Float f64)
    (Unsigned u16 => Unsigned u32, Unsigned u64, Signed i32, Signed i64, Float f32, Float f64)
    (Unsigned u32 => Unsigned u64, Signed i64, Float f64)
    (Float f32 => Float f64)
}

/// From the front: what an element is written to was read before.
fn widen<const FROM: usize, const TO: usize>(out: &mut [u8], convert: impl Fn([u8; FROM]) -> [u8; TO]) {
    let elements = out.len() / TO;
    let begin = out.len() - elements * FROM;
    let mut piece = [[0u8; FROM]; PIECE];
    for first in (0..elements).step_by(PIECE) {
        let piece = &mut piece[..PIECE.min(elements - first)];
        let source = &out[begin + first * FROM..][..piece.len() * FROM];
        piece.as_flattened_mut().copy_from_slice(source);
        let to = out[first * TO..].as_chunks_mut::<TO>().0;
        for (to, from) in to.iter_mut().zip(piece) {
            *to = convert(*from);
        }
    }
}

/// True if any of these floats of four bytes, in the byte order of this machine, is not a number.
pub fn has_nan(values: &[u8]) -> bool {
    values.as_chunks::<4>().0.iter().any(|value| f32::from_ne_bytes(*value).is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [(Class, &[usize]); 3] =
        [(Class::Signed, &[1, 2, 4, 8]), (Class::Unsigned, &[1, 2, 4, 8]), (Class::Float, &[4, 8])];

    fn all() -> impl Iterator<Item = Number> {
        KINDS
            .into_iter()
            .flat_map(|(class, sizes)| sizes.iter().map(move |bytes| Number { class, bytes: *bytes }))
    }

    fn value(number: Number, bytes: &[u8]) -> f64 {
        let mut wide =
            [if number.class == Class::Signed && bytes[bytes.len() - 1] >= 128 { 255 } else { 0 }; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        match number {
            Number { class: Class::Float, bytes: 4 } => f32::from_ne_bytes(bytes.try_into().unwrap()).into(),
            Number { class: Class::Float, .. } => f64::from_ne_bytes(wide),
            Number { class: Class::Signed, .. } => i64::from_ne_bytes(wide) as f64,
            Number { class: Class::Unsigned, .. } => u64::from_ne_bytes(wide) as f64,
        }
    }

    #[test]
    fn values_stay_what_they_are() {
        let mut found = 0;
        for from in all() {
            for to in all() {
                let Some(widen) = widening(from, to) else { continue };
                found += 1;
                let elements = 3 * PIECE + 5;
                let source: Vec<u8> =
                    (0..elements * from.bytes).map(|at| (at * at / 7 % 256) as u8).collect();
                let mut out = vec![0; elements * to.bytes];
                let begin = out.len() - source.len();
                out[begin..].copy_from_slice(&source);
                widen(&mut out);
                for (narrow, wide) in source.chunks(from.bytes).zip(out.chunks(to.bytes)) {
                    let (before, after) = (value(from, narrow), value(to, wide));
                    assert!(
                        before == after || before.is_nan() && after.is_nan(),
                        "{from:?} {to:?}: {before} {after}"
                    );
                }
            }
        }
        assert_eq!(found, 29);
    }

    #[test]
    fn what_may_change_a_value_is_no_widening() {
        let number = |class, bytes| Number { class, bytes };
        assert!(widening(number(Class::Signed, 4), number(Class::Float, 4)).is_none());
        assert!(widening(number(Class::Signed, 2), number(Class::Unsigned, 8)).is_none());
        assert!(widening(number(Class::Float, 8), number(Class::Float, 4)).is_none());
    }
}
