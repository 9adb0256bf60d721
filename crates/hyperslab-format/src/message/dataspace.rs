//! Dataspace message (specification IV.A.2.b, type 0x01): the number of elements in each dimension.
//!
//! ```text
//! version 1   rank | flags | reserved 1 | reserved 4 | rank × size L | [flag 1: rank × max. size L]
//! version 2   rank | flags | type       |            | rank × size L | [flag 1: rank × max. size L]
//! ```
//!
//! The permutation indices that flag 2 announces in version 1 were never written by any library and are not read.

use crate::limits::RANK_MAX;
use crate::{Cursor, Encoder, FormatError, Widths};

/// The extent of a dataset or attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dataspace {
    /// No elements (`H5S_NULL`).
    Null,
    /// One element.
    Scalar,
    /// An array of elements, slowest dimension first.
    Simple {
        /// Current sizes, in elements.
        dims: Vec<u64>,
        /// The maximum sizes; `None` means unlimited. There are as many as in `dims`.
        max_dims: Vec<Option<u64>>,
    },
}

const HAS_MAX_DIMS: u8 = 0x01;

impl Dataspace {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let version = cursor.version(1..=2)?;
        let at = cursor.at();
        let rank = cursor.u8("dimensionality")?;
        if u64::from(rank) > RANK_MAX {
            return Err(FormatError::limit(
                cursor.structure(),
                "dimensionality",
                at,
                "RANK_MAX",
                RANK_MAX,
                rank.into(),
            ));
        }
        let flags = cursor.u8("flags")?;
        if version == 1 {
            cursor.skip("reserved", 5)?;
        } else {
            let at = cursor.at();
            let class = cursor.u8("type")?;
            match class {
                0 | 2 if rank > 0 => {
                    let what = format!("{rank} dimensions in a scalar or null dataspace");
                    return Err(cursor.invalid_at(at, "type", what));
                }
                0 => {}
                // As in libhdf5, which never writes this but does not treat it as a scalar.
                1 if rank == 0 => return Ok(Self::Simple { dims: Vec::new(), max_dims: Vec::new() }),
                1 => {}
                2 => return Ok(Self::Null),
                _ => return Err(cursor.invalid_at(at, "type", format!("unknown type {class}"))),
            }
        }
        if rank == 0 {
            return Ok(Self::Scalar);
        }
        let dims = (0..rank).map(|_| cursor.length("dimension size")).collect::<Result<Vec<_>, _>>()?;
        let max_dims = if flags & HAS_MAX_DIMS != 0 {
            dims.iter().map(|&dim| max_dim(&mut cursor, dim)).collect::<Result<_, _>>()?
        } else {
            dims.iter().copied().map(Some).collect()
        };
        Ok(Self::Simple { dims, max_dims })
    }

    /// Current sizes, slowest dimension first; none for a scalar or null dataspace.
    pub fn dims(&self) -> &[u64] {
        match self {
            Self::Simple { dims, .. } => dims,
            Self::Null | Self::Scalar => &[],
        }
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims().len()
    }

    /// The number of elements, or `None` if it overflows 64 bits.
    pub fn elements(&self) -> Option<u64> {
        match self {
            Self::Null => Some(0),
            Self::Scalar => Some(1),
            // If one size is 0, the number is 0, however large the others are.
            Self::Simple { dims, .. } if dims.contains(&0) => Some(0),
            Self::Simple { dims, .. } => dims.iter().try_fold(1u64, |count, &dim| count.checked_mul(dim)),
        }
    }
}

fn max_dim(cursor: &mut Cursor, dim: u64) -> Result<Option<u64>, FormatError> {
    let at = cursor.at();
    let max = cursor.length("dimension maximum size")?;
    if max == Widths::undefined(cursor.widths().length) {
        return Ok(None);
    }
    if dim > max {
        let what = format!("the current size {dim} exceeds the maximum {max}");
        return Err(cursor.invalid_at(at, "dimension maximum size", what));
    }
    Ok(Some(max))
}

impl Dataspace {
    /// Encodes the message, in version 1 or 2. Version 1 has no null dataspaces.
    pub fn encode(&self, out: &mut Encoder, version: u8) {
        let (dims, max_dims): (&[u64], &[Option<u64>]) = match self {
            Self::Simple { dims, max_dims } => (dims, max_dims),
            Self::Null | Self::Scalar => (&[], &[]),
        };
        let is_growable = dims.iter().zip(max_dims).any(|(dim, max)| *max != Some(*dim));
        out.u8(version);
        out.count("dimensionality", dims.len(), 1);
        out.u8(if is_growable { HAS_MAX_DIMS } else { 0 });
        if version >= 2 {
            out.u8(match self {
                Self::Scalar => 0,
                Self::Simple { .. } => 1,
                Self::Null => 2,
            });
        } else {
            out.zeros(5);
            if *self == Self::Null {
                out.refuse("type", "version 1 has no null dataspaces");
            }
        }
        dims.iter().for_each(|&dim| out.length("dimension size", dim));
        if is_growable {
            max_dims.iter().for_each(|&max| out.length_or_unlimited("dimension maximum size", max));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;
    use crate::testing::Build;

    const NARROW: Widths = Widths { offset: 4, length: 4 };

    fn simple(dims: &[u64], max_dims: &[Option<u64>]) -> Dataspace {
        Dataspace::Simple { dims: dims.into(), max_dims: max_dims.into() }
    }

    #[test]
    fn reads_both_versions_in_both_widths() {
        for widths in [Widths::default(), NARROW] {
            let one = Build::new(widths).u8(1).u8(2).u8(1).zeros(5);
            let two = Build::new(widths).u8(2).u8(2).u8(1).u8(1);
            for head in [one, two] {
                let body = head.length(3).length(4).length(3).length(u64::MAX);
                assert_eq!(Dataspace::parse(body.cursor()), Ok(simple(&[3, 4], &[Some(3), None])));
                body.each_prefix(|cursor| assert!(Dataspace::parse(cursor).is_err()));
            }
        }
    }

    #[test]
    fn without_maxima_the_current_sizes_are_the_maxima() {
        let body = Build::default().u8(1).u8(1).u8(0).zeros(5).length(7);
        assert_eq!(Dataspace::parse(body.cursor()), Ok(simple(&[7], &[Some(7)])));
    }

    #[test]
    fn permutation_indices_are_passed_over() {
        let body = Build::default().u8(1).u8(1).u8(2).zeros(5).length(7).length(0);
        assert_eq!(Dataspace::parse(body.cursor()), Ok(simple(&[7], &[Some(7)])));
    }

    #[test]
    fn no_dimensions_are_a_scalar_and_type_2_is_null() {
        assert_eq!(Dataspace::parse(Build::default().u8(1).zeros(7).cursor()), Ok(Dataspace::Scalar));
        assert_eq!(Dataspace::parse(Build::default().u8(2).zeros(3).cursor()), Ok(Dataspace::Scalar));
        let simple = Build::default().u8(2).u8(0).u8(0).u8(1);
        assert_eq!(Dataspace::parse(simple.cursor()), Ok(self::simple(&[], &[])));
        let null = Build::default().u8(2).u8(0).u8(0).u8(2);
        assert_eq!(Dataspace::parse(null.cursor()), Ok(Dataspace::Null));
    }

    #[test]
    fn what_no_file_may_hold_is_named_at_its_byte() {
        let above = Build::default().u8(2).u8(1).u8(1).u8(1).length(9).length(8);
        let error = Dataspace::parse(above.cursor()).unwrap_err();
        assert_eq!((error.field, error.at), ("dimension maximum size", 12));

        let rank = Build::default().u8(2).u8(33).u8(0).u8(1).zeros(33 * 8);
        let error = Dataspace::parse(rank.cursor()).unwrap_err();
        assert!(matches!(error.problem, Problem::Limit { max: 32, found: 33, .. }), "{error}");

        let scalar = Build::default().u8(2).u8(1).u8(0).u8(0).length(1);
        assert_eq!(Dataspace::parse(scalar.cursor()).unwrap_err().field, "type");
        let version = Dataspace::parse(Build::default().u8(3).zeros(9).cursor()).unwrap_err();
        assert!(version.is_unsupported());
    }

    #[test]
    fn elements_are_counted_without_overflow() {
        assert_eq!(simple(&[3, 4], &[Some(3), None]).elements(), Some(12));
        assert_eq!(simple(&[1 << 40, 1 << 40], &[None, None]).elements(), None);
        assert_eq!(simple(&[1 << 40, 1 << 40, 0], &[None, None, None]).elements(), Some(0));
        assert_eq!(Dataspace::Null.elements(), Some(0));
        assert_eq!(Dataspace::Scalar.elements(), Some(1));
    }
}
