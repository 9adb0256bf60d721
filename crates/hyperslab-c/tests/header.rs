//! The header is what the sources say, and changes only on purpose.

use std::path::Path;

fn header() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    let config = cbindgen::Config::from_file(Path::new(folder).join("cbindgen.toml")).unwrap();
    let mut text = Vec::new();
    cbindgen::Builder::new().with_crate(folder).with_config(config).generate().unwrap().write(&mut text);
    // What Rust calls the safety of a function is in its sentences, too: null pointers are checked, the rest is C as ever.
    let mut is_safety = false;
    let text = String::from_utf8(text).unwrap();
    let kept = text.lines().filter(|line| {
        is_safety = (is_safety && line.starts_with("//")) || *line == "// # Safety";
        !is_safety
    });
    kept.collect::<Vec<_>>().join("\n").replace("//\nenum", "enum").replace("\n//\nhs_", "\nhs_") + "\n"
}

/// `HYPERSLAB_UPDATE=1 cargo test -p hyperslab-c --test header` writes it anew.
#[test]
fn the_header_is_that_of_the_sources() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/hyperslab.h");
    let header = header();
    if std::env::var_os("HYPERSLAB_UPDATE").is_some() {
        std::fs::write(&path, &header).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        kept, header,
        "include/hyperslab.h is not what the sources say; if that is on purpose: HYPERSLAB_UPDATE=1"
    );
}

#[test]
fn it_has_at_most_forty_functions_and_the_library_exports_no_others() {
    let header = header();
    let declared =
        |line: &&str| line.contains("hs_") && line.contains('(') && !line.trim_start().starts_with("//");
    let names = header.lines().filter(declared).filter_map(|line| {
        let (before, _) = line.split_once('(')?;
        before.rsplit([' ', '*']).next().filter(|name| name.starts_with("hs_"))
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert!((20..=40).contains(&names.len()), "{names:?}");
    #[cfg(target_os = "linux")]
    {
        use object::{Object, ObjectSymbol};
        let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        let library = std::fs::read(folder.join("libhyperslab_c.so")).unwrap();
        let library = object::File::parse(&*library).unwrap();
        let exported =
            library.dynamic_symbols().filter(|symbol| symbol.is_definition() && symbol.is_global());
        let mut exported: Vec<&str> = exported.map(|symbol| symbol.name().unwrap()).collect();
        exported.sort_unstable();
        assert_eq!(exported, names);
    }
}
