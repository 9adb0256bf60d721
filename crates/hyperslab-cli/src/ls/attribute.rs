//! Attributes, as they are listed.

use super::value::Values;
use hyperslab::{Attribute, AttributeEntry, Attributes, Dataspace, File, Heap, Result};
use hyperslab_listing::dtype;
use hyperslab_listing::json::Json;

/// An attribute.
pub(super) struct ShownAttribute {
    /// Empty if even the name cannot be read.
    pub name: Vec<u8>,
    /// `None` for a null dataspace; empty for a scalar.
    pub shape: Option<Vec<u64>>,
    pub dtype: String,
    /// Its first elements, or the reason why they cannot be read.
    pub value: std::result::Result<Json, String>,
    /// Number of elements that are not in `value`.
    pub left_out: u64,
}

/// At most this many elements are shown.
const ELEMENTS_MAX: u64 = 16;

impl ShownAttribute {
    /// All attributes of an object.
    pub fn all(attributes: &Attributes<'_>, file: &File) -> Vec<Self> {
        let mut heap = file.heap();
        match attributes.entries() {
            Ok(all) => all.into_iter().map(|entry| Self::of(entry, &mut heap)).collect(),
            Err(error) => vec![Self::unreadable(error.message().to_string())],
        }
    }

    fn of(entry: AttributeEntry, heap: &mut Heap) -> Self {
        let attribute = match entry.attribute {
            Ok(attribute) => attribute,
            Err(error) => {
                let name = entry.name.map(|name| name.as_bytes().to_vec()).unwrap_or_default();
                return Self { name, ..Self::unreadable(error.message().to_string()) };
            }
        };
        let count = attribute.dataspace.elements().unwrap_or(0);
        let value = first_elements(&attribute, count, heap).map_err(|error| error.message().to_string());
        Self {
            name: attribute.name.as_bytes().to_vec(),
            shape: (attribute.dataspace != Dataspace::Null).then(|| attribute.dataspace.dims().to_vec()),
            dtype: dtype::short(&attribute.datatype),
            value,
            left_out: count.saturating_sub(ELEMENTS_MAX),
        }
    }

    fn unreadable(why: String) -> Self {
        Self { name: Vec::new(), shape: None, dtype: String::new(), value: Err(why), left_out: 0 }
    }
}

fn first_elements(attribute: &Attribute, count: u64, heap: &mut Heap) -> Result<Json> {
    let size = attribute.datatype.size.max(1) as usize;
    let mut values = Values::new(heap);
    let mut elements =
        attribute.data.chunks_exact(size).map(|element| values.json(&attribute.datatype, element));
    match attribute.dataspace {
        Dataspace::Null => Ok(Json::Null),
        Dataspace::Scalar => elements.next().unwrap_or(Ok(Json::Null)),
        Dataspace::Simple { .. } => {
            Ok(Json::List(elements.take(count.min(ELEMENTS_MAX) as usize).collect::<Result<_>>()?))
        }
    }
}
