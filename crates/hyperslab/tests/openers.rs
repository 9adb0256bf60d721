//! Files that are opened through an opener of the program's own: what they refer to is opened the same way. The files
//! are those of `corpus/recipes/links_and_mappings.py`.

use hyperslab::{Dataset, Endianness, ErrorKind, File, Selection};
use hyperslab_io::{Location, Memory, Opener, Source};
use hyperslab_testkit::{Missing, files::fixture, require};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

/// A store of named bytes that notes what is opened.
struct Bucket {
    files: HashMap<Location, Vec<u8>>,
    opened: Mutex<Vec<String>>,
}

const FOLDER: &str = "mem://bucket/data";

impl Bucket {
    /// The files of the recipe, in a folder of the bucket.
    fn filled() -> Result<Arc<Self>, Missing> {
        let mut files = HashMap::new();
        for entry in std::fs::read_dir(fixture("links_and_mappings")?).expect("a readable folder").flatten() {
            let location = Location::from(format!("{FOLDER}/{}", entry.file_name().display()));
            files.insert(location, std::fs::read(entry.path()).expect("a readable file"));
        }
        Ok(Arc::new(Self { files, opened: Mutex::default() }))
    }

    fn open(self: &Arc<Self>, name: &str) -> hyperslab::Result<File> {
        File::open_with(self.clone(), format!("{FOLDER}/{name}"))
    }

    fn opened(&self) -> Vec<String> {
        std::mem::take(&mut *self.opened.lock().unwrap())
    }
}

impl Opener for Bucket {
    fn open(&self, location: &Location) -> io::Result<Arc<dyn Source>> {
        let bytes = self.files.get(location).ok_or(io::ErrorKind::NotFound)?;
        self.opened.lock().unwrap().push(location.to_string());
        Ok(Arc::new(Memory::new(location.to_string(), bytes.clone())))
    }

    fn is_file(&self, location: &Location) -> bool {
        self.files.contains_key(location)
    }
}

fn integers(dataset: &Dataset) -> Vec<i32> {
    dataset.read::<i32>(&Selection::All).expect("numbers")
}

#[test]
fn external_links_are_followed_inside_the_store() {
    let bucket = require!(Bucket::filled());
    let file = bucket.open("links.h5").unwrap();
    let away = file.dataset("away").unwrap();
    assert_eq!((away.file().is_same(&file), away.path()), (true, "/group/temperature"));
    assert_eq!(bucket.opened(), [format!("{FOLDER}/links.h5"), format!("{FOLDER}/other.h5")]);
    let error = file.get("gone").err().expect("an error");
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[test]
fn external_data_and_virtual_sources_come_from_the_store() {
    let bucket = require!(Bucket::filled());
    let external = bucket.open("external.h5").unwrap().dataset("d").unwrap();
    let expected: Vec<i32> = (0..3).flat_map(|i| (0..10).map(move |n| 100 * i + n)).collect();
    assert_eq!(integers(&external), expected);
    let raw = [0, 1, 2].map(|number| format!("{FOLDER}/raw{number}.bin"));
    assert_eq!(bucket.opened()[1..], raw);
    let file = bucket.open("shapes.h5").unwrap();
    let stacked = file.dataset("stacked").unwrap().read_bytes(&Selection::All, Endianness::Native).unwrap();
    let local = File::open(require!(fixture("links_and_mappings/shapes.h5"))).unwrap();
    let expected = local.dataset("stacked").unwrap().read_bytes(&Selection::All, Endianness::Native).unwrap();
    assert_eq!(stacked, expected);
    let opened = bucket.opened();
    assert!(opened.len() > 1 && opened.iter().all(|location| location.starts_with(FOLDER)), "{opened:?}");
}

#[test]
fn a_file_that_is_not_in_the_store_is_told_by_its_location() {
    let bucket = require!(Bucket::filled());
    let error = bucket.open("nowhere.h5").err().expect("an error");
    assert_eq!((error.kind(), error.file()), (ErrorKind::NotFound, Some("mem://bucket/data/nowhere.h5")));
}
