//! Runs a command as the program would, in this process.

use std::ffi::OsString;
use std::path::Path;

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ended {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// As the main thread of a program has: the threads of tests have less, which is little for groups in groups in a build that is
/// not optimised.
const STACK_BYTES: usize = 8 << 20;

/// Runs a command. `{}` in an argument stands for the path.
pub fn run(arguments: &[&str], path: &Path) -> Ended {
    let path = path.to_str().expect("a path in UTF-8");
    let arguments = arguments.iter().map(|argument| argument.replace("{}", path));
    let arguments = std::iter::once("hyperslab".to_owned()).chain(arguments).map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let command = || hyperslab_cli::run_with(arguments, &mut out, &mut err);
    let ended = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, command).expect("a thread").join()
    });
    let code = ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8").replace(path, "FILE");
    Ended { code, out: text(out), err: text(err) }
}

#[allow(dead_code, reason = "tests of advice use the same runner")]
/// What every command says of the tour, which has an external link that leads nowhere.
pub const ABSENT: &str =
    "warning: FILE: /elsewhere: the target of this external link was not found: /x in other.h5\n";
