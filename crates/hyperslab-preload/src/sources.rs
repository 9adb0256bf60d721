//! The same file, read by the engine.

use hyperslab::{Address, File};
use hyperslab_inputs::facts::layout_facts;
use hyperslab_simulate::Geometry;
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number::SHUFFLE;
use hyperslab_trace::TracedDataset;
use std::os::fd::RawFd;
use std::sync::Arc;

/// How the data of the dataset at an address is stored in the file that a descriptor is open for. Its filters are noted in
/// `dataset`.
pub fn storage(
    descriptor: RawFd,
    address: u64,
    dataset: &mut TracedDataset,
) -> Result<Arc<Geometry>, String> {
    // The file that is open, whatever has its name by now.
    let path = format!("/proc/self/fd/{descriptor}");
    let file = File::options().threads(1).cache_bytes(0).open(path).map_err(|error| error.to_string())?;
    let object = hyperslab::hdf5::object_at(&file, Address(address), &dataset.traced);
    let found = object.map_err(|error| error.to_string())?;
    let hyperslab::Object::Dataset(found) = found else {
        return Err("the object is not a dataset".to_owned());
    };
    let facts = layout_facts(&found).map_err(|error| error.to_string())?;
    let requests = facts.filters.iter().map(|filter| match filter.id {
        // Its parameter is the size of the elements.
        SHUFFLE => FilterRequest::shuffle().to_string(),
        id => FilterRequest::new(id, filter.parameters.clone()).to_string(),
    });
    dataset.filters = requests.collect::<Vec<_>>().join("+");
    Geometry::of(&facts)
        .map_err(|error| error.to_string())?
        .map(Arc::new)
        .ok_or_else(|| "it is not stored in chunks".to_owned())
}
