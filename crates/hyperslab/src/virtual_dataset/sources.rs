//! The sources of a virtual dataset, kept open between its reads: opening a file anew for every row would cost its
//! metadata and its decoded chunks every time.
//!
//! A source is held strongly, and may be a virtual dataset that holds sources itself. So that no circle of owners
//! ever closes, a virtual dataset only keeps sources that were opened after it.

use crate::dataset::{Dataset, DatasetInner};
use crate::file::FileInner;
use crate::linked_files::Purpose;
use crate::lookup::{Lookup, resolve};
use crate::node::Node;
use crate::{Error, ErrorKind, Result};
use hyperslab_array::array::{Operation, Storage};
use hyperslab_format::object_header::ObjectKind;
use hyperslab_io::Cancel;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Sources that one virtual dataset keeps; an open file each, at worst.
const KEPT_MAX: usize = 128;

/// Sources by the names of their files and datasets. What was not there stays absent as long as the virtual dataset
/// is open.
pub(super) struct Sources {
    /// Grows with every virtual dataset that is opened.
    serial: u64,
    open: OpenDataset,
    kept: Mutex<OpenSources>,
}

/// Opens the dataset of an object header, which may be virtual itself.
pub(crate) type OpenDataset = fn(Node, &Operation) -> Result<Dataset>;

#[derive(Default)]
struct OpenSources {
    clock: u64,
    sources: HashMap<(String, String), (u64, Option<Dataset>)>,
}

impl Sources {
    /// No sources yet; they are opened by `open`.
    pub(super) fn new(open: OpenDataset) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { serial: NEXT.fetch_add(1, Ordering::Relaxed), open, kept: Mutex::default() }
    }

    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// Opens a source that the file `owner` refers to; `None` where the file or the dataset is not there.
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
        // Closing a file is nothing to do while others wait.
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
            name => owner.linked_file(name, Purpose::VirtualSource)?.inner,
        };
        let node = resolve(Node::root(&file)?, path, &mut Lookup::plain())?;
        let key = (file.data.id, node.header.address.0);
        if let Some(known) = operation.shared::<DatasetInner>(key) {
            return Ok(Dataset { inner: known, cancel: Cancel::never() });
        }
        operation.count_opened()?;
        if node.header.kind() != ObjectKind::Dataset {
            let what = "is the source of a virtual dataset, but is not a dataset";
            return Err(node.named(Error::invalid(what)));
        }
        let dataset = (self.open)(node, operation)?;
        operation.share(key, dataset.inner.clone());
        Ok(dataset)
    }
}
