//! Says what a read will do before it does it: its chunks, requests and filters. The plan is a value; this prints it.
//!
//! `cargo run --example explain -- FILE DATASET ':, 180, 360'`

use hyperslab::{File, Selection};

fn main() -> hyperslab::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, name, selection] = arguments.as_slice() else {
        eprintln!("usage: explain FILE DATASET SELECTION");
        std::process::exit(2);
    };
    let dataset = File::open(path)?.dataset(name)?;
    let selection = Selection::parse(selection, dataset.shape())?;
    print!("{}", dataset.explain(&selection)?);
    Ok(())
}
