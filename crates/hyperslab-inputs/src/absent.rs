//! What a file lacks, in sentences: a file that was not closed, missing sources, dangling links.

use hyperslab::{Absent, File};

/// What a file lacks, a sentence for each. This walks the whole file: after what fetches its metadata together, not before.
pub fn of(file: &File) -> Vec<String> {
    sentences(&hyperslab::absent(file))
}

/// One sentence for each, as JSON has them.
pub fn sentences(absent: &[Absent]) -> Vec<String> {
    absent.iter().map(ToString::to_string).collect()
}
