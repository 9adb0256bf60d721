//! The attributes of an object, in its header and outside of it.

use super::object::Hdf5Object;
use super::unfilter::unfilter;
use crate::Result;
use crate::format_error::{OrError, format_error};
use crate::known_attributes::AttributeEntry;
use hyperslab_format::group::dense_attributes::{self, Body, DenseAttribute};
use hyperslab_format::message::Attribute;
use hyperslab_format::object_header::{Found, MessageKind};

/// All attributes or, if `name` is given, at least those of this name.
pub(super) fn read(object: &Hdf5Object, name: Option<&str>) -> Result<Vec<AttributeEntry>> {
    let Hdf5Object { file, header } = object;
    let in_header = file.parse_shared(|context| header.attributes(context))?;
    let entry = |name, attribute: Result<Attribute>| AttributeEntry { name, attribute };
    let mut all: Vec<AttributeEntry> =
        in_header.into_iter().map(|found| entry(found.name, found.attribute.or_error())).collect();
    let Some(info) = header.attribute_info(file.widths()).or_error()? else { return Ok(all) };
    let lookup = name.and_then(|name| dense_attributes::lookup(&info, name.as_bytes()));
    let Some(mut listing) = lookup.or_else(|| dense_attributes::list(&info)) else { return Ok(all) };
    // Thousands of attributes may share one committed datatype; its header is parsed once for all of them.
    let mut found = Found::default();
    let mut listed = file.parse(|view| listing.advance(view, &unfilter))?;
    // The records have a creation order even if it is not tracked. libhdf5 then writes the same number into all.
    listed.sort_by_key(|dense| dense.as_ref().map_or(u32::MAX, |dense| dense.creation_order));
    for dense in listed {
        all.push(match dense {
            Ok(dense) => outside(object, dense, &mut found),
            Err(error) => entry(None, Err(format_error(error))),
        });
    }
    Ok(all)
}

/// Parses an attribute of dense storage (outside of the object header).
fn outside(object: &Hdf5Object, dense: DenseAttribute, found: &mut Found) -> AttributeEntry {
    let order = Some(dense.creation_order).filter(|_| object.header.tracks_attribute_order());
    let mut name = None;
    let attribute = object.file.parse_shared(|context| {
        let cursor = match &dense.body {
            Body::Message(message) => {
                message.cursor("attribute message in a fractal heap", context.view.widths)
            }
            Body::Shared { heap_id } => context.heap_message(MessageKind::ATTRIBUTE, heap_id, 0)?,
        };
        name = Attribute::parse_name(cursor.clone()).ok();
        Attribute::parse_with(context, cursor, order, found)
    });
    AttributeEntry { name, attribute }
}

/// True if they lie in a fractal heap beside the object header.
pub(super) fn are_dense(object: &Hdf5Object) -> bool {
    let info = object.header.attribute_info(object.file.widths()).or_error();
    info.is_ok_and(|info| info.is_some_and(|info| info.heap.is_some()))
}
