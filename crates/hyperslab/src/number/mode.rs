//! The two ways in which libhdf5 converts numbers, where their results differ.

/// How libhdf5 converts what the target cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversionMode {
    /// As C does on x86-64, after a check of the range: to the nearest value, to the even one in the middle; what is
    /// above the largest value becomes infinite; what is not a number keeps its upper bits.
    Processor,
    /// Bit by bit: half up between floats, where nothing is rounded to infinity; what is not a number becomes zero
    /// as an integer, and all ones as a float.
    Bits,
    /// Bit by bit from an integer: to the nearest value, to the even one in the middle.
    BitsOfInteger,
}
