//! The transforms of a block's values: along each dimension, all lines of four values are replaced by coefficients.

use super::word::Word;

/// Makes coefficients of a block's values. zfp's decorrelating transform; it loses the lowest bits.
pub(super) fn forward<W: Word>(values: &mut [W], dimensions: usize) {
    (0..dimensions).for_each(|axis| each_line(values, axis, lift));
}

/// The reverse of [`forward`].
pub(super) fn inverse<W: Word>(values: &mut [W], dimensions: usize) {
    (0..dimensions).rev().for_each(|axis| each_line(values, axis, unlift));
}

/// Makes coefficients of a block's values without a loss, by taking differences.
pub(super) fn forward_reversible<W: Word>(values: &mut [W], dimensions: usize) {
    (0..dimensions).for_each(|axis| each_line(values, axis, lift_reversibly));
}

/// The reverse of [`forward_reversible`].
pub(super) fn inverse_reversible<W: Word>(values: &mut [W], dimensions: usize) {
    (0..dimensions).rev().for_each(|axis| each_line(values, axis, unlift_reversibly));
}

/// Applies `change` to each line of four values along the dimension `axis`; x is 0, and runs fastest.
fn each_line<W: Word>(values: &mut [W], axis: usize, change: impl Fn([W; 4]) -> [W; 4]) {
    let step = 1 << (2 * axis);
    for start in (0..values.len()).filter(|start: &usize| (start / step).is_multiple_of(4)) {
        let line = change(std::array::from_fn(|i| values[start + i * step]));
        for (i, value) in line.into_iter().enumerate() {
            values[start + i * step] = value;
        }
    }
}

/// zfp's decorrelating transform, in integers.
#[inline]
fn lift<W: Word>([mut x, mut y, mut z, mut w]: [W; 4]) -> [W; 4] {
    x = x.plus(w).halved();
    w = w.minus(x);
    z = z.plus(y).halved();
    y = y.minus(z);
    x = x.plus(z).halved();
    z = z.minus(x);
    w = w.plus(y).halved();
    y = y.minus(w);
    w = w.plus(y.halved());
    y = y.minus(w.halved());
    [x, y, z, w]
}

/// The inverse of zfp's decorrelating transform, in integers.
#[inline]
fn unlift<W: Word>([mut x, mut y, mut z, mut w]: [W; 4]) -> [W; 4] {
    y = y.plus(w.halved());
    w = w.minus(y.halved());
    y = y.plus(w);
    w = w.doubled().minus(y);
    z = z.plus(x);
    x = x.doubled().minus(z);
    y = y.plus(z);
    z = z.doubled().minus(y);
    w = w.plus(x);
    x = x.doubled().minus(w);
    [x, y, z, w]
}

/// Takes differences three times.
#[inline]
fn lift_reversibly<W: Word>([x, mut y, mut z, mut w]: [W; 4]) -> [W; 4] {
    w = w.minus(z);
    z = z.minus(y);
    y = y.minus(x);
    w = w.minus(z);
    z = z.minus(y);
    w = w.minus(z);
    [x, y, z, w]
}

/// The inverse of taking differences three times.
#[inline]
fn unlift_reversibly<W: Word>([x, mut y, mut z, mut w]: [W; 4]) -> [W; 4] {
    w = w.plus(z);
    z = z.plus(y);
    w = w.plus(z);
    y = y.plus(x);
    z = z.plus(y);
    w = w.plus(z);
    [x, y, z, w]
}
