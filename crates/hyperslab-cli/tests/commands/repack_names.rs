//! `hyperslab repack` of objects whose names have characters that options use.

use super::{repacked, written};
use hyperslab::File;
use hyperslab_testkit::{Missing, require};
use std::path::{Path, PathBuf};

/// A file with names that contain `=` and `[`.
fn odd(folder: &Path) -> Result<PathBuf, Missing> {
    written(
        folder,
        "for name in ('a=b', 'a', 'x=y/z', 'data[0]'):\n    f.create_dataset(name, data=range(10), chunks=(5,))",
    )
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
        let (ended, output) = repacked(&input, &["--rename", text]);
        assert_eq!(ended.code, 0, "{text}: {}", ended.err);
        let file = File::open(&output).unwrap();
        assert!(file.dataset(to).is_ok() && file.dataset(from).is_err(), "{text}");
    }
    // Two objects of the file begin the text.
    let (ended, _) = repacked(&input, &["--rename", "/a=b=c"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("it may mean /a to /b=c, or /a=b to /c"), "{}", ended.err);
    let recipe = folder.path().join("recipe.toml");
    std::fs::write(&recipe, "[rename]\n\"/a=b\" = \"c\"\n").unwrap();
    let (ended, output) = repacked(&input, &["--recipe", recipe.to_str().unwrap()]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(File::open(&output).unwrap().dataset("/c").is_ok());
}

#[test]
fn a_pattern_that_is_a_name_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(odd(folder.path()));
    for options in [["--only", "/data[0]"], ["--drop", "data[0]"], ["--chunks", "/data[0]:2"]] {
        let (ended, _) = repacked(&input, &options);
        assert_eq!(ended.code, 2, "{options:?}");
        assert!(ended.err.contains("data[[]0]` for the object of this name"), "{options:?}: {}", ended.err);
    }
    let (ended, output) = repacked(&input, &["--chunks", "/data[[]0]:2"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let chunks =
        |path: &str| File::open(&output).unwrap().dataset(path).unwrap().chunk_shape().map(<[u64]>::to_vec);
    assert_eq!((chunks("/data[0]"), chunks("/a")), (Some(vec![2]), Some(vec![5])));
    // A group is neither a dataset nor a pattern.
    let (ended, _) = repacked(&input, &["--chunks", "/x=y:2"]);
    assert!(
        ended.err.contains("no dataset has this path or name") && !ended.err.contains('['),
        "{}",
        ended.err
    );
    let (ended, _) = repacked(&input, &["--chunks", "/data[2]:2"]);
    assert!(
        ended.err.contains("no dataset has this path or name") && !ended.err.contains("[[]"),
        "{}",
        ended.err
    );
}
