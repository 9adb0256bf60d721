//! Numbers of any layout: decoding the bits of an element, and encoding the same value in another layout.
//!
//! ```text
//! element ── float.rs, integer.rs ──► value ── the same two ──► element of another datatype
//!                                       └── native.rs: which of NumPy's types holds every value of a datatype
//! ```
//!
//! If the target can represent every value of the source, there is one correct result. If not, the result is that of
//! libhdf5, which has two ways of converting with different results ([`mode::ConversionMode`]): it lets the processor
//! convert between types of C, and converts everything else bit by bit, even if only the byte order is different.

mod bits;
mod convert;
mod float;
mod integer;
mod mode;
mod native;
pub mod widen;

pub use convert::Converter;
pub use float::{NativeBytes, half_to_double, native_float};
pub use integer::{integer_value, is_native_integer, is_whole, significant_bits};
pub use native::NativeFloat;
