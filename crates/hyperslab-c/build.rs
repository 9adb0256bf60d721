//! The name by which programs that are linked with the shared library look for it, and what it keeps to itself.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libhyperslab.so.0");
        // Functions of C that other crates export, such as those of a checksum, would be called in place of the program's own.
        println!("cargo:rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
    }
}
