//! Any bytes as a file that is checked against the specification.

use hyperslab_check::Options;
use hyperslab_io::Memory;

/// Checks the file, with its raw data. A file without a superblock is refused, which is not an error of the check.
pub fn check(bytes: &[u8]) {
    let _ = hyperslab_check::check(&Memory::new("fuzz", bytes.to_vec()), Options { data: true });
}
