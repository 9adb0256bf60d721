//! Where the elements of a dataset come from.

use crate::elements::Elements;
use hyperslab_encode::block::Block;
use std::sync::Arc;

/// The error of a source of data.
pub type DataError = Box<dyn std::error::Error + Send + Sync>;

/// Reads blocks of an array, such as one that is computed, or too large for memory.
pub trait BlockSource: Send + Sync {
    /// The elements of a block, in row-major order and in the datatype of the dataset. Called on the thread that writes the
    /// file; blocks come in row-major order, and none twice.
    ///
    /// # Errors
    ///
    /// Those of the source. The file is not written then.
    fn read(&self, block: &Block) -> Result<Elements, DataError>;
}

/// The elements of a dataset.
#[derive(Clone)]
pub enum Data<'d> {
    /// All elements in memory, in row-major order and in the datatype of the dataset, which contains no addresses.
    Memory(Arc<dyn AsRef<[u8]> + Send + Sync + 'd>),
    /// Elements that are read block by block.
    Blocks(Arc<dyn BlockSource + 'd>),
}

impl<'d> Data<'d> {
    /// Elements in memory: a slice, or a vector of bytes.
    pub fn memory(bytes: impl AsRef<[u8]> + Send + Sync + 'd) -> Self {
        Self::Memory(Arc::new(bytes))
    }

    /// Elements that are read block by block.
    pub fn blocks(source: impl BlockSource + 'd) -> Self {
        Self::Blocks(Arc::new(source))
    }
}

impl std::fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Memory(_) => "Memory",
            Self::Blocks(_) => "Blocks",
        })
    }
}
