//! Reads of many small parts: each chunk is decoded once, however its elements are picked; of records only the wanted
//! members are copied; what many elements refer to is fetched together; one name of many is looked up, not sought.
//!
//! What is counted are requests and decodes, which are the same on every machine.

use hyperslab::io::{LocalFile, Memory};
use hyperslab::{Axis, Dataset, Endianness, ErrorKind, File, Members, Object, Points, Selection};
use hyperslab_io::wrap::{Recorder, Recording};
use hyperslab_testkit::files::{fixture, hdf5_files};
use hyperslab_testkit::{Missing, require};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

fn open(name: &str) -> Result<(File, Recording), Missing> {
    let path = fixture(&format!("many_small_parts/{name}"))?;
    let (source, recording) = Recorder::new(LocalFile::open(path).expect("a fixture"));
    Ok((File::from_source(Arc::new(source)).expect("a sound file"), recording))
}

/// The same file in memory, where metadata is asked for in smaller blocks.
fn open_in_memory(name: &str) -> Result<(File, Recording), Missing> {
    let bytes = std::fs::read(fixture(&format!("many_small_parts/{name}"))?).expect("a fixture");
    let (source, recording) = Recorder::new(Memory::new(name, bytes));
    Ok((File::from_source(Arc::new(source)).expect("a sound file"), recording))
}

fn requested(recording: &Recording) -> u64 {
    recording.take().iter().map(|Range { start, end }| end - start).sum()
}

/// Bytes of the members of these names, picked from whole records.
fn picked(dataset: &Dataset, selection: &Selection, names: &[&str]) -> Vec<u8> {
    let whole = dataset.read_bytes(selection, Endianness::File).unwrap();
    let hyperslab_format::message::Class::Compound { members } = &dataset.datatype().class else { panic!() };
    let mut bytes = Vec::new();
    for record in whole.chunks(dataset.datatype().size as usize) {
        for name in names {
            let member = members.iter().find(|member| member.name.as_str() == Some(name)).unwrap();
            bytes.extend(&record[member.offset as usize..][..member.datatype.size as usize]);
        }
    }
    bytes
}

#[test]
fn strides_lists_and_points_decode_each_chunk_once() {
    let whole: Vec<i32> = (0..128 * 128).collect();
    // Back and forth over all chunks.
    let scattered: Vec<u64> = (0..500).map(|i| i * 7919 % (128 * 128)).collect();
    let points = Points { rank: 2, coordinates: scattered.iter().flat_map(|i| [i / 128, i % 128]).collect() };
    let rows: Vec<u64> = (0..60).map(|i| i * 37 % 128).collect();
    let at = |row: u64, column: u64| whole[(row * 128 + column) as usize];
    let stride = |start, step, count| Axis::range(start, count, step).unwrap();
    let cases = [
        (Selection::Points(points), scattered.iter().map(|&i| whole[i as usize]).collect::<Vec<i32>>()),
        (
            Selection::Slab(vec![Axis::List(rows.clone()), stride(1, 5, 25)]),
            rows.iter().flat_map(|&row| (0..25).map(move |i| at(row, 1 + 5 * i))).collect(),
        ),
        (
            Selection::Slab(vec![stride(0, 3, 43), Axis::all(128)]),
            (0..43).flat_map(|row| (0..128).map(move |column| at(3 * row, column))).collect(),
        ),
        (
            Selection::hyperslab(&[5, 1], &[40, 9], &[3, 14], &[23, 4]).unwrap(),
            (0..3 * 23)
                .flat_map(|i| (0..14 * 4).map(move |j| (5 + i / 23 * 40 + i % 23, 1 + j / 4 * 9 + j % 4)))
                .map(|(row, column)| at(row, column))
                .collect(),
        ),
    ];
    for (selection, expected) in cases {
        let (file, recording) = require!(open("parts.h5"));
        let dataset = file.dataset("/field").unwrap();
        dataset.chunk_map().unwrap();
        recording.take();
        assert_eq!(dataset.read::<i32>(&selection).unwrap(), expected);
        assert_eq!(file.decodes(), 16);
        assert!(
            requested(&recording) <= dataset.stored_bytes().unwrap() + 16 * 8192,
            "no chunk is fetched twice"
        );
    }
}

#[test]
fn members_are_picked_from_every_kind_of_storage() {
    let (file, _) = require!(open("parts.h5"));
    let points = Points { rank: 1, coordinates: vec![9, 0, 3] };
    let wanted: [&[&str]; 5] =
        [&["x"], &["y", "id"], &["label", "more", "rest"], &["rest"], &["id", "x", "label"]];
    for name in ["/records", "/sparse", "/bare", "/filled"] {
        let dataset = file.dataset(name).unwrap();
        let part = Selection::Slab(vec![Axis::range(1, 4, 2).unwrap()]);
        for selection in [Selection::All, part, Selection::Points(points.clone())] {
            for names in wanted {
                let members = Members::new(dataset.datatype(), names).unwrap();
                let found = dataset.read_members(&selection, &members).unwrap();
                assert_eq!(found, picked(&dataset, &selection, names), "{name} {names:?} {selection:?}");
            }
        }
    }
    let records = file.dataset("/records").unwrap();
    let y = records.read_member::<f64>(&Selection::block(&[100], &[3]), "y").unwrap();
    assert_eq!(y, [-100.0, -101.0, -102.0]);
    assert_eq!(records.read_member::<f32>(&Selection::All, "y").unwrap_err().kind(), ErrorKind::Invalid);
    let missing = Members::new(records.datatype(), &["lable"]).unwrap_err();
    assert_eq!((missing.kind(), missing.hint()), (ErrorKind::NotFound, Some("did you mean \"label\"?")));
}

#[test]
fn of_long_records_only_the_wanted_member_is_fetched() {
    let (file, recording) = require!(open("parts.h5"));
    let dataset = file.dataset("/long").unwrap();
    recording.take();
    let values = dataset.read_member::<f64>(&Selection::All, "value").unwrap();
    assert_eq!(values, (0..10).map(|i| f64::from(i) * 1.5).collect::<Vec<_>>());
    let requests = recording.take();
    assert_eq!(requests.len(), 10);
    assert!(requests.iter().all(|request| request.end - request.start == 8));
}

#[test]
fn what_many_elements_refer_to_is_fetched_together() {
    let (file, recording) = require!(open("parts.h5"));
    let dataset = file.dataset("/strings").unwrap();
    let references = dataset.read_bytes(&Selection::All, Endianness::File).unwrap();
    recording.take();
    let mut found = Vec::new();
    file.heap()
        .each_sequence(&references, 1, |bytes| {
            found.push(String::from_utf8(bytes.expect("no two are the same").to_vec()).unwrap());
            Ok(())
        })
        .unwrap();
    let expected: Vec<String> = (0..3000).map(|i| format!("text {i} {}", "ä".repeat(i % 9))).collect();
    assert_eq!(found, expected);
    let mut requests = recording.take();
    let collections: BTreeSet<&[u8]> = references.chunks(16).map(|reference| &reference[4..12]).collect();
    assert!(requests.len() <= collections.len() + 2, "{} collections: {requests:?}", collections.len());
    requests.sort_by_key(|request| request.start);
    assert!(requests.windows(2).all(|pair| pair[0].end <= pair[1].start), "nothing twice: {requests:?}");
    let one_by_one: Vec<String> = references
        .chunks(16)
        .map(|reference| String::from_utf8(file.heap().sequence(reference, 1).unwrap().1.to_vec()).unwrap())
        .collect();
    assert_eq!(one_by_one, expected);
}

#[test]
fn the_same_text_again_is_said_to_be_the_same() {
    let (file, _) = require!(open("parts.h5"));
    let dataset = file.dataset("/repeated").unwrap();
    let references = dataset.read_bytes(&Selection::All, Endianness::File).unwrap();
    let mut found = Vec::new();
    let mut heap = file.heap();
    heap.each_sequence(&references, 1, |bytes| {
        found.push(bytes.map(<[u8]>::to_vec));
        Ok(())
    })
    .unwrap();
    assert_eq!(found.len(), 500);
    assert_eq!(found[0].as_deref(), Some(&b"again"[..]));
    assert!(found[1..].iter().all(Option::is_none));
}

#[test]
fn one_of_many_attributes_is_looked_up() {
    let (file, recording) = require!(open_in_memory("members.h5"));
    let group = file.group("/attributes").unwrap();
    let attributes = group.attributes();
    recording.take();
    assert_eq!(attributes.get("attribute 321").unwrap().data[..2], 321u16.to_le_bytes());
    let looked_up = requested(&recording);
    assert_eq!(attributes.find("attribute 999").unwrap(), None);
    let missing = attributes.get("atribute 321").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(missing.hint().is_some_and(|hint| hint.contains("attribute 321")));
    let names: Vec<String> =
        attributes.list().unwrap().into_iter().map(|attribute| attribute.unwrap().name.to_string()).collect();
    assert_eq!(names, (0..500).map(|i| format!("attribute {i:03}")).collect::<Vec<_>>());
    let all = looked_up + requested(&recording);
    assert!(looked_up <= all * 2 / 3, "{looked_up} of {all} bytes");
}

#[test]
fn a_member_that_is_not_there_does_not_list_the_group() {
    let (file, recording) = require!(open_in_memory("members.h5"));
    let group = file.group("/group").unwrap();
    recording.take();
    assert!(group.find("member 1234").unwrap().is_some());
    assert!(group.find("no member").unwrap().is_none());
    let looked_up = requested(&recording);
    let names: Vec<String> =
        group.links().unwrap().into_iter().map(|link| link.unwrap().name.to_string()).collect();
    assert_eq!(names, (0..2000).map(|i| format!("member {i:04}")).collect::<Vec<_>>());
    let all = looked_up + requested(&recording);
    assert!(looked_up <= all * 2 / 3, "{looked_up} of {all} bytes");
}

#[test]
fn members_are_counted_without_being_read() {
    let (file, recording) = require!(open_in_memory("members.h5"));
    let group = file.group("/group").unwrap();
    recording.take();
    assert_eq!(group.len().unwrap(), 2000);
    let counted = requested(&recording);
    assert!(counted <= 512, "{counted} bytes");
}

#[test]
fn as_many_members_are_counted_as_are_listed() {
    let folder = require!(fixture("groups"));
    for path in hdf5_files(&folder, 1 << 20) {
        let file = File::open(&path).unwrap();
        let mut waiting = vec![file.root().unwrap()];
        let mut seen = BTreeSet::new();
        while let Some(group) = waiting.pop() {
            let links = group.links().unwrap();
            assert_eq!(group.len().unwrap(), links.len() as u64, "{} {}", path.display(), group.path());
            for link in links.iter().flatten() {
                if let Ok(Object::Group(inner)) = group.open(link)
                    && seen.insert(Object::Group(inner.clone()).address())
                {
                    waiting.push(inner);
                }
            }
        }
    }
}
