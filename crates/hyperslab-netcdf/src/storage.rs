//! How a variable is stored, in netCDF's words: what `ncdump -s` prints as `_Storage`, `_ChunkSizes` and so on.

use crate::model::Variable;
use crate::types::{AtomicType, VariableType};
use hyperslab::storage::{Fill, Filter};
use hyperslab_format::message::datatype::ByteOrder;
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, SHUFFLE, SZIP};

use hyperslab_format::message::{Class, Datatype};

/// The bits of szip's first parameter that a user sets: entropy or nearest-neighbour coding.
const SZIP_USER_BITS: u32 = 4 | 32;

/// How a variable is stored, as the special virtual attributes of netCDF-C tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialAttributes {
    /// `contiguous`, `chunked`, `compact`, `virtual` or `external`.
    pub layout: &'static str,
    /// Sizes of a chunk along each axis.
    pub chunk_sizes: Option<Vec<u64>>,
    /// Level of the deflate filter.
    pub deflate_level: Option<u32>,
    /// True with the shuffle filter.
    pub has_shuffle: bool,
    /// True with the fletcher32 filter.
    pub has_fletcher32: bool,
    /// All other filters, in the order in which they were applied: number and parameters, as a user sets them.
    pub other_filters: Vec<(u16, Vec<u32>)>,
    /// Order of the bytes of a number.
    pub endianness: Option<Endianness>,
    /// True where elements that were never written are undefined.
    pub has_no_fill: bool,
}

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endianness {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl Endianness {
    /// `little` or `big`.
    pub fn name(self) -> &'static str {
        match self {
            Endianness::Little => "little",
            Endianness::Big => "big",
        }
    }

    fn of(datatype: &Datatype) -> Option<Self> {
        let order = match &datatype.class {
            Class::Integer(integer) => integer.order,
            Class::Float(float) => float.order,
            _ => return None,
        };
        match order {
            ByteOrder::Little => Some(Endianness::Little),
            ByteOrder::Big => Some(Endianness::Big),
            ByteOrder::Vax => None,
        }
    }
}

impl Variable {
    /// How it is stored.
    pub fn storage(&self) -> SpecialAttributes {
        let dataset = &self.dataset;
        let filters = dataset.filters();
        let first = |id: u16| filters.iter().find(|filter| filter.id == id);
        let is_other = |filter: &&Filter| ![DEFLATE, SHUFFLE, FLETCHER32].contains(&filter.id);
        // ncdump tells the byte order of types of more than one byte only.
        let has_order = !matches!(
            self.variable_type,
            VariableType::Atomic(
                AtomicType::Byte | AtomicType::UByte | AtomicType::Char | AtomicType::String
            )
        );
        SpecialAttributes {
            layout: dataset.layout_name(),
            chunk_sizes: dataset.chunk_shape().map(<[u64]>::to_vec),
            deflate_level: first(DEFLATE).map(|filter| filter.parameters.first().copied().unwrap_or(0)),
            has_shuffle: first(SHUFFLE).is_some(),
            has_fletcher32: first(FLETCHER32).is_some(),
            other_filters: filters
                .iter()
                .filter(is_other)
                .map(|filter| (filter.id, user_parameters(filter)))
                .collect(),
            endianness: Endianness::of(dataset.datatype()).filter(|_| has_order),
            has_no_fill: !matches!(dataset.fill_value().value, Fill::User(_)),
        }
    }
}

/// libhdf5 adds to the two parameters that a user sets for szip.
fn user_parameters(filter: &Filter) -> Vec<u32> {
    match (filter.id, filter.parameters.as_slice()) {
        (SZIP, [options, pixels, ..]) => vec![options & SZIP_USER_BITS, *pixels],
        (_, parameters) => parameters.to_vec(),
    }
}
