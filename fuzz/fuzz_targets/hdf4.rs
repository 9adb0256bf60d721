#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hyperslab_fuzz::file::read_hdf4(bytes));
