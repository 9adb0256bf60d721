//! Files of netCDF classic as netCDF-4 files.

use crate::as_netcdf4;
use hyperslab::{File, Selection};
use hyperslab_classic::{Attribute, Dimension, Header, Kind, Variable, Version};
use hyperslab_io::Memory;
use hyperslab_netcdf::Netcdf;
use std::sync::Arc;

fn variable(name: &str, dimensions: &[usize], kind: Kind) -> Variable {
    let (dimensions, units) = (dimensions.to_vec(), b"K".to_vec());
    let attributes = vec![
        Attribute { name: "units".into(), kind: Kind::Char, values: units },
        Attribute { name: "CLASS".into(), kind: Kind::Char, values: b"mine".to_vec() },
    ];
    Variable { name: name.into(), dimensions, attributes, kind, stored_bytes: 0, begin: 0, at: 0 }
}

/// A file with so many records, whose bytes are their offsets.
pub(crate) fn classic(records: u64) -> File {
    let dimension = |name: &str, len| Dimension { name: name.into(), len };
    let dimensions = vec![dimension("time", 0), dimension("lat", 3), dimension("n", 5)];
    let variables = vec![
        variable("t/2m", &[0, 1, 2], Kind::Short),
        variable("time", &[0], Kind::Double),
        variable("n", &[1], Kind::Byte),
        variable("scalar", &[], Kind::Float),
    ];
    let header = Header::new(Version::Offset64, records, dimensions, Vec::new(), variables).unwrap();
    let end = (0..4).map(|number| header.place(number).unwrap().end).max().unwrap();
    let mut bytes = header.encode();
    for at in bytes.len()..end as usize {
        bytes.push((at * 7 % 251) as u8);
    }
    File::from_source(Arc::new(Memory::new("old.nc", bytes))).unwrap()
}

#[test]
fn the_same_variables_dimensions_and_values_are_seen() {
    for records in [0, 1, 4] {
        let old = classic(records);
        let new = as_netcdf4(&old, false).unwrap();
        assert_eq!((new.file.format_name(), new.file.name()), ("HDF5", "old.nc".to_owned()));
        let notes = new.notes.join("\n");
        assert!(notes.contains("t/2m is t_2m, because a name in HDF5 has no slash"), "{notes}");
        assert!(notes.contains("/time: the attribute CLASS is left out"), "{notes}");
        let (before, after) = (Netcdf::open(&old).unwrap(), Netcdf::open(&new.file).unwrap());
        assert!(after.omitted.is_empty(), "{:?}", after.omitted);
        let dimensions = |netcdf: &Netcdf| -> Vec<(String, u64, bool)> {
            let of = |one: &hyperslab_netcdf::Dimension| {
                (one.name.clone(), one.len, one.is_unlimited && one.len == 0)
            };
            netcdf.dimensions.iter().map(of).collect()
        };
        let mut found = dimensions(&after);
        found.sort_by_key(|(name, ..)| ["time", "lat", "n"].iter().position(|known| known == name));
        assert_eq!(found, dimensions(&before));
        for variable in &before.root().variables {
            let name = variable.name.replace('/', "_");
            let other = after.find_variable(&name).unwrap_or_else(|| panic!("{name}"));
            let of = |netcdf: &Netcdf, variable: &hyperslab_netcdf::Variable| -> Vec<String> {
                variable.dimensions.iter().map(|&id| netcdf.dimension(id).name.clone()).collect()
            };
            assert_eq!(of(&after, other), of(&before, variable), "{name}");
            assert_eq!(other.is_coordinate, variable.is_coordinate, "{name}");
            let all = |variable: &hyperslab_netcdf::Variable| {
                variable.dataset.read_bytes(&Selection::All, hyperslab::Endianness::Native).unwrap()
            };
            assert_eq!(all(other), all(variable), "{name}");
            let names: Vec<&str> = other.attributes.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(names, ["units"], "{name}");
        }
    }
}

#[test]
fn what_is_seen_is_a_sound_hdf5_file() {
    let new = as_netcdf4(&classic(4), false).unwrap();
    let report = hyperslab_check::check(&*new.file.source(), hyperslab_check::Options::default()).unwrap();
    assert_eq!((report.errors, report.warnings), (0, 0), "{:?}", report.findings);
}
