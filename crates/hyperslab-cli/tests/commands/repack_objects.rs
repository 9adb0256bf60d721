//! `hyperslab repack` with a part of the objects: what is copied with it, what is refused, and what netCDF-C and h5py see.

use super::{repack_document, run, script};
use hyperslab::{File, LinkTarget, Selection};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require};
use std::fs;
use std::path::{Path, PathBuf};

/// A file with links, references and a committed datatype.
fn linked(folder: &Path) -> Result<PathBuf, Missing> {
    let path = folder.join("in.h5");
    script(
        r#"
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w", track_order=True) as f:
    data = f.create_dataset("entry/detector/data", data=np.arange(12.).reshape(3, 4), chunks=(1, 4))
    f["entry/data"] = h5py.SoftLink("detector/data")
    f["entry/absolute"] = h5py.SoftLink("/entry/detector/data")
    f["second"] = data
    f["types/point"] = np.dtype([("x", "f4"), ("y", "f4")])
    f.create_dataset("points", (5,), dtype=f["types/point"])
    f.create_dataset("other", data=[1, 2, 3])
    f["points"].attrs["about"] = f["other"].ref
    f["points"].attrs["units"] = "m"
    regions = f.create_dataset("references", (2,), h5py.regionref_dtype)
    regions[0] = data.regionref[1:2]
    regions[1] = f["other"].regionref[0:2]
    f.create_dataset("virtual", data=0)
    layout = h5py.VirtualLayout((3, 4), "f8")
    layout[...] = h5py.VirtualSource(".", "/entry/detector/data", (3, 4))
    f.create_virtual_dataset("view", layout)
"#,
        &[&path],
    )?;
    Ok(path)
}

struct Repacked {
    output: PathBuf,
    plan: serde_json::Value,
}

#[track_caller]
fn repacked(input: &Path, options: &[&str]) -> Repacked {
    let output = input.with_file_name("out.h5");
    let document = repack_document(input, &output, options);
    let checked = run(&["check", "{}"], &output);
    assert_eq!(checked.code, 0, "{options:?}: {}", checked.out);
    Repacked { output, plan: document["plan"]["selection"].clone() }
}

#[track_caller]
fn refused(input: &Path, options: &[&str]) -> String {
    let output = input.with_file_name("refused.h5");
    let ended = run(&[&["repack", "{}", output.to_str().unwrap()], options].concat(), input);
    assert_eq!((ended.code, output.exists()), (2, false), "{options:?}: {}", ended.err);
    ended.err
}

/// The names of all objects and links, as h5py's `visit` does not show soft links.
fn paths(file: &Path) -> Vec<String> {
    fn visit(group: &hyperslab::Group, path: &str, found: &mut Vec<String>) {
        for link in group.links().unwrap() {
            let link = link.unwrap();
            let path = format!("{path}/{}", link.name);
            if let (LinkTarget::Hard(_), Ok(hyperslab::Object::Group(group))) =
                (&link.target, group.open(&link))
            {
                visit(&group, &path, found);
            }
            found.push(path);
        }
    }
    let mut found = Vec::new();
    visit(&File::open(file).unwrap().root().unwrap(), "", &mut found);
    found.sort();
    found
}

#[test]
fn a_variable_is_copied_with_its_dimensions() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.nc");
    fs::copy(require!(fixture("netcdf4/climate.nc")), &input).unwrap();
    let Repacked { output, plan } = repacked(&input, &["--only", "t2m"]);
    assert_eq!(paths(&output), ["/lat", "/lon", "/t2m", "/time"]);
    let needed: Vec<_> = plan["needed"].as_array().unwrap().iter().map(|one| one["path"].clone()).collect();
    assert_eq!(needed, ["/time", "/lat", "/lon"]);
    assert_eq!(plan["severed"].as_array().unwrap().len(), 0, "{plan}");
    let read = |path: &Path| {
        let dataset = File::open(path).unwrap().dataset("t2m").unwrap();
        dataset.read::<f32>(&Selection::block(&[0, 0, 0], dataset.shape())).unwrap()
    };
    assert!(read(&input) == read(&output));
    let dimensions = run(&["ls", "--netcdf", "{}"], &output).out;
    assert!(dimensions.contains("float t2m(time, lat, lon) ;"), "{dimensions}");
    // netCDF-C and h5py follow the references of both kinds of attributes.
    let seen = script(
        "import sys, h5py; f = h5py.File(sys.argv[1])\n\
         print([f['t2m'].dims[i][0].name for i in range(3)], len(f['lat'].attrs['REFERENCE_LIST']))",
        &[&output],
    );
    assert_eq!(require!(seen), "['/time', '/lat', '/lon'] 1");
}

#[test]
fn a_dropped_coordinate_stays_as_a_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.nc");
    fs::copy(require!(fixture("netcdf4/climate.nc")), &input).unwrap();
    let Repacked { output, plan } = repacked(&input, &["--drop", "/lat"]);
    assert_eq!((&plan["omitted"], &plan["severed"]), (&serde_json::json!([]), &serde_json::json!([])));
    let stays = serde_json::json!([{ "path": "/lat", "by": "/big endian", "role": "dimension" }]);
    assert_eq!(plan["dimensions"], stays);
    let listed = run(&["ls", "--netcdf", "{}"], &output).out;
    assert!(listed.contains("float t2m(time, lat, lon) ;") && !listed.contains(" lat(lat)"), "{listed}");
    let seen = script(
        "import sys, h5py; f = h5py.File(sys.argv[1]); lat = f['lat']\n\
         print([dim[0].name for dim in f['t2m'].dims], lat.dtype, lat.shape, sorted(lat.attrs), lat.attrs['NAME'])",
        &[&output],
    );
    let name = "b'This is a netCDF dimension but not a netCDF variable.        ";
    let seen = require!(seen);
    assert!(seen.starts_with("['/time', '/lat', '/lon'] >f4 ") && seen.contains(name), "{seen}");
    assert!(seen.contains("['CLASS', 'NAME', 'REFERENCE_LIST', '_Netcdf4Dimid']"), "{seen}");
}

#[test]
fn what_a_chosen_object_needs_is_copied_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(linked(folder.path()));
    // The target of a soft link, and the groups that lead to both.
    let Repacked { output, plan } = repacked(&input, &["--only", "/entry/data"]);
    assert_eq!(paths(&output), ["/entry", "/entry/data", "/entry/detector", "/entry/detector/data"]);
    assert_eq!(plan["needed"][0]["role"], "target");
    // The source of a virtual dataset.
    let Repacked { output, plan } = repacked(&input, &["--only", "view"]);
    assert_eq!(paths(&output), ["/entry", "/entry/detector", "/entry/detector/data", "/view"]);
    assert_eq!(plan["needed"][0]["role"], "source");
    // A committed datatype; the reference to another dataset becomes null.
    let Repacked { output, plan } = repacked(&input, &["--only", "/points"]);
    assert_eq!(paths(&output), ["/points", "/types", "/types/point"]);
    assert_eq!(plan["severed"][0]["path"], "/points");
    let seen = script(
        "import sys, h5py; f = h5py.File(sys.argv[1]); a = f['points'].attrs\n\
         print(bool(a['about']), a['units'], f['points'].id.get_type().committed())",
        &[&output],
    );
    assert_eq!(require!(seen), "False m True");
}

#[test]
fn references_to_what_is_left_out_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(linked(folder.path()));
    let Repacked { output, plan } = repacked(&input, &["--drop", "/other", "--drop", "/second"]);
    assert!(!paths(&output).contains(&"/second".to_owned()));
    let severed = plan["severed"].to_string();
    assert!(severed.contains("1 null reference among its values"), "{severed}");
    let seen = script(
        "import sys, h5py; f = h5py.File(sys.argv[1]); r = f['references'][:]\n\
         print(bool(r[0]), bool(r[1]), f[r[0]].name, f['entry/detector/data'][r[0]].tolist())",
        &[&output],
    );
    assert_eq!(require!(seen), "True False /entry/detector/data [[4.0, 5.0, 6.0, 7.0]]");
}

#[test]
fn soft_links_and_virtual_datasets_follow_renames() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(linked(folder.path()));
    let options = ["--rename", "/entry/detector/data=/types/counts", "--chunks", "/entry/detector/data:3x4"];
    let Repacked { output, plan } = repacked(&input, &options);
    assert_eq!(plan["renamed"][0]["to"], "/types/counts");
    let file = File::open(&output).unwrap();
    assert_eq!(file.dataset("/types/counts").unwrap().chunk_shape(), Some(&[3, 4][..]));
    for path in ["/types/counts", "/entry/data", "/entry/absolute", "/second", "/view"] {
        let values = file.dataset(path).unwrap().read::<f64>(&Selection::block(&[1, 0], &[1, 4])).unwrap();
        assert_eq!(values, [4.0, 5.0, 6.0, 7.0], "{path}");
    }
    // A group that only led to what has moved goes.
    let options = ["--only", "/entry/detector/data", "--rename", "/entry/detector/data=/data"];
    assert_eq!(paths(&repacked(&input, &options).output), ["/data"]);
}

#[test]
fn what_cannot_be_selected_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(linked(folder.path()));
    let error = refused(&input, &["--drop", "absent"]);
    assert!(error.contains("`--drop absent`: no object has this path or name"), "{error}");
    let error = refused(&input, &["--drop", "/entry", "--drop", "/second"]);
    assert!(error.contains("the virtual dataset /view takes values from it"), "{error}");
    let error = refused(&input, &["--rename", "/other=/points"]);
    assert!(error.contains("/points exists"), "{error}");
    let error = refused(&input, &["--rename", "/other=/nowhere/points"]);
    assert!(error.contains("there is no group /nowhere in the new file"), "{error}");
    let error = refused(&input, &["--rename", "/other"]);
    assert!(error.contains("is not OLD=NEW"), "{error}");
    let blocks = folder.path().join("blocks.h5");
    fs::copy(require!(fixture("links_and_mappings/unlimited.h5")), &blocks).unwrap();
    let error = refused(&blocks, &["--drop", "block1"]);
    assert!(error.contains("/counted takes values from it"), "{error}");
    let error = refused(&blocks, &["--rename", "/block1=one"]);
    assert!(error.contains("/block1 is found by the pattern of a name"), "{error}");
}

#[test]
fn a_damaged_object_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(linked(folder.path()));
    let address = {
        let file = File::open(&input).unwrap();
        file.get("/other").unwrap().address().0 as usize
    };
    let mut bytes = fs::read(&input).unwrap();
    bytes[address..address + 8].fill(0xee);
    fs::write(&input, bytes).unwrap();
    let output = folder.path().join("out.h5");
    let ended = run(&["repack", "{}", output.to_str().unwrap()], &input);
    assert_eq!((ended.code, output.exists()), (1, false), "{}", ended.err);
    let Repacked { output, .. } = repacked(&input, &["--drop", "other"]);
    assert!(paths(&output).contains(&"/points".to_owned()) && !paths(&output).contains(&"/other".to_owned()));
}

#[test]
fn a_recipe_and_a_dry_run_know_selections() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(linked(folder.path()));
    let recipe = folder.path().join("recipe.toml");
    fs::write(&recipe, "only = [\"/points\", \"/other\"]\n[rename]\n\"/other\" = \"another\"\n").unwrap();
    let planned = run(&["repack", "{}", "OUT", "--dry-run", "--recipe", recipe.to_str().unwrap()], &input);
    assert_eq!(planned.code, 0, "{}", planned.err);
    for line in [
        "/entry is left out",
        "/other becomes /another",
        "/types/point is copied, too: a datatype of /points",
    ] {
        assert!(planned.out.contains(line), "{line}: {}", planned.out);
    }
    let Repacked { output, plan } = repacked(&input, &["--recipe", recipe.to_str().unwrap()]);
    assert_eq!(paths(&output), ["/another", "/points", "/types", "/types/point"]);
    assert_eq!(plan["severed"], serde_json::json!([]), "the reference is kept");
}
