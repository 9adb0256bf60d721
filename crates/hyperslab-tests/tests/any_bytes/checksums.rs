//! The checksums in a valid file, and the bytes that they cover. They are found by their values, not with the parsers
//! under test: a structure with a known signature ends where four bytes are the checksum of all bytes before them.

use hyperslab_format::checksum::lookup3;
use std::ops::Range;

/// A checksum and the bytes that it covers.
#[derive(Debug, Clone)]
pub struct Checksum {
    /// The bytes. In a direct block of a fractal heap, they include the checksum itself, taken as zeros.
    pub bytes: Range<usize>,
    /// The offset of the checksum.
    pub at: usize,
}

/// The signatures of structures that end with their checksum.
const CHECKSUMMED: [&[u8; 4]; 16] = [
    b"\x89HDF", b"OHDR", b"OCHK", b"FRHP", b"FHIB", b"BTHD", b"BTIN", b"BTLF", b"FAHD", b"FADB", b"EAHD",
    b"EAIB", b"EASB", b"EADB", b"SMTB", b"SMLI",
];
/// The longest structure with a checksum in the fixtures, except for the cache image, which can be longer.
const LONGEST: usize = 4096;
/// The bytes of a page of a fixed array: 1,024 addresses.
const PAGE: usize = 8192;

/// All checksums of a valid file, sorted by the number of bytes that they cover, so that a nested checksum comes before
/// the ones around it.
pub fn checksums(bytes: &[u8]) -> Vec<Checksum> {
    let mut found = Vec::new();
    for start in 0..bytes.len().saturating_sub(8) {
        let signature: &[u8; 4] = bytes[start..].first_chunk().expect("eight bytes are left");
        match signature {
            b"FHDB" => found.extend(direct_block(bytes, start)),
            b"MDCI" => found.extend(ending(bytes, start, bytes.len())),
            _ if CHECKSUMMED.contains(&signature) => found.extend(ending(bytes, start, LONGEST)),
            _ => {}
        }
        if let (b"FADB", Some(data_block)) = (signature, found.last().cloned()) {
            pages(bytes, data_block.at + 4, &mut found);
        }
    }
    found.sort_by_key(|checksum| checksum.bytes.len());
    found
}

fn stored(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn ending(bytes: &[u8], start: usize, longest: usize) -> Option<Checksum> {
    let ends = start + 8..(start + longest).min(bytes.len());
    let is_end = |&at: &usize| stored(bytes, at) == Some(lookup3(&bytes[start..at]));
    ends.into_iter().find(is_end).map(|at| Checksum { bytes: start..at, at })
}

/// A direct block of a fractal heap has its checksum after its head, and a power of two as its length.
fn direct_block(bytes: &[u8], start: usize) -> Option<Checksum> {
    const HEAD: usize = 4 + 1;
    let lens = (6..17).map(|power| 1 << power);
    // The address of the heap, and the block's offset in it.
    let widths = (2..=8).flat_map(|address| (1..=8).map(move |offset| address + offset));
    let ranges =
        lens.flat_map(|len| widths.clone().map(move |width| (start..start + len, start + HEAD + width)));
    ranges.map(|(bytes, at)| Checksum { bytes, at }).find(|checksum| {
        let Some(block) = bytes.get(checksum.bytes.clone()) else { return false };
        stored(bytes, checksum.at) == Some(lookup3(&zeroed(block, checksum)))
    })
}

fn zeroed(block: &[u8], checksum: &Checksum) -> Vec<u8> {
    let mut block = block.to_vec();
    let at = checksum.at - checksum.bytes.start;
    block[at..at + 4].fill(0);
    block
}

/// The pages that follow a data block, each with its checksum. The last one is shorter.
fn pages(bytes: &[u8], mut start: usize, found: &mut Vec<Checksum>) {
    let ends = |start: usize, at: usize| {
        bytes.get(start..at).is_some_and(|page| stored(bytes, at) == Some(lookup3(page)))
    };
    while let Some(at) = (8..=PAGE).step_by(8).map(|len| start + len).find(|&at| ends(start, at)) {
        found.push(Checksum { bytes: start..at, at });
        start = at + 4;
    }
}

/// Corrects the checksums that cover bytes of `changed`.
pub fn repair(bytes: &mut [u8], checksums: &[Checksum], changed: &Range<usize>) {
    let mut changed = changed.clone();
    for checksum in checksums {
        let is_here = checksum.bytes.end.max(checksum.at + 4) <= bytes.len();
        if !is_here || checksum.bytes.start >= changed.end || changed.start >= checksum.bytes.end {
            continue;
        }
        let block = &bytes[checksum.bytes.clone()];
        let sum = if checksum.bytes.contains(&checksum.at) {
            lookup3(&zeroed(block, checksum))
        } else {
            lookup3(block)
        };
        bytes[checksum.at..checksum.at + 4].copy_from_slice(&sum.to_le_bytes());
        // A checksum around it covers this one, too.
        changed = changed.start.min(checksum.at)..changed.end.max(checksum.at + 4);
    }
}
