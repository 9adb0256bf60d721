//! What the caller gives.

use crate::status::Failure;
use std::ffi::{CStr, CString, c_char};

/// A text of the caller.
///
/// # Safety
/// Null, or a text that ends with NUL.
pub unsafe fn text<'t>(name: &str, text: *const c_char) -> Result<&'t str, Failure> {
    if text.is_null() {
        return Err(Failure::invalid(format!("{name} is a null pointer")));
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| Failure::invalid(format!("{name} is not UTF-8")))
}

/// What a pointer leads to.
///
/// # Safety
/// Null, or a pointer that this library returned and that was not given back.
pub unsafe fn given<'g, T>(name: &str, pointer: *const T) -> Result<&'g T, Failure> {
    // SAFETY: as the caller promises.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::invalid(format!("{name} is a null pointer")))
}

/// Where a result goes.
///
/// # Safety
/// Null, or a place for a `T`, which needs not be set.
pub unsafe fn put<T>(name: &str, place: *mut T, value: T) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::invalid(format!("{name} is a null pointer")));
    }
    // SAFETY: as the caller promises.
    unsafe { place.write(value) };
    Ok(())
}

/// Where something goes that the caller owns from then on.
///
/// # Safety
/// Null, or a place for a pointer, which needs not be set.
pub unsafe fn put_owned<T>(name: &str, place: *mut *mut T, value: T) -> Result<(), Failure> {
    let value = Box::new(value);
    // SAFETY: as the caller promises. Until it is put, it is freed here.
    unsafe { put(name, place, std::ptr::null_mut()) }?;
    // SAFETY: as above.
    unsafe { put(name, place, Box::into_raw(value)) }
}

/// Where a text goes that the caller gives back by hs_text_free().
///
/// # Safety
/// As that of [`put_owned`].
pub unsafe fn put_text(name: &str, place: *mut *mut c_char, text: String) -> Result<(), Failure> {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // SAFETY: as the caller promises. Until it is put, it is freed here.
    unsafe { put(name, place, std::ptr::null_mut()) }?;
    // SAFETY: as above.
    unsafe { put(name, place, text.into_raw()) }
}

/// A number for each dimension.
///
/// # Safety
/// Null, or `rank` numbers.
pub unsafe fn numbers<'n>(name: &str, numbers: *const u64, rank: usize) -> Result<&'n [u64], Failure> {
    if rank == 0 {
        return Ok(&[]);
    }
    if numbers.is_null() {
        return Err(Failure::invalid(format!("{name} is a null pointer")));
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts(numbers, rank) })
}

/// Copies a number for each dimension to the caller.
///
/// # Safety
/// Null, or a place for each number.
pub unsafe fn put_numbers(name: &str, place: *mut u64, numbers: &[u64]) -> Result<(), Failure> {
    if numbers.is_empty() {
        return Ok(());
    }
    if place.is_null() {
        return Err(Failure::invalid(format!("{name} is a null pointer")));
    }
    // SAFETY: as the caller promises.
    unsafe { place.copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
    Ok(())
}

/// Memory of the caller, which must have this size.
///
/// # Safety
/// Null, or memory of `bytes` that nothing else uses.
pub unsafe fn memory<'m>(buffer: *mut u8, bytes: usize, needed: usize) -> Result<&'m mut [u8], Failure> {
    if bytes != needed {
        return Err(Failure::invalid(format!("the buffer has {bytes} bytes, and {needed} are read")));
    }
    if needed == 0 {
        return Ok(&mut []);
    }
    if buffer.is_null() {
        return Err(Failure::invalid("the buffer is a null pointer"));
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { std::slice::from_raw_parts_mut(buffer, bytes) })
}
