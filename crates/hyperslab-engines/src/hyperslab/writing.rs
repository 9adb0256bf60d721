//! Writing by this project's engine, as `NewFile` writes: the values are collected, and the file is written when it is
//! closed, its chunks encoded by all threads.

use crate::block::Block;
use crate::error::{EngineError, unsupported};
use crate::interface::{OpenDataset, Opened};
use crate::storage::{AllocTime, CreationProperties, Element, FillTime, Format, Libver, Scalar};
use hyperslab_create::{CreateOptions, Data, LowBound, Monitor, NewDataset, NewFile, WriteOptions};
use std::path::{Path, PathBuf};

/// A dataset whose values are collected.
struct Writing {
    file: PathBuf,
    dataset: String,
    storage: CreationProperties,
    scalar: Scalar,
    /// All elements, in row-major order and the machine's byte order.
    values: Vec<u8>,
}

/// Creates a file with one dataset.
pub(super) fn create(file: &Path, dataset: &str, storage: &CreationProperties) -> Opened<dyn OpenDataset> {
    let Element::Scalar(scalar) = storage.element else {
        return unsupported("hyperslab writes no records here: use --engine libhdf5");
    };
    if storage.format != Format::Hdf5 {
        return unsupported(format!("hyperslab writes HDF5 files, not {}", storage.format));
    }
    if storage.fill_time != FillTime::default() || storage.alloc_time != AllocTime::default() {
        return unsupported(
            "hyperslab always writes the fill time and the allocation time that are the default",
        );
    }
    let bytes = usize::try_from(storage.logical_bytes())
        .map_err(|_| EngineError::Unsupported("the dataset does not fit into memory".to_owned()))?;
    let mut values = Vec::new();
    values.try_reserve_exact(bytes).map_err(|error| EngineError::Unsupported(error.to_string()))?;
    values.resize(bytes, 0);
    let (file, dataset) = (file.to_owned(), dataset.to_owned());
    Ok(Box::new(Writing { file, dataset, storage: storage.clone(), scalar, values }))
}

impl OpenDataset for Writing {
    fn element_bytes(&self) -> usize {
        self.scalar.bytes as usize
    }

    fn read(&mut self, _: &Block, _: &mut [u8]) -> Result<(), EngineError> {
        unsupported("the file is being written")
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        let shape = &self.storage.shape;
        let element = self.scalar.bytes as usize;
        let Some((&row, outer)) = block.count.split_last() else {
            self.values.copy_from_slice(values);
            return Ok(());
        };
        let fastest = outer.len();
        // The place of the first element of each row, dimension by dimension.
        let mut number = vec![0u64; outer.len()];
        for row_values in values.chunks_exact((row as usize * element).max(1)) {
            let place = |axis: usize| {
                let along = if axis < fastest { number[axis] } else { 0 };
                block.start[axis] + along * block.step[axis]
            };
            let first = (0..shape.len()).fold(0u64, |at, axis| at * shape[axis] + place(axis));
            let step = block.step[fastest] as usize * element;
            let first = first as usize * element;
            if block.step[fastest] == 1 {
                self.values[first..first + row_values.len()].copy_from_slice(row_values);
            } else {
                for (at, value) in row_values.chunks_exact(element).enumerate() {
                    self.values[first + at * step..][..element].copy_from_slice(value);
                }
            }
            for axis in (0..fastest).rev() {
                number[axis] += 1;
                if number[axis] < block.count[axis] {
                    break;
                }
                number[axis] = 0;
            }
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        let Self { file: path, dataset, storage, scalar, mut values } = *self;
        if scalar.is_swapped() {
            values.chunks_exact_mut(scalar.unit()).for_each(<[u8]>::reverse);
        }
        let failed = |error: hyperslab_create::CreateError| EngineError::Unsupported(error.to_string());
        let mut file = NewFile::new();
        let id = file.dataset(&dataset, new_dataset(&storage, scalar)?).map_err(failed)?;
        file.set_data(id, Data::memory(values)).map_err(failed)?;
        let low = match storage.libver {
            Libver::Earliest => LowBound::Earliest,
            Libver::Default => LowBound::default(),
            Libver::Latest => LowBound::Latest,
        };
        let write = WriteOptions { low, page_bytes: storage.page_bytes, ..WriteOptions::default() };
        // Other engines do not read back what they wrote.
        let options = CreateOptions { write, overwrite: true, verify: false, ..CreateOptions::default() };
        file.write(&path, &options, &Monitor::default()).map_err(failed)?;
        Ok(())
    }
}

fn new_dataset(storage: &CreationProperties, scalar: Scalar) -> Result<NewDataset, EngineError> {
    let datatype =
        scalar.datatype().ok_or_else(|| EngineError::Unsupported("a float of this size".to_owned()))?;
    let mut dataset = NewDataset::new(datatype, &storage.shape);
    if storage.unlimited {
        dataset = dataset.maximum(&vec![None; storage.shape.len()]);
    }
    if let Some(chunks) = &storage.chunks {
        dataset = dataset.chunks(chunks);
    }
    if let Some(value) = storage.fill_value {
        let mut bytes = scalar.bytes_of(value);
        if scalar.is_swapped() {
            bytes.reverse();
        }
        dataset = dataset.fill(bytes);
    }
    Ok(dataset.filters(storage.filters.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::{File, Selection};
    use hyperslab_storage::FilterRequest;

    #[test]
    fn blocks_in_any_order_become_the_dataset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        for element in ["<i4", ">i4"] {
            let plain = CreationProperties::plain(vec![5, 7], element.parse().unwrap());
            let storage = CreationProperties {
                chunks: Some(vec![2, 3]),
                filters: vec![FilterRequest::shuffle(), FilterRequest::gzip(4)],
                ..plain
            };
            let mut writing = create(&path, "/d", &storage).unwrap();
            for start in [0u64, 4, 2, 1, 3] {
                for first in [4u64, 0] {
                    let count = if first == 4 { 3 } else { 4 };
                    let block = Block { start: vec![start, first], count: vec![1, count], step: vec![1, 1] };
                    let values =
                        (first..first + count).flat_map(|at| ((start * 7 + at) as i32).to_ne_bytes());
                    writing.write(&block, &values.collect::<Vec<u8>>()).unwrap();
                }
            }
            writing.close().unwrap();
            let dataset = File::open(&path).unwrap().dataset("/d").unwrap();
            assert_eq!(
                dataset.read::<i32>(&Selection::All).unwrap(),
                (0..35).collect::<Vec<i32>>(),
                "{element}"
            );
            assert_eq!(dataset.chunk_shape(), Some(&[2, 3][..]));
        }
    }
}
