//! Virtual datasets: elements that are stored in other datasets, perhaps of other files.
//!
//! [`mapping`] turns the mappings of the file into [`part::Part`]s for the sources that are there now, [`batches`] selects
//! what is [`wanted`] of each source. [`sources`] keeps the sources open between reads, an
//! [`Operation`](hyperslab_array::array::Operation) bounds what one call may cost. A source that is not there reads as the fill
//! value, as in libhdf5.

mod batches;
mod element_change;
mod mapping;
mod part;
mod sources;
mod virtual_array;
mod wanted;

pub(crate) use virtual_array::VirtualDataset;
