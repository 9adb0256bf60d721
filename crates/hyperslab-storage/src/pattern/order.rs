//! The order of a sweep: a permutation of the dimensions, slowest first.

use crate::WordError;

/// Parses `2,0,1` (or `2x0x1`): dimension 2 moves slowest, dimension 1 fastest.
pub fn parse_order(text: &str) -> Result<Vec<usize>, WordError> {
    let fail = |problem: String| WordError::Order { text: text.to_owned(), problem };
    let order: Vec<usize> = text
        .split([',', 'x'])
        .map(|part| part.trim().parse().map_err(|_| fail(format!("{part:?} is not a dimension number"))))
        .collect::<Result<_, _>>()?;
    if !is_permutation(&order) {
        return Err(fail(format!("the dimensions are 0 to {}", order.len() - 1)));
    }
    Ok(order)
}

/// True if each of `0..order.len()` occurs once.
pub fn is_permutation(order: &[usize]) -> bool {
    let mut seen = vec![false; order.len()];
    order.iter().all(|axis| seen.get_mut(*axis).is_some_and(|seen| !std::mem::replace(seen, true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_and_nothing_else() {
        assert_eq!(parse_order("2,0,1"), Ok(vec![2, 0, 1]));
        assert_eq!(parse_order(" 0 "), Ok(vec![0]));
        for text in ["", "0,0", "1,2", "0,a", "0,-1", "0,1,99999999999999999999"] {
            assert!(parse_order(text).is_err(), "{text}");
        }
    }
}
