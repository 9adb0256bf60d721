//! The lines that the doctor gives, run by the programs that they are for: at least half of what they promise arrives, in
//! bytes that are read or stored. Asked again about a file that was repacked as it said, the doctor recommends no further change.

use super::faults::{finding, pasted, report, written};
use super::run::run;
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, skipped};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rows of two chunks of 12 MiB, which no libhdf5 holds by default.
const LARGE_CHUNKS: &str = "f.create_dataset('d', data=r.integers(0, 9, (2, 1536, 2048)).astype('f4'), chunks=(1, 1536, 2048), compression='gzip', compression_opts=1)";
/// The read: 16 of each chunk.
const ROWS: &str = "1x96x2048";

/// Reads the dataset in blocks after the line, and prints how many bytes that took from the file.
const READ: &str = r"
import sys
file, target, line = sys.argv[1:4]
if target == 'h5py':
    import h5py
    opened = eval(line) if line else h5py.File(file)
    d = opened['/d']
elif target == 'netCDF4':
    import netCDF4
    nc = netCDF4.Dataset(file)
    nc['/d'].set_var_chunk_cache(size=1 << 20, nelems=521, preemption=0.75)
    if line:
        eval(line)
    d = nc['/d']
else:
    import netCDF4, xarray as xr
    netCDF4.set_chunk_cache(1 << 20, 521, 0.75)
    setting, opening = line.split('; ') if line else ('', 'xr.open_dataset(file, engine=\'netcdf4\')')
    exec(setting)
    d = eval(opening)['d']
def read_bytes():
    with open('/proc/self/io') as counts:
        return int(counts.read().split()[1])
before = read_bytes()
for i in range(2):
    for j in range(0, 1536, 96):
        d[i, j:j + 96, :].sum().item()
print(read_bytes() - before)
";

/// The same in C. `LINE` is the line, with `dapl` for the dataset that is opened.
const READ_C: &str = r#"
int main(int argc, char **argv) {
    hid_t file, dapl, dset, space, memory;
    hsize_t count[] = {1, 96, 2048}, start[] = {0, 0, 0};
    static float block[96 * 2048];
    H5open();
    dapl = H5Pcreate(H5P_CLS_DATASET_ACCESS_ID_g);
    LINE
    file = H5Fopen(argv[1], 0, 0);
    dset = H5Dopen2(file, "/d", dapl);
    space = H5Dget_space(dset);
    memory = H5Screate_simple(3, count, 0);
    long before = read_bytes();
    for (start[0] = 0; start[0] < 2; start[0]++)
        for (start[1] = 0; start[1] < 1536; start[1] += 96) {
            H5Sselect_hyperslab(space, 0, start, 0, count, 0);
            if (H5Dread(dset, H5T_NATIVE_FLOAT_g, memory, space, 0, block) < 0) return 1;
        }
    printf("%ld\n", read_bytes() - before);
    return 0;
}
"#;

/// Writes the values of `/d` to `out.h5` with `dcpl` as the line sets it.
const WRITE_C: &str = r#"
int main(int argc, char **argv) {
    H5open();
    hid_t dcpl = H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g);
    LINE
    hid_t file = H5Fopen(argv[1], 0, 0), dset = H5Dopen2(file, "/d", 0), space = H5Dget_space(dset);
    double *values = malloc(8 * H5Sget_simple_extent_npoints(space));
    if (H5Dread(dset, H5T_NATIVE_DOUBLE_g, 0, 0, 0, values) < 0) return 1;
    hid_t out = H5Fcreate(argv[2], 2, 0, 0);
    hid_t made = H5Dcreate2(out, "/d", H5T_NATIVE_DOUBLE_g, space, 0, dcpl, 0);
    if (H5Dwrite(made, H5T_NATIVE_DOUBLE_g, 0, 0, 0, values) < 0) return 1;
    return H5Dclose(made) < 0 || H5Fclose(out) < 0;
}
"#;

/// The functions of libhdf5 that are used, declared here: wheels have no headers.
const DECLARATIONS: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef int64_t hid_t; typedef int herr_t; typedef unsigned long long hsize_t;
extern hid_t H5P_CLS_DATASET_ACCESS_ID_g, H5P_CLS_DATASET_CREATE_ID_g, H5T_NATIVE_FLOAT_g, H5T_NATIVE_DOUBLE_g;
herr_t H5open(void); hid_t H5Pcreate(hid_t); herr_t H5Pset_chunk_cache(hid_t, size_t, size_t, double);
herr_t H5Pset_chunk(hid_t, int, const hsize_t *); herr_t H5Pset_shuffle(hid_t); herr_t H5Pset_deflate(hid_t, unsigned);
herr_t H5Pset_fletcher32(hid_t); hid_t H5Fopen(const char *, unsigned, hid_t);
hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t); herr_t H5Fclose(hid_t);
hid_t H5Dopen2(hid_t, const char *, hid_t); hid_t H5Dcreate2(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Dget_space(hid_t); herr_t H5Dclose(hid_t); hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
int64_t H5Sget_simple_extent_npoints(hid_t);
herr_t H5Sselect_hyperslab(hid_t, int, const hsize_t *, const hsize_t *, const hsize_t *, const hsize_t *);
herr_t H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, void *); herr_t H5Dwrite(hid_t, hid_t, hid_t, hid_t, hid_t, const void *);
static long read_bytes(void) {
    long count = 0; FILE *counts = fopen("/proc/self/io", "r");
    if (counts && fscanf(counts, "rchar: %ld", &count) != 1) count = -1;
    if (counts) fclose(counts);
    return count;
}
"#;

/// The output of a Python program; [`Missing`] if a package that it imports is not there.
fn asked(program: &str, arguments: &[&str], folder: &Path) -> Result<String, Missing> {
    let output =
        Command::new(python()?).args(["-c", program]).args(arguments).current_dir(folder).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    if let Some(missing) = error.lines().find(|line| line.starts_with("ModuleNotFoundError")) {
        return Err(Missing::new(missing.to_owned()));
    }
    assert!(output.status.success(), "{arguments:?}: {error}");
    Ok(String::from_utf8(output.stdout).unwrap())
}

/// A C program with a line in it, linked with the libhdf5 that h5py loads.
fn compiled(folder: &Path, body: &str, line: &str) -> Result<PathBuf, Missing> {
    let maps = "import h5py\nprint(next(w for l in open('/proc/self/maps') for w in l.split()[5:] if '/libhdf5-' in w or '/libhdf5.so' in w or '/libhdf5_serial.so' in w))";
    let library = asked(maps, &[], folder)?;
    let library = Path::new(library.trim());
    if Command::new("cc").arg("--version").output().is_err() {
        return Err(Missing::new("cc is not installed".to_owned()));
    }
    let (source, program) = (folder.join("line.c"), folder.join("line"));
    fs::write(&source, format!("{DECLARATIONS}{}", body.replace("LINE", line))).unwrap();
    let search = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let output = Command::new("cc")
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .args([library.as_os_str(), search.as_ref(), "-Wl,--allow-shlib-undefined".as_ref()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(program)
}

fn printed(program: &Path, arguments: &[&Path]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_cache_of_every_line_reads_each_chunk_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "large.h5", LARGE_CHUNKS));
    if !Path::new("/proc/self/io").exists() {
        return skipped(&Missing::new("this system does not count what a process reads".to_owned()));
    }
    let told = report(&path, &["--read", ROWS, "--profile", "libhdf5"]);
    let found = finding(&told, "cache-smaller-than-chunk");
    let (decodes, chunks) = (
        found["evidence"]["hit"][0]["decodes"].as_f64().unwrap(),
        found["evidence"]["chunks_touched"].as_f64().unwrap(),
    );
    assert_eq!((decodes, chunks), (32.0, 2.0));
    let file = path.to_str().unwrap();
    let caches = found["fixes"].as_array().unwrap().iter().filter(|fix| fix["kind"] == "cache");
    let mut tried = Vec::new();
    for fix in caches {
        let target = fix["for"].as_str().unwrap();
        // Reports of tests name the file so.
        let line = &fix["line"].as_str().unwrap().replace("FILE", file);
        let read = |line: &str| -> Result<f64, Missing> {
            let told = if target == "C" {
                printed(&compiled(folder.path(), READ_C, line)?, &[&path])
            } else {
                asked(READ, &[file, target, line], folder.path())?
            };
            Ok(told.trim().parse().unwrap())
        };
        match read("").and_then(|before| Ok((before, read(line)?))) {
            Ok((before, after)) => {
                let promised = before * (1.0 - chunks / decodes);
                assert!(
                    before - after >= promised / 2.0,
                    "{target}: {before} bytes read, {after} with {line}"
                );
                tried.push(target.to_owned());
            }
            Err(missing) => skipped(&missing),
        }
    }
    assert!(tried.iter().any(|target| target == "h5py"), "{tried:?}");
}

/// Writes the values of a file's `/d` by the line, into `out.h5`.
const WRITE: &str = r"
import sys, os, h5py
file, target, line = sys.argv[1:4]
with h5py.File(file) as opened:
    data = opened['/d'][...]
if target == 'h5py':
    with h5py.File('out.h5', 'w') as out:
        eval(line)
elif target == 'netCDF4':
    import netCDF4
    with netCDF4.Dataset('out.h5', 'w') as out:
        dimensions = [out.createDimension(f'x{n}', size).name for n, size in enumerate(data.shape)]
        datatype = data.dtype
        eval(line)[...] = data
else:
    import xarray as xr
    ds = xr.Dataset({'d': ([f'x{n}' for n in range(data.ndim)], data)})
    eval(line)
    os.rename('out.nc', 'out.h5')
";

#[test]
fn the_filters_of_every_line_save_what_they_promise() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('d', data=1.98e8 + np.arange(400000) * 1e-4, chunks=(20000,), compression='gzip', compression_opts=4)";
    let path = require!(written(folder.path(), "times.h5", line));
    let told = report(&path, &[]);
    let found = finding(&told, "shuffle-missing");
    let promised = found["cost"]["bytes"].as_u64().unwrap();
    let out = folder.path().join("out.h5");
    let mut tried = Vec::new();
    for writer in found["fixes"][0]["writers"].as_array().unwrap() {
        let (target, line) = (writer["for"].as_str().unwrap(), writer["line"].as_str().unwrap());
        let _ = fs::remove_file(&out);
        let done = if target == "hyperslab" {
            repacked(line, &path);
            Ok(String::new())
        } else if target == "C" {
            compiled(folder.path(), WRITE_C, line).map(|program| printed(&program, &[&path, &out]))
        } else {
            asked(WRITE, &[path.to_str().unwrap(), target, line], folder.path())
        };
        if let Err(missing) = done {
            skipped(&missing);
            continue;
        }
        let saved = fs::metadata(&path).unwrap().len().saturating_sub(fs::metadata(&out).unwrap().len());
        assert!(saved >= promised / 2, "{target}: {saved} of {promised} bytes by {line}");
        let listed = run(&["ls", "{}", "/d"], &out).out;
        assert!(listed.contains("shuffle") && listed.contains("gzip 4"), "{target}: {listed}");
        tried.push(target.to_owned());
    }
    assert!(["hyperslab", "h5py"].iter().all(|target| tried.iter().any(|one| one == target)), "{tried:?}");
}

/// Files with a fault: the code that names it, a line that writes it, and how the file is created.
const FAULTS: [(&str, &str, &str); 11] = [
    (
        "shuffle-missing",
        "f.create_dataset('d', data=1.98e8 + np.arange(400000) * 1e-4, chunks=(20000,), compression='gzip', compression_opts=4)",
        "",
    ),
    (
        "compression-saves-nothing",
        "f.create_dataset('d', data=r.integers(0, 2**32, 8000000).astype('u4'), chunks=(200000,), compression='gzip', compression_opts=1)",
        "",
    ),
    ("chunks-too-small", "f.create_dataset('d', data=r.normal(size=100000), chunks=(8,))", ""),
    (
        "one-element-chunks",
        "f.create_dataset('d', data=r.normal(size=6000), chunks=(1,), maxshape=(None,))",
        "",
    ),
    (
        "chunk-larger-than-extent",
        "f.create_dataset('d', data=r.normal(size=(10, 1000)), chunks=(500, 1000), maxshape=(None, 1000))",
        "",
    ),
    ("wasted-edge", "f.create_dataset('d', data=r.normal(size=(1030, 1000)), chunks=(1000, 1000))", ""),
    ("unused-space", "f['lost'] = r.normal(size=400000); f['d'] = r.normal(size=400000); del f['lost']", ""),
    ("scattered-metadata", "[f.create_group(f'g{i}').create_dataset('d', data=i) for i in range(1500)]", ""),
    (
        "deep-groups",
        "[f.create_dataset('/'.join(f'l{j}_{i}' for j in range(7)) + '/d', data=np.arange(3)) for i in range(60)]",
        "",
    ),
    (
        "page-size-against-chunks",
        "f.create_dataset('d', data=r.normal(size=(100, 70, 128)), chunks=(1, 70, 128))",
        ", fs_strategy='page', fs_page_size=65536",
    ),
    (
        "variable-length-strings",
        "f.create_dataset('d', data=[f'station {i % 977:05}' for i in range(30000)], dtype=h5py.string_dtype())",
        "",
    ),
];

/// Codes and severities of all findings, those of the file first.
fn told(report: &Value) -> Vec<(String, String)> {
    let of = |findings: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        findings
            .as_array()
            .unwrap()
            .iter()
            .map(|found| (text(&found["code"]), text(&found["severity"])))
            .collect()
    };
    let datasets = report["datasets"].as_array().unwrap().iter();
    of(&report["findings"]).into_iter().chain(datasets.flat_map(|dataset| of(&dataset["findings"]))).collect()
}

/// A finding about the file or a dataset.
fn anywhere<'r>(report: &'r Value, code: &str) -> Option<&'r Value> {
    let of_file = report["findings"].as_array().unwrap().iter();
    let of_datasets = report["datasets"].as_array().unwrap().iter();
    let mut all = of_file.chain(of_datasets.flat_map(|dataset| dataset["findings"].as_array().unwrap()));
    all.find(|found| found["code"] == code)
}

#[test]
fn what_was_repacked_as_the_doctor_said_contents_it() {
    for (code, line, creation) in FAULTS {
        let folder = tempfile::tempdir().unwrap();
        let line = if creation.is_empty() {
            line.to_owned()
        } else {
            // The file is made anew with other properties of its creation.
            format!("f.close(); f = h5py.File(sys.argv[1], 'w'{creation}); {line}; f.close()")
        };
        let path = require!(written(folder.path(), "bad.h5", &line));
        let before = report(&path, &[]);
        let found =
            anywhere(&before, code).unwrap_or_else(|| panic!("{code} is not among {:?}", told(&before)));
        let fixes = found["fixes"].as_array().unwrap().iter();
        let Some(fix) = fixes.clone().find(|fix| fix["for"] == "h5repack" && fix["slows_others"] == false)
        else {
            assert_eq!(code, "variable-length-strings", "{found}");
            assert!(fixes.count() > 0, "strings become fixed by writing them anew");
            continue;
        };
        contents(code, found, &path, &require!(pasted(fix["line"].as_str().unwrap(), &path)));
        let mut writers = fix["writers"].as_array().unwrap().iter();
        let own = writers.find(|writer| writer["for"] == "hyperslab");
        let own = own.unwrap_or_else(|| panic!("{code}: no line for hyperslab: {fix}"));
        contents(code, found, &path, &repacked(own["line"].as_str().unwrap(), &path));
    }
}

/// Asked about `out`, which a line made of `path`, the doctor no longer reports the finding, or at half its cost at most,
/// and nothing else above low.
fn contents(code: &str, found: &Value, path: &Path, out: &Path) {
    if let Some(promised) = found["cost"]["bytes"].as_u64() {
        let saved = fs::metadata(path).unwrap().len().saturating_sub(fs::metadata(out).unwrap().len());
        assert!(saved >= promised / 2, "{code}: {saved} of {promised} bytes");
    }
    let after = report(out, &[]);
    if let (Some(before), Some(after)) =
        (found["cost"]["seconds"].as_f64(), anywhere(&after, code).map(|found| &found["cost"]["seconds"]))
    {
        assert!(after.as_f64().unwrap() <= before / 2.0, "{code}: {before} s, then {after} s");
    } else {
        assert!(anywhere(&after, code).is_none(), "{code} again: {:?}", told(&after));
    }
    assert!(told(&after).iter().all(|(_, severity)| severity == "low"), "{code}: {:?}", told(&after));
}

/// Runs a line of `hyperslab repack`, which writes `out.h5` beside the file.
fn repacked(line: &str, path: &Path) -> PathBuf {
    let folder = path.parent().unwrap();
    let out = folder.join("out.h5");
    let _ = fs::remove_file(&out);
    let line = line.replacen("hyperslab", env!("CARGO_BIN_EXE_hyperslab"), 1);
    let line = line.replace("FILE", path.to_str().unwrap());
    let output = Command::new("sh").args(["-c", &line]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    out
}
