//! What a matrix asks: its files, and the cells of each, before any is measured.

use super::subject::Matrix;
use super::write_strategy::WriteStrategy;
use hyperslab_engines::{CreationProperties, Engine, FileBuffers, OpenOptions};
use hyperslab_measure::access::Access;
use std::fmt;

/// How a file that is made here is stored and written.
pub type Made<'a> = (&'a CreationProperties, &'a WriteStrategy);

/// One cell, before it is measured.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// How the file is stored and written; none for the user's file as it is.
    pub made: Option<Made<'a>>,
    /// How it is read.
    pub access: &'a Access,
    /// The engine.
    pub engine: &'a Engine,
    /// Its settings.
    pub options: OpenOptions,
}

impl Matrix {
    /// The files: every storage, written by each strategy; none stands for the user's file as it is.
    pub fn files(&self) -> impl Iterator<Item = Option<Made<'_>>> {
        self.storages.iter().flat_map(move |storage| match storage {
            None => vec![None],
            Some(storage) => self.strategies.iter().map(|strategy| Some((storage, strategy))).collect(),
        })
    }

    /// How a file is stored, in words; and how it is written, where that varies.
    pub fn stored_as(&self, made: Option<Made<'_>>) -> String {
        match made {
            None => "as it is".to_owned(),
            Some((storage, _)) if self.strategies.len() == 1 => storage.to_string(),
            Some((storage, strategy)) => format!("{storage}, written {strategy}"),
        }
    }

    /// One access to one file: every engine that reads such files, with every setting that means something to it.
    pub fn questions<'a>(&'a self, made: Option<Made<'a>>, access: &'a Access) -> Vec<Question<'a>> {
        let format = self.format_of(made);
        let mut found = Vec::new();
        for engine in self.engines.iter().filter(|engine| engine.reads(format)) {
            let caches = if engine.has_chunk_cache(format) { &*self.caches } else { &[None] };
            let buffers = if engine.has_file_buffers() { &*self.buffers } else { &[FileBuffers::default()] };
            for &cache in caches {
                found.extend(buffers.iter().map(|&buffers| {
                    let options = OpenOptions { cache, buffers, records: self.records.clone() };
                    Question { made, access, engine, options }
                }));
            }
        }
        found
    }
}

/// The cell in words: `libhdf5 (h5py 3.16.0): 1x717, chunks 4x30 gzip=6`.
impl fmt::Display for Question<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}, ", self.engine.name(), self.access)?;
        match self.made {
            Some((storage, _)) => write!(f, "{storage}")?,
            None => f.write_str("as it is")?,
        }
        match self.options.cache {
            Some(cache) => write!(f, ", cache {},{},{}", cache.nbytes, cache.nslots, cache.w0),
            None => Ok(()),
        }
    }
}
