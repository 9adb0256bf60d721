//! What the parts of a read cost on one machine, with one libhdf5.

use serde::{Deserialize, Serialize};

/// Seconds that the parts of a read take in libhdf5, apart from decoding.
///
/// [`Terms::BUILT_IN`] was measured with libhdf5 2.2 on a server core of 2025, files in the page cache. A calibration
/// measures most of them on the user's machine and the user's libhdf5.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// One H5Dread of one element from one chunk that the cache holds.
    pub call: f64,
    /// What a read of more than one element takes in addition.
    pub several_elements: f64,
    /// What a read of more than one chunk takes in addition.
    pub several_chunks: f64,
    /// Each further chunk that a read touches.
    pub visit: f64,
    /// What each further chunk takes in addition in reads of a thousand chunks and more, whose list of chunks no longer
    /// fits the processor's cache.
    pub visit_far: f64,
    /// One run of adjacent elements.
    pub run: f64,
    /// One byte copied to the reader's buffer.
    pub copied_byte: f64,
    /// A cache line that is copied from or to memory that the processor's cache does not hold.
    pub far_line: f64,
    /// Loading a chunk for the first time: its lookup in the chunk index.
    pub lookup: f64,
    /// Loading a chunk that is not decoded, apart from its bytes.
    pub load: f64,
    /// One byte of it that the processor's cache holds.
    pub near_byte: f64,
    /// One byte of it that must come from memory.
    pub far_byte: f64,
    /// One driver read that bypasses the chunk cache.
    pub direct_read: f64,
    /// A chunk whose elements are read past the cache: its lookup in the chunk index.
    pub direct_chunk: f64,
    /// A page of memory that is used for the first time.
    pub page: f64,
    /// A chunk that eviction looks at.
    pub step: f64,
    /// A chunk that is evicted.
    pub eviction: f64,
    /// What setting up zlib takes for each chunk that it decodes.
    pub inflate: f64,
    /// How many times as long zlib, which libhdf5 uses, takes as libdeflate, with which samples are measured.
    pub zlib: f64,
}

impl Terms {
    /// The constants that are used where nothing was measured.
    pub const BUILT_IN: Terms = Terms {
        call: 0.53e-6,
        several_elements: 0.40e-6,
        several_chunks: 0.3e-6,
        visit: 0.60e-6,
        visit_far: 1.4e-6,
        run: 3.5e-9,
        copied_byte: 1.0 / 30.0e9,
        far_line: 4.5e-9,
        lookup: 0.5e-6,
        load: 1.1e-6,
        near_byte: 1.0 / 13.0e9,
        far_byte: 1.0 / 6.0e9,
        direct_read: 0.5e-6,
        direct_chunk: 0.3e-6,
        page: 1.9e-6,
        step: 3.0e-9,
        eviction: 0.3e-6,
        inflate: 1.0e-6,
        zlib: 1.7,
    };
}

impl Default for Terms {
    fn default() -> Self {
        Self::BUILT_IN
    }
}

/// What decoding one chunk of a dataset costs the user's libhdf5, on average over samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LibraryDecoding {
    /// Seconds of processor time, with what it takes to load the chunk.
    pub seconds: f64,
    /// Pages of memory that were used for the first time.
    pub fresh_pages: f64,
}
