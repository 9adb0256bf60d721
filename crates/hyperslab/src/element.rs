//! Rust's number types as elements of a dataset.

use crate::datatype::to_native;
use crate::{Dataset, Endianness, Error, Result, Selection};
use hyperslab_array::memory::{self, zeroed_values};
use hyperslab_format::message::{Class, Datatype};

/// A number type whose values a dataset can hold.
///
/// # Safety
/// Any bytes of the type's size must be a valid value of it.
pub unsafe trait Element: Copy + Default + Send + Sync + 'static {
    /// The name of the type, for errors.
    const NAME: &'static str;

    /// True if elements of this datatype are values of this type once they are in native byte order.
    fn holds(datatype: &Datatype) -> bool;
}

macro_rules! integers {
    ($($type:ty, $signed:literal;)*) => {$(
        // SAFETY: every bit pattern is an integer.
        unsafe impl Element for $type {
            const NAME: &'static str = stringify!($type);

            fn holds(datatype: &Datatype) -> bool {
                let class = match &datatype.class {
                    Class::Enum { base, .. } => &base.class,
                    class => class,
                };
                let Class::Integer(integer) = class else { return false };
                integer.signed == $signed
                    && is_whole(datatype.size, integer.bit_offset, integer.precision, size_of::<$type>())
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty, $exponent:literal, $mantissa:literal;)*) => {$(
        // SAFETY: every bit pattern is a float.
        unsafe impl Element for $type {
            const NAME: &'static str = stringify!($type);

            fn holds(datatype: &Datatype) -> bool {
                let Class::Float(float) = &datatype.class else { return false };
                is_whole(datatype.size, float.bit_offset, float.precision, size_of::<$type>())
                    && (float.exponent_size, float.mantissa_size) == ($exponent, $mantissa)
            }
        }
    )*};
}

integers! { i8, true; i16, true; i32, true; i64, true; u8, false; u16, false; u32, false; u64, false; }
floats! { f32, 8, 23; f64, 11, 52; }

fn is_whole(size: u32, bit_offset: u16, precision: u16, bytes: usize) -> bool {
    size as usize == bytes && bit_offset == 0 && usize::from(precision) == bytes * 8
}

/// `count` zeros.
pub(crate) fn zeros<T: Element>(count: u64) -> Result<Vec<T>> {
    // SAFETY: an `Element` may have any bytes.
    unsafe { zeroed_values(Some(count)) }
}

/// The bytes of numbers, for writing.
pub(crate) fn bytes_of<T: Element>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: an `Element` may have any bytes, and is a number.
    unsafe { memory::bytes_of(values) }
}

impl Dataset {
    /// Reads a selection as numbers of this type, in row-major order.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] if the dataset has a different type: values are not converted implicitly.
    pub fn read<T: Element>(&self, selection: &Selection) -> Result<Vec<T>> {
        self.check_holds::<T>()?;
        // SAFETY: an `Element` may have any bytes, and is a number.
        unsafe { self.read_new(selection, Endianness::Native) }
    }

    /// Reads a selection into `values`, which must have exactly as many elements as the selection.
    pub fn read_values<T: Element>(&self, selection: &Selection, values: &mut [T]) -> Result<()> {
        self.check_holds::<T>()?;
        self.read_into(selection, Endianness::Native, bytes_of(values))
    }

    fn check_holds<T: Element>(&self) -> Result<()> {
        if to_native(self.datatype()).is_some() && T::holds(self.datatype()) {
            return Ok(());
        }
        let (held, name) = (self.datatype(), T::NAME);
        let error = Error::invalid(format!("cannot be read as {name}: its datatype is {held}"));
        Err(self.inner.named(error.with_hint("read_bytes returns the elements as the file stores them")))
    }
}
