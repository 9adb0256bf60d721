//! What was read in one state of a file is not combined with what is read in a later one. No source of this project has a
//! second state yet.

use hyperslab::io::{Advice, Epoch, LocalFile, Source};
use hyperslab::{Endianness, File, Selection};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use std::io;
use std::sync::{Arc, Mutex};

/// A file whose state is said to change. Its bytes stay, so that what is decoded again is the same.
struct Committed {
    inner: LocalFile,
    epoch: Mutex<Epoch>,
}

impl Committed {
    fn commit(&self) {
        let mut epoch = self.epoch.lock().unwrap();
        *epoch = epoch.next();
    }
}

impl Source for Committed {
    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn epoch(&self) -> Epoch {
        *self.epoch.lock().unwrap()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read_into(at, out)
    }

    fn advice(&self) -> Advice {
        self.inner.advice()
    }

    fn name(&self) -> String {
        self.inner.name()
    }
}

#[test]
fn chunks_of_an_earlier_state_are_decoded_again_and_its_metadata_is_refused() {
    let fixture = require!(fixture("chunk_indexes/v110_gzip.h5"));
    let inner = LocalFile::open(fixture).expect("a fixture");
    let source = Arc::new(Committed { inner, epoch: Mutex::default() });
    let file = File::from_source(source.clone()).unwrap();
    let path = "/btree2/one leaf";
    let dataset = file.dataset(path).unwrap();
    // A part of a chunk, which is kept.
    let selection = Selection::block(&[0, 0], &[1, 1]);
    let read = || dataset.read_bytes(&selection, Endianness::File).unwrap();
    let (first, decodes) = (read(), file.decodes());
    assert_eq!(decodes, 1);
    assert_eq!((read(), file.decodes()), (first.clone(), decodes), "from the cache");
    source.commit();
    assert_eq!((read(), file.decodes()), (first, 2 * decodes), "decoded again");
    let error = file.dataset(path).err().unwrap();
    assert!(error.to_string().contains("metadata of an earlier state of the file"), "{error}");
    // Opened again, it is as it is now.
    let again = File::from_source(source).unwrap();
    assert!(again.dataset(path).is_ok());
}
