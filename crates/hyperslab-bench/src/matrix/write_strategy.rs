//! How files are written: in which blocks, in which order, behind which chunk cache.

use hyperslab_engines::CreationProperties;
use hyperslab_measure::access::{Access, BlockWalk};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use std::fmt;

/// One way of writing. The default is chunk by chunk, with the library's own cache.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WriteStrategy {
    /// The block of each write; one chunk where none is given, everything where there are no chunks.
    pub block: Option<Vec<u64>>,
    /// The dimensions in the order in which blocks move, slowest first; that of the dataset where none is given.
    pub order: Option<Vec<usize>>,
    /// The chunk cache of a library that has one; its own default where none is given.
    pub cache: Option<CacheSettings>,
}

impl WriteStrategy {
    /// Which blocks that are for a storage.
    pub fn access(&self, storage: &CreationProperties) -> Access {
        let mut access = match &self.block {
            Some(block) => Access::sweep(block.clone()),
            None => Access::by_chunk(storage),
        };
        if let Some(order) = &self.order {
            access.walk = BlockWalk::Sweep { order: order.clone() };
        }
        access
    }
}

/// As it is added to the name of a storage: `by 1x1x717 order 2,1,0 cache 1 MiB,521,0.75`.
impl fmt::Display for WriteStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.block {
            Some(block) => write!(f, "by {}", shape_text(block))?,
            None => f.write_str("by chunk")?,
        }
        if let Some(order) = self.order.as_ref().filter(|order| !order.is_sorted()) {
            let order: Vec<String> = order.iter().map(usize::to_string).collect();
            write!(f, " order {}", order.join(","))?;
        }
        match self.cache {
            Some(cache) => write!(f, " cache {},{},{}", bytes_text(cache.nbytes), cache.nslots, cache.w0),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_by_chunk_unless_a_block_is_given() {
        let plain = CreationProperties::plain(vec![10, 20], "<f4".parse().unwrap());
        let chunked = CreationProperties { chunks: Some(vec![4, 30]), ..plain.clone() };
        let blocks = |way: &WriteStrategy, storage| way.access(storage).to_string();
        assert_eq!(blocks(&WriteStrategy::default(), &plain), "10x20");
        assert_eq!(blocks(&WriteStrategy::default(), &chunked), "4x20");
        let rows = WriteStrategy { block: Some(vec![1, 20]), order: Some(vec![1, 0]), cache: None };
        assert_eq!(blocks(&rows, &chunked), "1x20 order 1,0");
        assert_eq!(rows.to_string(), "by 1x20 order 1,0");
        let cache = Some(CacheSettings { nbytes: 0, nslots: 7, w0: 0.5 });
        assert_eq!(
            WriteStrategy { cache, ..WriteStrategy::default() }.to_string(),
            "by chunk cache 0 B,7,0.5"
        );
    }
}
