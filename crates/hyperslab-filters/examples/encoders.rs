//! The two encoders of the gzip filter on eight kinds of data, one core: how fast, how large what they write is, and how fast
//! that is decoded.
//!
//! ```text
//! cargo run --profile dist -p hyperslab-filters --example encoders [-- CHUNK_BYTES]
//! ```
//!
//! Each kind is shuffled in chunks (but for the spectra), and every encoded chunk is decoded and compared. With a folder in
//! `HYPERSLAB_KINDS`, the bytes are written there for other encoders.

use hyperslab_filters::{DeflateEncoder, FilterSpec, Pipeline, Scratch};
use hyperslab_storage::GzipEncoder;
use std::error::Error;
use std::time::Instant;

const BYTES: usize = 8 << 20;
const LEVEL: u32 = 4;
const ROUNDS: usize = 7;
/// The grid of the fields.
const ROWS: usize = 361;
const COLUMNS: usize = 720;

/// Random numbers that are the same on each machine.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }

    /// Counts, whose variance is their mean.
    fn count(&mut self, mean: f64) -> u16 {
        (mean + mean.sqrt() * self.normal()).round().max(0.0) as u16
    }
}

/// Waves over the grid that move from field to field.
fn field(index: usize) -> f64 {
    const WAVES: [(f64, f64, f64, f64); 8] = [
        (0.9, 1.3, 2.1, 0.1),
        (-0.7, 3.7, 1.2, 0.7),
        (0.5, 5.1, 4.9, 0.3),
        (-0.4, 7.9, 3.3, 0.9),
        (0.3, 2.2, 8.7, 0.5),
        (-0.25, 11.3, 6.1, 0.2),
        (0.2, 9.4, 12.8, 0.6),
        (0.1, 13.7, 10.9, 0.4),
    ];
    let (x, rest) = (index % COLUMNS, index / COLUMNS);
    let (x, y) = (x as f64 / COLUMNS as f64, (rest % ROWS) as f64 / ROWS as f64);
    let time = (rest / ROWS) as f64;
    let wave = |(size, a, b, shift): &(f64, f64, f64, f64)| {
        let turn = std::f64::consts::TAU;
        size * (turn * (a * x + shift + 0.03 * time)).sin() * (turn * (b * y - 0.02 * time)).cos()
    };
    WAVES.iter().map(wave).sum()
}

/// The value at a place.
type Value = Box<dyn FnMut(usize, &mut Random) -> f64>;

/// A name, the bytes of an element, true if it is shuffled, and the values.
type Kind = (&'static str, usize, bool, Vec<u8>);

fn kinds() -> Vec<Kind> {
    let mut random = Random(7);
    let mut f4 = |mut value: Value| -> Vec<u8> {
        (0..BYTES / 4).flat_map(|index| (value(index, &mut random) as f32).to_le_bytes()).collect()
    };
    let smooth = f4(Box::new(|index, _| 280.0 + 15.0 * field(index)));
    let rounded = f4(Box::new(|index, random| {
        ((280.0 + 15.0 * field(index) + 0.3 * random.normal()) * 100.0).round() / 100.0
    }));
    let masked = f4(Box::new(|index, random| match field(index % (ROWS * COLUMNS)) {
        land if land > 0.0 => -9999.0,
        _ => ((280.0 + 15.0 * field(index) + 0.05 * random.normal()) * 10.0).round() / 10.0,
    }));
    let noise = f4(Box::new(|_, random| random.normal()));
    let mut walk = 0.0;
    let spectra = f4(Box::new(move |_, random| {
        walk += 1e-3 * random.normal();
        walk + 0.3 * random.normal()
    }));
    let mut walk = 0.0;
    let walk = (0..BYTES / 8).flat_map(|_| {
        walk += random.normal();
        f64::to_le_bytes(walk)
    });
    let walk = walk.collect();
    let i2 = (0..BYTES / 2).flat_map(|index| {
        { ((field(index) + 0.02 * random.normal()) * 3000.0).round().clamp(-32_768.0, 32_767.0) as i16 }
            .to_le_bytes()
    });
    let packed = i2.collect();
    let u2 = (0..BYTES / 2).flat_map(|index| random.count(30.0 * (field(index) / 1.5).exp()).to_le_bytes());
    let counts = u2.collect();
    vec![
        ("counts u2", 2, true, counts),
        ("spectra f4", 4, false, spectra),
        ("random walk f8", 8, true, walk),
        ("masked f4", 4, true, masked),
        ("noise f4", 4, true, noise),
        ("packed i2", 2, true, packed),
        ("smooth f4", 4, true, smooth),
        ("rounded t2m f4", 4, true, rounded),
    ]
}

fn main() -> Result<(), Box<dyn Error>> {
    let chunk_bytes = std::env::args().nth(1).map_or(Ok(1 << 20), |bytes| bytes.parse())?;
    let allowed = GzipEncoder::percent_larger_max(LEVEL).unwrap_or_default() as f64;
    println!(
        "{:16} {:>25} {:>6} {:>7} {:>25}",
        "", "encode MB/s: small, fast", "times", "size", "decode MB/s: small, fast"
    );
    let mut chosen: Vec<f64> = Vec::new();
    for (name, element, is_shuffled, values) in kinds() {
        let shuffle = [element as u32];
        let shuffle = Pipeline::new(
            &[FilterSpec { id: 2, optional: false, parameters: &shuffle }],
            element,
            chunk_bytes,
        )?;
        let mut scratch = Scratch::new();
        let chunks: Vec<Vec<u8>> = values
            .chunks(chunk_bytes)
            .map(|chunk| {
                if is_shuffled {
                    Ok(shuffle.encode(chunk, &mut scratch)?.bytes.to_vec())
                } else {
                    Ok(chunk.to_vec())
                }
            })
            .collect::<Result<_, hyperslab_filters::FilterError>>()?;
        if let Some(folder) = std::env::var_os("HYPERSLAB_KINDS") {
            std::fs::write(std::path::Path::new(&folder).join(name.replace(' ', "_")), chunks.concat())?;
        }
        let gzip = Pipeline::new(
            &[FilterSpec { id: 1, optional: false, parameters: &[LEVEL] }],
            element,
            chunk_bytes,
        )?;
        // In turns, so that what slows the machine slows both.
        let encoders =
            [DeflateEncoder::Small, DeflateEncoder::Fast].map(|one| gzip.with_deflate_encoder(one));
        let (mut seconds, mut bytes) = ([f64::MAX; 2], [0; 2]);
        for _ in 0..ROUNDS {
            for (at, encoder) in encoders.iter().enumerate() {
                let begun = Instant::now();
                bytes[at] = 0;
                for chunk in &chunks {
                    bytes[at] += encoder.encode(chunk, &mut scratch)?.bytes.len();
                }
                seconds[at] = seconds[at].min(begun.elapsed().as_secs_f64());
            }
        }
        let mut inflate = [f64::MAX; 2];
        let mut decoded = vec![0; chunk_bytes];
        for (encoder, least) in encoders.iter().zip(&mut inflate) {
            let stored: Vec<Vec<u8>> = chunks
                .iter()
                .map(|chunk| Ok(encoder.encode(chunk, &mut scratch)?.bytes.to_vec()))
                .collect::<Result<_, hyperslab_filters::FilterError>>()?;
            for _ in 0..ROUNDS {
                let mut took = 0.0;
                for (chunk, stored) in chunks.iter().zip(&stored) {
                    let begun = Instant::now();
                    gzip.decode_into(stored, 0, &mut scratch, &mut decoded[..chunk.len()])?;
                    took += begun.elapsed().as_secs_f64();
                    if decoded[..chunk.len()] != chunk[..] {
                        return Err(format!("{name}: decoded to other bytes").into());
                    }
                }
                *least = least.min(took);
            }
        }
        let times = seconds[0] / seconds[1];
        let percent = 100.0 * (bytes[1] as f64 / bytes[0] as f64 - 1.0);
        let speed = |seconds: f64| values.len() as f64 / 1e6 / seconds;
        println!(
            "{name:16} {:15.0} {:9.0} {times:6.2} {percent:+6.1}% {:15.0} {:9.0}",
            speed(seconds[0]),
            speed(seconds[1]),
            speed(inflate[0]),
            speed(inflate[1])
        );
        if percent <= allowed {
            chosen.push(times);
        }
    }
    let mean = (chosen.iter().map(|times| times.ln()).sum::<f64>() / chosen.len().max(1) as f64).exp();
    let least = chosen.iter().copied().fold(f64::INFINITY, f64::min);
    println!(
        "the fast one is chosen for {} of 8: {mean:.2} times as fast in the geometric mean, {least:.2} at least",
        chosen.len()
    );
    Ok(())
}
