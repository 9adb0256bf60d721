//! What is said of a file itself.

use crate::json::{Json, Object};
use hyperslab_format::superblock::SIGNATURE;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Where the signature may be first, other than at the beginning; then at every doubling.
const FIRST_USER_BLOCK: u64 = 512;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    /// `hdf5`, `cdf1`, `cdf2`, `cdf5`, `hdf4` or `unknown`.
    pub format: &'static str,
    /// Where the signature lies.
    pub user_block: u64,
}

/// Says what a file is.
pub(crate) fn kind(file: &File) -> io::Result<Kind> {
    let len = file.metadata()?.len();
    let mut head = [0u8; 8];
    let read = |head: &mut [u8; 8], at: u64| -> io::Result<bool> {
        if at + 8 > len {
            return Ok(false);
        }
        file.read_exact_at(head, at).map(|()| true)
    };
    if read(&mut head, 0)? {
        let format = match head {
            SIGNATURE => "hdf5",
            [b'C', b'D', b'F', 1, ..] => "cdf1",
            [b'C', b'D', b'F', 2, ..] => "cdf2",
            [b'C', b'D', b'F', 5, ..] => "cdf5",
            [0x0e, 0x03, 0x13, 0x01, ..] => "hdf4",
            _ => "unknown",
        };
        if format != "unknown" {
            return Ok(Kind { format, user_block: 0 });
        }
    }
    let mut at = FIRST_USER_BLOCK;
    while read(&mut head, at)? {
        if head == SIGNATURE {
            return Ok(Kind { format: "hdf5", user_block: at });
        }
        at = at.saturating_mul(2);
    }
    Ok(Kind { format: "unknown", user_block: 0 })
}

/// Format, size and checksum of a file, and of an HDF5 file what its superblock begins with.
pub(crate) fn describe(path: &Path) -> io::Result<Object> {
    let file = File::open(path)?;
    let kind = kind(&file)?;
    let mut record = Object::from([
        ("t", "file".into()),
        ("format", kind.format.into()),
        ("size", file.metadata()?.len().into()),
        ("sha256", checksum(&file)?.into()),
    ]);
    if kind.format == "hdf5" {
        record.insert("userblock", kind.user_block.into());
        record.insert("driver", "sec2".into());
        let mut head = [0u8; 16];
        if file.read_exact_at(&mut head, kind.user_block).is_ok() {
            let sizes = if head[8] < 2 { [head[13], head[14]] } else { [head[9], head[10]] };
            record.insert("superblock", head[8].into());
            record.insert("sizes", Json::list(sizes));
        }
    }
    Ok(record)
}

fn checksum(mut file: &File) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(super::sink::hex(hash)),
            len => hash.update(&piece[..len]),
        }
    }
}
