//! Arrays whose elements are stored in other arrays.

use super::{Array, Operation};
use crate::selection::Run;
use crate::{Result, Selection};

/// The arrays that the elements of a virtual array are stored in.
pub trait VirtualSources: Send + Sync {
    /// Hands over, one after the other, what of other arrays makes up a selection of the virtual array. Elements that
    /// no part has keep the fill value; a part overwrites those before it.
    ///
    /// `shape` is that of the result. The selection lies inside of the virtual array.
    ///
    /// # Errors
    /// Those of opening the sources, and of `each`, which ends the walk.
    fn for_each_part(
        &self,
        selection: &Selection,
        shape: &[u64],
        operation: &Operation,
        each: &mut dyn FnMut(VirtualPart<'_>) -> Result<()>,
    ) -> Result<()>;

    /// Names of the sources: file and array, as the file of the virtual array has them.
    fn names(&self) -> Vec<(String, String)>;

    /// Grows with every virtual array that is opened. A virtual array keeps only sources that are younger than itself,
    /// so that no circle of owners closes.
    fn serial(&self) -> u64;
}

/// Elements of another array, and their places in a result.
pub struct VirtualPart<'a> {
    /// The other array.
    pub source: &'a Array,
    /// Its elements.
    pub selection: &'a Selection,
    /// Which of them go where along each axis of the result.
    pub runs: &'a [Run],
    /// Sizes of the result along these axes.
    pub dims: &'a [u64],
    /// What makes elements of the virtual array of them.
    pub change: ElementChange<'a>,
}

/// What makes elements of a virtual array of those of a source.
#[derive(Clone, Copy)]
pub enum ElementChange<'a> {
    /// They are the same.
    None,
    /// Their byte order alone differs.
    Swap {
        /// Bytes of an element: 2, 4, 8 or 16.
        width: usize,
    },
    /// Their values are written in another way.
    Convert(&'a dyn ConvertElements),
}

/// Converts elements of one array into those of another.
pub trait ConvertElements: Send + Sync {
    /// Converts all elements of `from`; `to` has room for exactly as many of the other kind.
    fn convert(&self, from: &[u8], to: &mut [u8]);
}
