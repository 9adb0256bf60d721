//! A variable as a dataset: contiguous, or a record at a time between those of other variables.

use super::datatype::{datatype, stored, to_native};
use crate::format_error::OrError;
use crate::open_file::Node;
use crate::stored_dataset::{LayoutDetail, StoredDataset};
use crate::{Error, ErrorKind, Result};
use hyperslab_array::array::{Array, ElementSpec, Storage};
use hyperslab_array::read::convert::Conversion;
use hyperslab_classic::{Header, Variable};
use hyperslab_format::Bytes;
use hyperslab_format::limits::RANK_MAX;
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{Dataspace, FillValue, FilterPipeline};

/// The variable with this number of the file's header. `node` is the variable in its file.
pub(super) fn open(header: &Header, number: usize, node: &Node) -> Result<StoredDataset> {
    let variable = &header.variables[number];
    let place = header.place(number).or_error()?;
    let rank = place.shape.len() as u64;
    if rank > RANK_MAX {
        let what = format!("{rank} dimensions, more than the {RANK_MAX} that are read");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let datatype = datatype(variable.kind);
    let of_dimension = |(number, len): (&usize, &u64)| match header.dimensions[*number].is_record() {
        true => None,
        false => Some(*len),
    };
    let max_dims: Vec<Option<u64>> = variable.dimensions.iter().zip(&place.shape).map(of_dimension).collect();
    let dataspace = match place.shape.is_empty() {
        true => Dataspace::Scalar,
        false => Dataspace::Simple { dims: place.shape.clone(), max_dims: max_dims.clone() },
    };
    let data = node.file.data.clone();
    let storage = Storage::Contiguous { data, base: Some(place.begin), record_bytes: place.record_bytes };
    let array = Array {
        origin: node.origin(),
        shape: place.shape,
        is_null: false,
        element: ElementSpec {
            bytes: datatype.size as usize,
            to_native: Some(to_native(variable.kind)),
            to_datatype: to_native(variable.kind),
        },
        // Nothing says which elements were never written: they have this value in the file.
        fill: Vec::new(),
        storage,
    };
    Ok(StoredDataset {
        array,
        layout: LayoutDetail::None,
        in_file: (to_native(variable.kind) != Conversion::None).then(|| stored(variable.kind)),
        datatype,
        dataspace,
        max_dims,
        fill: FillValue { value: Fill::User(fill(variable)), ..FillValue::default() },
        filters: FilterPipeline::default(),
    })
}

/// The value of elements that were never written, in the order of the machine.
fn fill(variable: &Variable) -> Bytes {
    let own = variable.attributes.iter().find(|attribute| attribute.name.as_bytes() == b"_FillValue");
    let own = own.filter(|own| own.kind == variable.kind && own.count() == 1);
    let mut value = own.map_or_else(|| variable.kind.default_fill(), |own| own.values.clone());
    to_native(variable.kind).in_place(&mut value);
    Bytes::from(value)
}
