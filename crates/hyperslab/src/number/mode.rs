//! The ways in which libhdf5 converts numbers.

/// How libhdf5 converts values that the target cannot represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversionMode {
    /// By the processor, as C on x86-64, after a check of the range: rounded to nearest, ties to even. Values above the
    /// largest become infinite. NaN keeps its upper bits.
    Processor,
    /// Bit by bit from a float: rounded to nearest, ties away from zero, but never to infinity. NaN becomes 0 as an
    /// integer, and a mantissa of all ones as a float.
    Bits,
    /// Bit by bit from an integer: rounded to nearest, ties to even.
    BitsOfInteger,
}
