//! Numbers of any layout: what the bits of an element say, and the same value in another layout.
//!
//! ```text
//! element ── float.rs, integer.rs ──► value ── the same two ──► element of another datatype
//!                                       └── native.rs: which of NumPy's types holds every value of a datatype
//! ```
//!
//! There is one right answer where the target holds every value of the source; where it does not, libhdf5's is taken.
//! It has two ways of converting, which differ in such cases ([`mode::ConversionMode`]): the processor's own, between types that C
//! has, and its own loops over bits, for everything else (the other byte order is enough).

mod bits;
mod convert;
mod float;
mod integer;
mod mode;
mod native;

pub use convert::Converter;
pub use float::{NativeBytes, half_to_double, native_float};
pub use integer::{integer_value, is_native_integer, is_whole, significant_bits};
pub use native::NativeFloat;
