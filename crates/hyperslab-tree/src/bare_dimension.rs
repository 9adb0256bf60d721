//! Dimensions of which the variable is left out, as netCDF-C stores a dimension without a variable: a dataset of the length of
//! the dimension whose elements are never written, with the attributes by which dimension scales are recognized.

use hyperslab::datatypes::{ByteOrder, Class, Float};
use hyperslab::{Attribute, Dataset, Dataspace, Datatype};
use hyperslab_write::{ChunkedSpec, StorageSpec};

const CLASS: &[u8] = b"CLASS";
const NAME: &[u8] = b"NAME";
/// The attributes that stay.
const KEPT: [&[u8]; 4] = [CLASS, NAME, b"_Netcdf4Dimid", b"REFERENCE_LIST"];
/// The bytes of [`NAME`], with a NUL at the end.
const NAME_BYTES: usize = 64;

/// The datatype of the elements, which nobody reads: a big-endian float.
pub fn datatype() -> Option<Datatype> {
    let float = Float::ieee(4, ByteOrder::Big)?;
    Some(Datatype { size: 4, class: Class::Float(float), committed: None })
}

/// The length along the only axis, and whether it can grow.
pub fn extent(dataset: &Dataset) -> (Dataspace, StorageSpec) {
    let (len, max) = match dataset.dataspace() {
        Dataspace::Simple { dims, max_dims } => {
            (dims.first().copied().unwrap_or(0), max_dims.first().copied().unwrap_or(None))
        }
        Dataspace::Scalar | Dataspace::Null => (1, Some(1)),
    };
    let is_unlimited = max.is_none();
    let max_dims = vec![if is_unlimited { None } else { Some(len) }];
    let storage = match is_unlimited {
        true => StorageSpec::Chunked(ChunkedSpec {
            chunk_dims: Box::new([1]),
            edge_chunks_unfiltered: false,
            coords: Box::default(),
        }),
        false => StorageSpec::Contiguous { allocated: false },
    };
    (Dataspace::Simple { dims: vec![len], max_dims }, storage)
}

/// The attributes of the dimension, from those of its variable.
pub fn attributes(dataset: &Dataset, attributes: Vec<Attribute>) -> Vec<Attribute> {
    let mut kept: Vec<Attribute> =
        attributes.into_iter().filter(|attribute| KEPT.contains(&attribute.name.as_bytes())).collect();
    let Some(class) = kept.iter().find(|attribute| attribute.name.as_bytes() == CLASS).cloned() else {
        return kept;
    };
    let len = dataset.shape().first().copied().unwrap_or(1);
    let mut text = format!("This is a netCDF dimension but not a netCDF variable.{len:10}").into_bytes();
    text.resize(NAME_BYTES.max(text.len() + 1), 0);
    let size = text.len() as u32;
    let datatype = Datatype { size, ..class.datatype.clone() };
    let name = Attribute { name: "NAME".into(), datatype, data: text.into(), ..class };
    match kept.iter_mut().find(|attribute| attribute.name.as_bytes() == NAME) {
        Some(known) => *known = name,
        None => kept.push(name),
    }
    kept
}
