//! Where the library to preload is: beside the command, or in the Python package.

use crate::failure::Failure;
use std::path::PathBuf;

const NAME: &str = "libhyperslab_preload.so";
/// The variable that names it, if it is somewhere else.
const VARIABLE: &str = "HYPERSLAB_PRELOAD";

/// The library.
pub(super) fn library() -> Result<PathBuf, Failure> {
    if let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        return match named.canonicalize() {
            Ok(path) => Ok(path),
            Err(error) => Err(Failure::wrong_request(format!("{VARIABLE} {}: {error}", named.display()))),
        };
    }
    let command = std::env::current_exe().and_then(|path| path.canonicalize()).ok();
    let folder = command.as_deref().and_then(|path| path.parent());
    let places = folder
        .map(|folder| [folder.join(NAME), folder.join("../lib").join(NAME), folder.join("deps").join(NAME)]);
    let found = places.into_iter().flatten().find(|path| path.is_file());
    found.ok_or_else(|| {
        Failure::unreadable(format!("{NAME} was not found beside the command"))
            .hint(format!("build it with `cargo build --release -p hyperslab-preload`, or name it: {VARIABLE}=/path/to/{NAME}"))
    })
}
