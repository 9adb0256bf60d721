//! The functions of a libhdf5 that are asked, and their types (`H5public.h` and the headers beside it).

use std::ffi::{c_char, c_int, c_uint, c_void};

/// An identifier. An `int` before libhdf5 1.10, whose upper half has any value; see [`Api::id`](crate::api::Api::id).
pub type Hid = i64;
/// Negative after a failure.
pub type Herr = c_int;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($argument:ty),*) -> $result:ty;)*) => {
        /// Functions of one copy of libhdf5; `None` where it has none of that name.
        #[derive(Clone, Copy)]
        #[allow(missing_docs)] // their names are those of libhdf5
        pub struct Functions {
            $(pub $name: Option<unsafe extern "C" fn($($argument),*) -> $result>,)*
        }

        impl Functions {
            /// Looks all of them up by their names.
            ///
            /// # Safety
            /// `find` returns the addresses of functions of a libhdf5, or null.
            pub unsafe fn find(find: impl Fn(&std::ffi::CStr) -> *mut c_void) -> Self {
                Self {
                    $($name: {
                        let symbol = std::ffi::CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes());
                        let address = symbol.map_or(std::ptr::null_mut(), &find);
                        // SAFETY: a function of this name has this type, and null is `None`.
                        unsafe {
                            std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($argument),*) -> $result>>(address)
                        }
                    },)*
                }
            }
        }
    };
}

functions! {
    // Those that are hooked.
    close = "H5close" () -> Herr;
    dread = "H5Dread" (Hid, Hid, Hid, Hid, Hid, *mut c_void) -> Herr;
    dread_async = "H5Dread_async" (
        *const c_char, *const c_char, c_uint, Hid, Hid, Hid, Hid, Hid, *mut c_void, Hid
    ) -> Herr;
    dread_multi = "H5Dread_multi" (
        usize, *const Hid, *const Hid, *const Hid, *const Hid, Hid, *const *mut c_void
    ) -> Herr;
    dread_chunk = "H5Dread_chunk" (Hid, Hid, *const u64, *mut c_uint, *mut c_void) -> Herr;
    dread_chunk1 = "H5Dread_chunk1" (Hid, Hid, *const u64, *mut c_uint, *mut c_void) -> Herr;
    dread_chunk2 = "H5Dread_chunk2" (Hid, Hid, *const u64, *mut c_uint, *mut c_void, *mut usize) -> Herr;
    dwrite = "H5Dwrite" (Hid, Hid, Hid, Hid, Hid, *const c_void) -> Herr;
    dclose = "H5Dclose" (Hid) -> Herr;
    oclose = "H5Oclose" (Hid) -> Herr;
    idec_ref = "H5Idec_ref" (Hid) -> c_int;
    fclose = "H5Fclose" (Hid) -> Herr;
    dopen1 = "H5Dopen1" (Hid, *const c_char) -> Hid;
    dopen2 = "H5Dopen2" (Hid, *const c_char, Hid) -> Hid;
    oopen = "H5Oopen" (Hid, *const c_char, Hid) -> Hid;
    oopen_by_addr = "H5Oopen_by_addr" (Hid, u64) -> Hid;
    oopen_by_token = "H5Oopen_by_token" (Hid, u64, u64) -> Hid;
    oopen_by_idx = "H5Oopen_by_idx" (Hid, *const c_char, c_int, c_int, u64, Hid) -> Hid;
    rdereference1 = "H5Rdereference1" (Hid, c_int, *const c_void) -> Hid;
    rdereference2 = "H5Rdereference2" (Hid, Hid, c_int, *const c_void) -> Hid;
    ropen_object = "H5Ropen_object" (*mut c_void, Hid, Hid) -> Hid;

    zregister = "H5Zregister" (*const c_void) -> Herr;

    // The library.
    get_libversion = "H5get_libversion" (*mut c_uint, *mut c_uint, *mut c_uint) -> Herr;
    eget_auto = "H5Eget_auto2" (Hid, *mut *mut c_void, *mut *mut c_void) -> Herr;
    eset_auto = "H5Eset_auto2" (Hid, *mut c_void, *mut c_void) -> Herr;

    // Identifiers and objects.
    iget_type = "H5Iget_type" (Hid) -> c_int;
    iget_ref = "H5Iget_ref" (Hid) -> c_int;
    iis_valid = "H5Iis_valid" (Hid) -> c_int;
    iget_name = "H5Iget_name" (Hid, *mut c_char, usize) -> isize;
    iget_file_id = "H5Iget_file_id" (Hid) -> Hid;
    oget_info = "H5Oget_info" (Hid, *mut c_void) -> Herr;
    oget_info1 = "H5Oget_info1" (Hid, *mut c_void) -> Herr;
    oget_info3 = "H5Oget_info3" (Hid, *mut c_void, c_uint) -> Herr;

    // Files.
    fopen = "H5Fopen" (*const c_char, c_uint, Hid) -> Hid;
    fget_intent = "H5Fget_intent" (Hid, *mut c_uint) -> Herr;
    fget_name = "H5Fget_name" (Hid, *mut c_char, usize) -> isize;
    fget_access_plist = "H5Fget_access_plist" (Hid) -> Hid;
    fget_vfd_handle = "H5Fget_vfd_handle" (Hid, Hid, *mut *mut c_void) -> Herr;
    pget_driver = "H5Pget_driver" (Hid) -> Hid;
    sec2_init = "H5FD_sec2_init" () -> Hid;
    pget_cache = "H5Pget_cache" (Hid, *mut c_int, *mut usize, *mut usize, *mut f64) -> Herr;

    // Datasets.
    dget_space = "H5Dget_space" (Hid) -> Hid;
    dget_type = "H5Dget_type" (Hid) -> Hid;
    dget_access_plist = "H5Dget_access_plist" (Hid) -> Hid;
    dget_create_plist = "H5Dget_create_plist" (Hid) -> Hid;
    pget_chunk_cache = "H5Pget_chunk_cache" (Hid, *mut usize, *mut usize, *mut f64) -> Herr;
    pset_chunk_cache = "H5Pset_chunk_cache" (Hid, usize, usize, f64) -> Herr;
    pget_nfilters = "H5Pget_nfilters" (Hid) -> c_int;
    pget_filter2 = "H5Pget_filter2" (
        Hid, c_uint, *mut c_uint, *mut usize, *mut c_uint, usize, *mut c_char, *mut c_uint
    ) -> c_int;
    zfilter_avail = "H5Zfilter_avail" (c_int) -> c_int;
    pfill_value_defined = "H5Pfill_value_defined" (Hid, *mut c_int) -> Herr;
    pget_fill_time = "H5Pget_fill_time" (Hid, *mut c_int) -> Herr;
    pget = "H5Pget" (Hid, *const c_char, *mut c_void) -> Herr;
    pget_type_conv_cb = "H5Pget_type_conv_cb" (Hid, *mut *mut c_void, *mut *mut c_void) -> Herr;
    pset_fclose_degree = "H5Pset_fclose_degree" (Hid, c_int) -> Herr;
    pget_virtual_view = "H5Pget_virtual_view" (Hid, *mut c_int) -> Herr;
    pget_virtual_printf_gap = "H5Pget_virtual_printf_gap" (Hid, *mut u64) -> Herr;
    pget_virtual_prefix = "H5Pget_virtual_prefix" (Hid, *mut c_char, usize) -> isize;
    pget_layout = "H5Pget_layout" (Hid) -> c_int;
    pget_chunk = "H5Pget_chunk" (Hid, c_int, *mut u64) -> c_int;
    pclose = "H5Pclose" (Hid) -> Herr;

    // Dataspaces and selections.
    sget_dims = "H5Sget_simple_extent_dims" (Hid, *mut u64, *mut u64) -> c_int;
    sget_select_type = "H5Sget_select_type" (Hid) -> c_int;
    sget_select_npoints = "H5Sget_select_npoints" (Hid) -> i64;
    sget_select_bounds = "H5Sget_select_bounds" (Hid, *mut u64, *mut u64) -> Herr;
    sis_regular_hyperslab = "H5Sis_regular_hyperslab" (Hid) -> c_int;
    sget_regular_hyperslab = "H5Sget_regular_hyperslab" (Hid, *mut u64, *mut u64, *mut u64, *mut u64) -> Herr;
    sget_select_hyper_nblocks = "H5Sget_select_hyper_nblocks" (Hid) -> i64;
    sget_select_hyper_blocklist = "H5Sget_select_hyper_blocklist" (Hid, u64, u64, *mut u64) -> Herr;
    sget_select_elem_npoints = "H5Sget_select_elem_npoints" (Hid) -> i64;
    sget_select_elem_pointlist = "H5Sget_select_elem_pointlist" (Hid, u64, u64, *mut u64) -> Herr;
    sclose = "H5Sclose" (Hid) -> Herr;

    // Datatypes.
    tget_class = "H5Tget_class" (Hid) -> c_int;
    tget_size = "H5Tget_size" (Hid) -> usize;
    tget_sign = "H5Tget_sign" (Hid) -> c_int;
    tis_variable_str = "H5Tis_variable_str" (Hid) -> c_int;
    tget_order = "H5Tget_order" (Hid) -> c_int;
    tget_precision = "H5Tget_precision" (Hid) -> usize;
    tget_native_type = "H5Tget_native_type" (Hid, c_int) -> Hid;
    tget_fields = "H5Tget_fields" (Hid, *mut usize, *mut usize, *mut usize, *mut usize, *mut usize) -> Herr;
    tget_ebias = "H5Tget_ebias" (Hid) -> usize;
    tget_norm = "H5Tget_norm" (Hid) -> c_int;
    tget_nmembers = "H5Tget_nmembers" (Hid) -> c_int;
    tget_member_type = "H5Tget_member_type" (Hid, c_uint) -> Hid;
    tget_super = "H5Tget_super" (Hid) -> Hid;
    tcopy = "H5Tcopy" (Hid) -> Hid;
    tequal = "H5Tequal" (Hid, Hid) -> c_int;
    tclose = "H5Tclose" (Hid) -> Herr;
}
