//! Copies of files as netCDF classic.

use super::{Classic, Version};
use crate::tests::classic;
use hyperslab::{Endianness, File, Selection};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_netcdf::Netcdf;
use std::cell::Cell;
use std::sync::Arc;

fn written(file: &File, version: Version) -> (Vec<u8>, File) {
    let plan = Classic::plan(&Netcdf::open(file).unwrap(), version).unwrap();
    assert_eq!(plan.notes, Vec::<String>::new());
    let (sink, heard) = (MemorySink::default(), Cell::new(0));
    let progress = |bytes| {
        heard.set(heard.get() + bytes);
        Ok(())
    };
    plan.write(&sink, &progress).unwrap();
    assert_eq!(heard.get(), plan.value_bytes());
    let bytes = sink.into_bytes();
    assert_eq!(bytes.len() as u64, plan.file_bytes().unwrap());
    let new = File::from_source(Arc::new(Memory::new("new.nc", bytes.clone()))).unwrap();
    assert_eq!(plan.verify(&new, &|_| Ok(())).unwrap(), plan.header_bytes() + plan.value_bytes());
    (bytes, new)
}

#[test]
fn each_version_holds_the_same_dimensions_attributes_and_values() {
    for records in [0, 1, 5] {
        let old = classic(records);
        for version in [Version::Classic, Version::Offset64, Version::Data64] {
            let (bytes, new) = written(&old, version);
            assert_eq!(bytes, written(&old, version).0, "a second run gives the same bytes");
            let (before, after) = (Netcdf::open(&old).unwrap(), Netcdf::open(&new).unwrap());
            let dimensions = |netcdf: &Netcdf| -> Vec<(String, u64, bool)> {
                let of = |one: &hyperslab_netcdf::Dimension| (one.name.clone(), one.len, one.is_unlimited);
                netcdf.dimensions.iter().map(of).collect()
            };
            assert_eq!(dimensions(&after), dimensions(&before));
            assert_eq!(after.root().variables.len(), before.root().variables.len());
            for (ours, theirs) in after.root().variables.iter().zip(&before.root().variables) {
                assert_eq!((&ours.name, &ours.dimensions), (&theirs.name, &theirs.dimensions));
                let read = |one: &hyperslab_netcdf::Variable| {
                    one.dataset.read_bytes(&Selection::All, Endianness::Native).unwrap()
                };
                assert_eq!(read(ours), read(theirs), "{} of {records} records", ours.name);
                let names = |one: &hyperslab_netcdf::Variable| -> Vec<String> {
                    one.attributes.iter().map(|attribute| attribute.name.clone()).collect()
                };
                assert_eq!(names(ours), names(theirs));
            }
        }
    }
}

#[test]
fn a_changed_byte_is_found() {
    let old = classic(3);
    let (mut bytes, _) = written(&old, Version::Classic);
    let plan = Classic::plan(&Netcdf::open(&old).unwrap(), Version::Classic).unwrap();
    let last = bytes.len() - 1;
    for at in [5, last] {
        bytes[at] ^= 1;
        let changed = Memory::new("new.nc", bytes.clone());
        if let Ok(file) = File::from_source(Arc::new(changed)) {
            assert!(plan.verify(&file, &|_| Ok(())).is_err(), "byte {at}");
        }
        bytes[at] ^= 1;
    }
}
