//! Where the values come from that a bench writes: another dataset, or nowhere.

mod made_file;
mod synthetic;

pub use made_file::made_file;
pub use synthetic::Synthetic;

use hyperslab::{Dataset, Endianness, File};
use hyperslab_engines::{Block, RecordLayout, layout_of};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Values for every block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// Made up.
    Synthetic(Synthetic),
    /// Those of a dataset, read by hyperslab; the file is only read.
    Dataset {
        /// The file.
        file: PathBuf,
        /// The dataset in it.
        path: String,
    },
}

/// Values, ready to be taken.
pub enum Source {
    /// Made up.
    Synthetic(Synthetic),
    /// Read from an open dataset.
    Dataset {
        /// The dataset.
        dataset: Dataset,
        /// Where the fields of its records lie, if it has any.
        layout: Option<RecordLayout>,
    },
}

impl Values {
    /// Opens what has to be opened.
    pub fn open(&self) -> hyperslab::Result<Source> {
        Ok(match self {
            Self::Synthetic(synthetic) => Source::Synthetic(synthetic.clone()),
            Self::Dataset { file, path } => {
                let dataset = File::open(file)?.dataset(path)?;
                let layout = layout_of(dataset.datatype());
                Source::Dataset { dataset, layout }
            }
        })
    }
}

impl Source {
    /// True where values are read from a file.
    pub fn is_a_file(&self) -> bool {
        matches!(self, Self::Dataset { .. })
    }

    /// Puts the values of a block into `out`, in the machine's byte order, records without gaps.
    pub fn fill(&self, block: &Block, out: &mut [u8]) -> hyperslab::Result<()> {
        match self {
            Self::Synthetic(synthetic) => synthetic.fill(block, out),
            Self::Dataset { dataset, layout: None } => {
                dataset.read_into(&hyperslab_engines::selection(block)?, Endianness::Native, out)?;
            }
            Self::Dataset { dataset, layout: Some(layout) } => {
                let stored = dataset.read_bytes(&hyperslab_engines::selection(block)?, Endianness::File)?;
                out.copy_from_slice(&layout.gather(&stored));
            }
        }
        Ok(())
    }
}
