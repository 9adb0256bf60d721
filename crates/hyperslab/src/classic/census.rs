//! Who owns the bytes of a file of netCDF classic: its header and its variables. What pads them belongs to nobody.

use crate::census::{Census, Claims, Owner, Tree};
use crate::format_error::format_error;
use hyperslab_classic::{Header, Place};

/// Of files with more pieces, all records together are one piece of the first record variable.
const PIECES_MAX: u64 = 1 << 20;

/// The census of a file of so many bytes.
pub(super) fn take(header: &Header, file_bytes: u64) -> Census {
    let mut claims = Claims::default();
    claims.add(0, header.bytes, Owner::Metadata("header"), file_bytes);
    let (mut names, mut errors) = (Vec::new(), Vec::new());
    let pieces = header.records.get().saturating_mul(header.variables.len() as u64);
    for (number, variable) in header.variables.iter().enumerate() {
        let place = match header.place(number) {
            Ok(place) => place,
            Err(error) => {
                errors.push(format_error(error).at_object(format!("/{}", variable.name)));
                continue;
            }
        };
        let owner = Owner::RawData(names.len());
        names.push(format!("/{}", variable.name));
        for (at, bytes) in parts(&place, variable.kind.bytes(), pieces > PIECES_MAX) {
            claims.add(at, bytes, owner, file_bytes);
        }
    }
    let variables = header.variables.len() as u64;
    let tree = Tree { datasets: variables, ..Tree::default() };
    Census { objects: 1 + variables, tree, errors, ..Census::of(claims.disjoint(), names, file_bytes) }
}

/// Offset and bytes of each piece of a variable: of each record, or of all.
fn parts(place: &Place, element_bytes: u64, is_joined: bool) -> Vec<(u64, u64)> {
    let Some(record_bytes) = place.record_bytes.filter(|_| !is_joined) else {
        return vec![(place.begin, place.end.saturating_sub(place.begin))];
    };
    let in_record: u64 = place.shape.iter().skip(1).product::<u64>() * element_bytes;
    let records = place.shape.first().copied().unwrap_or(0);
    (0..records).map(|record| (place.begin + record * record_bytes, in_record)).collect()
}
