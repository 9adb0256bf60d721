//! Writing a new file through filters: most of the time is the encoder's, on all cores.
//!
//! `cargo bench -p hyperslab-tests --bench encode`

use divan::{Bencher, counter::BytesCount};
use hyperslab_create::{CreateOptions, Data, FilterRequest, Monitor, NewDataset, NewFile, datatypes};

const SHAPE: [u64; 2] = [1_024, 8_192];

fn main() {
    divan::main();
}

/// A field with a trend and some noise, as measurements have it.
fn values() -> Vec<u8> {
    let value = |index: u64| {
        let noise = (index.wrapping_mul(2_654_435_761) >> 16 & 0xff) as f32 / 1e3;
        280.0 + ((index % SHAPE[1]) as f32 / 900.0).sin() * 15.0 + noise
    };
    (0..SHAPE[0] * SHAPE[1]).flat_map(|index| value(index).to_le_bytes()).collect()
}

#[divan::bench(args = ["none", "lzf", "shuffle+gzip=1", "shuffle+gzip=4", "shuffle+zstd=3"], sample_count = 5)]
fn write(bencher: Bencher, filters: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, values) = (folder.path().join("f.h5"), values());
    let filters = FilterRequest::parse_pipeline(filters).expect("filters");
    let options = CreateOptions { overwrite: true, verify: false, ..CreateOptions::default() };
    bencher.counter(BytesCount::new(values.len())).with_inputs(|| values.clone()).bench_values(|values| {
        let mut new = NewFile::new();
        let dataset = NewDataset::new(datatypes::float(4).expect("a size of floats"), &SHAPE)
            .chunks(&[128, 1_024])
            .filters(filters.clone());
        let id = new.dataset("/d", dataset).expect("a new name");
        new.set_data(id, Data::memory(values)).expect("as many values");
        new.write(&path, &options, &Monitor::default()).expect("written")
    });
}
