//! A file of made-up values that is nowhere: its metadata is in memory, and its values are made up when they are read.
//!
//! So there may be more of them than any disk holds, and whoever reads a file reads this one.

use super::Synthetic;
use hyperslab::File;
use hyperslab_engines::Element;
use hyperslab_format::message::datatype::Charset;
use hyperslab_io::{Advice, MemorySink, Sink, Source};
use hyperslab_write::{
    DatasetSpec, DataspaceSpec, DatatypeUse, FileTree, FileWriter, FillSpec, GroupSpec, LinkSpec,
    LinkTargetSpec, Object, ObjectId, ObjectSpec, StorageSpec, WriteError, WriteOptions,
};
use std::io;
use std::sync::Arc;

/// Metadata of a file with one dataset is far below this.
const METADATA_BYTES_MAX: u64 = 1 << 20;

/// Opens a file that has these values in the contiguous dataset `dataset` of its root group.
///
/// # Errors
/// Records, and shapes whose size is no size of a file.
pub fn made_file(values: Synthetic, name: &str, dataset: &str) -> Result<File, String> {
    let Element::Scalar(scalar) = values.element else {
        return Err("values are made up here for numbers and texts, not for records".to_owned());
    };
    let datatype = scalar.datatype().ok_or("there is no such datatype")?;
    let dims: Box<[u64]> = values.shape.clone().into();
    let bytes = dims.iter().try_fold(u64::from(scalar.bytes), |n, dim| n.checked_mul(*dim));
    let bytes =
        bytes.filter(|bytes| i64::try_from(*bytes).is_ok()).ok_or("the values are too many for a file")?;
    let spec = DatasetSpec {
        datatype: DatatypeUse { datatype: Arc::new(datatype), committed: None },
        dataspace: DataspaceSpec::Fixed(dims),
        fill: Arc::new(FillSpec::default()),
        filters: Arc::default(),
        storage: StorageSpec::Contiguous { allocated: true },
    };
    let link =
        LinkSpec { name: dataset.into(), charset: Charset::Utf8, target: LinkTargetSpec::Hard(ObjectId(1)) };
    let root = ObjectSpec::Group(Box::new(GroupSpec { links: vec![link], ..GroupSpec::default() }));
    let objects = vec![Object::new(root), Object::new(ObjectSpec::Dataset(Box::new(spec)))];
    let metadata = Metadata::default();
    let tree = FileTree { objects, heap: Vec::new() };
    let written = FileWriter::create(&metadata, tree, WriteOptions::default()).and_then(FileWriter::finish);
    let len = written.map_err(|error: WriteError| error.to_string())?.bytes;
    let source =
        MadeUp { metadata: metadata.0.into_bytes(), first: len - bytes, len, values, name: name.to_owned() };
    File::options().open_source(Arc::new(source)).map_err(|error| error.to_string())
}

/// The metadata of a file: the sink is not made as long as the file, and takes nothing far behind its beginning.
#[derive(Default)]
struct Metadata(MemorySink);

impl Sink for Metadata {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if at + bytes.len() as u64 > METADATA_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.write_at(at, bytes)
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }

    fn name(&self) -> String {
        self.0.name()
    }
}

/// The file.
struct MadeUp {
    metadata: Vec<u8>,
    /// Where the values begin: behind all metadata.
    first: u64,
    len: u64,
    values: Synthetic,
    name: String,
}

impl Source for MadeUp {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(out.len() as u64).filter(|end| *end <= self.len);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let of_metadata = self.first.saturating_sub(at).min(end - at) as usize;
        let (metadata, values) = out.split_at_mut(of_metadata);
        let written = self.metadata.get(at as usize..).unwrap_or_default();
        let written = &written[..written.len().min(metadata.len())];
        metadata[..written.len()].copy_from_slice(written);
        metadata[written.len()..].fill(0);
        if !values.is_empty() {
            self.values.fill_stored(at.max(self.first) - self.first, values);
        }
        Ok(())
    }

    fn advice(&self) -> Advice {
        // What lies between wanted bytes would have to be made up, too.
        Advice { gap_bytes: 0, ..Advice::LOCAL }
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::{Endianness, Selection};
    use hyperslab_engines::Block;

    fn values(shape: &[u64], element: &str) -> Synthetic {
        Synthetic::with_ratio(shape, element.parse().unwrap(), 2.0, 3)
    }

    #[test]
    fn a_file_larger_than_any_disk_has_its_values_everywhere() {
        let shape = [1 << 20, 1 << 20, 1 << 10];
        for element in ["<f4", ">i2", "u1", "S5"] {
            let values = values(&shape, element);
            let file = made_file(values.clone(), "new.h5", "data").unwrap();
            let dataset = file.dataset("/data").unwrap();
            assert_eq!((dataset.shape(), dataset.layout_name()), (&shape[..], "contiguous"));
            let start = vec![(1 << 20) - 2, 77, 5];
            let block = Block { start, count: vec![2, 3, 1000], step: vec![1; 3] };
            let mut expected = vec![0; block.bytes(values.element.packed_bytes()) as usize];
            values.fill(&block, &mut expected);
            let selection = Selection::parse("-2:, 77:80, 5:1005", &shape).unwrap();
            assert!(dataset.read_bytes(&selection, Endianness::Native).unwrap() == expected, "{element}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_is_refused() {
        let error = |shape: &[u64], element: &str| made_file(values(shape, element), "x", "d").err().unwrap();
        assert!(error(&[1 << 40, 1 << 40], "<f4").contains("too many"));
        assert!(error(&[10], "{a:<f4,b:<i2}").contains("records"));
    }
}
