//! The values of small arrays, and digests of larger ones: what the combination of several files compares and joins.

use bytes::Bytes;
use hyperslab::{Dataset, Endianness, Selection};
use sha2::{Digest, Sha256};

/// Values of at most this many bytes can be joined to one chunk.
pub(crate) const JOINED_BYTES_MAX: u64 = 1 << 20;
/// Values are read in pieces of about this many bytes.
const PIECE_BYTES: u64 = 16 << 20;

/// The values of an array.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Values {
    /// Not read: the index is not combined with others, or the array has too many.
    #[default]
    Unknown,
    /// All of them, as the file has them.
    Known(Bytes),
    /// A digest of their bytes.
    Digest([u8; 32]),
}

/// Values in the byte order of the file, which that of the datatype need not be.
pub(crate) fn in_file_order(dataset: &Dataset, mut values: Vec<u8>) -> Vec<u8> {
    let (stored, seen) = (dataset.stored_datatype(), dataset.datatype());
    if stored != seen {
        values.chunks_exact_mut(seen.size.max(1) as usize).for_each(<[u8]>::reverse);
    }
    values
}

impl Values {
    /// The values of an array along the dimension of the combination: all of them if they are few.
    pub fn joinable(dataset: &Dataset) -> Result<Self, String> {
        if dataset.logical_bytes() > JOINED_BYTES_MAX {
            return Ok(Values::Unknown);
        }
        let values =
            dataset.read_bytes(&Selection::All, Endianness::File).map_err(|error| error.to_string())?;
        Ok(Values::Known(in_file_order(dataset, values).into()))
    }

    /// A digest of all values.
    pub fn digest(dataset: &Dataset) -> Result<Self, String> {
        let mut digest = Sha256::new();
        let mut add = |selection: &Selection| {
            let values =
                dataset.read_bytes(selection, Endianness::File).map_err(|error| error.to_string())?;
            digest.update(&values);
            Ok::<_, String>(())
        };
        let shape = dataset.shape();
        match shape.split_first() {
            None => add(&Selection::All)?,
            Some((&rows, rest)) => {
                let row_bytes = dataset.logical_bytes().checked_div(rows).unwrap_or(0).max(1);
                let step = (PIECE_BYTES / row_bytes).max(1);
                let (mut start, mut count) = (vec![0; shape.len()], vec![0]);
                count.extend(rest);
                while start[0] < rows {
                    count[0] = step.min(rows - start[0]);
                    add(&Selection::block(&start, &count))?;
                    start[0] += count[0];
                }
            }
        }
        Ok(Values::Digest(digest.finalize().into()))
    }

    /// The number of bytes that are known.
    pub fn len(&self) -> usize {
        match self {
            Values::Known(bytes) => bytes.len(),
            _ => 0,
        }
    }
}
