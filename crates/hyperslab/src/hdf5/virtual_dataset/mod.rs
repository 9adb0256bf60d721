//! Virtual datasets: datasets whose elements are stored in other datasets, perhaps of other files.
//!
//! [`mapping`] resolves the mappings of the file for the sources that exist now ([`resolved_mapping`]); [`batches`]
//! selects the [`wanted`] elements of each source; [`sources`] keeps the sources open between reads. An
//! [`Operation`](hyperslab_array::array::Operation) limits the cost of one call. Elements of a missing source read as
//! the fill value, as in libhdf5.

mod batches;
mod element_change;
mod mapping;
mod resolved_mapping;
mod sources;
mod virtual_array;
mod wanted;

pub(crate) use sources::is_missing;
pub(crate) use virtual_array::VirtualDataset;
