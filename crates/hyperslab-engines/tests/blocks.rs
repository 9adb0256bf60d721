//! What C libraries are handed is theirs to take: blocks lie inside of the dataset and fill their buffer, names and texts
//! have the room that they need. Libraries get only pointers, so they cannot tell.

use hyperslab_engines::library::of_python;
use hyperslab_engines::{Attribute, Block, CreationProperties, Format, Wanted};
use hyperslab_engines::{Engine, Event, OpenOptions};
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, skipped};
use std::sync::{Mutex, PoisonError};

/// A library of each family, and the format that it writes.
fn libraries() -> Result<Vec<(Engine, Format)>, Missing> {
    let python = python()?;
    let found =
        of_python(&python).ok_or_else(|| Missing::new(format!("{} does not run", python.display())))?;
    for (package, libraries) in [("netCDF4", found.netcdf.len()), ("pyhdf", found.hdf4.len())] {
        if libraries == 0 {
            skipped(&Missing::new(format!("no {package} (pip install {package})")));
        }
    }
    let hdf5 = found.hdf5.into_iter().map(|library| (Engine::Libhdf5(library), Format::Hdf5));
    let netcdf = found.netcdf.into_iter().map(|library| (Engine::Netcdf(library), Format::Netcdf4));
    let hdf4 = found.hdf4.into_iter().map(|library| (Engine::Hdf4(library), Format::Hdf4));
    Ok(hdf5.chain(netcdf).chain(hdf4).collect())
}

fn storage(format: Format) -> CreationProperties {
    CreationProperties { format, ..CreationProperties::plain(vec![4, 5], "<f4".parse().unwrap()) }
}

fn block(start: &[u64], count: &[u64]) -> Block {
    Block { start: start.to_vec(), count: count.to_vec(), step: vec![1; count.len()] }
}

/// These libraries are not for several threads: one test at a time has them.
static LIBRARIES: Mutex<()> = Mutex::new(());

#[test]
fn blocks_are_refused_that_are_not_inside_or_do_not_fill_their_buffer() {
    let _alone = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    // Too few dimensions, too many, beyond the end of one, and more bytes than there are.
    let wrong = [
        (block(&[0], &[4]), 16),
        (block(&[0, 0, 0], &[1, 2, 2]), 16),
        (Block { start: vec![0], ..block(&[0, 0], &[1, 4]) }, 16),
        (Block { step: vec![1], ..block(&[0, 0], &[1, 4]) }, 16),
        (block(&[3, 0], &[2, 2]), 16),
        (block(&[0, u64::MAX], &[2, 2]), 16),
        (block(&[0, 0], &[2, 2]), 12),
        (block(&[0, 0], &[u64::MAX, 2]), 16),
    ];
    for (engine, format) in require!(libraries()) {
        let (name, prepared) = (engine.name(), engine.prepare().unwrap());
        let mut writing = prepared.create(&file, "/d", &storage(format), &OpenOptions::default()).unwrap();
        for (block, bytes) in &wrong {
            // netCDF-C lets dimensions grow, if they may: it says itself that these may not.
            assert!(writing.write(block, &vec![0; *bytes]).is_err(), "{name} {block:?}");
        }
        let values: Vec<u8> = (0..80).collect();
        writing.write(&Block::whole(&[4, 5]).unwrap(), &values).unwrap();
        writing.close().unwrap();
        let mut reading = prepared.open(&file, "/d", &OpenOptions::default()).unwrap();
        for (block, bytes) in &wrong {
            assert!(reading.read(block, &mut vec![0; *bytes]).is_err(), "{name} {block:?}");
        }
        let mut read = [0; 16];
        reading.read(&block(&[2, 1], &[2, 2]), &mut read).unwrap();
        assert_eq!([&values[44..52], &values[64..72]].concat(), read, "{name}");
        reading.close().unwrap();
    }
}

#[test]
fn names_and_texts_have_the_length_that_they_have() {
    let _alone = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let long = "n".repeat(250);
    for (engine, format) in require!(libraries()) {
        let (name, prepared) = (engine.name(), engine.prepare().unwrap());
        let mut making = prepared.make(&file, &storage(format)).unwrap();
        // What is read of a text of nothing: libhdf5 has none without a byte, and HDF4 none at all.
        let (empty, nothing): (_, &[u8]) = match engine {
            Engine::Libhdf5(_) => ("", &[0]),
            Engine::Hdf4(_) => ("0", b"0"),
            _ => ("", &[]),
        };
        let attributes = [("empty", empty), ("text", "abc")]
            .map(|(name, text)| (name.to_owned(), Attribute::Text(text.to_owned())));
        let mut writing = making.dataset(&format!("/{long}"), &attributes).unwrap();
        writing.write(&Block::whole(&[4, 5]).unwrap(), &[7; 80]).unwrap();
        writing.close().unwrap();
        making.close().unwrap();
        let (mut paths, mut texts) = (Vec::new(), Vec::new());
        let mut visiting = prepared.visit(&file, &OpenOptions::default()).unwrap();
        visiting
            .visit(Wanted::All, &mut |seen| match seen {
                Event::Dataset { path, values, .. } => {
                    assert_eq!(values, [7; 80], "{name}");
                    paths.push(path.to_owned());
                }
                Event::Attribute { name: "empty" | "text", value } => texts.push(value.to_owned()),
                Event::Group { .. } | Event::Attribute { .. } => {}
            })
            .unwrap();
        visiting.close().unwrap();
        assert_eq!(paths, [long.as_str()], "{name}");
        texts.sort();
        assert_eq!(texts, [nothing, b"abc"], "{name}");
    }
}

#[test]
fn who_cannot_tell_where_chunks_lie_says_so() {
    let _alone = LIBRARIES.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for (engine, format) in require!(libraries()) {
        let prepared = engine.prepare().unwrap();
        let mut making = prepared.make(&file, &storage(format)).unwrap();
        let mut writing = making.dataset("/d", &[]).unwrap();
        writing.write(&Block::whole(&[4, 5]).unwrap(), &[0; 80]).unwrap();
        writing.close().unwrap();
        making.close().unwrap();
        let mut visiting = prepared.visit(&file, &OpenOptions::default()).unwrap();
        let visited = visiting.visit(Wanted::Places, &mut |_| ());
        match engine {
            Engine::Libhdf5(_) => visited.unwrap(),
            _ => assert!(visited.unwrap_err().to_string().contains("does not tell where chunks lie")),
        }
        visiting.close().unwrap();
    }
}
