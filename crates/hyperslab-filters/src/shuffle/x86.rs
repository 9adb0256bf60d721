//! Shuffle and unshuffle with SSE2 and AVX2 registers, for elements of 2, 4, 8 and more bytes.
//!
//! Take one register from each of P planes, P a power of two. Interleaving the bytes of register i with those of
//! register i + P/2, for all i, moves the highest bit of the plane number below the bits of the element number. After
//! log₂ P rounds the plane number is lowest, and the registers contain whole elements:
//!
//! ```text
//! P = 4   aaaa bbbb cccc dddd  →  acac acac bdbd bdbd  →  abcd abcd abcd abcd
//! ```
//!
//! Each round moves the highest bit of a byte's position (register, byte in the register) to the lowest place. Four more
//! rounds would bring every byte back to where it was, so four rounds alone turn elements into planes: they shuffle.
//!
//! An AVX2 register consists of two SSE2 registers side by side, so its halves are reordered before they are stored.

use super::Planes;
use std::arch::x86_64::*;

/// Unshuffles as many elements as fill whole registers of every plane; returns their number.
pub(super) fn unshuffle(planes: &Planes<'_>, out: &mut [u8]) -> usize {
    match planes.element_bytes {
        2 => dispatch::<2>(planes, out),
        4 => dispatch::<4>(planes, out),
        8 => dispatch::<8>(planes, out),
        16 => dispatch::<16>(planes, out),
        size if size > 8 => strided(planes, out),
        _ => 0,
    }
}

fn dispatch<const P: usize>(planes: &Planes<'_>, out: &mut [u8]) -> usize {
    let sources: [&[u8]; P] = std::array::from_fn(|k| planes.plane(k));
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { with_avx2(sources, out) }
    } else {
        with_sse2(sources, out)
    }
}

#[target_feature(enable = "avx2")]
fn with_avx2<const P: usize>(sources: [&[u8]; P], out: &mut [u8]) -> usize {
    let count = sources[0].len().min(out.len() / P) / 32 * 32;
    let sources = sources.map(|source| &source[..count]);
    for (i, block) in out.chunks_exact_mut(32 * P).take(count / 32).enumerate() {
        let mut registers = [_mm256_setzero_si256(); P];
        for k in 0..P {
            // SAFETY: `i` is below `count / 32`, so the 32 bytes lie inside the source.
            registers[k] = unsafe { _mm256_loadu_si256(sources[k].as_ptr().add(32 * i).cast()) };
        }
        for _ in 0..P.trailing_zeros() {
            let before = registers;
            for k in 0..P / 2 {
                registers[2 * k] = _mm256_unpacklo_epi8(before[k], before[k + P / 2]);
                registers[2 * k + 1] = _mm256_unpackhi_epi8(before[k], before[k + P / 2]);
            }
        }
        for k in 0..P / 2 {
            let low = _mm256_permute2x128_si256::<0x20>(registers[2 * k], registers[2 * k + 1]);
            let high = _mm256_permute2x128_si256::<0x31>(registers[2 * k], registers[2 * k + 1]);
            // SAFETY: the block has 32·P bytes; k is below P/2, so 16·P + 32·k + 32 is at most that.
            unsafe {
                _mm256_storeu_si256(block.as_mut_ptr().add(32 * k).cast(), low);
                _mm256_storeu_si256(block.as_mut_ptr().add(16 * P + 32 * k).cast(), high);
            }
        }
    }
    count
}

/// The i-th sixteen elements of P planes, in element order.
///
/// # Panics
/// If a source has less than 16·(i + 1) bytes.
#[inline(always)]
fn interleaved<const P: usize>(sources: &[&[u8]; P], i: usize) -> [__m128i; P] {
    let mut registers: [__m128i; P] = std::array::from_fn(|k| {
        let bytes = &sources[k][16 * i..][..16];
        // SAFETY: SSE2 is part of x86-64, and 16 bytes are read of a slice of 16.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    });
    for _ in 0..P.trailing_zeros() {
        let before = registers;
        for k in 0..P / 2 {
            // SAFETY: SSE2 is part of x86-64.
            unsafe {
                registers[2 * k] = _mm_unpacklo_epi8(before[k], before[k + P / 2]);
                registers[2 * k + 1] = _mm_unpackhi_epi8(before[k], before[k + P / 2]);
            }
        }
    }
    registers
}

/// SSE2 is part of x86-64.
fn with_sse2<const P: usize>(sources: [&[u8]; P], out: &mut [u8]) -> usize {
    let count = sources[0].len().min(out.len() / P) / 16 * 16;
    let sources = sources.map(|source| &source[..count]);
    for (i, block) in out.chunks_exact_mut(16 * P).take(count / 16).enumerate() {
        let registers = interleaved(&sources, i);
        for (k, register) in registers.into_iter().enumerate() {
            // SAFETY: the block has 16·P bytes and k is below P.
            unsafe { _mm_storeu_si128(block.as_mut_ptr().add(16 * k).cast(), register) };
        }
    }
    count
}

/// The number of rounds that turn the elements of P registers of 16 bytes into planes.
const SHUFFLE_ROUNDS: usize = 4;

/// Shuffles as many elements as fill whole registers of every plane; returns their number. The planes in `out` are those
/// of all elements of `raw`.
pub(super) fn shuffle(raw: &[u8], element_bytes: usize, out: &mut [u8]) -> usize {
    match element_bytes {
        2 => dispatch_shuffle::<2>(raw, out),
        4 => dispatch_shuffle::<4>(raw, out),
        8 => dispatch_shuffle::<8>(raw, out),
        16 => dispatch_shuffle::<16>(raw, out),
        _ => 0,
    }
}

fn dispatch_shuffle<const P: usize>(raw: &[u8], out: &mut [u8]) -> usize {
    let elements = raw.len() / P;
    if elements == 0 {
        return 0;
    }
    let mut planes = out.chunks_exact_mut(elements);
    let planes: [&mut [u8]; P] = std::array::from_fn(|_| planes.next().expect("as many bytes as `raw` has"));
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { shuffle_with_avx2(raw, planes) }
    } else {
        shuffle_with_sse2(raw, planes)
    }
}

#[target_feature(enable = "avx2")]
fn shuffle_with_avx2<const P: usize>(raw: &[u8], mut planes: [&mut [u8]; P]) -> usize {
    let mut done = 0;
    for block in raw.chunks_exact(32 * P) {
        // The lower halves take the first 16 elements, the upper halves the next 16.
        let mut registers = [_mm256_setzero_si256(); P];
        for (k, register) in registers.iter_mut().enumerate() {
            // SAFETY: the block has 32·P bytes; k is below P, so 16·P + 16·k + 16 is at most that.
            *register = unsafe {
                let low = _mm_loadu_si128(block.as_ptr().add(16 * k).cast());
                let high = _mm_loadu_si128(block.as_ptr().add(16 * P + 16 * k).cast());
                _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
            };
        }
        for _ in 0..SHUFFLE_ROUNDS {
            let before = registers;
            for k in 0..P / 2 {
                registers[2 * k] = _mm256_unpacklo_epi8(before[k], before[k + P / 2]);
                registers[2 * k + 1] = _mm256_unpackhi_epi8(before[k], before[k + P / 2]);
            }
        }
        for (plane, register) in planes.iter_mut().zip(registers) {
            let place = &mut plane[done..done + 32];
            // SAFETY: 32 bytes are written to a slice of 32.
            unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), register) };
        }
        done += 32;
    }
    done
}

/// SSE2 is part of x86-64.
fn shuffle_with_sse2<const P: usize>(raw: &[u8], mut planes: [&mut [u8]; P]) -> usize {
    let mut done = 0;
    for block in raw.chunks_exact(16 * P) {
        let mut registers: [__m128i; P] = std::array::from_fn(|k| {
            let bytes = &block[16 * k..][..16];
            // SAFETY: SSE2 is part of x86-64, and 16 bytes are read of a slice of 16.
            unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
        });
        for _ in 0..SHUFFLE_ROUNDS {
            let before = registers;
            for k in 0..P / 2 {
                // SAFETY: SSE2 is part of x86-64.
                unsafe {
                    registers[2 * k] = _mm_unpacklo_epi8(before[k], before[k + P / 2]);
                    registers[2 * k + 1] = _mm_unpackhi_epi8(before[k], before[k + P / 2]);
                }
            }
        }
        for (plane, register) in planes.iter_mut().zip(registers) {
            let place = &mut plane[done..done + 16];
            // SAFETY: SSE2 is part of x86-64, and 16 bytes are written to a slice of 16.
            unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), register) };
        }
        done += 16;
    }
    done
}

/// The number of elements that are processed before the next ones, so that the lines of all planes stay in the cache.
const TILE: usize = 512;

/// Elements of more than 8 bytes: eight planes at a time, each register of which contains the bytes of two elements.
/// The last eight planes of an element overlap the previous ones and write some bytes a second time, with the same
/// values.
fn strided(planes: &Planes<'_>, out: &mut [u8]) -> usize {
    let size = planes.element_bytes;
    let count = planes.count.min(out.len() / size) / 16 * 16;
    for (tile, out) in out[..count * size].chunks_mut(TILE * size).enumerate() {
        let count = out.len() / size;
        for k in (0..size).step_by(8).map(|k| k.min(size - 8)) {
            let sources: [&[u8]; 8] = std::array::from_fn(|j| &planes.plane(k + j)[tile * TILE..][..count]);
            for (i, block) in out.chunks_exact_mut(16 * size).enumerate() {
                let registers = interleaved(&sources, i);
                for (j, register) in registers.into_iter().enumerate() {
                    let low = &mut block[2 * j * size + k..][..8];
                    // SAFETY: SSE2 is part of x86-64, and 8 bytes are written to a slice of 8.
                    unsafe { _mm_storel_epi64(low.as_mut_ptr().cast(), register) };
                    let high = &mut block[(2 * j + 1) * size + k..][..8];
                    // SAFETY: as above.
                    unsafe {
                        _mm_storel_epi64(high.as_mut_ptr().cast(), _mm_unpackhi_epi64(register, register))
                    };
                }
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both<const P: usize>() {
        let shuffled: Vec<u8> = (0..P * 67).map(|i| (i * 31 + i / 67) as u8).collect();
        let planes = Planes::new(&shuffled, P, 0, 67);
        let sources: [&[u8]; P] = std::array::from_fn(|k| planes.plane(k));
        let mut expected = vec![0; P * 67];
        super::super::portable::unshuffle(&planes, &mut expected);
        let mut out = vec![0; P * 67];
        assert_eq!(with_sse2(sources, &mut out), 64);
        assert_eq!(out[..64 * P], expected[..64 * P]);
        if is_x86_feature_detected!("avx2") {
            out.fill(0);
            // SAFETY: the processor has AVX2.
            assert_eq!(unsafe { with_avx2(sources, &mut out) }, 64);
            assert_eq!(out[..64 * P], expected[..64 * P]);
        }
    }

    fn both_shuffles<const P: usize>() {
        let raw: Vec<u8> = (0..67 * P as u32).map(|i| (i * 77 + i / 256) as u8).collect();
        let mut expected = vec![0; raw.len()];
        super::super::portable::shuffle(&raw, P, 0, &mut expected);
        let complete = |done: usize, mut out: Vec<u8>| {
            super::super::portable::shuffle(&raw, P, done, &mut out);
            out
        };
        fn planes<const P: usize>(out: &mut [u8]) -> [&mut [u8]; P] {
            let mut planes = out.chunks_exact_mut(67);
            std::array::from_fn(|_| planes.next().unwrap())
        }
        let mut out = vec![0; raw.len()];
        assert_eq!(shuffle_with_sse2::<P>(&raw, planes(&mut out)), 64);
        assert_eq!(complete(64, out), expected);
        if is_x86_feature_detected!("avx2") {
            let mut out = vec![0; raw.len()];
            // SAFETY: the processor has AVX2.
            assert_eq!(unsafe { shuffle_with_avx2::<P>(&raw, planes(&mut out)) }, 64);
            assert_eq!(complete(64, out), expected);
        }
    }

    #[test]
    fn both_register_widths_shuffle_as_the_portable_code() {
        both_shuffles::<2>();
        both_shuffles::<4>();
        both_shuffles::<8>();
        both_shuffles::<16>();
    }

    #[test]
    fn both_register_widths_agree_with_the_portable_code() {
        both::<2>();
        both::<4>();
        both::<8>();
        both::<16>();
    }
}
