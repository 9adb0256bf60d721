//! What cannot be: one line that says so, a hint, exit code 2, and nothing on standard output.

use super::{ended, run, tour};
use hyperslab_testkit::require;

#[test]
fn missing_files_folders_and_other_formats() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text.h5");
    std::fs::write(&text, "no signature here, however long the text may be ".repeat(100)).unwrap();
    let empty = folder.path().join("empty.h5");
    std::fs::write(&empty, "").unwrap();
    let missing = folder.path().join("missing.h5");
    let not_hdf5 = [
        "error: FILE: not an HDF5 file, but a text\n\nhint: hyperslab reads HDF5 and netCDF files only\n",
        "error: FILE: not an HDF5 file, but an empty file\n\nhint: copy or download it again\n",
    ];
    let commands: [&[&str]; 5] = [
        &["ls", "{}"],
        &["ls", "--json", "{}"],
        &["explain", "--json", "{}", "/x", "0"],
        &["doctor", "{}"],
        &["doctor", "--json", "{}", "/x"],
    ];
    for command in commands {
        let no_file = "error: FILE: no such file\n\nhint: check the path, including upper and lower case\n";
        assert_eq!(run(command, &missing), ended(2, "", no_file));
        let nothing = "error: no file of HDF5, netCDF or HDF4 was found in these folders; passed over 2: \
                       1 empty (FILE/empty.h5), 1 text (FILE/text.h5)\n";
        let is_of_several = command[0] == "doctor" && command.len() < 4;
        let directory = if is_of_several { nothing } else { "error: FILE: is a directory\n" };
        assert_eq!(run(command, folder.path()), ended(2, "", directory));
        assert_eq!(run(command, &text), ended(2, "", not_hdf5[0]));
        assert_eq!(run(command, &empty), ended(2, "", not_hdf5[1]));
    }
}

#[test]
fn objects_that_are_not_there() {
    let tour = require!(tour());
    let near =
        "error: FILE: /measured/temprature: no such object\n\nhint: did you mean /measured/temperature?\n";
    let far =
        "error: FILE: /xyzzyxyzzy: no such object\n\nhint: / has 9 members; `hyperslab ls` lists them\n";
    for json in [&[][..], &["--json"]] {
        for command in ["ls", "explain", "doctor"] {
            let found = |object| run(&[&[command], json, &["{}", object]].concat(), &tour);
            assert_eq!(found("/measured/temprature"), ended(2, "", near));
            assert_eq!(found("/xyzzyxyzzy"), ended(2, "", far));
        }
    }
}

#[test]
fn a_group_where_a_dataset_is_wanted() {
    let tour = require!(tour());
    let told = "error: FILE: /measured: is a group, not a dataset\n\nhint: it contains, for example, the dataset /measured/again\n";
    assert_eq!(run(&["explain", "{}", "/measured", "0"], &tour), ended(2, "", told));
    assert_eq!(run(&["doctor", "--json", "{}", "/measured"], &tour), ended(2, "", told));
}

#[test]
fn selections_out_of_range() {
    let tour = require!(tour());
    let cases = [
        ("12", "index 12 is out of range for axis 0, which has 12 elements"),
        ("0,0,0,0", "cannot read the selection \"0,0,0,0\""),
        ("a", "cannot read \"a\" in the selection"),
        ("::0", "the step along axis 0 must be 1 or more"),
    ];
    for (selection, expected) in cases {
        for json in [&[][..], &["--json"]] {
            let arguments = [&["explain"], json, &["{}", "/measured/temperature", selection]].concat();
            let told = run(&arguments, &tour);
            assert_eq!((told.code, told.out.as_str()), (2, ""));
            assert!(
                told.err.starts_with(&format!("error: FILE: /measured/temperature: {expected}\n")),
                "{told:?}"
            );
        }
    }
}

#[test]
fn command_lines_that_are_none() {
    let cases: [&[&str]; 5] = [
        &["nonsense"],
        &["ls"],
        &["digest"],
        &["ls", "--colour", "x"],
        &["digest", "--max-bytes", "much", "x"],
    ];
    for arguments in cases {
        let told = run(arguments, std::path::Path::new("-"));
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{arguments:?}");
        assert!(told.err.starts_with("error: "), "{}", told.err);
    }
}
