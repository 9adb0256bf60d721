//! The state of a file when it was last opened, as a line of JSON and its checksum.

use hyperslab_io::Version;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

const NAME: &str = "state";

#[derive(Serialize, Deserialize)]
struct State {
    url: String,
    len: u64,
    tag: String,
}

/// The state that was noted for this URL; `None` if there is none, or if it is damaged.
pub(super) fn read(folder: &Path, url: &str) -> Option<Version> {
    let text = std::fs::read_to_string(folder.join(NAME)).ok()?;
    let (json, checksum) = text.trim_end().split_once('\n')?;
    if format!("{:08x}", crc32fast::hash(json.as_bytes())) != checksum {
        return None;
    }
    let state: State = serde_json::from_str(json).ok()?;
    (state.url == url).then_some(Version { len: state.len, modified: None, tag: Some(state.tag) })
}

/// Notes the state of a file.
pub(super) fn write(folder: &Path, url: &str, version: &Version) -> io::Result<()> {
    let tag = version.tag.clone().unwrap_or_default();
    let json = serde_json::to_string(&State { url: url.into(), len: version.len, tag })?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    write!(file, "{json}\n{:08x}\n", crc32fast::hash(json.as_bytes()))?;
    file.persist(folder.join(NAME))?;
    Ok(())
}
