//! How fast one core encodes and decodes the bytes of a file as one chunk, and how small they become.
//!
//! ```text
//! cargo run --release -p hyperslab-filters --example measure -- FILE ELEMENT_BYTES [ROUNDS]
//! ```

use hyperslab_filters::{FilterSpec, Pipeline, Scratch};
use std::time::{Duration, Instant};

/// Filters in the order of writing, each with its client data.
type Filters = Vec<(u16, Vec<u32>)>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, file, element, rest @ ..] = &arguments[..] else {
        return Err("usage: measure FILE ELEMENT_BYTES [ROUNDS]".into());
    };
    let raw = std::fs::read(file)?;
    let element: u32 = element.parse()?;
    let rounds: usize = rest.first().map_or(Ok(5), |rounds| rounds.parse())?;
    let shuffle = (2, vec![element]);
    let bits = [32, 8 * element];
    let szip = vec![bits[0] | 128 | 8 | 1, 32, bits[1], 4096];
    let blosc = |codec, level| (32001, vec![2, 2, element, raw.len() as u32, level, 1, codec]);
    let mut pipelines: Vec<(String, Filters)> = vec![
        ("shuffle".into(), vec![shuffle.clone()]),
        ("fletcher32".into(), vec![(3, vec![])]),
        ("szip NN 32".into(), vec![(4, szip)]),
        ("shuffle lzf".into(), vec![shuffle.clone(), (32000, vec![4, 261, 0])]),
        ("shuffle lz4".into(), vec![shuffle.clone(), (32004, vec![0])]),
        ("shuffle zstd 3".into(), vec![shuffle.clone(), (32015, vec![3])]),
        ("bitshuffle lz4".into(), vec![(32008, vec![0, 4, element, 0, 2])]),
        ("bitshuffle zstd 3".into(), vec![(32008, vec![0, 4, element, 0, 3, 3])]),
        ("blosc blosclz 5".into(), vec![blosc(0, 5)]),
        ("blosc lz4 5".into(), vec![blosc(1, 5)]),
        ("blosc zstd 5".into(), vec![blosc(5, 5)]),
        ("shuffle bzip2 9".into(), vec![shuffle.clone(), (307, vec![9])]),
    ];
    for level in 1..=9 {
        pipelines.push((format!("shuffle gzip {level}"), vec![shuffle.clone(), (1, vec![level])]));
        pipelines.push((format!("gzip {level}"), vec![(1, vec![level])]));
    }
    println!("{:20} {:>12} {:>7} {:>13} {:>13}", "filters", "bytes", "ratio", "encode MB/s", "decode MB/s");
    for (name, filters) in &pipelines {
        let specs: Vec<_> = filters
            .iter()
            .map(|(id, parameters)| FilterSpec { id: *id, optional: true, parameters })
            .collect();
        let pipeline = Pipeline::new(&specs, element as usize, raw.len())?;
        let mut scratch = Scratch::new();
        let mut out = vec![0; raw.len()];
        let (mut encoding, mut decoding) = (Duration::MAX, Duration::MAX);
        let mut bytes = 0;
        for _ in 0..rounds {
            let start = Instant::now();
            let encoded = pipeline.encode(&raw, &mut scratch)?;
            encoding = encoding.min(start.elapsed());
            let (stored, mask) = (encoded.bytes.to_vec(), encoded.mask);
            bytes = stored.len();
            let start = Instant::now();
            pipeline.decode_into(&stored, mask, &mut scratch, &mut out)?;
            decoding = decoding.min(start.elapsed());
            if out != raw {
                return Err(format!("{name}: decoded to other bytes").into());
            }
        }
        let speed = |time: Duration| raw.len() as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name:20} {bytes:12} {:7.2} {:13.0} {:13.0}",
            raw.len() as f64 / bytes as f64,
            speed(encoding),
            speed(decoding)
        );
    }
    Ok(())
}
