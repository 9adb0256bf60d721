//! Orders in which dimensions are traversed.

use super::values::wrong;
use crate::Result;
use hyperslab_storage::WordError;
use hyperslab_storage::pattern::parse_order;

/// Dimensions of which all orders are tried; more would be more than a hundred.
const ORDERS_RANK_MAX: usize = 4;

/// Orders of the dimensions, by their names or numbers; that of the dataset where none is given.
pub(super) fn orders(option: &str, texts: &[String], names: &[String]) -> Result<Vec<Vec<usize>>> {
    let rank = names.len();
    let mut orders = Vec::new();
    for text in texts {
        match text.as_str() {
            "all" if rank > ORDERS_RANK_MAX => {
                return Err(wrong(format!(
                    "{option} all: all orders of {rank} dimensions are too many; name some"
                )));
            }
            "all" => orders.extend(permutations(rank)),
            text => orders.push(order(option, text, names)?),
        }
    }
    if orders.is_empty() {
        orders.push((0..rank).collect());
    }
    Ok(orders)
}

fn order(option: &str, text: &str, names: &[String]) -> Result<Vec<usize>> {
    let fail = |problem: String| {
        wrong(format!("{option} {text}: {problem}")).hint(format!(
            "the dimensions are {}, or 0 to {}",
            names.join(", "),
            names.len().max(1) - 1
        ))
    };
    let named = text.split(',').map(|part| names.iter().position(|name| name == part.trim()));
    let order = match named.collect::<Option<Vec<usize>>>() {
        Some(named) => named,
        None => parse_order(text).map_err(|error| match error {
            WordError::Order { problem, .. } => fail(problem),
            other => fail(other.to_string()),
        })?,
    };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..names.len()).collect::<Vec<_>>() {
        return Err(fail("it does not name each dimension once".to_owned()));
    }
    Ok(order)
}

/// All orders of so many dimensions, the row-major one first.
fn permutations(rank: usize) -> Vec<Vec<usize>> {
    let longer = |shorter: Vec<usize>| -> Vec<Vec<usize>> {
        let others = (0..rank).filter(|axis| !shorter.contains(axis));
        others.map(|axis| [shorter.as_slice(), &[axis]].concat()).collect()
    };
    (0..rank).fold(vec![Vec::new()], |orders, _| orders.into_iter().flat_map(longer).collect())
}

#[cfg(test)]
mod tests {
    use super::super::subject::letters;
    use super::*;

    #[test]
    fn all_orders_of_three_dimensions_are_six() {
        let orders = permutations(3);
        assert_eq!(orders.len(), 6);
        assert_eq!((&orders[0], &orders[5]), (&vec![0, 1, 2], &vec![2, 1, 0]));
        assert_eq!(permutations(1), [[0]]);
    }

    #[test]
    fn orders_are_named_or_numbered() {
        let names = letters(3);
        let order = |text| order("--order", text, &names);
        assert_eq!((order("z,x,y").unwrap(), order("2,0,1").unwrap()), (vec![2, 0, 1], vec![2, 0, 1]));
        for text in ["x,y", "x,y,y", "a,b,c", "0,1"] {
            let refused = order(text).unwrap_err();
            assert!(refused.message.starts_with("--order") && refused.hint.is_some(), "{refused:?}");
        }
    }
}
