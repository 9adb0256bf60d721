//! Reads a block of numbers: the selection is that of NumPy, the result is a `Vec`.
//!
//! `cargo run --example read -- FILE DATASET '0:2, :, 180'`

use hyperslab::{File, Selection};

fn main() -> hyperslab::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, name, selection] = arguments.as_slice() else {
        eprintln!("usage: read FILE DATASET SELECTION");
        std::process::exit(2);
    };
    let file = File::open(path)?;
    let dataset = file.dataset(name)?;
    let selection = Selection::parse(selection, dataset.shape())?;
    let shape = dataset.selected_shape(&selection)?;
    // Values are not converted silently: for another type than `f32`, the error names the one that is stored.
    let values: Vec<f32> = dataset.read(&selection)?;
    println!("{} of shape {shape:?}: {:?} ...", dataset.datatype(), &values[..values.len().min(8)]);
    Ok(())
}
