//! The intersection of an axis of a selection with regular blocks, such as those of a mapping: for each common index,
//! its position in the blocks and its position in the result of the selection.
//!
//! The result is computed instead of listed if one of the two has no gaps, or if both are evenly spaced.

use super::{Axis, Blocks, Run};
use std::ops::Range;

/// The shared indexes, of the ones wanted at `places`: their positions in `mapped`, and their places in the result.
/// `None` where there are none.
pub fn intersect(wanted: &Axis, mapped: &Blocks, places: Range<u64>) -> Option<Run> {
    let possible = places_within(wanted, mapped);
    let places = possible.start.max(places.start)..possible.end.min(places.end);
    if places.is_empty() {
        return None;
    }
    let pairs: Vec<(u64, u64)> = match wanted {
        Axis::List(list) => {
            let list = &list[places.start as usize..places.end as usize];
            places.zip(list).filter_map(|(place, &index)| Some((mapped.position(index)?, place))).collect()
        }
        Axis::Blocks(wanted) => {
            let indexes = wanted.slice(places.clone());
            if let Some(computed) = intersect_computed(&indexes, mapped, places.start) {
                return computed;
            }
            places.filter_map(|place| Some((mapped.position(wanted.index(place))?, place))).collect()
        }
    };
    (!pairs.is_empty()).then_some(Run::Scattered(pairs))
}

/// The places of the indexes between the first and the last of `mapped`; all, where they are listed.
pub fn places_within(wanted: &Axis, mapped: &Blocks) -> Range<u64> {
    match (wanted, mapped.bounds()) {
        (_, None) => 0..0,
        (Axis::Blocks(wanted), Some((first, last))) => wanted.positions(first, last),
        (Axis::List(list), Some(_)) => 0..list.len() as u64,
    }
}

/// True where [`intersect`] computes what is shared instead of listing it.
pub fn is_computed(wanted: &Axis, mapped: &Blocks) -> bool {
    let Axis::Blocks(wanted) = wanted else { return false };
    wanted.is_span() || mapped.is_span() || (wanted.step().is_some() && mapped.step().is_some())
}

/// False where surely no index is shared.
pub fn may_intersect(wanted: &Axis, mapped: &Blocks) -> bool {
    /// So many indexes are tried where there is no other way to know.
    const TRIED_MAX: u64 = 1 << 10;
    match wanted {
        Axis::List(list) => list.iter().any(|&index| mapped.position(index).is_some()),
        Axis::Blocks(blocks) => {
            let places = places_within(wanted, mapped);
            let tried = places.start..places.end.min(places.start.saturating_add(TRIED_MAX));
            match intersect_computed(&blocks.slice(places.clone()), mapped, 0) {
                Some(shared) => shared.is_some(),
                None => {
                    places.end > tried.end
                        || tried.into_iter().any(|place| mapped.position(blocks.index(place)).is_some())
                }
            }
        }
    }
}

/// What `wanted`, whose first index goes to the place `out`, shares with `mapped`, where it can be computed.
fn intersect_computed(wanted: &Blocks, mapped: &Blocks, out: u64) -> Option<Option<Run>> {
    let (Some((first, last)), Some((origin, end))) = (wanted.bounds(), mapped.bounds()) else {
        return Some(None);
    };
    if wanted.is_span() {
        let positions = mapped.positions(first, last);
        let len = positions.end - positions.start;
        let places = mapped.slice(positions.clone());
        let run = || Run::regular(Blocks::span(positions.start, len), places.relative_to(first).shifted(out));
        return Some((len > 0).then(run));
    }
    if mapped.is_span() {
        let places = wanted.positions(origin, end);
        let len = places.end - places.start;
        let positions = wanted.slice(places.clone());
        let run = || Run::regular(positions.relative_to(origin), Blocks::span(out + places.start, len));
        return Some((len > 0).then(run));
    }
    let (step, mapped_step) = (wanted.step()?, mapped.step()?);
    let Some(shared) = first_shared((first, step), (origin, mapped_step)) else { return Some(None) };
    let (place, position) = ((shared - first) / step, (shared - origin) / mapped_step);
    if place >= wanted.len() || position >= mapped.len() {
        return Some(None);
    }
    // The next shared index is as far away as the least common multiple of both steps.
    let divisor = gcd_with_factor(step, mapped_step).0;
    let (places_step, positions_step) = (mapped_step / divisor, step / divisor);
    let count =
        ((wanted.len() - 1 - place) / places_step).min((mapped.len() - 1 - position) / positions_step) + 1;
    let evenly = |first, step| Blocks::regular(first, step, count, 1, 0);
    Some(Some(Run::regular(evenly(position, positions_step)?, evenly(out + place, places_step)?)))
}

/// The first number that is in both progressions of a first number and a step; `None` where there is none that fits 64
/// bits.
fn first_shared((first, step): (u64, u64), (other, other_step): (u64, u64)) -> Option<u64> {
    let (divisor, factor) = gcd_with_factor(step, other_step);
    let offset = i128::from(other) - i128::from(first);
    if offset % i128::from(divisor) != 0 {
        return None;
    }
    // `first + steps * step` is in both for one `steps` below `modulus`. All of these numbers are below 2⁶⁴, so that
    // the product of two fits 128 bits.
    let modulus = u128::from(other_step / divisor);
    let below = |number: i128| number.rem_euclid(modulus as i128) as u128;
    let steps = below(offset / i128::from(divisor)) * below(factor) % modulus;
    let shared = u128::from(first) + steps * u128::from(step);
    let missing = u128::from(other).saturating_sub(shared);
    let stride = u128::from(step) * modulus;
    u64::try_from(shared + missing.div_ceil(stride) * stride).ok()
}

/// The greatest common divisor of two numbers, and a factor: `a` times it leaves the divisor when divided by `b`.
fn gcd_with_factor(a: u64, b: u64) -> (u64, i128) {
    let (mut rest, mut next) = (a, b);
    let (mut factor, mut next_factor) = (1i128, 0i128);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest % next);
        (factor, next_factor) = (next_factor, factor - i128::from(quotient) * next_factor);
    }
    (rest, factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::blocks::tests::some_blocks;
    use proptest::prelude::*;

    fn pairs(run: Option<&Run>) -> Vec<(u64, u64)> {
        run.map_or(Vec::new(), |run| (0..run.len()).map(|i| run.pair(i)).collect())
    }

    fn model(wanted: &[u64], mapped: &[u64], places: &Range<u64>) -> Vec<(u64, u64)> {
        let wanted = (0..).zip(wanted).filter(|(place, _)| places.contains(place));
        wanted.filter_map(|(place, index)| Some((mapped.binary_search(index).ok()? as u64, place))).collect()
    }

    prop_compose! {
        /// Evenly spaced numbers, some of them near the largest.
        fn progression()(start in 0u64..40, step in 1u64..12, count in 0u64..30, at_the_end: bool) -> (Blocks, Vec<u64>) {
            let start = if at_the_end { u64::MAX - 12 * 30 + start % 12 } else { start };
            let indexes = (0..count).map(|i| start + i * step).collect();
            (Blocks::new(start, step, count, 1).unwrap(), indexes)
        }
    }

    proptest! {
        #[test]
        fn what_is_shared_is_what_both_have(
            (wanted, indexes) in prop_oneof![some_blocks(), progression()],
            (mapped, others) in prop_oneof![some_blocks(), progression()],
            from in 0u64..10, to in 0u64..50,
        ) {
            let places = from..if to > 40 { u64::MAX } else { to };
            let axis = Axis::Blocks(wanted);
            let found = intersect(&axis, &mapped, places.clone());
            let expected = model(&indexes, &others, &places);
            prop_assert_eq!(found.is_none(), expected.is_empty());
            prop_assert_eq!(pairs(found.as_ref()), expected);
            if is_computed(&axis, &mapped) {
                prop_assert!(!matches!(found, Some(Run::Scattered(_))));
            }
            let any = !model(&indexes, &others, &(0..u64::MAX)).is_empty();
            prop_assert_eq!(may_intersect(&axis, &mapped), any);
            let list = Axis::List(indexes.iter().rev().copied().collect());
            let backwards: Vec<u64> = indexes.iter().rev().copied().collect();
            let found = intersect(&list, &mapped, places.clone());
            prop_assert_eq!(pairs(found.as_ref()), model(&backwards, &others, &places));
            prop_assert_eq!(may_intersect(&list, &mapped), any);
        }

        #[test]
        fn progressions_of_any_size_share_what_both_have(
            first: u64, step in 1u64.., other: u64, other_step in 1u64.., small in 0u32..64,
        ) {
            let (step, other_step) = ((step >> small).max(1), (other_step >> small).max(1));
            let shared = first_shared((first, step), (other, other_step));
            if let Some(shared) = shared {
                prop_assert!(shared >= first && (shared - first).is_multiple_of(step));
                prop_assert!(shared >= other && (shared - other).is_multiple_of(other_step));
                let (divisor, _) = gcd_with_factor(step, other_step);
                let before = u128::from(shared).checked_sub(u128::from(step / divisor) * u128::from(other_step));
                prop_assert!(before.is_none_or(|before| before < u128::from(first.max(other))), "not the first");
            } else if step == 1 {
                let above = first.saturating_sub(other).div_ceil(other_step);
                prop_assert_eq!(above.checked_mul(other_step).and_then(|above| above.checked_add(other)), None);
            }
        }
    }
}
