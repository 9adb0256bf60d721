//! Chunks that libhdf5 and its plug-ins wrote, or their libraries: every filter must read what they read.
//!
//! The vectors are made by `corpus/recipes/filter_vectors.py`, which describes their format.

use hyperslab_filters::{
    Failure, Filter, FilterSpec, Pipeline, Scratch, Staged, register, unshuffle_elements,
};
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::require;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// A filter of the program, of which nobody knows how much comes out of it.
struct Passed;

const PASSED: FilterSpec<'_> = FilterSpec { id: 51_967, optional: false, parameters: &[] };

impl Filter for Passed {
    fn name(&self) -> &str {
        "passed on"
    }

    fn decode(&self, _: &[u32], stored: &[u8], _: usize) -> Result<Vec<u8>, Failure> {
        Ok(stored.to_vec())
    }
}

struct Vector {
    name: String,
    filters: Vec<(u16, Vec<u32>)>,
    mask: u32,
    stored: Vec<u8>,
    raw: Vec<u8>,
}

impl Vector {
    fn pipeline(&self) -> Pipeline {
        self.pipeline_and(&[])
    }

    /// True if rounding the values again gives others: where scaleoffset keeps more decimal digits than they have, and
    /// through zfp.
    fn changes_when_rounded_again(&self) -> bool {
        match &*self.filters {
            [(6, parameters)] => parameters[3] == 1 && parameters[4] == 4 && parameters[1] as i32 > 4,
            [(32013, _)] => !self.name.contains("reversible"),
            _ => false,
        }
    }

    /// With these filters applied last.
    fn pipeline_and(&self, more: &[FilterSpec<'_>]) -> Pipeline {
        let own =
            self.filters.iter().map(|(id, parameters)| FilterSpec { id: *id, optional: true, parameters });
        let specs: Vec<_> = own.chain(more.iter().copied()).collect();
        Pipeline::new(&specs, 1, self.raw.len()).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).expect("a hexadecimal digit") as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn inflated(stored: &[u8]) -> Vec<u8> {
    let deflate = FilterSpec { id: 1, optional: false, parameters: &[6] };
    let pipeline = Pipeline::new(&[deflate], 1, 0).unwrap();
    pipeline.decode(stored, 0, &mut Scratch::new(), 1 << 24).unwrap()
}

fn vectors(family: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(format!("{family}.txt"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<&str> = text.lines().collect();
    let field = |line: &str, word: &str| {
        line.strip_prefix(word)
            .unwrap_or_else(|| panic!("expected `{word}` in `{line:.40}`"))
            .trim()
            .to_string()
    };
    let filter = |text: &str| {
        let (id, values) = text.split_once(':').expect("an identification");
        let values = values.split(',').filter(|value| !value.is_empty()).map(|value| value.parse().unwrap());
        (id.parse().unwrap(), values.collect())
    };
    let vectors: Vec<Vector> = lines
        .chunks_exact(5)
        .map(|lines| Vector {
            name: format!("{family} {}", field(lines[0], "=")),
            filters: field(lines[1], "filters").split(' ').map(filter).collect(),
            mask: field(lines[2], "mask").parse().unwrap(),
            stored: unhex(&field(lines[3], "stored")),
            raw: inflated(&unhex(&field(lines[4], "raw"))),
        })
        .collect();
    assert!(!vectors.is_empty(), "{family} has vectors");
    vectors
}

/// Decodes in all ways that there are.
fn check(family: &str) {
    register(PASSED.id, Arc::new(Passed));
    let mut scratch = Scratch::new();
    for vector in vectors(family) {
        let Vector { name, mask, stored, raw, .. } = &vector;
        let pipeline = vector.pipeline();
        let most = pipeline.max_decoded_len(stored, *mask).unwrap();
        assert!(most >= raw.len(), "{name}");
        let behind = vector.pipeline_and(&[PASSED]);
        assert!(
            behind.max_decoded_len(stored, *mask).unwrap() >= most,
            "{name} behind a filter of the program"
        );
        assert!(behind.decode(stored, *mask, &mut scratch, raw.len()).unwrap() == *raw, "{name}");
        let mut out = vec![0x55; raw.len()];
        let decoded = pipeline.decode_into(stored, *mask, &mut scratch, &mut out);
        decoded.unwrap_or_else(|error| panic!("{name}: {error}"));
        let wrong = out.iter().zip(raw).position(|(ours, theirs)| ours != theirs);
        assert_eq!(wrong, None, "{name}: first wrong byte of {}", raw.len());
        assert!(pipeline.decode(stored, *mask, &mut scratch, raw.len()).unwrap() == *raw, "{name}");
        match pipeline.decode_staged(stored, *mask, &mut scratch).unwrap() {
            Staged::Plain(bytes) => assert!(bytes == raw, "{name}"),
            Staged::Shuffled { bytes, element_bytes } => {
                unshuffle_elements(bytes, element_bytes, 0, &mut out);
                assert!(out == *raw, "{name}");
            }
        }
    }
}

/// What an encoder does, compared with the reference that wrote the vectors.
#[derive(PartialEq)]
enum Written {
    /// The same bytes.
    Same,
    /// Other bytes, which decode to the same; at most so many percent more of them in all vectors together.
    Within(usize),
}

/// Encodes the decoded bytes again.
fn write(family: &str, expected: Written) {
    let mut scratch = Scratch::new();
    let (mut ours, mut theirs) = (0, 0);
    for vector in vectors(family) {
        let Vector { name, mask, stored, raw, .. } = &vector;
        let pipeline = vector.pipeline();
        let encoded = pipeline.encode(raw, &mut scratch).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (bytes, written_mask) = (encoded.bytes.to_vec(), encoded.mask);
        if vector.changes_when_rounded_again() {
            continue;
        }
        let mut out = vec![0x55; raw.len()];
        pipeline
            .decode_into(&bytes, written_mask, &mut scratch, &mut out)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(out == *raw, "{name}: encoded and decoded");
        if expected == Written::Same {
            let wrong = bytes.iter().zip(stored).position(|(ours, theirs)| ours != theirs);
            assert_eq!((written_mask, wrong, bytes.len()), (*mask, None, stored.len()), "{name}");
        }
        (ours, theirs) = (ours + bytes.len(), theirs + stored.len());
    }
    println!("{family}: {ours} bytes, the reference {theirs}");
    if let Written::Within(percent) = expected {
        assert!(ours * 100 <= theirs * (100 + percent), "{family}: {ours} bytes, the reference {theirs}");
    }
}

/// Damages every vector in every place: an error, or bytes; never a panic, never more than asked for.
fn damage(family: &str) {
    let mut scratch = Scratch::new();
    for vector in vectors(family) {
        let pipeline = vector.pipeline();
        let mut out = vec![0; vector.raw.len()];
        let step = vector.stored.len() / 97 + 1;
        for at in (0..vector.stored.len()).step_by(step).chain(0..vector.stored.len().min(40)) {
            let mut stored = vector.stored.clone();
            for flip in [0x01, 0x80, 0xff] {
                stored[at] ^= flip;
                let _ = pipeline.decode_into(&stored, vector.mask, &mut scratch, &mut out);
                if let Ok(bytes) = pipeline.decode(&stored, vector.mask, &mut scratch, 3 * out.len()) {
                    assert!(bytes.len() <= 3 * out.len());
                }
            }
            let _ = pipeline.decode_into(&stored[..at], vector.mask, &mut scratch, &mut out);
        }
        // Another length of chunk than the file says.
        for len in [0, 1, out.len() / 2, out.len() - 1, out.len() + 1] {
            let _ = pipeline.decode_into(&vector.stored, vector.mask, &mut scratch, &mut vec![0; len]);
        }
    }
}

macro_rules! families {
    ($($family:ident $written:expr;)*) => {
        $(mod $family {
            #[test]
            fn reads_what_the_reference_reads() {
                super::check(stringify!($family));
            }

            #[test]
            fn writes_what_the_reference_reads() {
                use super::Written::*;
                super::write(stringify!($family), $written);
            }

            #[test]
            fn survives_damage() {
                super::damage(stringify!($family));
            }
        })*
    };
}

families! {
    classic Within(2);
    szip Within(0);
    nbit Same;
    scaleoffset Same;
    lzf Within(5);
    codecs Within(5);
    bitshuffle Within(5);
    blosc Within(5);
    zfp Same;
    blosc2 Within(12);
    vbz Same;
    lzo Within(25);
}

/// The families whose filters have an encoder and whose files are among the fixtures, and the number of their cases.
const READ_BY_LIBHDF5: [&str; 10] =
    ["classic", "szip", "nbit", "scaleoffset", "lzf", "codecs", "bitshuffle", "blosc", "zfp", "blosc2"];

/// libhdf5, with the plug-ins of `hdf5plugin`, reads the same values from the chunks that are encoded here.
#[test]
fn libhdf5_reads_what_is_written() {
    let python = require!(python());
    let folder = require!(fixture("filter_vectors/classic.h5"));
    let (mut lines, mut count) = (String::new(), 0);
    let mut scratch = Scratch::new();
    for family in READ_BY_LIBHDF5 {
        for vector in vectors(family).iter().filter(|vector| !vector.changes_when_rounded_again()) {
            let pipeline = vector.pipeline();
            let encoded = pipeline.encode(&vector.raw, &mut scratch).unwrap();
            let hex: String = encoded.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let name = vector.name.strip_prefix(family).unwrap().trim_start();
            lines += &format!("{family}\t{name}\t{}\t{hex}\n", encoded.mask);
            count += 1;
        }
    }
    let chunks = Path::new(env!("CARGO_TARGET_TMPDIR")).join("encoded_chunks.txt");
    std::fs::write(&chunks, lines).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libhdf5_reads.py");
    let output =
        Command::new(python).arg(script).arg(folder.parent().unwrap()).arg(&chunks).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.trim(), count.to_string());
}
