//! Where checksums lie in a sound file, and over which bytes. Found by their values, not by the parsers under test:
//! a structure that is known by its signature ends where four bytes are the checksum of all before them.

use hyperslab_format::checksum::lookup3;
use std::ops::Range;

/// A checksum of some bytes.
#[derive(Debug, Clone)]
pub struct Seal {
    /// The bytes; for a direct block of a fractal heap, the checksum itself (as zeros) among them.
    pub bytes: Range<usize>,
    /// Where the checksum lies.
    pub at: usize,
}

/// Structures that end with their checksum.
const SEALED: [&[u8; 4]; 16] = [
    b"\x89HDF", b"OHDR", b"OCHK", b"FRHP", b"FHIB", b"BTHD", b"BTIN", b"BTLF", b"FAHD", b"FADB", b"EAHD",
    b"EAIB", b"EASB", b"EADB", b"SMTB", b"SMLI",
];
/// No sealed structure of the fixtures is longer, except the cache image, which says its length.
const LONGEST: usize = 4096;
/// Bytes of a page of a fixed array: 1,024 addresses.
const PAGE: usize = 8192;

/// All seals of a sound file, the short ones first: those inside others before those around them.
pub fn seals(bytes: &[u8]) -> Vec<Seal> {
    let mut found = Vec::new();
    for start in 0..bytes.len().saturating_sub(8) {
        let signature: &[u8; 4] = bytes[start..].first_chunk().expect("eight bytes are left");
        match signature {
            b"FHDB" => found.extend(direct_block(bytes, start)),
            b"MDCI" => found.extend(ending(bytes, start, bytes.len())),
            _ if SEALED.contains(&signature) => found.extend(ending(bytes, start, LONGEST)),
            _ => {}
        }
        if let (b"FADB", Some(data_block)) = (signature, found.last().cloned()) {
            pages(bytes, data_block.at + 4, &mut found);
        }
    }
    found.sort_by_key(|seal| seal.bytes.len());
    found
}

fn stored(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn ending(bytes: &[u8], start: usize, longest: usize) -> Option<Seal> {
    let ends = start + 8..(start + longest).min(bytes.len());
    let is_end = |&at: &usize| stored(bytes, at) == Some(lookup3(&bytes[start..at]));
    ends.into_iter().find(is_end).map(|at| Seal { bytes: start..at, at })
}

/// The blocks of a fractal heap have their checksum behind the head, and the length of a power of two.
fn direct_block(bytes: &[u8], start: usize) -> Option<Seal> {
    const HEAD: usize = 4 + 1;
    let lens = (6..17).map(|power| 1 << power);
    // The address of the heap, and the block's place in it.
    let widths = (2..=8).flat_map(|address| (1..=8).map(move |offset| address + offset));
    let places =
        lens.flat_map(|len| widths.clone().map(move |width| (start..start + len, start + HEAD + width)));
    places.map(|(bytes, at)| Seal { bytes, at }).find(|seal| {
        let Some(block) = bytes.get(seal.bytes.clone()) else { return false };
        stored(bytes, seal.at) == Some(lookup3(&zeroed(block, seal)))
    })
}

fn zeroed(block: &[u8], seal: &Seal) -> Vec<u8> {
    let mut block = block.to_vec();
    let at = seal.at - seal.bytes.start;
    block[at..at + 4].fill(0);
    block
}

/// The pages that follow a data block, each with its checksum, the last of them shorter.
fn pages(bytes: &[u8], mut start: usize, found: &mut Vec<Seal>) {
    let ends = |start: usize, at: usize| {
        bytes.get(start..at).is_some_and(|page| stored(bytes, at) == Some(lookup3(page)))
    };
    while let Some(at) = (8..=PAGE).step_by(8).map(|len| start + len).find(|&at| ends(start, at)) {
        found.push(Seal { bytes: start..at, at });
        start = at + 4;
    }
}

/// Makes the checksums right of everything that reaches into `changed`.
pub fn repair(bytes: &mut [u8], seals: &[Seal], changed: &Range<usize>) {
    let mut changed = changed.clone();
    for seal in seals {
        let is_here = seal.bytes.end.max(seal.at + 4) <= bytes.len();
        if !is_here || seal.bytes.start >= changed.end || changed.start >= seal.bytes.end {
            continue;
        }
        let block = &bytes[seal.bytes.clone()];
        let sum = if seal.bytes.contains(&seal.at) { lookup3(&zeroed(block, seal)) } else { lookup3(block) };
        bytes[seal.at..seal.at + 4].copy_from_slice(&sum.to_le_bytes());
        // What lies around it has a checksum of this one, too.
        changed = changed.start.min(seal.at)..changed.end.max(seal.at + 4);
    }
}
