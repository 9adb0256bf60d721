//! What the library exports: the functions in whose place it is called, and nothing else. A codec's function, for example, would
//! be called by the program in place of its own.

#![cfg(target_os = "linux")]

use object::{Object, ObjectSymbol};

#[test]
fn only_functions_of_libhdf5_are_exported() {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let library = std::fs::read(folder.join("libhyperslab_preload.so")).unwrap();
    let library = object::File::parse(&*library).unwrap();
    let exported = library.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
    let mut names: Vec<&str> = exported.map(|symbol| symbol.name().unwrap()).collect();
    names.sort_unstable();
    let expected = [
        "H5Dclose",
        "H5Dopen1",
        "H5Dopen2",
        "H5Dread",
        "H5Dread_async",
        "H5Dread_chunk",
        "H5Dread_chunk1",
        "H5Dread_chunk2",
        "H5Dread_multi",
        "H5Dwrite",
        "H5Fclose",
        "H5Idec_ref",
        "H5Oclose",
        "H5Oopen",
        "H5Oopen_by_addr",
        "H5Oopen_by_idx",
        "H5Oopen_by_token",
        "H5Rdereference1",
        "H5Rdereference2",
        "H5Ropen_object",
        "H5Zregister",
        "H5close",
    ];
    assert_eq!(names, expected);
}
