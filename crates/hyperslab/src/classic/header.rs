//! Reading the header: the first bytes of the file, and more of them until they are enough.

use crate::format_error::format_error;
use crate::{Error, ErrorKind, Result};
use hyperslab_classic::Header;
use hyperslab_format::Stop;
use hyperslab_io::{Source, purpose};

/// What is read first of a local file: most headers are shorter.
const FIRST_BYTES: u64 = 8 << 10;
/// And of a file with latency, for which a second request takes longer than some more bytes.
const FIRST_BYTES_DISTANT: u64 = 64 << 10;
/// What is read at once if that is not enough: the header of a hundred thousand variables.
const MORE_BYTES_DISTANT: u64 = 8 << 20;
/// A longer header is not read: it would have millions of variables.
const HEADER_BYTES_MAX: u64 = 1 << 28;

/// Reads the header of the file that a source contains.
pub(super) fn read(source: &dyn Source) -> Result<Header> {
    let (first, more) = match source.advice().has_latency() {
        true => (FIRST_BYTES_DISTANT, MORE_BYTES_DISTANT),
        false => (FIRST_BYTES, 0),
    };
    let file_len = source.len();
    let mut bytes = source.beginning().to_vec();
    if !source.knows_structures() {
        extend(source, &mut bytes, first.min(file_len))?;
    }
    loop {
        match Header::parse(&bytes, file_len) {
            Ok(header) => return Ok(header),
            Err(Stop::Bad(error)) => return Err(format_error(error)),
            Err(Stop::Need(needs)) => {
                let needed = needs.iter().map(|need| need.range.end).max().unwrap_or(0);
                let wanted = needed.max(more).min(file_len);
                if wanted <= bytes.len() as u64 {
                    return Err(Error::internal("the parser of the header asks for what it has"));
                }
                extend(source, &mut bytes, wanted)?;
            }
        }
    }
}

/// Reads on until there are `wanted` bytes.
fn extend(source: &dyn Source, bytes: &mut Vec<u8>, wanted: u64) -> Result<()> {
    if wanted > HEADER_BYTES_MAX {
        let what = format!("the header has more than {HEADER_BYTES_MAX} bytes");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let (known, wanted) = (bytes.len(), wanted as usize);
    if wanted > known {
        bytes.resize(wanted, 0);
        purpose::with("header", || source.read_into(known as u64, &mut bytes[known..]))?;
    }
    Ok(())
}
