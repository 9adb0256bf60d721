//! Checks that `docs/filters.md` corresponds to the table of filters.

use hyperslab_filters::{Entry, table};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Filters

<!-- Generated from crates/hyperslab-filters/src/registry.rs; to update it:
     HYPERSLAB_UPDATE=1 cargo test -p hyperslab-filters --test page -->

This page lists the filters of the HDF5 library and all filters on The HDF Group's list of [registered
filters][registered]. *Written* means that `hyperslab_filters::Pipeline` can also apply the filter.

*Feature* is the Cargo feature of the crates `hyperslab` and `hyperslab-filters` that includes a filter; all are on unless
`default-features = false` is set.

Reading a chunk that was stored through any other filter is an error, which contains the filter's number, name and
provider. A program can register a decoder of its own: `hyperslab::filters::register` in Rust,
`hyperslab.register_filter` in Python.

[registered]: https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md

## Read

| number | name | read | written | by | feature |
|---:|---|---|---|---|---|
";

const NOT_READ: &str = "
## Not read

| number | name | provided by | why not |
|---:|---|---|---|
";

fn page() -> String {
    let (here, elsewhere): (Vec<&Entry>, Vec<&Entry>) = table().iter().partition(|entry| entry.read);
    let mut page = HEAD.to_string();
    for Entry { id, name, write, library, feature, .. } in here {
        let write = if *write { "yes" } else { "no" };
        let feature = feature.map_or("always".to_string(), |feature| format!("`{feature}`"));
        writeln!(page, "| {id} | {name} | yes | {write} | {library} | {feature} |").unwrap();
    }
    page += NOT_READ;
    for Entry { id, name, library, reason, .. } in elsewhere {
        writeln!(page, "| {id} | {name} | {library} | {} |", reason.unwrap_or("rare")).unwrap();
    }
    page
}

#[test]
fn the_page_of_filters_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/filters.md");
    if std::env::var_os("HYPERSLAB_UPDATE").is_some() {
        std::fs::write(&path, page()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let update = "HYPERSLAB_UPDATE=1 cargo test -p hyperslab-filters --test page";
    assert!(found == page(), "docs/filters.md differs from the table of filters; update it with: {update}");
}
