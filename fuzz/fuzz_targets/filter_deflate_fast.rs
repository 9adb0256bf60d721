#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hyperslab_fuzz::filter::deflate_fast(bytes));
