//! Runs a plan: writes the new file.

use crate::copy::copy_user_block;
use crate::data::DataCopy;
use crate::plan::{Method, RepackPlan, located};
use crate::recode::Recoder;
use crate::stored_reader::{SMALL_BYTES, StoredReader};
use hyperslab::{Dataset, File};
use hyperslab_encode::checksums::Checksums;
use hyperslab_encode::chunk_encoder::CodecState;
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, RepackError};
use hyperslab_filters::DeflateEncoder;
use hyperslab_format::Address;
use hyperslab_io::Sink;
use hyperslab_tree::damage::{Damage, Lost};
use hyperslab_tree::source_dataset::{SourceFile, open_dataset};
use hyperslab_tree::source_tree::Sources;
use hyperslab_write::{FileTree, FileWriter, ObjectId, ObjectSpec, WrittenFile};

/// A file that has been written, and what is needed to verify it.
pub struct Repacked {
    /// Objects.
    pub objects: usize,
    /// The length of the new file in bytes.
    pub bytes: u64,
    /// The bytes from its start to the end of all metadata.
    pub metadata_bytes: u64,
    /// Parts of the source that could not be read, and became fill values.
    pub damage: Vec<Damage>,
    /// What could not be read, and is left out.
    pub lost: Vec<Lost>,
    /// The largest difference between a value and what is read back, of each dataset with filters that round.
    pub rounding: Vec<(String, f64)>,
    /// Which encoder wrote each dataset that was recoded with gzip.
    pub gzip: Vec<(String, DeflateEncoder)>,
    pub(crate) source: SourceFile,
    pub(crate) datasets: Vec<WrittenDataset>,
    /// The objects of the source, as the tree numbers them.
    pub(crate) sources: Sources,
    pub(crate) tree: FileTree,
    /// The addresses of the object headers in the new file.
    pub(crate) addresses: Vec<Address>,
}

/// A dataset of the new file.
pub(crate) struct WrittenDataset {
    pub id: ObjectId,
    pub data: WrittenData,
}

/// What is remembered of the data of a dataset, to be compared with the new file.
pub(crate) enum WrittenData {
    /// It was recoded: the checksums of its chunks; of contiguous data, of its pieces, if they are known.
    Recoded(Checksums),
    /// It was copied as it is stored: the checksums of its chunks, or of the pieces of contiguous data.
    Copied(Checksums),
}

impl Repacked {
    /// A dataset of the source and its copy in the new file, by its path in the source.
    ///
    /// # Errors
    ///
    /// A dataset that does not exist, or that cannot be read.
    pub fn pair(&self, path: &str, target: &File) -> Result<(Dataset, Dataset), RepackError> {
        let written = self.datasets.iter().find(|dataset| self.path(dataset.id) == path);
        let written =
            written.ok_or_else(|| hyperslab::Error::not_found("no such dataset").at_object(path))?;
        self.both(written.id, target)
    }

    /// The path of an object in the source.
    pub(crate) fn path(&self, id: ObjectId) -> &str {
        &self.sources.objects[id.0 as usize].1
    }

    /// A dataset of the source and its copy in the new file.
    pub(crate) fn both(&self, id: ObjectId, target: &File) -> Result<(Dataset, Dataset), RepackError> {
        let (number, path) = (id.0 as usize, self.path(id));
        let source = self.source.dataset(self.sources.objects[number].0, path)?;
        Ok((source, open_dataset(target, self.addresses[number], path)?))
    }
}

impl RepackPlan {
    /// The bytes that a run processes, for progress: decoded where data is recoded, as stored where it is copied.
    fn bytes_to_process(&self) -> u64 {
        let recoded: u64 = self.datasets.iter().map(|dataset| dataset.logical_bytes).sum();
        let stored: u64 = self.datasets.iter().map(|dataset| dataset.stored_bytes).sum();
        recoded.saturating_add(self.file.len().saturating_sub(stored))
    }

    /// Writes the new file. What was written is not synced, and not complete after an error: then it cannot be opened.
    ///
    /// # Errors
    ///
    /// What cannot be read, decoded, encoded or written, and the end of the monitor's patience.
    pub fn run(self, sink: &dyn Sink, monitor: &Monitor) -> Result<Repacked, RepackError> {
        monitor.expect(self.bytes_to_process());
        let Self { file, source, options, write, recodings, .. } = self;
        let mut sources = source.sources;
        let bare = source.bare;
        let objects = source.tree.objects.len();
        let datasets: Vec<ObjectId> = (0..)
            .zip(&source.tree.objects)
            .filter(|(_, object)| matches!(object.spec, ObjectSpec::Dataset(_)))
            .map(|(number, _)| ObjectId(number))
            .filter(|id| !bare.contains(id))
            .collect();
        let mut writer = FileWriter::create(sink, source.tree, write)?;
        copy_user_block(&file, sink, write.user_block_bytes)?;
        let workers = Workers::<CodecState>::new(options.threads);
        // Several batches are in memory while results wait to be encoded.
        let reader = StoredReader::new(&file, options.memory_bytes / 8, &monitor.cancel);
        let mut repacked = Repacked {
            objects,
            bytes: 0,
            metadata_bytes: writer.metadata_bytes(),
            damage: source.damage,
            lost: source.lost,
            rounding: Vec::new(),
            gzip: Vec::new(),
            source: source.file.clone(),
            datasets: Vec::with_capacity(datasets.len()),
            sources: Sources::default(),
            tree: FileTree::default(),
            addresses: Vec::new(),
        };
        let is_read_ahead =
            |id: ObjectId, dataset: &Dataset| match recodings.get(&id).map(|recoding| &recoding.method) {
                None | Some(Method::ChunkByChunk) => true,
                Some(Method::Sweep(_) | Method::Blocks(_)) => dataset.logical_bytes() <= SMALL_BYTES,
                Some(Method::Spill(_) | Method::Nothing) => false,
            };
        let mut read_ahead = 0;
        for (number, &id) in datasets.iter().enumerate() {
            monitor.check()?;
            if number == read_ahead && reader.has_latency() {
                let rest = &datasets[number..];
                read_ahead += reader.read_ahead(&source.file, &sources, rest, is_read_ahead);
            }
            let (address, path) = sources.objects[id.0 as usize].clone();
            let dataset = source.file.dataset(address, &path)?;
            let data = match recodings.get(&id) {
                Some(recoding) => {
                    let mut recoder = Recoder {
                        file: &file,
                        sources: &mut sources,
                        writer: &mut writer,
                        workers: &workers,
                        monitor,
                        temporary_folder: &options.temporary_folder,
                        gzip: options.gzip,
                        is_verified: options.verify,
                        keep_going: options.keep_going,
                        damage: Vec::new(),
                        reader: &reader,
                    };
                    let chunks = recoder.recode(id, &path, &dataset, recoding);
                    repacked.damage.append(&mut recoder.damage);
                    let chunks = chunks.map_err(|error| located(error, &path))?;
                    if let Some(encoder) = chunks.gzip {
                        repacked.gzip.push((path.to_string(), encoder));
                    }
                    if chunks.error_max > 0.0 {
                        repacked.rounding.push((path.to_string(), chunks.error_max));
                    }
                    WrittenData::Recoded(chunks.checksums.into())
                }
                None => {
                    let keep_going = options.keep_going;
                    let mut copy = DataCopy {
                        file: &file,
                        sources: &mut sources,
                        keep_going,
                        damage: Vec::new(),
                        reader: &reader,
                    };
                    let copied = copy.copy(id, &dataset, &mut writer);
                    let checksums = copied.map_err(|error| located(error, &path))?;
                    repacked.damage.append(&mut copy.damage);
                    let stored = dataset.stored_bytes()?;
                    monitor.done(stored, stored);
                    WrittenData::Copied(checksums.into())
                }
            };
            repacked.datasets.push(WrittenDataset { id, data });
        }
        let WrittenFile { bytes, addresses, tree } = writer.finish()?;
        Ok(Repacked { bytes, addresses, tree, sources, ..repacked })
    }
}
