//! Properties of files and datasets that decide how space is used: as words, and as members of JSON.

use hyperslab::File;
use hyperslab::hdf5::{Census, census, file_space};
use hyperslab::storage::{AllocationTime, Fill, FillTime, FillValue};
use hyperslab_format::message::{FileSpaceInfo, FileSpaceStrategy};
use hyperslab_listing::json::Object;
use hyperslab_units::{count_text, size};

/// How a file manages its space, and what its metadata takes.
pub(super) struct FileProperties {
    space: Option<FileSpaceInfo>,
    /// Nothing where it was not counted.
    metadata_bytes: Option<u64>,
}

impl FileProperties {
    /// Looks them up. To count its metadata, all of a file's metadata is read.
    ///
    /// `None` for a format that has no such properties.
    pub(super) fn of(file: &File, counts_metadata: bool) -> Option<Self> {
        hyperslab::hdf5::superblock(file).ok()?;
        let counted = counts_metadata.then(|| census(file).ok()).flatten();
        let space = file_space(file).ok().flatten();
        Some(Self { space, metadata_bytes: counted.as_ref().map(metadata_bytes) })
    }

    /// `file space: pages of 4096 bytes; 7,713,028 bytes of metadata`
    pub(super) fn line(&self) -> String {
        let metadata = self.metadata_bytes.map(|bytes| format!("{} bytes of metadata", count_text(bytes)));
        let space = format!("file space: {}", self.strategy_text());
        [Some(space), metadata].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    fn strategy_text(&self) -> String {
        let Some(space) = &self.space else {
            return "free-space managers and aggregators (default)".to_owned();
        };
        let how = match space.strategy {
            FileSpaceStrategy::FreeSpaceAggregators => "free-space managers and aggregators".to_owned(),
            FileSpaceStrategy::Page => format!("pages of {}", size::bytes(space.page_size)),
            FileSpaceStrategy::Aggregators => "aggregators".to_owned(),
            FileSpaceStrategy::None => "file driver only".to_owned(),
        };
        let kept = if space.persist { ", free space kept in the file" } else { "" };
        format!("{how}{kept}")
    }

    /// Members of the document.
    pub(super) fn insert_into(&self, document: &mut Object) {
        let strategy = match self.space.as_ref().map(|space| space.strategy) {
            None | Some(FileSpaceStrategy::FreeSpaceAggregators) => "fsm-aggregators",
            Some(FileSpaceStrategy::Page) => "page",
            Some(FileSpaceStrategy::Aggregators) => "aggregators",
            Some(FileSpaceStrategy::None) => "none",
        };
        let space = self.space.as_ref();
        document.insert(
            "file_space",
            Object::from([
                ("strategy", strategy.into()),
                ("persist", space.is_some_and(|space| space.persist).into()),
                ("threshold", space.map_or(1, |space| space.threshold).into()),
                (
                    "page_bytes",
                    space
                        .filter(|space| space.strategy == FileSpaceStrategy::Page)
                        .map(|space| space.page_size)
                        .into(),
                ),
            ])
            .into(),
        );
        document.insert("metadata_bytes", self.metadata_bytes.into());
    }
}

fn metadata_bytes(census: &Census) -> u64 {
    census.metadata.values().map(|kind| kind.bytes).sum()
}

/// When space is allocated and fill values are written, in the words of h5py.
pub(super) fn fill_words(fill: &FillValue) -> (&'static str, &'static str, &'static str) {
    let allocation = match fill.allocation {
        AllocationTime::Early => "early",
        AllocationTime::Late => "late",
        AllocationTime::Incremental => "incremental",
    };
    let time = match fill.time {
        FillTime::OnAllocation => "alloc",
        FillTime::Never => "never",
        FillTime::IfSet => "ifset",
    };
    let value = match fill.value {
        Fill::Undefined => "undefined",
        Fill::Default => "default",
        Fill::User(_) => "user",
    };
    (allocation, time, value)
}

/// Optional filters are passed over where they fail; others stop the write.
pub(super) fn optional_text(is_optional: bool) -> &'static str {
    if is_optional { "optional" } else { "mandatory" }
}
