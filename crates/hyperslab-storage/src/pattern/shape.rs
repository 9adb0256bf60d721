//! The shape of a block as text: `4x30x9x717`, `4,30,9,717`, `:x1x1`.

use crate::WordError;
use std::fmt;
use std::str::FromStr;

/// One dimension of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockDim {
    /// The whole extent, written `:`.
    Whole,
    /// This many elements, at least one.
    Elements(u64),
}

/// A block in which dimensions that take the whole extent are not resolved yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockShape(Vec<BlockDim>);

impl BlockShape {
    /// A block of these extents, each at least 1.
    pub fn of_elements(extents: &[u64]) -> Self {
        Self(extents.iter().map(|extent| BlockDim::Elements((*extent).max(1))).collect())
    }

    /// Its dimensions.
    pub fn dims(&self) -> &[BlockDim] {
        &self.0
    }

    /// The block for a dataset of this shape: whole extents are filled in, longer dimensions are clipped to the extent.
    /// `None` if the ranks differ.
    pub fn resolve(&self, shape: &[u64]) -> Option<Vec<u64>> {
        (self.0.len() == shape.len()).then(|| {
            self.0
                .iter()
                .zip(shape)
                .map(|(block, dim)| match block {
                    BlockDim::Whole => (*dim).max(1),
                    BlockDim::Elements(n) => (*n).min(*dim).max(1),
                })
                .collect()
        })
    }
}

impl FromStr for BlockShape {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let fail = |problem: String| WordError::ReadShape { text: text.to_owned(), problem };
        let inner = text.trim().trim_start_matches(['(', '[']).trim_end_matches([')', ']']);
        if inner.trim().is_empty() {
            return Err(fail("it is empty".to_owned()));
        }
        // A tuple of one dimension, "(5,)", leaves an empty last part.
        let inner = inner.trim_end().strip_suffix(',').unwrap_or(inner);
        inner
            .split([',', 'x', 'X', '×'])
            .map(|part| match part.trim() {
                ":" | "*" => Ok(BlockDim::Whole),
                "0" => Err(fail("a block has at least one element in each dimension".to_owned())),
                number => number
                    .parse()
                    .map(BlockDim::Elements)
                    .map_err(|_| fail(format!("{number:?} is neither a number of elements nor ':'"))),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for BlockShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, dim) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("x")?;
            }
            match dim {
                BlockDim::Whole => f.write_str(":")?,
                BlockDim::Elements(n) => write!(f, "{n}")?,
            }
        }
        Ok(())
    }
}

/// A shape as `60x30x9x717`, or `scalar` if it has no dimensions.
pub fn shape_text(shape: &[u64]) -> String {
    if shape.is_empty() {
        return "scalar".to_owned();
    }
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// The shape of the blocks of a read, where its name does not begin with it as `1x720` and `4x4 at 100 random places` do.
pub fn shape_beside(name: &str, block: &[u64]) -> Option<String> {
    let shape = shape_text(block);
    let rest = name.strip_prefix(&shape);
    rest.is_none_or(|rest| !rest.is_empty() && !rest.starts_with(' ')).then_some(shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str, shape: &[u64]) -> Option<Vec<u64>> {
        text.parse::<BlockShape>().unwrap().resolve(shape)
    }

    #[test]
    fn shapes_are_read_as_they_are_written() {
        let shape = [60, 30, 9, 717];
        assert_eq!(resolved("1x1x1x717", &shape), Some(vec![1, 1, 1, 717]));
        assert_eq!(resolved("(4, 30, 9, 717)", &shape), Some(vec![4, 30, 9, 717]));
        assert_eq!(resolved(":x1x1x:", &shape), Some(vec![60, 1, 1, 717]));
        assert_eq!(resolved("100x1x1x:", &shape), Some(vec![60, 1, 1, 717]), "cut to the extent");
        assert_eq!(resolved("5,", &[9]), Some(vec![5]));
        assert_eq!(resolved("1x1", &shape), None);
        assert_eq!(":x4".parse::<BlockShape>().unwrap().to_string(), ":x4");
    }

    #[test]
    fn a_shape_is_told_once() {
        assert_eq!(shape_beside("row by row", &[1, 20]).as_deref(), Some("1x20"));
        assert_eq!(shape_beside("1x20", &[1, 2]).as_deref(), Some("1x2"));
        for name in ["1x20", "1x20 every 1x2", "1x20 at 5 random places"] {
            assert_eq!(shape_beside(name, &[1, 20]), None, "{name}");
        }
    }

    #[test]
    fn what_is_no_shape_says_why() {
        for (text, why) in
            [("", "empty"), ("1xx2", "\"\""), ("0x3", "at least one"), ("3MiB", "neither"), ("-1", "neither")]
        {
            let error = text.parse::<BlockShape>().unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
