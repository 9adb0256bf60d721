//! Prints the header of each file as CDL, like `ncdump -hs`.

use hyperslab_netcdf::{CdlOptions, Netcdf, write_cdl};
use std::path::Path;

fn main() {
    for path in std::env::args().skip(1) {
        if let Err(error) = print(&path) {
            eprintln!("error: {error}");
        }
    }
}

fn print(path: &str) -> hyperslab::Result<()> {
    let netcdf = Netcdf::open(&hyperslab::File::open(path)?)?;
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_cdl(&netcdf, &name, CdlOptions { has_special_attributes: true }, &mut text);
    print!("{text}");
    for omitted in &netcdf.omitted {
        eprintln!("{}: {}", omitted.path, omitted.reason);
    }
    Ok(())
}
