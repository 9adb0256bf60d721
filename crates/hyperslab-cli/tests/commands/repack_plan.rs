//! What the plan of `hyperslab repack` says beside which datasets change, what is refused, and the order of attributes.

use super::{run, script};
use hyperslab_testkit::{Missing, require};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A file with what old releases cannot read.
fn modern(folder: &Path) -> Result<PathBuf, Missing> {
    let path = folder.join("in.h5");
    script(
        r#"
import sys, h5py
with h5py.File(sys.argv[1], "w", libver="v110") as f:
    f.create_dataset("plain", data=[1, 2, 3])
    for name in "ab":
        f.create_group(name, track_order=True)
    layout = h5py.VirtualLayout((3,), "i8")
    layout[...] = h5py.VirtualSource(".", "plain", (3,))
    f.create_virtual_dataset("view", layout)
"#,
        &[&path],
    )?;
    Ok(path)
}

fn plan(input: &Path, options: &[&str]) -> (String, Value) {
    let output = input.with_file_name("never.h5");
    let arguments = [&["repack", "{}", output.to_str().unwrap(), "--dry-run"], options].concat();
    let text = run(&arguments, input);
    assert_eq!(text.code, 0, "{options:?}: {}", text.err);
    let document = run(&[&arguments[..], &["--json"]].concat(), input);
    let document: Value = serde_json::from_str(&document.out).unwrap();
    (text.out, document["plan"].clone())
}

#[test]
fn the_plan_names_what_is_newer_than_the_bound() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(modern(folder.path()));
    let (text, document) = plan(&input, &["--libver", "earliest", "--page-size", "4096"]);
    for line in [
        "/a and another object need HDF5 1.8 or later: creation order of links\n",
        "/a and another object need HDF5 1.8 or later: creation order of attributes\n",
        "the file needs HDF5 1.8 or later: pages (superblock version 2)\n",
        "/view needs HDF5 1.10 or later: virtual datasets\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    let raised = document["raised"].as_array().unwrap();
    assert_eq!(raised.len(), 4, "{raised:?}");
    let view = json!({"feature": "virtual datasets", "release": "1.10", "path": "/view", "objects": 1});
    assert_eq!(raised[3], view);
    let (text, document) = plan(&input, &[]);
    assert!(!text.contains("or later") && document["raised"] == json!([]), "{text}");
    let output = folder.path().join("out.h5");
    let ended = run(&["repack", "{}", output.to_str().unwrap(), "--libver", "v18"], &input);
    let note = "note: /view needs HDF5 1.10 or later: virtual datasets\n";
    assert!(ended.code == 0 && ended.err.contains(note), "{}", ended.err);
}

#[test]
fn what_a_run_cannot_be_meant_to_do_is_refused_or_said() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(modern(folder.path()));
    let output = folder.path().join("out.h5");
    let repack = |options: &[&str]| {
        run(&[&["repack", "{}", output.to_str().unwrap(), "--overwrite"], options].concat(), &input)
    };
    for (options, says) in [
        (&["--only", "*", "--drop", "*"][..], "`--drop *`: leaves out everything that `--only` chooses"),
        (&["--memory", "1"], "takes at least 32.0 MiB of memory"),
        (&["--page-size", "2GiB"], "they have from 512 bytes to 1 GiB"),
    ] {
        for more in [&[][..], &["--dry-run"]] {
            let ended = repack(&[options, more].concat());
            assert_eq!((ended.code, output.exists()), (2, false), "{options:?}: {}", ended.err);
            assert!(ended.err.contains(says), "{options:?}: {}", ended.err);
        }
    }
    let ended = repack(&["--drop", "*"]);
    assert!(ended.code == 0 && ended.err.contains("no object but the root group is left"), "{}", ended.err);
    let ended = repack(&["--profile", "cmip7"]);
    assert!(ended.code == 0 && ended.err.contains("no global attribute variable_id"), "{}", ended.err);
}

#[cfg(unix)]
#[test]
fn other_names_of_a_file_that_is_replaced_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(modern(folder.path()));
    let other = folder.path().join("other.h5");
    fs::hard_link(&input, &other).unwrap();
    let before = fs::read(&other).unwrap();
    let ended = run(&["repack", "--in-place", "{}"], &input);
    assert!(ended.code == 0 && ended.err.contains("has 2 names (hard links)"), "{}", ended.err);
    assert!(fs::read(&other).unwrap() == before && fs::read(&input).unwrap() != before);
}

/// libhdf5 and netCDF-C list attributes by their creation order even if it is not tracked, dense ones by the numbers in the
/// records of their index.
#[test]
fn many_attributes_keep_an_order_that_is_not_tracked() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.h5");
    let names = "zeta alpha units long_name mid b1 a1 c9 q2 k3";
    let write = format!(
        "import sys, h5py\nwith h5py.File(sys.argv[1], 'w') as f:\n    \
         for name in '{names}'.split():\n        f.attrs[name] = 1\n"
    );
    require!(script(&write, &[&input]));
    let read = "import sys, h5py\nwith h5py.File(sys.argv[1]) as f:\n    \
                print(*(h5py.h5a.open(f.id, index=i, index_type=h5py.h5.INDEX_CRT_ORDER).name.decode() \
                for i in range(len(f.attrs))))\n";
    for bound in ["earliest", "v18", "v110", "latest"] {
        let [first, second] =
            ["first", "second"].map(|name| folder.path().join(format!("{bound}-{name}.h5")));
        for (from, to) in [(&input, &first), (&first, &second)] {
            let ended = run(&["repack", "{}", to.to_str().unwrap(), "--libver", bound], from);
            assert_eq!(ended.code, 0, "{}", ended.err);
            assert_eq!(require!(script(read, &[to])), names, "{bound}");
        }
        assert!(fs::read(&first).unwrap() == fs::read(&second).unwrap(), "{bound}");
        let listed = run(&["ls", "--netcdf", "{}"], &first).out;
        let places: Vec<_> = names.split(' ').map(|name| listed.find(&format!(":{name} = "))).collect();
        assert!(places.is_sorted() && places[0].is_some(), "{listed}");
    }
}
