//! Parsing selections in NumPy's notation: `0:10,:,::2,7` or `[..., 3]`.
//!
//! The fourth number of a range is HDF5's block: `0:100:10:3` selects the elements 0, 1, 2, 10, 11, 12, …

use super::{Axis, Blocks, Selection};
use crate::{Error, Result};

impl Selection {
    /// Parses a selection in NumPy's notation, for a dataset with these sizes. An integer keeps its axis, with length
    /// 1.
    ///
    /// `start:stop:step:block` selects `block` elements every `step` elements, but none from `stop` on.
    ///
    /// # Errors
    /// `ErrorKind::Invalid` if the text is not a selection, or not one of a dataset with these sizes.
    pub fn parse(text: &str, dims: &[u64]) -> Result<Self> {
        let inner = text.trim();
        let inner =
            inner.strip_prefix('[').map_or(inner, |rest| rest.strip_suffix(']').unwrap_or(rest)).trim();
        if inner.is_empty() {
            return Ok(Selection::All);
        }
        let fields: Vec<&str> = inner.split(',').map(str::trim).collect();
        let ellipses = fields.iter().filter(|&&field| field == "...").count();
        let given = fields.len() - ellipses;
        if ellipses > 1 || given > dims.len() {
            return Err(Error::invalid(format!("cannot read the selection {text:?}"))
                .with_hint(format!("write at most one field per axis; the dataset's shape is {dims:?}")));
        }
        let mut axes = Vec::with_capacity(dims.len());
        for field in fields {
            if field == "..." {
                let missing = dims.len() - given;
                axes.extend(dims[axes.len()..axes.len() + missing].iter().map(|&dim| Axis::all(dim)));
            } else {
                axes.push(parse_axis(field, axes.len(), dims[axes.len()])?);
            }
        }
        axes.extend(dims[axes.len()..].iter().map(|&dim| Axis::all(dim)));
        Ok(Selection::Slab(axes))
    }
}

fn parse_axis(field: &str, axis: usize, dim: u64) -> Result<Axis> {
    let unreadable = || {
        Error::invalid(format!("cannot read {field:?} in the selection"))
            .with_hint("write an index, or start:stop:step, as in NumPy; for example 0:10,:,::2")
    };
    let number = |text: &str| -> Result<Option<i128>> {
        let text = text.trim();
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| unreadable()) }
    };
    let parts: Vec<&str> = field.split(':').collect();
    let size = i128::from(dim);
    if parts.len() == 1 {
        let index = number(parts[0])?.ok_or_else(unreadable)?;
        let absolute = if index < 0 { index + size } else { index };
        if absolute < 0 || absolute >= size {
            return Err(Error::invalid(format!(
                "index {index} is out of range for axis {axis}, which has {dim} elements"
            )));
        }
        return Ok(Axis::Blocks(Blocks::span(absolute as u64, 1)));
    }
    if parts.len() > 4 {
        return Err(unreadable());
    }
    let positive = |part: usize, what: &str| match parts.get(part).map_or(Ok(None), |text| number(text))? {
        Some(..1) => Err(Error::invalid(format!("the {what} along axis {axis} must be 1 or more"))),
        // No dataset has more elements.
        given => Ok(u64::try_from(given.unwrap_or(1)).unwrap_or(u64::MAX)),
    };
    let (step, block) = (positive(2, "step")?, positive(3, "block")?);
    if block > step {
        let what = format!("blocks of {block} elements with a step of {step} overlap along axis {axis}");
        return Err(Error::invalid(what).with_hint("use a step of at least the block"));
    }
    let clamp = |bound: i128| (if bound < 0 { bound + size } else { bound }).clamp(0, size);
    let start = number(parts[0])?.map_or(0, clamp);
    let stop = number(parts[1])?.map_or(size, clamp);
    Ok(Axis::Blocks(Blocks::until(start as u64, step, block, stop as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, count: u64, step: u64) -> Axis {
        Axis::range(start, count, step).unwrap()
    }

    #[test]
    fn follows_numpy() {
        let dims = [10, 20, 30];
        let parse = |text| Selection::parse(text, &dims).unwrap();
        assert_eq!(parse(""), Selection::All);
        assert_eq!(parse("3"), Selection::Slab(vec![range(3, 1, 1), range(0, 20, 1), range(0, 30, 1)]));
        assert_eq!(
            parse("[-1,...,5:9]"),
            Selection::Slab(vec![range(9, 1, 1), range(0, 20, 1), range(5, 4, 1)])
        );
        assert_eq!(
            parse("::3,-5:,:1"),
            Selection::Slab(vec![range(0, 4, 3), range(15, 5, 1), range(0, 1, 1)])
        );
        assert_eq!(parse("5:2"), Selection::Slab(vec![range(5, 0, 1), range(0, 20, 1), range(0, 30, 1)]));
        for wrong in ["10", "0,0,0,0", "a", "::0", "1:2:3:4", "...,..."] {
            assert!(Selection::parse(wrong, &dims).is_err(), "{wrong}");
        }
    }
    #[test]
    fn a_fourth_number_is_a_block() {
        let indexes = |text| match Selection::parse(text, &[10]).unwrap() {
            Selection::Slab(axes) => match &axes[0] {
                Axis::Blocks(blocks) => blocks.iter().collect::<Vec<_>>(),
                Axis::List(list) => panic!("{text} is listed: {list:?}"),
            },
            other => panic!("{text} is {other:?}"),
        };
        assert_eq!(indexes("1::4:2"), [1, 2, 5, 6, 9]);
        assert_eq!(indexes(":6:4:3"), [0, 1, 2, 4, 5]);
        assert_eq!(indexes("-3::3:3"), [7, 8, 9]);
        assert_eq!(indexes("2:9:3:"), [2, 5, 8]);
        for wrong in ["::2:3", ":::2", "::2:0", "::4:2:1", "::340282366920938463463374607431768211455:1"] {
            assert!(Selection::parse(wrong, &[10]).is_err(), "{wrong}");
        }
    }
}
