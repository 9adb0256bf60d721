/// The extent of a dataset or attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dataspace {
    /// No elements at all (`H5S_NULL`).
    Null,
    /// One element.
    Scalar,
    /// A grid of elements, slowest dimension first.
    Simple {
        /// Current sizes, in elements.
        dims: Vec<u64>,
        /// Largest sizes; `None` is unlimited. As many as `dims`.
        max_dims: Vec<Option<u64>>,
    },
}
