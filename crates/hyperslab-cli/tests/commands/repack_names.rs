//! `hyperslab repack` of objects whose names have characters that options use.

use super::{run, script};
use hyperslab::File;
use hyperslab_testkit::{Missing, require};
use std::path::{Path, PathBuf};

/// A file with names that contain `=` and `[`.
fn odd(folder: &Path) -> Result<PathBuf, Missing> {
    let path = folder.join("in.h5");
    script(
        r#"
import sys, h5py
with h5py.File(sys.argv[1], "w") as f:
    for name in ("a=b", "a", "x=y/z", "data[0]"):
        f.create_dataset(name, data=range(10), chunks=(5,))
"#,
        &[&path],
    )?;
    Ok(path)
}

/// Runs a repack with options: its exit code, what it says, and the file that it writes.
fn repacked(input: &Path, options: &[&str]) -> (i32, String, PathBuf) {
    let output = input.with_file_name("out.h5");
    let arguments = [&["repack", "{}", output.to_str().unwrap(), "--overwrite"], options].concat();
    let ended = run(&arguments, input);
    (ended.code, ended.err, output)
}

#[test]
fn renamed_paths_may_contain_equals_signs() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(odd(folder.path()));
    for (text, from, to) in [
        ("/a=c", "/a", "/c"),
        ("/x=y/z=c", "/x=y/z", "/x=y/c"),
        ("/x=y/z=/x=y/t=0", "/x=y/z", "/x=y/t=0"),
        ("/data[0]=data=0", "/data[0]", "/data=0"),
    ] {
        let (code, err, output) = repacked(&input, &["--rename", text]);
        assert_eq!(code, 0, "{text}: {err}");
        let file = File::open(&output).unwrap();
        assert!(file.dataset(to).is_ok() && file.dataset(from).is_err(), "{text}");
    }
    // Two objects of the file begin the text.
    let (code, err, _) = repacked(&input, &["--rename", "/a=b=c"]);
    assert_eq!(code, 2);
    assert!(err.contains("it may mean /a to /b=c, or /a=b to /c"), "{err}");
    let recipe = folder.path().join("recipe.toml");
    std::fs::write(&recipe, "[rename]\n\"/a=b\" = \"c\"\n").unwrap();
    let (code, err, output) = repacked(&input, &["--recipe", recipe.to_str().unwrap()]);
    assert_eq!(code, 0, "{err}");
    assert!(File::open(&output).unwrap().dataset("/c").is_ok());
}

#[test]
fn a_pattern_that_is_a_name_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(odd(folder.path()));
    for options in [["--only", "/data[0]"], ["--drop", "data[0]"], ["--chunks", "/data[0]:2"]] {
        let (code, err, _) = repacked(&input, &options);
        assert_eq!(code, 2, "{options:?}");
        assert!(err.contains("data[[]0]` for the object of this name"), "{options:?}: {err}");
    }
    let (code, err, output) = repacked(&input, &["--chunks", "/data[[]0]:2"]);
    assert_eq!(code, 0, "{err}");
    let chunks =
        |path: &str| File::open(&output).unwrap().dataset(path).unwrap().chunk_shape().map(<[u64]>::to_vec);
    assert_eq!((chunks("/data[0]"), chunks("/a")), (Some(vec![2]), Some(vec![5])));
    let (_, err, _) = repacked(&input, &["--chunks", "/data[2]:2"]);
    assert!(err.contains("no dataset has this path or name") && !err.contains("[[]"), "{err}");
}
