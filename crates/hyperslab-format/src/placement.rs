//! How structures of several blocks are placed in a file: first every block gets an address, later its bytes.
//!
//! The sizes of all blocks of a heap or an index follow from what it will contain, before its contents are known. So a
//! writer places all structures first, and encodes them when the addresses that they contain are known.

use crate::Address;

/// Returns the address of a new block of this many bytes.
pub type Allocate<'a> = dyn FnMut(u64) -> Address + 'a;

/// The bytes of a block that has been placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedBlock {
    /// Its address.
    pub address: Address,
    /// Its bytes, exactly as many as were allocated.
    pub bytes: Vec<u8>,
}
