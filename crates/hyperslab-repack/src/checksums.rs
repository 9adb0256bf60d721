//! Checksums of what is written, with which the new file is compared.

/// Contiguous data is copied in pieces of this many bytes, which stay in the processor cache until they are written. Each
/// has a checksum.
pub(crate) const PIECE_BYTES: u64 = 512 << 10;

/// The checksum of a chunk as it is stored. `filter_mask` is `None` for chunks without filters: most indexes have no place
/// for it then.
pub(crate) fn of_chunk(bytes: &[u8], filter_mask: Option<u32>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytes);
    hasher.update(&filter_mask.unwrap_or(0).to_le_bytes());
    hasher.finalize()
}
