//! Szip (coder 5): the codes of HDF5's filter szip, behind another header.
//!
//! ```text
//! with REVISION_2 in the options   | 1: as it is, else coded | length, 4 bytes | bytes |
//! without                          | codes |
//! ```

use crate::FilterError;
use crate::scratch::CodecState;
use crate::stage::{Setup, Stage};

const NAME: &str = "HDF4 szip";
/// `SZ_H4_REV_2`: a header stands before the codes.
const REVISION_2: u32 = 0x10000;
/// The header: a byte that says whether the values are coded, and the length of what follows.
const HEADER_BYTES: usize = 5;

pub(super) struct Szip {
    codes: Box<dyn Stage>,
    has_header: bool,
}

impl Szip {
    /// Options mask, pixels per block, bits per pixel, pixels per line.
    pub(super) fn new([options, block, bits, line]: [u32; 4]) -> Result<Self, FilterError> {
        let parameters = [options & !REVISION_2, block, bits, line];
        let codes = crate::szip::make(Setup { id: 4, parameters: &parameters })?;
        Ok(Self { codes, has_header: options & REVISION_2 != 0 })
    }
}

impl Stage for Szip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        self.codes.max_decoded_len(stored_bytes)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let mut codes = stored;
        if self.has_header {
            let (header, rest) = stored
                .split_at_checked(HEADER_BYTES)
                .ok_or_else(|| FilterError::corrupt(NAME, "the stored bytes are shorter than the header"))?;
            codes = rest;
            if header[0] == 1 {
                let len = codes.len().min(out.len());
                out[..len].copy_from_slice(&codes[..len]);
                return Ok(len);
            }
        }
        // HDF5's filter has the decoded length before the codes.
        let len = u32::try_from(out.len())
            .map_err(|_| FilterError::unsupported(NAME, "an element of 4 GiB or more"))?;
        let mut framed = Vec::with_capacity(4 + codes.len());
        framed.extend(len.to_le_bytes());
        framed.extend(codes);
        self.codes.decode(&framed, out, state)
    }
}
