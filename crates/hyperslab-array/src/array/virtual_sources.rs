//! Arrays whose elements are stored in other arrays.

use super::{Array, Operation};
use crate::selection::Run;
use crate::{Result, Selection};

/// The arrays that the elements of a virtual array are stored in.
pub trait VirtualSources: Send + Sync {
    /// Calls `each` with the parts of other arrays that make up a selection of the virtual array, one after the other.
    /// Elements that are in no part keep the fill value; a part overwrites those before it.
    ///
    /// `shape` is the shape of the result. The selection must be inside of the virtual array.
    ///
    /// # Errors
    /// The errors of opening the sources, or the first error of `each`.
    fn for_each_part(
        &self,
        selection: &Selection,
        shape: &[u64],
        operation: &Operation,
        each: &mut dyn FnMut(VirtualPart<'_>) -> Result<()>,
    ) -> Result<()>;

    /// The names of the sources as the file of the virtual array has them: file and array.
    fn names(&self) -> Vec<(String, String)>;

    /// A number that increases with every virtual array that is opened. A virtual array keeps only sources that were
    /// opened after it, to rule out reference cycles.
    fn serial(&self) -> u64;
}

/// Elements of another array, and their positions in a result.
pub struct VirtualPart<'a> {
    /// The other array.
    pub source: &'a Array,
    /// Its elements.
    pub selection: &'a Selection,
    /// Along each axis, the elements and their positions in the result.
    pub runs: &'a [Run],
    /// The sizes of the result along these axes.
    pub dims: &'a [u64],
    /// Their conversion to elements of the virtual array.
    pub change: ElementChange<'a>,
}

/// The conversion from elements of a source to elements of a virtual array.
#[derive(Clone, Copy)]
pub enum ElementChange<'a> {
    /// They are the same.
    None,
    /// Their byte order alone differs.
    Swap {
        /// Bytes of an element: 2, 4, 8 or 16.
        width: usize,
    },
    /// Their values have different representations.
    Convert(&'a dyn ConvertElements),
}

/// Converts elements of one array into those of another.
pub trait ConvertElements: Send + Sync {
    /// Converts all elements of `from`; `to` has room for exactly as many of the other kind.
    fn convert(&self, from: &[u8], to: &mut [u8]);
}
