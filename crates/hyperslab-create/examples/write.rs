//! Writes an array into a new file, in compressed chunks. The file has its name only once it is complete and verified.
//!
//! `cargo run -p hyperslab-create --example write -- OUT.h5`

use hyperslab_create::{CreateOptions, Data, FilterRequest, Monitor, NewDataset, NewFile, datatypes};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: write OUT.h5");
        std::process::exit(2);
    };
    let (days, cells) = (365u64, 10_000u64);
    let temperature = |index: u64| 280.0 + ((index / cells) as f32 / 58.0).sin() * 15.0;
    let values: Vec<u8> = (0..days * cells).flat_map(|index| temperature(index).to_le_bytes()).collect();

    let mut file = NewFile::new();
    let dataset = NewDataset::new(datatypes::float(4).expect("a size of floats"), &[days, cells])
        .chunks(&[73, 2_500])
        .filters([FilterRequest::shuffle(), FilterRequest::gzip(4)]);
    let id = file.dataset("/model/t2m", dataset)?;
    file.set_data(id, Data::memory(values))?;
    let created = file.write(Path::new(&path), &CreateOptions::default(), &Monitor::default())?;
    println!("{path}: {} bytes, {} objects", created.bytes, created.objects);
    Ok(())
}
