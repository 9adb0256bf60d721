//! The space that data will take in a new file, from sizes alone: what a [`FileWriter`] would do, without the data.

use crate::allocator::Allocator;
use crate::data_heap::OpenCollection;
use crate::file_writer::FileWriter;
use crate::options::WIDTHS;
use crate::placed::PlacedStorage;
use crate::value::ObjectId;
use hyperslab_format::heap::CollectionSize;
use hyperslab_format::message::ChunkIndex;

/// The space of a file whose data is given in the order in which it would be written.
#[derive(Debug, Clone)]
pub struct DataSpace {
    space: Allocator,
    user_block_bytes: u64,
    /// The collection that objects go to: the bytes that it was given, and those that it needs.
    heap: Option<(u64, CollectionSize)>,
}

impl FileWriter<'_> {
    /// The space of the file as it is now: with all metadata, contiguous data, and chunks whose places are known in advance.
    pub fn data_space(&self) -> DataSpace {
        DataSpace { space: self.space.clone(), user_block_bytes: self.options.user_block_bytes, heap: None }
    }

    /// True if the chunks of a dataset have their places before they are written.
    pub fn has_placed_chunks(&self, dataset: ObjectId) -> bool {
        match self.layout.objects.get(dataset.0 as usize).map(|placed| &placed.storage) {
            Some(PlacedStorage::Chunked(chunks)) => chunks.index == ChunkIndex::Implicit,
            _ => false,
        }
    }
}

impl DataSpace {
    /// Space for the next chunk, or for several: as many bytes as are stored.
    pub fn chunks(&mut self, stored_bytes: u64) {
        self.space.data(stored_bytes);
    }

    /// Space for an object of the global heap among the data, as [`FileWriter::write_heap_object`] finds it.
    pub fn heap_object(&mut self, bytes: u64) {
        if let Some((given, needed)) = &mut self.heap
            && needed.with(bytes).is_some_and(|with| with <= *given)
        {
            needed.push(bytes);
            return;
        }
        let given = OpenCollection::size_after(self.heap.map(|(given, _)| given), bytes);
        let end = self.space.end();
        self.space.data(end.next_multiple_of(8) - end);
        self.space.data(given);
        let mut needed = CollectionSize::new(WIDTHS);
        needed.push(bytes);
        self.heap = Some((given, needed));
    }

    /// The bytes of the file if nothing else is written.
    pub fn file_bytes(&self) -> u64 {
        let mut space = self.space.clone();
        space.begin_page();
        self.user_block_bytes.saturating_add(space.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::WriteOptions;
    use crate::tree::{FileTree, GroupSpec, Object, ObjectSpec};
    use hyperslab_format::Bytes;
    use hyperslab_io::MemorySink;

    #[test]
    fn heap_objects_take_the_space_that_they_are_predicted_to_take() {
        let mut tree = FileTree::default();
        tree.objects.push(Object::new(ObjectSpec::Group(Box::<GroupSpec>::default())));
        for page_bytes in [None, Some(4096)] {
            let options = WriteOptions { page_bytes, user_block_bytes: 512, ..WriteOptions::default() };
            // Small objects, one that is larger than any usual collection, and many empty ones.
            let sizes = (0..3000).chain([300_000, 1, 9]).chain(std::iter::repeat_n(0, 70_000));
            let sink = MemorySink::default();
            let mut writer = FileWriter::create(&sink, tree.clone(), options).unwrap();
            let mut space = writer.data_space();
            for bytes in sizes {
                writer.write_heap_object(&Bytes::from(vec![7; bytes])).unwrap();
                space.heap_object(bytes as u64);
            }
            assert_eq!(space.file_bytes(), writer.finish().unwrap().bytes, "pages of {page_bytes:?}");
        }
    }
}
