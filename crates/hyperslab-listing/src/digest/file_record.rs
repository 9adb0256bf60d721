//! The record of a file itself: format, size, checksum.

use crate::json::{Json, Object};
use hyperslab::Cancel;
use hyperslab::io::Source;
use hyperslab_format::superblock::SIGNATURE;
use sha2::{Digest, Sha256};
use std::io;

/// The first offset, apart from 0, at which the signature may be; it is then searched at each doubling.
const FIRST_USER_BLOCK: u64 = 512;

/// The format of a file, recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// `hdf5`, `cdf1`, `cdf2`, `cdf5`, `hdf4` or `unknown`.
    pub format: &'static str,
    /// Offset of the signature, in bytes.
    pub user_block: u64,
}

/// Recognises the format of a file.
pub fn kind(file: &dyn Source) -> io::Result<Kind> {
    let len = file.len();
    let mut head = [0u8; 8];
    let read = |head: &mut [u8; 8], at: u64| -> io::Result<bool> {
        if at + 8 > len {
            return Ok(false);
        }
        file.read_into(at, head).map(|()| true)
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

/// Adds the format, size and checksum of a file and, if it is HDF5, the version and sizes in its superblock.
pub fn describe(file: &dyn Source) -> io::Result<Object> {
    let kind = kind(file)?;
    let mut record = Object::from([
        ("t", "file".into()),
        ("format", kind.format.into()),
        ("size", file.len().into()),
        ("sha256", checksum(file)?.into()),
    ]);
    if kind.format == "hdf5" {
        record.insert("userblock", kind.user_block.into());
        record.insert("driver", "sec2".into());
        let mut head = [0u8; 16];
        if file.read_into(kind.user_block, &mut head[..]).is_ok() {
            let sizes = if head[8] < 2 { [head[13], head[14]] } else { [head[9], head[10]] };
            record.insert("superblock", head[8].into());
            record.insert("sizes", Json::list(sizes));
        }
    }
    Ok(record)
}

/// Bytes that are hashed at a time.
const PIECE_BYTES: u64 = 1 << 20;
/// Pieces of a remote file that are requested at the same time.
const PIECES_AT_ONCE: usize = 16;

fn checksum(file: &dyn Source) -> io::Result<String> {
    let mut hash = Sha256::new();
    let starts: Vec<u64> = (0..file.len()).step_by(PIECE_BYTES as usize).collect();
    let range = |&start: &u64| start..(start + PIECE_BYTES).min(file.len());
    let at_once = if file.advice().has_latency() { PIECES_AT_ONCE } else { 1 };
    for starts in starts.chunks(at_once) {
        let ranges: Vec<_> = starts.iter().map(range).collect();
        for piece in hyperslab_io::fetch_all(file, &ranges, &Cancel::never())? {
            hash.update(&piece);
        }
    }
    Ok(super::text_hasher::hex(hash))
}
