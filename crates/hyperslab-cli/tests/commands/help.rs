//! Help and version.

use super::run;
use std::path::Path;

fn out(arguments: &[&str]) -> String {
    let ended = run(arguments, Path::new("-"));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{arguments:?}");
    ended.out
}

#[test]
fn the_version_is_the_crates() {
    assert_eq!(out(&["-V"]), format!("hyperslab {}\n", env!("CARGO_PKG_VERSION")));
    let long = out(&["--version"]);
    assert!(long.starts_with(&out(&["-V"])) && long.contains("gzip is written by"), "{long}");
}

#[test]
fn every_command_has_help_with_examples_and_exit_codes() {
    let table = "EXIT CODES\n  0  done\n  1  something could not be read";
    assert!(out(&["--help"]).contains(table));
    for command in ["ls", "explain", "chunks", "digest", "doctor", "advise", "bench", "check", "repack"] {
        assert!(out(&["help"]).contains(command));
        for help in [out(&["help", command]), out(&[command, "--help"])] {
            assert!(help.contains(&format!("EXAMPLES\n  hyperslab {command} ")), "{help}");
            assert!(help.contains(table), "{help}");
        }
    }
}

#[test]
fn paragraphs_of_help_are_broken_once() {
    let help = out(&["index", "--help"]);
    assert!(help.contains("one index: variables with"), "{help}");
    assert!(!help.contains("become one index:\n"), "{help}");
}
