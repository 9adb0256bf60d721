//! What a library of the user's says where it fails: the cause, not the name of the call again.

use hyperslab_engines::library::of_python;
use hyperslab_engines::{Engine, OpenOptions};
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, skipped};

#[test]
fn an_absent_file_is_told_of_by_every_library() {
    let python = require!(python());
    let found = require!(of_python(&python).ok_or_else(|| Missing::new("the Python does not run")));
    for (package, libraries) in [("netCDF4", found.netcdf.len()), ("pyhdf", found.hdf4.len())] {
        if libraries == 0 {
            skipped(&Missing::new(format!("no {package} (pip install {package})")));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent");
    let said = |engine: Engine| {
        let opened = engine.prepare().unwrap().open(&absent, "/d", &OpenOptions::default());
        opened.err().expect("there is no such file").to_string()
    };
    let no_such_file = std::io::Error::from_raw_os_error(2).to_string();
    let os_words = no_such_file.split(" (").next().unwrap();
    for library in found.hdf5 {
        let said = said(Engine::Libhdf5(library));
        assert!(said.starts_with("H5Fopen: ") && said.contains(os_words), "{said}");
    }
    for library in found.netcdf {
        let said = said(Engine::Netcdf(library));
        assert!(said.starts_with("nc_open: ") && said.contains(os_words), "{said}");
    }
    for library in found.hdf4 {
        let said = said(Engine::Hdf4(library));
        assert!(said.starts_with("SDstart: "), "{said}");
        println!("{said}");
    }
}
