#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hyperslab_fuzz::file::read_netcdf_classic(bytes));
