//! The table of exit codes, command by command. (3, what an option makes a failure, is in `doctor.rs`.)

use super::{run, tour};
use hyperslab_testkit::require;
use std::path::Path;

const COMMANDS: [(&str, &[&str]); 6] = [
    ("ls", &["{}"]),
    ("explain", &["{}", "/measured/temperature", ""]),
    ("chunks", &["{}", "/measured/temperature"]),
    ("digest", &["{}"]),
    ("doctor", &["{}", "/measured/temperature"]),
    ("repack", &["{}", "{}.new", "--dry-run"]),
];

fn code(command: &str, arguments: &[&str], path: &Path) -> i32 {
    run(&[&[command], arguments].concat(), path).code
}

#[test]
fn every_command_ends_by_the_same_table() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.h5");
    let bytes = std::fs::read(&tour).unwrap();
    // The superblock says that the file is longer.
    std::fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    for (command, arguments) in COMMANDS {
        assert_eq!(code(command, arguments, &tour), 0, "{command}");
        assert_eq!(code(command, arguments, &damaged), 1, "{command}");
        assert_eq!(code(command, arguments, &folder.path().join("absent.h5")), 2, "{command}");
        assert_eq!(code(command, &[arguments, &["--no-such-option"]].concat(), &tour), 2, "{command}");
        assert_eq!(code(command, &["--help"], &tour), 0, "{command}");
    }
    let bench = ["{}", "/measured/temperature", "--engine", "none"];
    assert_eq!(code("bench", &bench, &tour), 2);
    assert_eq!(code("bench", &["{}", "/d"], &folder.path().join("absent.h5")), 2);
    assert_eq!(code("bench", &["--recipe", "list"], &tour), 0);
}
