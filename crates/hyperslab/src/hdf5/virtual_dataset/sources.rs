//! The sources of a virtual dataset, kept open between its reads. Otherwise every read of a row would open the files
//! again, and lose their metadata and decoded chunks.
//!
//! A virtual dataset owns its sources, which may be virtual datasets that own sources themselves. To rule out reference
//! cycles, a virtual dataset only keeps sources that were opened after it.

use crate::dataset::{Dataset, DatasetInner};
use crate::linked_files::Purpose;
use crate::lookup::{Lookup, resolve};
use crate::open_file::{FileInner, Node};
use crate::{Error, ErrorKind, Result};
use hyperslab_array::array::{Operation, Storage};
use hyperslab_format::object_header::ObjectKind;
use hyperslab_io::Cancel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The most sources that one virtual dataset keeps open. Each may be a file of its own.
const KEPT_MAX: usize = 128;

/// The open sources, by the names of their files and datasets. A source that was missing once counts as missing until
/// the virtual dataset is closed.
pub(super) struct Sources {
    /// A number that increases with every virtual dataset that is opened.
    serial: u64,
    kept: Mutex<OpenSources>,
}

#[derive(Default)]
struct OpenSources {
    clock: u64,
    sources: HashMap<(String, String), (u64, Option<Dataset>)>,
}

impl Sources {
    /// No sources yet.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { serial: NEXT.fetch_add(1, Ordering::Relaxed), kept: Mutex::default() }
    }

    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// Opens a source that the file `owner` refers to; `None` if the file or the dataset does not exist.
    pub(super) fn open(
        &self,
        owner: &Arc<FileInner>,
        operation: &Operation,
        names: (String, String),
    ) -> Result<Option<Dataset>> {
        operation.count_part()?;
        if let Some(known) = self.known(&names) {
            return Ok(known);
        }
        let found = match self.open_new(owner, operation, &names.0, &names.1) {
            Ok(dataset) => Some(dataset),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        self.keep(names, &found);
        Ok(found)
    }

    fn known(&self, names: &(String, String)) -> Option<Option<Dataset>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let (used, dataset) = kept.sources.get_mut(names)?;
        *used = now;
        Some(dataset.clone())
    }

    fn keep(&self, names: (String, String), found: &Option<Dataset>) {
        let is_younger = found.as_ref().is_none_or(|dataset| match &dataset.inner.array.storage {
            Storage::Virtual(sources) => sources.serial() > self.serial,
            _ => true,
        });
        if !is_younger {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut oldest = None;
        if kept.sources.len() >= KEPT_MAX
            && let Some(names) =
                kept.sources.iter().min_by_key(|(_, (used, _))| *used).map(|(names, _)| names.clone())
        {
            oldest = kept.sources.remove(&names);
        }
        let now = kept.clock;
        kept.sources.insert(names, (now, found.clone()));
        drop(kept);
        // Dropped after the lock is released, because it may close a file.
        drop(oldest);
    }

    fn open_new(
        &self,
        owner: &Arc<FileInner>,
        operation: &Operation,
        file: &str,
        path: &str,
    ) -> Result<Dataset> {
        let file = match file {
            "." => owner.clone(),
            name => owner.linked_file(name, Purpose::VirtualSource)?,
        };
        let node = resolve(Node::root(&file)?, path, &mut Lookup::plain())?;
        let key = (file.data.id, node.object.number().0);
        if let Some(known) = operation.shared::<DatasetInner>(key) {
            return Ok(Dataset { inner: known, cancel: Cancel::never() });
        }
        operation.count_opened()?;
        if node.object.kind() != ObjectKind::Dataset {
            let what = "is the source of a virtual dataset, but is not a dataset";
            return Err(node.named(Error::invalid(what)));
        }
        let dataset = Dataset::open(node, operation)?;
        operation.share(key, dataset.inner.clone());
        Ok(dataset)
    }
}

/// True if there is no such file, or no such object in it.
pub(crate) fn is_missing(owner: &Arc<FileInner>, file: &str, path: &str) -> bool {
    let find = || -> Result<()> {
        let file = match file {
            "." => owner.clone(),
            name => owner.linked_file(name, Purpose::VirtualSource)?,
        };
        resolve(Node::root(&file)?, path, &mut Lookup::plain()).map(|_| ())
    };
    find().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}
