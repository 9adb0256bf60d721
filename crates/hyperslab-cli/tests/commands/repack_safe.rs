//! `hyperslab repack` where values, a file or a process could be lost: what is refused, and what is kept.

use super::{repacked, run};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs a Python script, in which `path` joins names to the folder; returns what it prints.
fn script(folder: &Path, body: &str) -> Result<String, Missing> {
    let begin = "import sys, os, h5py, numpy as np\nfrom functools import partial\npath = partial(os.path.join, sys.argv[1])\n";
    super::script(&format!("{begin}{body}"), &[folder])
}

/// Repacks `in.h5` of a folder to `out.h5`; the exit code, and what is said on standard error.
fn repack(folder: &Path, options: &[&str]) -> (i32, String) {
    let (ended, _) = repacked(&folder.join("in.h5"), options);
    (ended.code, ended.err)
}

#[test]
fn a_larger_user_block_ends_with_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::copy(require!(fixture("command_line/tour.h5")), folder.join("in.h5")).unwrap();
    assert_eq!(repack(folder, &["--user-block", "2048"]).0, 0);
    let bytes = fs::read(folder.join("out.h5")).unwrap();
    assert!(bytes[..2048].iter().all(|byte| *byte == 0) && bytes[2048..].starts_with(b"\x89HDF"));
    // And once more, from a file that has one with something in it.
    let mut bytes = bytes;
    bytes[..5].copy_from_slice(b"hello");
    fs::write(folder.join("in.h5"), &bytes).unwrap();
    assert_eq!(repack(folder, &["--user-block", "4096"]).0, 0);
    let bytes = fs::read(folder.join("out.h5")).unwrap();
    assert!(bytes.starts_with(b"hello\0") && bytes[5..4096].iter().all(|byte| *byte == 0));
    assert_eq!(run(&["check", "{}"], &folder.join("out.h5")).code, 0);
}

#[test]
fn values_are_not_rounded_again_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
import hdf5plugin
x = np.random.default_rng(0).normal(size=(100, 200)).astype("f4")
with h5py.File(path("in.h5"), "w") as f:
    f.create_dataset("scaled", data=x, chunks=(10, 200), scaleoffset=2)
    f.create_dataset("sz", data=x, chunks=(10, 200), compression=hdf5plugin.SZ(absolute=.01))
    f.create_dataset("sz3", data=x, chunks=(10, 200), compression=hdf5plugin.SZ3(absolute=.01))
    f.create_dataset("sperr", data=x, chunks=(10, 200), compression=hdf5plugin.Sperr(rate=8))
    f.create_dataset("counts", data=np.arange(400).reshape(20, 20), chunks=(5, 20), scaleoffset=0)
"#
    ));
    for name in ["scaled", "sz", "sz3", "sperr"] {
        let (code, said) = repack(folder, &["--chunks", &format!("/{name}:50x200")]);
        assert!(code == 2 && said.contains("would round the values again"), "{name}: {code} {said}");
    }
    // Integers are kept exactly.
    assert_eq!(repack(folder, &["--chunks", "/counts:10x20"]), (0, String::new()));
}

#[test]
fn parameters_of_plugins_are_those_that_libhdf5_computes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
x = np.cumsum(np.random.default_rng(0).normal(size=(3, 60, 80)), axis=2)
with h5py.File(path("in.h5"), "w") as f:
    f["x"] = x.astype("f4")
    f["i"] = (x * 9).astype("i2")
"#
    ));
    let bound = "0,1069128089,2576980378,0,0,0,0,0,0";
    let cases = [
        ("x", "1x60x80", format!("32017={bound}"), "hdf5plugin.SZ(absolute=.1)", 0.11),
        ("i", "3x60x80", format!("32017={bound}"), "hdf5plugin.SZ(absolute=.1)", 0.11),
        ("x", "1x60x80", format!("32024={bound}"), "hdf5plugin.SZ3(absolute=.1)", 0.11),
        ("x", "3x60x80", "32028=939741802,0".to_owned(), "hdf5plugin.Sperr(absolute=.1)", 0.11),
        (
            "x",
            "1x60x80",
            "32028=268959744,1".to_owned(),
            "hdf5plugin.Sperr(rate=8, missing_value_mode=1)",
            1.0,
        ),
        ("i", "1x60x80", "32018".to_owned(), "hdf5plugin.FciDecomp()", 0.5),
        ("i", "3x60x80", "32018".to_owned(), "hdf5plugin.FciDecomp()", 0.5),
    ];
    let plugins = require!(script(folder, "import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)"));
    for (name, chunks, filter, plugin, error) in cases {
        let (chunks_of, filter_of) = (format!("/{name}:{chunks}"), format!("/{name}:{filter}"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
        command.args([
            "repack",
            "in.h5",
            "out.h5",
            "--overwrite",
            "--chunks",
            &chunks_of,
            "--filter",
            &filter_of,
        ]);
        let ended = command.current_dir(folder).env("HDF5_PLUGIN_PATH", &plugins).output().unwrap();
        assert!(ended.status.success(), "{plugin}: {}", String::from_utf8_lossy(&ended.stderr));
        let found = script(
            folder,
            &format!(
                r#"
import hdf5plugin
with h5py.File(path("out.h5")) as f, h5py.File(path("theirs.h5"), "w") as g:
    d = f["{name}"]
    e = g.create_dataset("{name}", data=h5py.File(path("in.h5"))["{name}"][:], chunks=d.chunks, compression={plugin})
    filters = [one.id.get_create_plist().get_filter(0)[2] for one in (d, e)]
    assert filters[0] == filters[1], filters
    # libhdf5 keeps what became larger; both decode to what is near enough.
    for one in (d, e):
        assert abs(one[:] - h5py.File(path("in.h5"))["{name}"][:]).max() < {error}
"#
            ),
        );
        require!(found);
    }
    for (filter, says) in [
        ("/x:32017=1", "nine numbers are required"),
        ("/x:32028", "the bound is required"),
        ("/x:32018", "integers of 1 or 2 bytes"),
        ("40000=1", "40000"),
    ] {
        let (code, said) = repack(folder, &["--filter", filter]);
        assert!(code == 2 && said.contains(says), "{filter}: {code} {said}");
    }
}

#[test]
fn zfp_keeps_its_accuracy_or_leaves_a_chunk_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
x = np.random.default_rng(0).normal(size=(80, 100)) * 1e6
x[3, 4] = 1e300
with h5py.File(path("in.h5"), "w") as f: f.create_dataset("x", data=x, chunks=(40, 100))
"#
    ));
    assert_eq!(repack(folder, &["--filter", "/x:zfp-accuracy=0.01"]).0, 0);
    let masks = require!(script(
        folder,
        r#"
import hdf5plugin
with h5py.File(path("out.h5")) as f, h5py.File(path("in.h5")) as g:
    assert abs(f["x"][:] - g["x"][:]).max() <= 0.01
    print(*(f["x"].id.get_chunk_info(number).filter_mask for number in range(2)))
"#
    ));
    assert_eq!(masks, "1 0");
}

#[test]
fn a_virtual_dataset_without_its_sources_does_not_become_fill_values() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
layout = h5py.VirtualLayout((4,), "i4")
layout[:] = h5py.VirtualSource("absent.h5", "x", (4,))
with h5py.File(path("in.h5"), "w") as f: f.create_virtual_dataset("v", layout, fillvalue=-1)
"#
    ));
    let (code, said) = repack(folder, &["--contiguous", "/v"]);
    assert!(code == 2 && said.contains("has its data in x of absent.h5, which is not there"), "{said}");
    require!(script(
        folder,
        "with h5py.File(path('absent.h5'), 'w') as f: f['x'] = np.arange(4, dtype='i4')"
    ));
    assert_eq!(repack(folder, &["--contiguous", "/v"]).0, 0);
    assert_eq!(require!(script(folder, "print(h5py.File(path('out.h5'))['v'][:])")), "[0 1 2 3]");
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_neither_replaced_nor_waited_for() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tour = require!(fixture("command_line/tour.h5"));
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ended = run(&["repack", "{}", pipe.to_str().unwrap(), "--overwrite"], &tour);
    assert!(ended.code != 0 && ended.err.contains("not a file"), "{}", ended.err);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let ended = run(&["repack", "{}", folder.join("out.h5").to_str().unwrap()], &pipe);
    assert!(ended.code != 0 && ended.err.contains("is a pipe"), "{}", ended.err);
    // The file behind a link is replaced, not the link.
    let (file, link) = (folder.join("file.h5"), folder.join("link.h5"));
    fs::write(&file, b"old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    assert_eq!(run(&["repack", "{}", link.to_str().unwrap(), "--overwrite"], &tour).code, 0);
    assert!(link.is_symlink() && fs::read(&file).unwrap().starts_with(b"\x89HDF"));
}

#[test]
fn pages_stay_unless_something_else_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
with h5py.File(path("in.h5"), "w", fs_strategy="page", fs_page_size=8192) as f: f["x"] = np.arange(3000)
"#
    ));
    let strategy = "
plist = h5py.File(path('out.h5')).id.get_create_plist()
print(plist.get_file_space_strategy()[0] == h5py.h5f.FSPACE_STRATEGY_PAGE, plist.get_file_space_page_size())
";
    for (options, expected) in [
        (&["--filter", "shuffle+gzip=4"][..], "True 8192"),
        (&["--page-size", "4096"], "True 4096"),
        (&["-S", "FSM_AGGR"], "False 4096"),
        (&["--libver", "earliest"], "False 4096"),
    ] {
        assert_eq!(repack(folder, options).0, 0);
        assert_eq!(require!(script(folder, strategy)), expected, "{options:?}");
    }
}

#[test]
fn options_about_all_datasets_may_find_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
os.mkdir(path("many"))
with h5py.File(path("in.h5"), "w") as f: f.create_group("g").attrs["a"] = 1
for name in "ab":
    with h5py.File(path("many", name + ".h5"), "w") as f: f[name] = np.arange(9000)
with open(path("recipe.toml"), "w") as f: f.write('[[dataset]]\nobjects = "/a"\nchunks = "100"\n')
"#
    ));
    assert_eq!(repack(folder, &["--filter", "shuffle+gzip=4"]), (0, String::new()));
    assert_eq!(repack(folder, &["--filter", "/absent:gzip=4"]).0, 2);
    // A recipe serves all files alike: what one of them lacks is said.
    let recipe = folder.join("recipe.toml");
    let out = folder.join("packed");
    let words = ["repack", "--recipe", recipe.to_str().unwrap(), "{}", out.to_str().unwrap(), "--json"];
    let ended = run(&words, &folder.join("many"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("no dataset has this path or name"), "{}", ended.out);
    let chunks =
        "print(h5py.File(path('packed/a.h5'))['a'].chunks, h5py.File(path('packed/b.h5'))['b'].chunks)";
    assert_eq!(require!(script(folder, chunks)), "(100,) None");
}

#[test]
fn what_loses_the_name_of_its_type_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
with h5py.File(path("in.h5"), "w") as f:
    f["type"] = np.dtype([("x", "f4")])
    f.create_dataset("typed", (3,), dtype=f["type"])
    f.create_dataset("other", data=[1])
"#
    ));
    let out = folder.join("out.h5");
    let ended =
        run(&["repack", "{}", out.to_str().unwrap(), "--drop", "type", "--json"], &folder.join("in.h5"));
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let severed = &document["plan"]["selection"]["severed"];
    assert_eq!(severed[0]["path"], "/typed", "{severed}");
    assert!(severed[0]["what"].as_str().unwrap().contains("datatype /type is left out"), "{severed}");
    assert_eq!(severed.as_array().unwrap().len(), 1);
}

#[test]
fn members_of_a_family_count_together() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    require!(script(
        folder,
        r#"
with h5py.File(path("in%d.h5"), "w", driver="family", memb_size=20000) as f: f["x"] = np.arange(20000)
"#
    ));
    let out = folder.join("out.h5");
    let ended = run(&["repack", "{}", out.to_str().unwrap(), "--json"], &folder.join("in0.h5"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert!(document["result"]["bytes_before"].as_u64().unwrap() > 160_000, "{}", document["result"]);
}
