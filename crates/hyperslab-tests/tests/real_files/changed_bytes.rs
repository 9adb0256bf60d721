//! Real files with a few changed bytes: they are read or refused, quickly and without a panic.

use crate::whole_file::{Oracle, compare_file};
use hyperslab_format::{Bytes, FormatError, Problem};
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::{require, scale};
use std::time::{Duration, Instant};

/// xorshift64*: the same bytes in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }

    /// A value that is likely to break sizes, counts and addresses, or a random one.
    fn byte(&mut self) -> u8 {
        match self.below(4) {
            0 => [0, 1, 0x7F, 0x80, 0xFF, 4, 8, 16][self.below(8)],
            _ => self.below(256) as u8,
        }
    }
}

/// Corrects the checksum that an error reports as wrong. False for other errors.
fn repair(bytes: &mut [u8], error: &FormatError) -> bool {
    let Problem::Checksum { computed, .. } = error.problem else { return false };
    let Some(place) = bytes.get_mut(error.at as usize..error.at as usize + 4) else { return false };
    place.copy_from_slice(&computed.to_le_bytes());
    true
}

#[test]
fn changed_bytes_are_found_or_refused() {
    let root = require!(corpus());
    let manifest = std::fs::read_to_string(root.join("MANIFEST.tsv")).unwrap();
    let rounds = scale().of(4);
    let (oracle, mut random) = (Oracle::new(), Random(0x9E37_79B9_7F4A_7C15));
    let (mut compared, mut refused) = (0, 0);
    for line in manifest.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let original = std::fs::read(root.join(columns[0])).unwrap();
        if columns[5] != "hdf5" || original.len() > 100_000 || original.is_empty() {
            continue;
        }
        for round in 0..rounds {
            let mut bytes = original.clone();
            // Half of the changes are in bytes that are not zero, because these belong to structures.
            for _ in 0..1 + random.below(8) {
                let mut at = random.below(bytes.len());
                if random.below(2) == 0 {
                    at = (at..bytes.len()).find(|&at| bytes[at] != 0).unwrap_or(at);
                }
                bytes[at] = random.byte();
            }
            if round % 4 == 3 {
                bytes.truncate(random.below(bytes.len()));
            }
            // Wrong checksums would prevent reading the changed bytes, so they are corrected, as an attacker would.
            for _ in 0..8 {
                let start = Instant::now();
                let outcome = compare_file(columns[0].to_owned(), Bytes::from(bytes.clone()), &oracle);
                let took = start.elapsed();
                assert!(took < Duration::from_secs(30), "{} took {took:?}, round {round}", columns[0]);
                compared += 1;
                refused += usize::from(outcome.is_err());
                let errors: Vec<FormatError> = match outcome {
                    Ok((differences, _)) => differences.into_iter().filter_map(|found| found.error).collect(),
                    Err(error) => vec![error],
                };
                let repaired = errors.iter().filter(|error| repair(&mut bytes, error)).count();
                if repaired == 0 {
                    break;
                }
            }
        }
    }
    // Most files can still be opened, so that structures other than the superblock are reached.
    assert!(refused < compared / 2, "{refused} of {compared} files were refused at once");
}
