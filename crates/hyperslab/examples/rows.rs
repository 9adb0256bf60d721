//! Reads every row of a dataset, one by one, without any setting: the case study of the 2015 paper.
//!
//! `cargo run --release --example rows -- FILE DATASET`

use hyperslab::{Axis, Endianness, File, Selection};
use std::time::Instant;

fn main() -> hyperslab::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, name] = arguments.as_slice() else {
        eprintln!("usage: rows FILE DATASET");
        std::process::exit(2);
    };
    let start = Instant::now();
    let file = File::open(path)?;
    let dataset = file.dataset(name)?;
    let shape = dataset.shape().to_vec();
    let (row, outer) = shape.split_last().expect("a dataset with axes");
    let mut out = vec![0; *row as usize * dataset.datatype().size as usize];
    let rows: u64 = outer.iter().product();
    let mut sum = 0u64;
    for number in 0..rows {
        let mut rest = number;
        let mut axes: Vec<Axis> = outer
            .iter()
            .rev()
            .map(|&dim| {
                let index = rest % dim;
                rest /= dim;
                Axis::span(index, index + 1)
            })
            .collect();
        axes.reverse();
        axes.push(Axis::all(*row));
        dataset.read_into(&Selection::Slab(axes), Endianness::Native, &mut out)?;
        sum = sum.wrapping_add(u64::from(out[0]));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{rows} rows in {seconds:.3} s, {} chunks decoded (check {sum})", file.decodes());
    Ok(())
}
