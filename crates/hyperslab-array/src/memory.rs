//! Large buffers for results.

use crate::{Error, Result};

/// A buffer of `bytes` zeros, or an error if there is not enough memory.
pub fn zeroed(bytes: Option<u64>) -> Result<Vec<u8>> {
    // SAFETY: a byte may be zero.
    unsafe { zeroed_values(bytes) }
}

/// `count` zeros. The pages are not written here. Large buffers request huge pages, because the first write to a
/// gigabyte in 4 KiB pages takes as long as reading it.
///
/// # Safety
/// A value of `T` may consist of zero bytes alone.
pub unsafe fn zeroed_values<T: Copy>(count: Option<u64>) -> Result<Vec<T>> {
    let layout = count
        .and_then(|count| usize::try_from(count).ok())
        .and_then(|count| std::alloc::Layout::array::<T>(count).ok())
        .ok_or_else(|| Error::invalid("the result does not fit this machine's address space"))?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout is not empty.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    if start.is_null() {
        return Err(no_room(layout.size()));
    }
    let count = layout.size() / size_of::<T>();
    // SAFETY: `start` is an allocation of exactly this layout, all of it zeros, which are values of `T` (promised).
    let mut values = unsafe { Vec::from_raw_parts(start.cast::<T>(), count, count) };
    advise_huge_pages(&mut values);
    Ok(values)
}

/// The bytes of values, for writing.
///
/// # Safety
/// Any bytes are a value of `T`, and `T` has no padding.
pub unsafe fn bytes_of<T: Copy>(values: &mut [T]) -> &mut [u8] {
    let len = size_of_val(values);
    // SAFETY: the slice is that of `values`; any bytes may be written to it (promised).
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), len) }
}

/// Room for `count` values that nobody has written; large ones request huge pages.
pub(crate) fn unwritten<T>(count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| no_room(count.saturating_mul(size_of::<T>())))?;
    advise_huge_pages(values.spare_capacity_mut());
    Ok(values)
}

fn no_room(len: usize) -> Error {
    Error::out_of_memory(format!("not enough memory for a result of {len} bytes"))
        .with_hint("read a smaller selection")
}

/// Tells the kernel that a buffer will be written in full, soon.
#[cfg(target_os = "linux")]
pub fn advise_huge_pages<T>(buffer: &mut [T]) {
    /// Below this, huge pages are not worth a system call.
    const HUGE_BYTES_MIN: usize = 8 << 20;
    const PAGE: usize = 4096;
    let (start, len) = (buffer.as_mut_ptr().cast::<u8>(), size_of_val(buffer));
    if len < HUGE_BYTES_MIN {
        return;
    }
    let first = (start as usize).next_multiple_of(PAGE);
    let whole = (start as usize + len - first) / PAGE * PAGE;
    // SAFETY: the range lies inside the buffer; the advice changes no contents. A refusal does no harm.
    unsafe {
        libc::madvise(first as *mut libc::c_void, whole, libc::MADV_HUGEPAGE);
    }
}

/// Does nothing: other systems have no such advice.
#[cfg(not(target_os = "linux"))]
pub fn advise_huge_pages<T>(_buffer: &mut [T]) {}
