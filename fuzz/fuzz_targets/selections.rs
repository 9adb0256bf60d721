#![no_main]
libfuzzer_sys::fuzz_target!(|question: hyperslab_fuzz::selection::Question| {
    hyperslab_fuzz::selection::answer(&question)
});
