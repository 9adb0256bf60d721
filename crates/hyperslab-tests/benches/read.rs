//! Reading chunks of 3 MB that zlib compressed: row by row, which is the cliff of the 2015 paper, and as a whole, which is bounded
//! by the decoder.
//!
//! `cargo bench -p hyperslab-tests --bench read`

use divan::{Bencher, counter::BytesCount};
use hyperslab::{Endianness, File, Selection};
use hyperslab_create::{CreateOptions, Data, FilterRequest, Monitor, NewDataset, NewFile, datatypes};
use std::sync::OnceLock;
use tempfile::TempDir;

const SHAPE: [u64; 4] = [60, 30, 9, 717];
const CHUNK: [u64; 4] = [4, 30, 9, 717];
const ROWS: u64 = SHAPE[0] * SHAPE[1] * SHAPE[2];

fn main() {
    divan::main();
}

/// The case study's file, with values that compress a little.
fn file() -> File {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut state = 1u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 12) as f32 / 1e3
        };
        let values: Vec<u8> = (0..ROWS * SHAPE[3]).flat_map(|_| noise().to_le_bytes()).collect();
        let mut new = NewFile::new();
        let dataset = NewDataset::new(datatypes::float(4).expect("a size of floats"), &SHAPE)
            .chunks(&CHUNK)
            .filters([FilterRequest::gzip(6)]);
        let id = new.dataset("/d", dataset).expect("a new name");
        new.set_data(id, Data::memory(values)).expect("as many values");
        new.write(&folder.path().join("f.h5"), &CreateOptions::default(), &Monitor::default())
            .expect("written");
        folder
    });
    File::open(folder.path().join("f.h5")).expect("a sound file")
}

#[divan::bench(sample_count = 10)]
fn row_by_row(bencher: Bencher) {
    bencher.counter(BytesCount::new(ROWS * SHAPE[3] * 4)).with_inputs(file).bench_values(|file| {
        let dataset = file.dataset("/d").expect("a dataset");
        let mut row = vec![0; SHAPE[3] as usize * 4];
        for number in 0..ROWS {
            let start = [number / (SHAPE[1] * SHAPE[2]), number / SHAPE[2] % SHAPE[1], number % SHAPE[2], 0];
            let selection = Selection::block(&start, &[1, 1, 1, SHAPE[3]]);
            dataset.read_into(&selection, Endianness::Native, &mut row).expect("a row");
        }
        assert_eq!(file.decodes(), SHAPE[0] / CHUNK[0], "each chunk once");
        row
    });
}

#[divan::bench(sample_count = 10)]
fn whole(bencher: Bencher) {
    bencher.counter(BytesCount::new(ROWS * SHAPE[3] * 4)).with_inputs(file).bench_values(|file| {
        let dataset = file.dataset("/d").expect("a dataset");
        dataset.read_bytes(&Selection::All, Endianness::Native).expect("all values")
    });
}
