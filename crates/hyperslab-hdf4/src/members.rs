//! Lists of elements that belong together: those of a scientific data set (tags 700 and 720) and of an image (tag 306).

use crate::cursor::Cursor;
use hyperslab_format::FormatError;

/// The tags and references of a list that begins at `at`.
///
/// # Errors
/// A list that ends inside of a pair.
pub fn members(bytes: &[u8], at: u64) -> Result<Vec<(u16, u16)>, FormatError> {
    let mut fields = Cursor::new("list of elements", bytes, at);
    let mut members = Vec::with_capacity(fields.left() / 4);
    while fields.left() > 0 {
        members.push((fields.u16("tag")?, fields.u16("reference")?));
    }
    Ok(members)
}
