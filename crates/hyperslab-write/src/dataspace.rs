//! Dataspaces in little memory: a file may have millions, most of them of few dimensions that cannot grow.

use hyperslab_format::message::Dataspace;

/// The extent of a dataset or attribute: a [`Dataspace`] with one allocation at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataspaceSpec {
    /// No elements.
    Null,
    /// One element.
    Scalar,
    /// An array that cannot grow: its sizes in elements, slowest dimension first.
    Fixed(Box<[u64]>),
    /// An array that can grow: the current and the maximum size along each dimension; `None` is unlimited.
    Growable(Box<[(u64, Option<u64>)]>),
}

impl DataspaceSpec {
    /// The sizes and the maximum sizes, as the format has them.
    pub fn to_dataspace(&self) -> Dataspace {
        match self {
            Self::Null => Dataspace::Null,
            Self::Scalar => Dataspace::Scalar,
            Self::Fixed(dims) => {
                Dataspace::Simple { dims: dims.to_vec(), max_dims: dims.iter().copied().map(Some).collect() }
            }
            Self::Growable(dims) => {
                let (dims, max_dims) = dims.iter().copied().unzip();
                Dataspace::Simple { dims, max_dims }
            }
        }
    }

    /// The number of elements, or `None` if it overflows 64 bits.
    pub fn elements(&self) -> Option<u64> {
        self.to_dataspace().elements()
    }

    /// True for an array, which may have chunks: neither null nor scalar.
    pub fn is_simple(&self) -> bool {
        matches!(self, Self::Fixed(_) | Self::Growable(_))
    }
}

impl From<Dataspace> for DataspaceSpec {
    fn from(dataspace: Dataspace) -> Self {
        match dataspace {
            Dataspace::Null => Self::Null,
            Dataspace::Scalar => Self::Scalar,
            Dataspace::Simple { dims, max_dims } => {
                let is_fixed = dims.iter().zip(&max_dims).all(|(dim, max)| *max == Some(*dim));
                match is_fixed {
                    true => Self::Fixed(dims.into()),
                    false => Self::Growable(dims.into_iter().zip(max_dims).collect()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let simple = |dims: &[u64], max_dims: &[Option<u64>]| Dataspace::Simple {
            dims: dims.into(),
            max_dims: max_dims.into(),
        };
        let cases = [
            Dataspace::Null,
            Dataspace::Scalar,
            simple(&[], &[]),
            simple(&[3, 4], &[Some(3), Some(4)]),
            simple(&[3, 4], &[Some(3), Some(5)]),
            simple(&[0], &[None]),
        ];
        for dataspace in cases {
            let spec = DataspaceSpec::from(dataspace.clone());
            assert_eq!(spec.to_dataspace(), dataspace);
            assert_eq!(spec.elements(), dataspace.elements());
        }
        assert_eq!(size_of::<DataspaceSpec>(), 24);
    }
}
