//! Opening a file of 2,000 datasets and looking at each of them: the cost of metadata.
//!
//! `cargo bench -p hyperslab-tests --bench open`

use divan::{Bencher, counter::ItemsCount};
use hyperslab::{File, Object};
use hyperslab_create::{CreateOptions, Data, Monitor, NewDataset, NewFile, datatypes};

const DATASETS: u64 = 2_000;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 20)]
fn every_dataset(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.h5");
    let mut new = NewFile::new();
    for number in 0..DATASETS {
        let dataset = NewDataset::new(datatypes::integer(4, true), &[100]).chunks(&[10]);
        let id = new.dataset(&format!("/group {}/{number}", number % 20), dataset).expect("a new name");
        new.set_data(id, Data::memory(vec![0; 400])).expect("as many values");
    }
    new.write(&path, &CreateOptions::default(), &Monitor::default()).expect("written");
    bencher.counter(ItemsCount::new(DATASETS)).bench(|| {
        let file = File::open(&path).expect("a sound file");
        let mut pending = vec![file.root().expect("a root")];
        let mut chunks = 0;
        while let Some(group) = pending.pop() {
            for link in group.links().expect("links") {
                match group.open(&link.expect("a link")).expect("an object") {
                    Object::Group(group) => pending.push(group),
                    Object::Dataset(dataset) => chunks += dataset.chunk_map().expect("an index").len(),
                    Object::Datatype(_) => {}
                }
            }
        }
        assert_eq!(chunks as u64, DATASETS * 10);
    });
}
