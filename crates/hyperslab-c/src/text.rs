//! Texts that the caller gets.

use std::ffi::{CString, c_char};

/// A list of texts. Given back by hs_strings_free().
pub struct Strings {
    /// Each with a NUL at its end.
    texts: Vec<Vec<u8>>,
}

impl Strings {
    /// A list of these.
    pub fn of<T: Into<Vec<u8>>>(texts: impl IntoIterator<Item = T>) -> Self {
        let ended = |text: T| {
            let mut text = text.into();
            text.push(0);
            text
        };
        Self { texts: texts.into_iter().map(ended).collect() }
    }
}

/// The number of texts in a list; 0 for a null pointer.
///
/// # Safety
/// Null, or a list that was not given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_strings_len(strings: *const Strings) -> usize {
    // SAFETY: as the caller promises.
    unsafe { strings.as_ref() }.map_or(0, |strings| strings.texts.len())
}

/// A text of a list, which ends with NUL and is valid until the list is given back; a null pointer beyond the end. Its length without
/// that NUL is written to `len`, unless that is a null pointer: a text may contain NULs.
///
/// # Safety
/// Null or a list that was not given back, and null or a place for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_strings_get(
    strings: *const Strings,
    index: usize,
    len: *mut usize,
) -> *const c_char {
    // SAFETY: as the caller promises.
    let text = unsafe { strings.as_ref() }.and_then(|strings| strings.texts.get(index));
    let Some(text) = text else { return std::ptr::null() };
    // SAFETY: as the caller promises.
    if let Some(len) = unsafe { len.as_mut() } {
        *len = text.len() - 1;
    }
    text.as_ptr().cast()
}

/// Gives a list back. A null pointer is nothing.
///
/// # Safety
/// Null, or a list that was not given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_strings_free(strings: *mut Strings) {
    if !strings.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(strings) });
    }
}

/// Gives a text back. A null pointer is nothing.
///
/// # Safety
/// Null, or a text that was returned for this function, and not given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { CString::from_raw(text) });
    }
}
