//! Every command: exit code, standard output and standard error, on small files that libhdf5 wrote.

#[path = "commands/check.rs"]
mod check;
#[path = "commands/chunks.rs"]
mod chunks;
#[path = "commands/damage.rs"]
mod damage;
#[path = "commands/digest.rs"]
mod digest;
#[path = "commands/doctor.rs"]
mod doctor;
#[path = "commands/exit_codes.rs"]
mod exit_codes;
#[path = "commands/explain.rs"]
mod explain;
#[path = "commands/help.rs"]
mod help;
#[path = "commands/index.rs"]
mod index;
#[path = "commands/ls.rs"]
mod ls;
#[path = "commands/ls_bytes.rs"]
mod ls_bytes;
#[path = "commands/older.rs"]
mod older;
#[path = "commands/outputs.rs"]
mod outputs;
#[path = "commands/process.rs"]
mod process;
#[path = "commands/repack.rs"]
mod repack;
#[path = "commands/run.rs"]
mod run;
#[path = "commands/schemas.rs"]
mod schemas;
#[path = "commands/wrong_requests.rs"]
mod wrong_requests;

use hyperslab_testkit::Missing;
use hyperslab_testkit::files::fixture;
use run::{Ended, run};
use std::path::PathBuf;

fn ended(code: i32, out: &str, err: &str) -> Ended {
    Ended { code, out: out.into(), err: err.into() }
}

/// The small file with one of everything.
fn tour() -> Result<PathBuf, Missing> {
    fixture("command_line/tour.h5")
}

/// Text with every number of three digits and more replaced: sizes and places that depend on the writing library.
fn without_places(text: &str) -> String {
    let mut shown = String::new();
    let mut digits = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        shown.push_str(if digits.len() > 2 { "N" } else { &digits });
        digits.clear();
        shown.push(c);
    }
    shown.pop();
    shown
}
