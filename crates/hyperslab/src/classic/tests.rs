//! Files of netCDF classic, read as any other file.

use crate::{ErrorKind, File, Selection, hdf5};
use hyperslab_classic::{Attribute, Dimension, Header, Kind, Variable, Version};
use hyperslab_format::message::datatype::ByteOrder;
use hyperslab_format::message::{Class, Dataspace};
use hyperslab_io::Memory;
use hyperslab_io::wrap::Recorder;
use std::sync::Arc;

const RECORDS: u64 = 5;
const ROW: u64 = 3;

fn text(name: &str, text: &str) -> Attribute {
    Attribute { name: name.into(), kind: Kind::Char, values: text.into() }
}

fn variable(name: &str, dimensions: &[usize], kind: Kind) -> Variable {
    let dimensions = dimensions.to_vec();
    let attributes = vec![text("units", "K")];
    Variable { name: name.into(), dimensions, attributes, kind, stored_bytes: 0, begin: 0, at: 0 }
}

fn header(version: Version) -> Header {
    let dimension = |name: &str, len| Dimension { name: name.into(), len };
    let mut row = variable("row", &[1], Kind::Int);
    row.attributes.push(Attribute { name: "_FillValue".into(), kind: Kind::Int, values: vec![0, 0, 0, 9] });
    let variables = vec![variable("short", &[0, 1], Kind::Short), row, variable("time", &[0], Kind::Double)];
    let attributes = vec![text("title", "five"), text("empty", "")];
    let dimensions = vec![dimension("time", 0), dimension("x", ROW)];
    Header::new(version, RECORDS, dimensions, attributes, variables).unwrap()
}

/// A file whose values are their numbers in the variable.
fn file(version: Version) -> Vec<u8> {
    let header = header(version);
    let mut bytes = header.encode();
    for number in 0..header.variables.len() {
        let place = header.place(number).unwrap();
        let kind = header.variables[number].kind;
        let width = kind.bytes();
        let count: u64 = place.shape.iter().product();
        let in_record = count / place.record_bytes.map_or(1, |_| RECORDS);
        for element in 0..count {
            let (record, rest) = (element / in_record, element % in_record);
            let at = (place.begin + record * place.record_bytes.unwrap_or(0) + rest * width) as usize;
            let value = match kind {
                Kind::Short => (element as i16).to_be_bytes().to_vec(),
                Kind::Int => (element as i32).to_be_bytes().to_vec(),
                _ => (element as f64).to_be_bytes().to_vec(),
            };
            bytes.resize(bytes.len().max(at + value.len()), 0);
            bytes[at..at + value.len()].copy_from_slice(&value);
        }
    }
    bytes
}

fn open(bytes: Vec<u8>) -> crate::Result<File> {
    File::from_source(Arc::new(Memory::new("test.nc", bytes)))
}

const VERSIONS: [(Version, &str); 3] = [
    (Version::Classic, "netCDF classic"),
    (Version::Offset64, "netCDF 64-bit offset"),
    (Version::Data64, "netCDF CDF-5"),
];

#[test]
fn variables_are_datasets_in_the_order_of_the_machine() {
    for (version, name) in VERSIONS {
        let file = open(file(version)).unwrap();
        assert_eq!((file.format_name(), file.is_truncated()), (name, false));
        let mut links: Vec<_> = file.root().unwrap().links().unwrap().into_iter().flatten().collect();
        links.sort_by_key(|link| link.creation_order);
        let names: Vec<String> = links.iter().map(|link| link.name.to_string()).collect();
        assert_eq!(names, ["short", "row", "time"]);
        let short = file.dataset("/short").unwrap();
        assert_eq!((short.shape(), short.max_shape()), (&[5, 3][..], &[None, Some(3)][..]));
        assert_eq!(short.read::<i16>(&Selection::All).unwrap(), (0..15).collect::<Vec<i16>>());
        let some = Selection::parse("1::2, 1:", short.shape()).unwrap();
        assert_eq!(short.read::<i16>(&some).unwrap(), [4, 5, 10, 11]);
        let time = file.dataset("/time").unwrap();
        assert_eq!(time.read::<f64>(&Selection::All).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        let row = file.dataset("/row").unwrap();
        assert_eq!(row.read::<i32>(&Selection::All).unwrap(), [0, 1, 2]);
        let order = |datatype: &crate::Datatype| match &datatype.class {
            Class::Integer(integer) => integer.order,
            other => panic!("{other:?}"),
        };
        assert_eq!(order(row.stored_datatype()), ByteOrder::Big);
        if cfg!(target_endian = "little") {
            assert_eq!(order(row.datatype()), ByteOrder::Little);
        }
        let crate::storage::Fill::User(fill) = &row.fill_value().value else { panic!() };
        assert_eq!(fill[..], 9i32.to_ne_bytes());
        let crate::storage::Fill::User(fill) = &short.fill_value().value else { panic!() };
        assert_eq!(fill[..], (-32767i16).to_ne_bytes());
        let plan = row.explain(&Selection::All).unwrap().to_string();
        assert!(plan.contains("contiguous"), "{plan}");
    }
}

#[test]
fn attributes_and_dimensions_are_those_of_the_header() {
    let file = open(file(Version::Offset64)).unwrap();
    let root = file.root().unwrap();
    let attributes: Vec<_> = root.attributes().in_file_order().unwrap().into_iter().flatten().collect();
    let [title, empty] = &attributes[..] else { panic!("{attributes:?}") };
    assert_eq!((&title.data[..], &title.dataspace), (&b"five"[..], &Dataspace::Scalar));
    assert_eq!((empty.data.len(), &empty.dataspace), (0, &Dataspace::Null));
    let row = file.get("/row").unwrap();
    let fill = row.attributes().get("_FillValue").unwrap();
    assert_eq!(fill.data[..], 9i32.to_ne_bytes());
    let named = file.named_dimensions().unwrap();
    let of = |path: &str| -> Vec<(String, u64, bool)> {
        let dimensions = named.of(file.get(path).unwrap().address());
        dimensions.iter().map(|one| (one.name.to_string(), one.len, one.is_unlimited)).collect()
    };
    assert_eq!(of("/short"), [("time".into(), 5, true), ("x".into(), 3, false)]);
    assert_eq!(of("/row"), [("x".into(), 3, false)]);
}

#[test]
fn what_lies_behind_the_end_of_the_file_is_an_error_and_the_rest_is_read() {
    let whole = file(Version::Classic);
    let cut = open(whole[..whole.len() - 12].to_vec()).unwrap();
    assert!(cut.is_truncated());
    assert_eq!(cut.dataset("/row").unwrap().read::<i32>(&Selection::All).unwrap(), [0, 1, 2]);
    let short = cut.dataset("/short").unwrap();
    let before = Selection::parse(":4", short.shape()).unwrap();
    assert_eq!(short.read::<i16>(&before).unwrap(), (0..12).collect::<Vec<i16>>());
    let error = short.read::<i16>(&Selection::All).unwrap_err();
    assert!(error.to_string().starts_with("test.nc: /short"), "{error}");
}

#[test]
fn every_truncation_is_opened_or_refused() {
    let whole = file(Version::Data64);
    let header = header(Version::Data64).bytes as usize;
    for len in 0..whole.len() {
        match open(whole[..len].to_vec()) {
            Ok(_) => assert!(len >= header, "{len}"),
            Err(error) => {
                assert!(len < header, "{len}: {error}");
                let kind = if len < 4 { ErrorKind::NotHdf5 } else { ErrorKind::Damaged };
                assert_eq!(error.kind(), kind, "{len}: {error}");
            }
        }
    }
}

#[test]
fn a_short_header_is_one_read() {
    let (source, recording) = Recorder::new(Memory::new("test.nc", file(Version::Classic)));
    let file = File::from_source(Arc::new(source)).unwrap();
    let opening = recording.take();
    assert!(opening.iter().all(|range| range.start == 0), "{opening:?}");
    assert!(opening.len() <= 2, "the first bytes, and the header: {opening:?}");
    file.dataset("/row").unwrap().attributes().list().unwrap();
    assert_eq!(recording.take(), []);
}

#[test]
fn what_only_hdf5_has_is_named_by_the_error() {
    let file = open(file(Version::Classic)).unwrap();
    let error = hdf5::superblock(&file).unwrap_err();
    assert_eq!(error.to_string(), "test.nc: netCDF classic has no superblock");
    let missing = file.dataset("/rows").err().unwrap();
    assert_eq!((missing.kind(), missing.hint()), (ErrorKind::NotFound, Some("did you mean /row?")));
}

#[test]
fn every_byte_belongs_to_the_header_a_variable_or_padding() {
    let bytes = file(Version::Offset64);
    let (file_bytes, header) = (bytes.len() as u64, header(Version::Offset64).bytes);
    let census = hdf5::census(&open(bytes).unwrap()).unwrap();
    let owned: Vec<(&str, u64)> =
        census.raw_data.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect();
    assert_eq!(owned, [("/short", 30), ("/row", 12), ("/time", 40)]);
    assert_eq!(census.metadata["header"].bytes, header);
    // Two bytes in each record.
    assert_eq!((census.unaccounted_bytes, census.file_bytes), (2 * RECORDS, file_bytes));
    assert_eq!(header + 30 + 12 + 40 + 2 * RECORDS, file_bytes);
}
