//! The readers whose requests are forecast.

use super::access::{FileLayout, Session};
use super::block_cache::{BlockCache, FSSPEC_BLOCKS};
use super::chunk_references;
use super::first_block::FirstBlock;
use super::policy::Policy;
use super::read_ahead::ReadAhead;
use super::requests::Requests;
use super::ros3::Ros3;
use super::uncached::Uncached;

/// The block of fsspec's file systems if none is set.
const FSSPEC_BLOCK_BYTES: u64 = 5 << 20;
const MIB: u64 = 1 << 20;

/// A kind of reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudReader {
    /// libhdf5 1.10.6 to 1.14.2 with its driver ROS3.
    Ros3Uncached,
    /// libhdf5 1.14.3 and later 1.14 with its driver ROS3.
    Ros3Beginning,
    /// libhdf5 2.0 and 2.1 with its driver ROS3 and the page buffer that it sets for paged files.
    Ros3PageBuffer,
    /// libhdf5 2.2 with its driver ROS3 and its block cache.
    Ros3BlockCache,
    /// h5py over an fsspec file that is not cached.
    FsspecNone,
    /// h5py over an fsspec file that keeps the first 5 MiB.
    FsspecFirst,
    /// h5py over an fsspec file that reads 5 MiB ahead, the default of s3fs.
    FsspecReadAhead,
    /// h5py over an fsspec file in 32 blocks of 4 MiB, the default of xarray's engine h5netcdf.
    FsspecBlocks4,
    /// The same with blocks of 8 MiB.
    FsspecBlocks8,
    /// zarr over references to all chunks, which kerchunk or VirtualiZarr made.
    ChunkReferences,
    /// hyperslab.
    Hyperslab,
}

impl CloudReader {
    /// Those whose requests follow from the reads of libhdf5.
    pub const REPLAYED: [Self; 9] = [
        Self::Ros3Uncached,
        Self::Ros3Beginning,
        Self::Ros3PageBuffer,
        Self::Ros3BlockCache,
        Self::FsspecNone,
        Self::FsspecFirst,
        Self::FsspecReadAhead,
        Self::FsspecBlocks4,
        Self::FsspecBlocks8,
    ];

    /// The name in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Self::Ros3Uncached => "ros3-1.10",
            Self::Ros3Beginning => "ros3-1.14",
            Self::Ros3PageBuffer => "ros3-2.0",
            Self::Ros3BlockCache => "ros3-2.2",
            Self::FsspecNone => "fsspec-none",
            Self::FsspecFirst => "fsspec-first",
            Self::FsspecReadAhead => "fsspec-readahead",
            Self::FsspecBlocks4 => "fsspec-blockcache-4MiB",
            Self::FsspecBlocks8 => "fsspec-blockcache-8MiB",
            Self::ChunkReferences => "kerchunk",
            Self::Hyperslab => "hyperslab",
        }
    }

    /// The name in tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ros3Uncached => "ROS3, libhdf5 1.10",
            Self::Ros3Beginning => "ROS3, libhdf5 1.14",
            Self::Ros3PageBuffer => "ROS3, libhdf5 2.0",
            Self::Ros3BlockCache => "ROS3, libhdf5 2.2",
            Self::FsspecNone => "fsspec, no cache",
            Self::FsspecFirst => "fsspec, first 5 MiB",
            Self::FsspecReadAhead => "fsspec, read ahead 5 MiB",
            Self::FsspecBlocks4 => "fsspec, blocks of 4 MiB",
            Self::FsspecBlocks8 => "fsspec, blocks of 8 MiB",
            Self::ChunkReferences => "kerchunk, VirtualiZarr",
            Self::Hyperslab => "hyperslab",
        }
    }

    /// The title of the reader with this code.
    pub fn titled(code: &str) -> Option<&'static str> {
        let all = Self::REPLAYED.into_iter().chain([Self::ChunkReferences, Self::Hyperslab]);
        all.into_iter().find(|reader| reader.code() == code).map(Self::title)
    }

    /// The policy of a reader that is replayed.
    fn policy(self, layout: &FileLayout) -> Option<Box<dyn Policy>> {
        let file_bytes = layout.file_bytes;
        let blocks = |bytes| Box::new(BlockCache::new(file_bytes, bytes, FSSPEC_BLOCKS));
        Some(match self {
            Self::Ros3Uncached => Box::new(Ros3::without_cache(layout)),
            Self::Ros3Beginning => Box::new(Ros3::with_beginning(layout)),
            Self::Ros3PageBuffer => Box::new(Ros3::with_page_buffer(layout)),
            Self::Ros3BlockCache => Box::new(Ros3::with_blocks(layout)),
            Self::FsspecNone => Box::new(Uncached { file_bytes }),
            Self::FsspecFirst => Box::new(FirstBlock::new(file_bytes, FSSPEC_BLOCK_BYTES)),
            Self::FsspecReadAhead => Box::new(ReadAhead::new(file_bytes, FSSPEC_BLOCK_BYTES)),
            Self::FsspecBlocks4 => blocks(4 * MIB),
            Self::FsspecBlocks8 => blocks(8 * MIB),
            Self::ChunkReferences | Self::Hyperslab => return None,
        })
    }
}

/// The requests that a reader makes in a session. `index_bytes` is the size of the references to all chunks.
///
/// `None` for hyperslab, whose requests do not follow from the reads of libhdf5.
pub fn replay(
    reader: CloudReader,
    layout: &FileLayout,
    session: &Session,
    index_bytes: u64,
) -> Option<Requests> {
    if reader == CloudReader::ChunkReferences {
        return Some(chunk_references::replay(session, index_bytes));
    }
    let mut policy = reader.policy(layout)?;
    let mut requests = Requests::default();
    policy.open(&mut requests);
    let (opening, others) = session.accesses.split_at(layout.opening_reads.min(session.accesses.len()));
    opening.iter().for_each(|access| policy.read(*access, &mut requests));
    policy.file_is_open();
    others.iter().for_each(|access| policy.read(*access, &mut requests));
    Some(requests)
}

#[cfg(test)]
mod tests {
    use super::super::access::Access;
    use super::*;
    use crate::simulate::PageKind;

    #[test]
    fn every_reader_but_hyperslab_is_replayed() {
        let layout = FileLayout { file_bytes: 50 * MIB, ..FileLayout::default() };
        let accesses = vec![Access { kind: PageKind::Metadata, address: 30 * MIB, len: 100 }];
        let chunks = vec![vec![(0, 10), (10, 20)], vec![(30, 5)]];
        let session = Session { accesses, chunks };
        let counts = |reader| replay(reader, &layout, &session, 7).map(|one| (one.count(), one.bytes()));
        assert_eq!(counts(CloudReader::FsspecNone), Some((2, 100)));
        assert_eq!(counts(CloudReader::FsspecBlocks4), Some((2, 4 * MIB)));
        assert_eq!(counts(CloudReader::ChunkReferences), Some((4, 7 + 35)));
        assert_eq!(counts(CloudReader::Hyperslab), None);
        assert!(CloudReader::REPLAYED.into_iter().all(|reader| counts(reader).is_some()));
    }
}
