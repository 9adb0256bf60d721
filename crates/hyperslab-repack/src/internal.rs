//! What other writers of this project share with [`repack`](crate::RepackPlan::run): how chunks are encoded, how elements refer
//! to objects and to the heap, and how a new file is verified. Not for users: it changes with the code around it.

pub use crate::block::{Block, copy_common};
pub use crate::checksums::{PieceChecksums, of_chunk};
pub use crate::chunk_encoder::{ChunkEncoder, CodecState, EncodedChunk};
pub use crate::new_filters::FilteredDataset;
pub use crate::ordered::Workers;
pub use crate::relocate::{HeapContent, Objects, Referent, Relocatable};
pub use crate::source_dataset::open_dataset;
pub use crate::source_tree::{Sources, WrittenObjects};
pub use crate::verify_objects::verify_objects;
pub use crate::verify_stored::StoredData;
