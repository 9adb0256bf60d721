//! The check finds nothing in new files with structures in unusual places and of unusual sizes.

use hyperslab_check::check;
use hyperslab_create::datatypes::{Charset, integer, string};
use hyperslab_create::{
    Block, BlockSource, CreateOptions, Data, DataError, Elements, Monitor, NewDataset, NewFile, WriteOptions,
};
use hyperslab_io::LocalFile;
use std::fmt::Write;
use std::path::Path;

fn findings(path: &Path) -> String {
    let source = LocalFile::open(path).expect("a file");
    let report = check(&source, hyperslab_check::Options::default()).expect("a superblock");
    report.findings.iter().fold(String::new(), |mut text, finding| {
        writeln!(text, "{finding:?}").expect("text");
        text
    })
}

/// What the check finds in a file that was written with these pages.
fn checked(file: NewFile<'_>, page_bytes: Option<u64>) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("new.h5");
    let write = WriteOptions { page_bytes, ..WriteOptions::default() };
    let options = CreateOptions { write, threads: 1, ..CreateOptions::default() };
    file.write(&path, &options, &Monitor::default()).expect("a file that is verified");
    findings(&path)
}

/// Texts of a hundred bytes.
struct Texts;

impl BlockSource for Texts {
    fn read(&self, block: &Block) -> Result<Elements, DataError> {
        let mut elements = Elements::zeros(16 * block.count[0] as usize);
        for at in 0..block.count[0] as usize {
            elements.set_sequence(16 * at, 100, vec![b'x'; 100]);
        }
        Ok(elements)
    }
}

/// libhdf5 reads collections of the global heap as raw data, also where they cross pages.
#[test]
fn collections_among_data_may_cross_pages() {
    for page_bytes in [512, 8 << 10, 32 << 10, 64 << 10] {
        let mut file = NewFile::new();
        // Of collections of 4, 8, 16, 32 and 64 KiB after 60,000 bytes, some cross pages.
        let bytes = NewDataset::new(integer(1, false), &[60_000]);
        let bytes = file.dataset("/bytes", bytes).expect("a dataset");
        file.set_data(bytes, Data::memory(vec![1; 60_000])).expect("its data");
        let texts = NewDataset::new(string(Charset::Ascii), &[1000]);
        let texts = file.dataset("/texts", texts).expect("a dataset");
        file.set_data(texts, Data::blocks(Texts)).expect("its data");
        assert_eq!(checked(file, Some(page_bytes)), "", "pages of {page_bytes} bytes");
    }
}

/// A chunk has at least one element, also along a dimension that has none.
#[test]
fn chunks_may_be_larger_than_a_dimension_without_elements() {
    let mut file = NewFile::new();
    let new = NewDataset::new(integer(8, true), &[3, 0]).automatic_chunks();
    let empty = file.dataset("/empty", new).expect("a dataset");
    file.set_data(empty, Data::memory(Vec::new())).expect("no data");
    assert_eq!(checked(file, None), "");
}

/// The library demands at least 512 bytes and at most 1 GiB, and no multiple of anything.
#[test]
fn pages_have_any_size_that_the_library_allows() {
    let file = || {
        let mut file = NewFile::new();
        let bytes = file.dataset("/bytes", NewDataset::new(integer(1, false), &[5000])).expect("a dataset");
        file.set_data(bytes, Data::memory(vec![1; 5000])).expect("its data");
        file
    };
    assert_eq!(checked(file(), Some(513)), "");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for page_bytes in [0, 511, (1 << 30) + 1, u64::MAX] {
        let write = WriteOptions { page_bytes: Some(page_bytes), ..WriteOptions::default() };
        let options = CreateOptions { write, ..CreateOptions::default() };
        let path = folder.path().join("new.h5");
        let error = file().write(&path, &options, &Monitor::default()).expect_err("an error").to_string();
        assert!(error.contains("they have from 512 bytes to 1 GiB"), "{error}");
    }
}
