//! `hyperslab repack` never rounds values unless it is told how much.

use super::{run, script};
use hyperslab_testkit::{Missing, require};
use std::path::{Path, PathBuf};

fn numbers(folder: &Path) -> Result<PathBuf, Missing> {
    let path = folder.join("in.h5");
    script(
        r#"
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.create_dataset("floats", data=np.linspace(0, 9, 3000).reshape(30, 100), chunks=(30, 100))
    f.create_dataset("counts", data=np.arange(3000).reshape(30, 100), chunks=(30, 100))
"#,
        &[&path],
    )?;
    Ok(path)
}

fn repacked(input: &Path, options: &[&str]) -> (i32, String, PathBuf) {
    let output = input.with_file_name("out.h5");
    let arguments = [&["repack", "{}", output.to_str().unwrap(), "--overwrite"], options].concat();
    let ended = run(&arguments, input);
    (ended.code, format!("{}{}", ended.out, ended.err), output)
}

/// The largest differences of both datasets, and their numbers of filters.
fn differences(input: &Path, output: &Path) -> Result<String, Missing> {
    script(
        "import sys, h5py; a, b = (h5py.File(path) for path in sys.argv[1:])\n\
         filters = lambda d: d.id.get_create_plist().get_nfilters()\n\
         print(*(f'{abs(a[n][:] - b[n][:]).max():.0e} {filters(b[n])}' for n in ('floats', 'counts')))",
        &[input, output],
    )
}

#[test]
fn floats_are_scaled_only_to_a_number_of_places() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(numbers(folder.path()));
    for filters in ["/floats:scaleoffset", "/floats:6", "/floats:shuffle+scaleoffset"] {
        let (code, said, _) = repacked(&input, &["--filter", filters]);
        assert_eq!(code, 2, "{filters}: {said}");
        assert!(said.contains("`scaleoffset=2` keeps two"), "{said}");
    }
    // Of all datasets, those that would be rounded stay as they are; integers keep all bits that they need.
    let (code, said, output) = repacked(&input, &["--filter", "scaleoffset"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("/floats stays as it is") && said.contains("`scaleoffset=2` keeps two"), "{said}");
    assert_eq!(require!(differences(&input, &output)), "0e+00 0 0e+00 1");
    for options in [["--filter", "/floats:scaleoffset=2"], ["-f", "/floats:SOFF=2,DS"]] {
        let (code, said, output) = repacked(&input, &options);
        assert_eq!(code, 0, "{said}");
        assert_eq!(require!(differences(&input, &output)), "9e-03 1 0e+00 0");
    }
}

#[test]
fn filters_that_round_need_a_number() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(numbers(folder.path()));
    for filters in [
        "bitgroom",
        "granularbitround",
        "zfp-rate",
        "zfp-accuracy",
        "zfp-precision",
        "round=",
        "32017",
        "32024",
    ] {
        let (code, said, output) = repacked(&input, &["--filter", &format!("/floats:{filters}")]);
        assert_eq!((code, output.exists()), (2, false), "{filters}: {said}");
    }
    for filters in ["zfp", "32013", "szip", "nbit", "shuffle+zstd", "lz4", "blosc", "blosc2", "bitshuffle"] {
        let (code, said, output) = repacked(&input, &["--filter", &format!("/counts:{filters}"), "--json"]);
        assert_eq!(code, 0, "{filters}: {said}");
        let document: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(document["result"]["rounding"], serde_json::json!([]), "{filters}");
        std::fs::remove_file(output).unwrap();
    }
}
