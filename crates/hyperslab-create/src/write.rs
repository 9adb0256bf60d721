//! Writes a new file under a temporary name, verifies it, and gives it its name.

use crate::error::CreateError;
use crate::new_file::NewFile;
use crate::tree::NewTree;
use crate::verify::Verification;
use crate::write_data::DataWriter;
use crate::written_file::{Created, WrittenFile};
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, OutputFile, RepackError};
use hyperslab_io::wrap::EarlySync;
use hyperslab_io::{LocalSink, Sink};
use hyperslab_storage::GzipEncoder;
use hyperslab_write::{FileWriter, WriteError, WriteOptions};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The file goes to the device in pieces of so many bytes, while the next ones are encoded.
const SYNC_BYTES: u64 = 32 << 20;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreateOptions {
    /// Versions, pages and the user block.
    pub write: WriteOptions,
    /// True if a file of the same name is replaced.
    pub overwrite: bool,
    /// True if chunks are decoded again after they were encoded, and the new file is read again and compared.
    pub verify: bool,
    /// The threads that encode. The bytes of the file do not depend on it.
    pub threads: usize,
    /// Which encoder writes the gzip filter.
    pub gzip: GzipEncoder,
}

impl Default for CreateOptions {
    /// Verified, with the threads that reads use, for HDF5 1.10 and later.
    fn default() -> Self {
        Self {
            write: WriteOptions::default(),
            overwrite: false,
            verify: true,
            threads: hyperslab::threads(),
            gzip: GzipEncoder::default(),
        }
    }
}

impl NewFile<'_> {
    /// Writes the file. It has its name only when it is complete, verified and on the device; after an error nothing of it is
    /// left, and a file of the same name is as it was.
    ///
    /// # Errors
    ///
    /// A name that is taken, unless it may be overwritten; data that cannot be read or encoded; errors of the system; the end
    /// of the monitor's patience.
    pub fn write(
        self,
        path: &Path,
        options: &CreateOptions,
        monitor: &Monitor,
    ) -> Result<Created, CreateError> {
        let io = |error: io::Error| CreateError::Io { path: path.display().to_string(), error };
        let output = OutputFile::create(path, options.overwrite).map_err(io)?;
        let sink = EarlySync::new(LocalSink::from_file(output.handle().map_err(io)?, path), SYNC_BYTES);
        let written = self.write_to(&sink, options, monitor)?;
        if options.verify {
            let file = hyperslab::File::options().cache_bytes(0).open(output.temporary())?;
            Verification::new(&written, &file, options.threads, monitor).run()?;
        }
        sink.sync().map_err(io)?;
        output.publish().map_err(io)?;
        Ok(written.created)
    }

    /// The metadata of the file, and its length with all data: contiguous datasets have their places, and nothing is read or
    /// written.
    ///
    /// # Errors
    ///
    /// Chunks, whose places depend on their data.
    pub fn metadata(self, options: WriteOptions) -> Result<(Vec<u8>, u64), CreateError> {
        let NewTree { tree, paths, .. } = NewTree::of(self)?;
        let located = |error: WriteError| located(error, &paths);
        let sink = MetadataSink::default();
        let writer = FileWriter::create(&sink, tree, options).map_err(located)?;
        let file = writer.finish().map_err(located)?;
        Ok((sink.0.into_inner().unwrap_or_else(PoisonError::into_inner), file.bytes))
    }

    /// Writes the file into a sink, without verifying that it can be read.
    pub(crate) fn write_to(
        self,
        sink: &dyn Sink,
        options: &CreateOptions,
        monitor: &Monitor,
    ) -> Result<WrittenFile, CreateError> {
        let NewTree { tree, paths, datasets } = NewTree::of(self)?;
        let located = |error: WriteError| located(error, &paths);
        let mut writer = FileWriter::create(sink, tree, options.write).map_err(located)?;
        let metadata_bytes = writer.metadata_bytes();
        let workers = Workers::new(options.threads);
        let mut written = Vec::new();
        for dataset in datasets {
            let path = &paths[dataset.id.0 as usize];
            let Some(data) = dataset.data else { continue };
            let mut data_writer = DataWriter {
                id: dataset.id,
                path,
                prepared: &dataset.prepared,
                data: &data,
                objects: paths.len(),
                is_verified: options.verify,
                gzip: options.gzip,
                workers: &workers,
                threads: options.threads,
                monitor,
            };
            written.push((dataset.id, data_writer.write(&mut writer)?));
        }
        let file = writer.finish().map_err(located)?;
        let created = Created { bytes: file.bytes, objects: paths.len(), metadata_bytes };
        let (tree, addresses) = (file.tree, file.addresses);
        Ok(WrittenFile { created, tree, paths, addresses, datasets: written })
    }
}

/// Keeps what is written. The data of a file, which is not, lies behind its metadata.
#[derive(Default)]
struct MetadataSink(Mutex<Vec<u8>>);

impl Sink for MetadataSink {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = usize::try_from(at).map_err(io::Error::other)?;
        let end = at + bytes.len();
        if kept.len() < end {
            kept.resize(end, 0);
        }
        kept[at..end].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn name(&self) -> String {
        "metadata".into()
    }
}

/// The error with the path of the object instead of its number.
fn located(error: WriteError, paths: &[String]) -> CreateError {
    match error {
        WriteError::Object { object, error } => {
            let path = paths.get(object).map_or("/", String::as_str);
            CreateError::invalid(path, error.to_string())
        }
        other => CreateError::Write(RepackError::Write(other)),
    }
}
