//! `hyperslab repack` never rounds values unless it is told how much.

use super::{repacked, script, written};
use hyperslab_testkit::{Missing, require};
use std::path::{Path, PathBuf};

fn numbers(folder: &Path) -> Result<PathBuf, Missing> {
    written(
        folder,
        "f.create_dataset('floats', data=np.linspace(0, 9, 3000).reshape(30, 100), chunks=(30, 100))\n\
         f.create_dataset('counts', data=np.arange(3000).reshape(30, 100), chunks=(30, 100))",
    )
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
        let (ended, _) = repacked(&input, &["--filter", filters]);
        assert_eq!(ended.code, 2, "{filters}: {ended:?}");
        assert!(ended.err.contains("`scaleoffset=2` keeps two"), "{ended:?}");
    }
    // Of all datasets, those that would be rounded stay as they are; integers keep all bits that they need.
    let (ended, output) = repacked(&input, &["--filter", "scaleoffset"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.err.contains("/floats stays as it is") && ended.err.contains("`scaleoffset=2` keeps two"),
        "{ended:?}"
    );
    assert_eq!(require!(differences(&input, &output)), "0e+00 0 0e+00 1");
    for options in [["--filter", "/floats:scaleoffset=2"], ["-f", "/floats:SOFF=2,DS"]] {
        let (ended, output) = repacked(&input, &options);
        assert_eq!(ended.code, 0, "{ended:?}");
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
        let (ended, output) = repacked(&input, &["--filter", &format!("/floats:{filters}")]);
        assert_eq!((ended.code, output.exists()), (2, false), "{filters}: {ended:?}");
    }
    for filters in ["zfp", "32013", "szip", "nbit", "shuffle+zstd", "lz4", "blosc", "blosc2", "bitshuffle"] {
        let (ended, output) = repacked(&input, &["--filter", &format!("/counts:{filters}"), "--json"]);
        assert_eq!(ended.code, 0, "{filters}: {ended:?}");
        let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(document["result"]["rounding"], serde_json::json!([]), "{filters}");
        std::fs::remove_file(output).unwrap();
    }
}

#[test]
fn missing_values_stay_when_values_are_rounded() {
    let folder = tempfile::tempdir().unwrap();
    // As integers of either byte order, and as a float of another size.
    for missing in ["np.int16(-9999)", "np.array([-9999], '>i4')", "np.float64(-9999)"] {
        let body = format!(
            "d = f.create_dataset('d', data=np.array([1234.5, -9999, 7], 'f4'), chunks=(3,))\n\
             d.attrs['missing_value'] = {missing}"
        );
        let input = require!(written(folder.path(), &body));
        let (ended, output) = repacked(&input, &["--filter", "round=-1+gzip=1"]);
        assert_eq!(ended.code, 0, "{missing}: {ended:?}");
        let values = "import sys, h5py; print(h5py.File(sys.argv[1])['d'][:].tolist())";
        assert_eq!(require!(script(values, &[&output])), "[1232.0, -9999.0, 8.0]", "{missing}");
    }
}
