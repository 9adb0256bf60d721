//! HDF5 filter plug-ins: one that is built here, and those of the Python package `hdf5plugin`.

use hyperslab_filters::{Encoded, FilterError, FilterSpec, Pipeline, PluginSearch, Scratch, plugins};
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What the plug-in is told to do by its first parameter.
const WORK: u32 = 0;
const FAIL: u32 = 1;
const GROW: u32 = 2;
const LIE: u32 = 3;
const COUNT: u32 = 4;

const INVERT: u16 = 60_100;
const NEWER: u16 = 60_101;
const MISSING: u16 = 60_102;
const NOWHERE: u16 = 60_103;

/// Names the folder to a process of this program that another started.
const BUILT: &str = "HYPERSLAB_TEST_PLUGINS";

/// A folder with the plug-ins of `plugin.c`, built once: another process must not read a file that is being written.
fn folder() -> Result<&'static Path, Missing> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = FOLDER.get_or_init(|| {
        if let Some(folder) = std::env::var_os(BUILT).map(PathBuf::from) {
            plugins::add_folder(&folder);
            return Ok(folder);
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugins");
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        build(&folder, "libinvert.so", &[&format!("-DID={INVERT}"), "-DVERSION=1"])?;
        build(&folder, "libnewer.so", &[&format!("-DID={NEWER}"), "-DVERSION=7"])?;
        build(&folder, "libmissing.so", &[&format!("-DID={MISSING}"), "-DVERSION=1", "-DMISSING"])?;
        std::fs::write(folder.join("libtext.so"), "not a library").map_err(|error| error.to_string())?;
        plugins::add_folder(&folder);
        Ok(folder)
    });
    built.as_deref().map_err(|why| Missing::new(why.clone()))
}

fn build(folder: &Path, name: &str, definitions: &[&str]) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plugin.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(&compiler)
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.join(name))
        .args(definitions)
        .arg(source)
        .status()
        .map_err(|error| format!("{compiler}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{compiler} does not build a shared library")) }
}

fn invert(mode: &[u32], bytes: usize) -> Pipeline {
    let filter = FilterSpec { id: INVERT, optional: false, parameters: mode };
    Pipeline::new(&[filter], 1, bytes).unwrap()
}

#[test]
fn a_plug_in_decodes_and_encodes() {
    require!(folder());
    let pipeline = invert(&[WORK], 4);
    let said: Vec<String> = pipeline.describe().map(|(said, _)| said).collect();
    assert_eq!(said, ["invert (plug-in libinvert.so)"]);
    let mut scratch = Scratch::new();
    let Encoded { bytes, mask } = pipeline.encode(&[1, 2, 3, 0xff], &mut scratch).unwrap();
    assert_eq!((bytes, mask), (&[0xfe, 0xfd, 0xfc, 0][..], 0));
    let mut out = [0; 4];
    pipeline.decode_into(&[0xfe, 0xfd, 0xfc, 0], 0, &mut scratch, &mut out).unwrap();
    assert_eq!(out, [1, 2, 3, 0xff]);
    assert_eq!(pipeline.decode(&[0xfe], 0, &mut scratch, 10).unwrap(), [1]);
}

#[test]
fn a_plug_in_may_answer_with_another_buffer_but_not_with_too_much() {
    require!(folder());
    let pipeline = invert(&[GROW], 4);
    let mut scratch = Scratch::new();
    let mut out = [7; 4];
    pipeline.decode_into(&[0xfe, 0xfd], 0, &mut scratch, &mut out).unwrap();
    assert_eq!(out, [1, 2, 0, 0]);
    let error = pipeline.decode_into(&[1, 2, 3], 0, &mut scratch, &mut out).unwrap_err();
    assert_eq!(error, FilterError::TooLong { filter: "invert", max: 4 });
    assert!(matches!(
        pipeline.decode(&[1, 2, 3], 0, &mut scratch, 5),
        Err(FilterError::TooLong { max: 5, .. })
    ));
}

#[test]
fn failures_name_the_plug_in() {
    require!(folder());
    let mut scratch = Scratch::new();
    for mode in [FAIL, LIE] {
        let error = invert(&[mode], 2).decode_into(&[1, 2], 0, &mut scratch, &mut [0; 2]).unwrap_err();
        let said = error.to_string();
        assert!(
            said.starts_with("filter 60100 (invert): the plug-in /")
                && said.ends_with("libinvert.so could not decode the chunk"),
            "{said}"
        );
        assert!(!error.is_unsupported());
        let optional = FilterSpec { id: INVERT, optional: true, parameters: &[mode] };
        let encoded = Pipeline::new(&[optional], 1, 2).unwrap();
        assert_eq!(encoded.encode(&[1, 2], &mut scratch).unwrap(), Encoded { bytes: &[1, 2], mask: 1 });
    }
}

#[test]
fn one_chunk_at_a_time() {
    require!(folder());
    let pipeline = invert(&[COUNT], 1 << 16);
    let raw = vec![3; 1 << 16];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (mut scratch, mut out) = (Scratch::new(), vec![0; 1 << 16]);
                for _ in 0..50 {
                    pipeline.decode_into(&raw, 0, &mut scratch, &mut out).expect("never two at once");
                }
            });
        }
    });
}

#[test]
fn the_hint_says_where_plug_ins_were_looked_for_and_what_was_wrong_with_them() {
    let folder = require!(folder());
    let hint = |id| {
        let error = Pipeline::new(&[FilterSpec { id, optional: false, parameters: &[] }], 1, 1).unwrap_err();
        assert!(
            matches!(&error, FilterError::Unknown { plugins: PluginSearch::NotFound { folders, .. }, .. }
            if folders[0] == folder || folders.contains(&folder.to_owned()))
        );
        error.hint().unwrap()
    };
    let found = hint(NOWHERE);
    assert!(found.contains(&folder.display().to_string()), "{found}");
    assert!(found.contains("set HDF5_PLUGIN_PATH"), "{found}");
    assert!(hint(NEWER).contains("libnewer.so could not be used: its interface has version 7"));
    let found = hint(MISSING);
    assert!(found.contains("libmissing.so") && found.contains("H5E_CALLBACK_g"), "{found}");
    assert!(found.contains("set HYPERSLAB_LIBHDF5 to the file of libhdf5"), "{found}");
    assert!(found.contains("libtext.so could not be used"), "{found}");
    // FAPEC is not in the package.
    assert!(!hint(32021).contains("pip install hdf5plugin"));
}

/// Runs a test of this program again in a process with these variables.
fn again(test: &str, folder: &Path, variables: &[(&str, &str)]) {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program)
        .args([test, "--exact", "--nocapture"])
        .envs(variables.iter().copied())
        .env(BUILT, folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn they_can_be_switched_off() {
    let folder = require!(folder());
    if std::env::var_os("HYPERSLAB_PLUGINS").is_none() {
        return again("they_can_be_switched_off", folder, &[("HYPERSLAB_PLUGINS", "0")]);
    }
    let filter = FilterSpec { id: INVERT, optional: false, parameters: &[] };
    let error = Pipeline::new(&[filter], 1, 1).unwrap_err();
    assert!(matches!(error, FilterError::Unknown { plugins: PluginSearch::Off, .. }), "{error}");
    assert!(error.hint().unwrap().contains("unset HYPERSLAB_PLUGINS"));
}

#[test]
fn libhdf5_lends_its_symbols() {
    let folder = require!(folder());
    if std::env::var_os("HYPERSLAB_LIBHDF5").is_none() {
        // The library that h5py brings.
        let python = require!(python());
        let script = "import h5py, glob, os; \
            print(next(iter(sorted(glob.glob(os.path.dirname(h5py.__file__) + '/../h5py.libs/libhdf5-*')))))";
        let output = Command::new(python).args(["-c", script]).output().unwrap();
        let libhdf5 = String::from_utf8(output.stdout).unwrap();
        if libhdf5.trim().is_empty() {
            hyperslab_testkit::skip!("h5py has no libhdf5 of its own");
        }
        return again("libhdf5_lends_its_symbols", folder, &[("HYPERSLAB_LIBHDF5", libhdf5.trim())]);
    }
    let filter = FilterSpec { id: MISSING, optional: false, parameters: &[] };
    let error = Pipeline::new(&[filter], 1, 1).err();
    assert!(error.is_none(), "{folder:?} {:?}", error.and_then(|error| error.hint()));
}

/// The plug-ins of the package, or a reason why there are none.
fn of_the_package() -> Result<PathBuf, Missing> {
    let python = python()?;
    let folder = plugins::of_python(&python).into_iter().next();
    folder.ok_or_else(|| Missing::new(format!("{} has no hdf5plugin", python.display())))
}

#[test]
fn filters_without_an_encoder_are_written_by_the_package() {
    plugins::add_folder(require!(of_the_package()));
    let raw: Vec<u8> = (0..4000u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
    let filter = FilterSpec { id: 32026, optional: false, parameters: &[1, 0, 4, raw.len() as u32, 5, 1, 5] };
    let pipeline = Pipeline::new(&[filter], 4, raw.len()).unwrap();
    let mut scratch = Scratch::new();
    let Encoded { bytes, mask } = pipeline.encode(&raw, &mut scratch).unwrap();
    assert!(mask == 0 && bytes.len() < raw.len() / 10, "{} bytes", bytes.len());
    let (stored, mut out) = (bytes.to_vec(), vec![0; raw.len()]);
    // Our own decoder reads them.
    pipeline.decode_into(&stored, 0, &mut scratch, &mut out).unwrap();
    assert!(out == raw);
}

/// An encoder of a lossy filter, and what reads it: our own decoder, or the plug-in.
#[test]
fn lossy_filters_are_written_by_the_package() {
    plugins::add_folder(require!(of_the_package()));
    let values: Vec<f32> = (0..50).map(|i| (i as f32 / 9.0).sin()).collect();
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let mut scratch = Scratch::new();
    // zfp at 8 bits per value: the client data that its plug-in stores for 50 values of 4 bytes.
    for (id, parameters, error_max) in [(32013, vec![269_504_785, 91_252_346, 786, 32_505_856], 0.1)] {
        let filter = FilterSpec { id, optional: false, parameters: &parameters };
        let pipeline = Pipeline::new(&[filter], 4, raw.len()).unwrap();
        let stored = pipeline.encode(&raw, &mut scratch).unwrap().bytes.to_vec();
        assert!(stored.len() < raw.len(), "{} bytes", stored.len());
        let mut out = vec![0; raw.len()];
        pipeline.decode_into(&stored, 0, &mut scratch, &mut out).unwrap();
        for (bytes, value) in out.as_chunks::<4>().0.iter().zip(&values) {
            assert!((f32::from_le_bytes(*bytes) - value).abs() < error_max, "{id}");
        }
    }
}
