//! Lists where the chunks of a dataset lie: grid position, offset in the file, stored bytes, and the filters that were skipped.
//!
//! `cargo run --example chunks -- FILE DATASET`

use hyperslab::File;

fn main() -> hyperslab::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, name] = arguments.as_slice() else {
        eprintln!("usage: chunks FILE DATASET");
        std::process::exit(2);
    };
    let file = File::open(path)?;
    let dataset = file.dataset(name)?;
    let map = dataset.chunk_map()?;
    println!("{} chunks of {:?}, {} bytes stored", map.len(), dataset.chunk_shape(), map.stored_bytes());
    for (number, location) in map.iter() {
        let position = map.grid().coordinates(number);
        println!("{position:?} {} {} {:#x}", location.address, location.stored_bytes, location.filter_mask);
    }
    Ok(())
}
