//! The properties of a dataset's filters that h5py's `Dataset` has.

use hyperslab::storage::Filter;
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, LZF, NBIT, SCALEOFFSET, SHUFFLE, SZIP};

/// The bit of szip's options that selects entropy coding instead of nearest neighbour.
const SZIP_ENTROPY_CODING: u32 = 4;

/// The filters of a dataset, by h5py's names.
pub struct Filters<'d>(pub &'d [Filter]);

/// The options of the compression filter.
pub enum CompressionOptions {
    /// Level of gzip.
    Level(u32),
    /// Coding and block size of szip.
    Szip(&'static str, u32),
}

impl Filters<'_> {
    /// The last filter with this number, as in h5py.
    fn find(&self, id: u16) -> Option<&Filter> {
        self.0.iter().rfind(|filter| filter.id == id)
    }

    fn parameter(&self, id: u16, number: usize) -> Option<u32> {
        self.find(id)?.parameters.get(number).copied()
    }

    /// `gzip`, `lzf`, `szip`, or `unknown` for any other filter that h5py has no property for.
    pub fn compression(&self) -> Option<&'static str> {
        let known = [(DEFLATE, "gzip"), (LZF, "lzf"), (SZIP, "szip")];
        let found = known.into_iter().find(|&(id, _)| self.find(id).is_some());
        let unknown = || self.0.iter().any(|filter| ![SHUFFLE, FLETCHER32, SCALEOFFSET].contains(&filter.id));
        found.map(|(_, name)| name).or_else(|| unknown().then_some("unknown"))
    }

    /// The options of the compression filter, if it is one that h5py knows.
    pub fn compression_options(&self) -> Option<CompressionOptions> {
        match self.compression()? {
            "gzip" => self.parameter(DEFLATE, 0).map(CompressionOptions::Level),
            "szip" => {
                let coding = if self.parameter(SZIP, 0)? & SZIP_ENTROPY_CODING != 0 { "ec" } else { "nn" };
                Some(CompressionOptions::Szip(coding, self.parameter(SZIP, 1)?))
            }
            _ => None,
        }
    }

    /// True if bytes are shuffled.
    pub fn shuffle(&self) -> bool {
        self.find(SHUFFLE).is_some()
    }

    /// True if chunks have a Fletcher-32 checksum.
    pub fn fletcher32(&self) -> bool {
        self.find(FLETCHER32).is_some()
    }

    /// The scale factor of the scale-offset filter.
    pub fn scale_offset(&self) -> Option<u32> {
        self.parameter(SCALEOFFSET, 1)
    }

    /// The registered numbers.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = u16> {
        self.0.iter().map(|filter| filter.id)
    }

    /// The names stored in the file; for the library's own filters, their standard names if the file has none.
    pub fn names(&self) -> impl ExactSizeIterator<Item = String> {
        self.0.iter().map(|filter| match (&filter.name, filter.id) {
            (Some(name), _) => name.to_string(),
            (None, DEFLATE) => "deflate".into(),
            (None, SHUFFLE) => "shuffle".into(),
            (None, FLETCHER32) => "fletcher32".into(),
            (None, SZIP) => "szip".into(),
            (None, NBIT) => "nbit".into(),
            (None, SCALEOFFSET) => "scaleoffset".into(),
            (None, _) => String::new(),
        })
    }

    /// The filters with their parameters, as text.
    pub fn words(&self) -> impl ExactSizeIterator<Item = String> {
        self.0.iter().map(hyperslab::filters::describe)
    }
}
