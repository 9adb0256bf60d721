//! N-bit (coder 2): of each big-endian value, the bits that are needed, one value after the other, the highest bit first.

use super::Hdf4Nbit;
use crate::FilterError;
use crate::scratch::CodecState;
use crate::stage::Stage;

const NAME: &str = "HDF4 N-bit";

pub(super) struct Nbit {
    layout: Hdf4Nbit,
}

impl Nbit {
    pub(super) fn new(layout: Hdf4Nbit) -> Result<Self, FilterError> {
        let Hdf4Nbit { value_bytes, start_bit, bits, .. } = layout;
        let is_possible = matches!(value_bytes, 1..=8)
            && (start_bit as usize) < 8 * value_bytes
            && (1..=start_bit + 1).contains(&bits);
        match is_possible {
            true => Ok(Self { layout }),
            false => {
                let what = format!("{bits} bits from bit {start_bit} of values of {value_bytes} bytes");
                Err(FilterError::parameters(NAME, what))
            }
        }
    }

    /// The value whose stored bits are these.
    fn value(&self, stored: u64) -> u64 {
        let Hdf4Nbit { start_bit, bits, extends_sign, fills_with_ones, .. } = self.layout;
        let low = start_bit + 1 - bits;
        let ones = |count: u32| if count >= 64 { u64::MAX } else { (1 << count) - 1 };
        let own = ones(bits) << low;
        let below = ones(low);
        let above = !(own | below);
        let is_negative = stored >> (bits - 1) & 1 == 1;
        let mut value = (stored & ones(bits)) << low;
        if fills_with_ones {
            value |= below;
        }
        if if extends_sign { is_negative } else { fills_with_ones } {
            value |= above;
        }
        value
    }
}

impl Stage for Nbit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        let values = stored_bytes.saturating_mul(8) / self.layout.bits as usize;
        values.saturating_mul(self.layout.value_bytes)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let Hdf4Nbit { value_bytes, bits, .. } = self.layout;
        let mut bytes = stored.iter();
        let (mut window, mut held) = (0u128, 0);
        let mut written = 0;
        for out in out.chunks_exact_mut(value_bytes) {
            while held < bits {
                let Some(byte) = bytes.next() else { return Ok(written) };
                window = window << 8 | u128::from(*byte);
                held += 8;
            }
            held -= bits;
            let stored = (window >> held) as u64;
            window &= (1u128 << held) - 1;
            let value = self.value(stored).to_be_bytes();
            out.copy_from_slice(&value[8 - value_bytes..]);
            written += value_bytes;
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(layout: Hdf4Nbit, stored: &[u8], len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        let found = Nbit::new(layout).unwrap().decode(stored, &mut out, &mut CodecState::default()).unwrap();
        out.truncate(found);
        out
    }

    #[test]
    fn bits_come_to_their_places() {
        let layout =
            Hdf4Nbit { value_bytes: 2, start_bit: 9, bits: 6, extends_sign: false, fills_with_ones: false };
        // 101010 and 010101.
        let stored = [0b1010_1001, 0b0101_0000];
        assert_eq!(decode(layout, &stored, 4), [0b10, 0b1010_0000, 0b01, 0b0101_0000]);
        let signed = Hdf4Nbit { extends_sign: true, ..layout };
        assert_eq!(decode(signed, &stored, 4), [0b1111_1110, 0b1010_0000, 0b01, 0b0101_0000]);
        let ones = Hdf4Nbit { fills_with_ones: true, ..layout };
        assert_eq!(decode(ones, &stored, 4), [0b1111_1110, 0b1010_1111, 0b1111_1101, 0b0101_1111]);
        assert_eq!(decode(layout, &stored[..1], 4).len(), 2);
    }

    #[test]
    fn whole_values_of_eight_bytes() {
        let layout =
            Hdf4Nbit { value_bytes: 8, start_bit: 63, bits: 64, extends_sign: true, fills_with_ones: true };
        let stored: Vec<u8> = (1..17).collect();
        assert_eq!(decode(layout, &stored, 16), stored);
        assert!(Nbit::new(Hdf4Nbit { bits: 0, ..layout }).is_err());
        assert!(Nbit::new(Hdf4Nbit { value_bytes: 4, ..layout }).is_err());
    }
}
