//! Checks that `docs/filters.md` corresponds to the table of filters.

use hyperslab_filters::{Entry, table};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# Filters

<!-- Generated from crates/hyperslab-filters/src/registry.rs; to update it:
     HYPERSLAB_UPDATE=1 cargo test -p hyperslab-filters --test page -->

This page lists the filters of the HDF5 library and all filters on The HDF Group's list of [registered
filters][registered]. *Written* means that `hyperslab_filters::Pipeline::encode` applies the filter, too.

*Feature* is the Cargo feature of the crates `hyperslab` and `hyperslab-filters` that includes a filter; all are on unless
`default-features = false` is set.

[registered]: https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md

## Read

| number | name | read | written | by | feature |
|---:|---|---|---|---|---|
";

const NOT_READ: &str = "
### Where writing differs from libhdf5

* The size of chunks through deflate differs a little: libdeflate finds other matches than zlib.
* scaleoffset refuses integers that do not fit the given number of bits, and stores a chunk with a NaN with all bits;
  libhdf5 stores other values in both cases.
* blosc writes every block in one part. All versions of Blosc read such blocks.
* blosc2 writes the streams of a block that are zeros without data, but has no chunks of one value: these take some more
  bytes. Block lengths differ from those that the library chooses, which makes some chunks larger.
* LZO streams have other copies than those of the LZO library, which reads them. All levels are the same.
* zfp writes the bytes that the zfp library writes. A chunk with infinite values or NaN is stored without the filter, except in
  reversible mode; the library does not define what it stores then.
* BitGroom and Granular BitRound round as netCDF-C does, but leave infinite values, NaN and subnormal numbers as they are.
* zfp, BitGroom and Granular BitRound refuse big-endian numbers, whose bytes the plug-ins treat as little-endian.

## Plug-ins

The `hyperslab` command and the Python package use the HDF5 filter plug-ins of the machine, as libhdf5 does, for all filters
that are not built in, and for writing those that are only read. `hyperslab ls -v` says which plug-in serves a dataset. In
Rust, the feature `plugins` includes this; it is off by default.

Plug-ins are looked for, when a dataset needs one, in this order:

1. folders that the program added (`hyperslab::filters::plugins::add_folder`);
2. those in `HDF5_PLUGIN_PATH`; if it is not set, `/usr/local/hdf5/lib/plugin`;
3. the Python package [`hdf5plugin`](https://pypi.org/project/hdf5plugin/), which brings SZ, SZ3, SPERR, FCIDECOMP, HTJ2K and
   others: that of the running Python, of the active environment (`VIRTUAL_ENV`, `CONDA_PREFIX`), of the first `python3` or
   `python` on `PATH`. It is not imported, and no Python is started.

`HYPERSLAB_PLUGINS=0` switches plug-ins off; so does libhdf5's `HDF5_PLUGIN_PRELOAD=::`.

A plug-in must contain or name the libraries that it needs. If one relies on symbols of libhdf5 that the program is expected
to have, the error says so; `HYPERSLAB_LIBHDF5` then names the file of libhdf5 that is loaded for them.

A plug-in is code of its provider. It runs with all rights of the process, decodes one chunk at a time, and may not survive
damaged chunks.

When chunks are written, SZ, SZ3, SPERR and FCIDECOMP get the same client data as from libhdf5, of what `hdf5plugin.SZ(…)` and its
siblings ask for: `--filter 32017=0,1069128089,2576980378,0,0,0,0,0,0` is an absolute bound of 0.1. Other plug-ins that compute
client data with functions of libhdf5 can be read, and their chunks copied, but they cannot be applied: h5py and h5repack can.

A program can also register a filter of its own: `hyperslab::filters::register` in Rust, `hyperslab.register_filter` in
Python. Reading a chunk that was stored through a filter of none of these kinds is an error, which contains the filter's
number, name and provider, and the folders that were searched.

## Not built in

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
