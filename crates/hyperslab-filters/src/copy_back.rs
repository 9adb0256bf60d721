//! Copies of earlier output, which the codecs of the Lempel-Ziv family repeat.

/// Appends `len` bytes at `to`, each equal to the one `back` bytes before it: the copy may overlap itself, and then
/// repeats a pattern.
pub(crate) fn copy_back(out: &mut [u8], to: usize, back: usize, len: usize) {
    if back >= len {
        out.copy_within(to - back..to - back + len, to);
    } else if back == 1 {
        let byte = out[to - 1];
        out[to..to + len].fill(byte);
    } else {
        // What is there already doubles with each step.
        let mut done = 0;
        while done < len {
            let step = (back + done).min(len - done);
            out.copy_within(to - back..to - back + step, to + done);
            done += step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::copy_back;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn copies_as_byte_by_byte(back in 1usize..40, len in 0usize..200) {
            let mut out: Vec<u8> = (0..240).map(|i| if i < 40 { i } else { 0 }).collect();
            let mut plain = out.clone();
            copy_back(&mut out, 40, back, len);
            for i in 40..40 + len {
                plain[i] = plain[i - back];
            }
            prop_assert_eq!(out, plain);
        }
    }
}
