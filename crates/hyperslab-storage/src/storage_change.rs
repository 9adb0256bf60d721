//! A change of how a file or one of its datasets is stored: what a finding asks for, and a repack makes.

use crate::FilterRequest;
use crate::change::{Change, LayoutRequest, Size};
use serde::{Deserialize, Serialize};

/// What a repack is to store otherwise. The rest stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StorageChange {
    /// The dataset that gets these chunks and filters; `None` for a change of the file.
    pub dataset: Option<String>,
    /// The shape of its chunks.
    pub chunks: Option<Vec<u64>>,
    /// All its filters, in the order in which they are applied when writing.
    pub filters: Option<Vec<FilterRequest>>,
    /// The pages of the file.
    pub pages: Pages,
    /// True if structures are to be those of the latest format; hyperslab writes these anyway.
    #[serde(rename = "latest")]
    pub is_latest: bool,
}

/// The pages of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pages {
    /// As a program writes files.
    #[default]
    Default,
    /// Where metadata is before all data, pages are not needed; of so many bytes in a program that cannot do that.
    MetadataFirst(u64),
    /// Of so many bytes.
    Of(u64),
}

impl StorageChange {
    /// Another chunk shape of a dataset.
    pub fn rechunked(dataset: &str, chunk: &[u64]) -> Self {
        Self { dataset: Some(dataset.to_owned()), chunks: Some(chunk.to_vec()), ..Self::default() }
    }

    /// Other pages of the file.
    pub fn paged(pages: Pages) -> Self {
        Self { pages, ..Self::default() }
    }

    /// The size of pages that hyperslab is asked for.
    pub fn page_bytes(&self) -> Option<u64> {
        match self.pages {
            Pages::Of(bytes) => Some(bytes),
            Pages::Default | Pages::MetadataFirst(_) => None,
        }
    }

    /// The changes of the dataset.
    pub fn changes(&self) -> impl Iterator<Item = Change> {
        let sizes = |chunk: &Vec<u64>| chunk.iter().map(|size| Size::Elements(*size)).collect();
        let chunks = self.chunks.as_ref().map(|chunk| Change::Layout(LayoutRequest::Chunks(sizes(chunk))));
        chunks.into_iter().chain(self.filters.clone().map(Change::Filters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_a_dataset_is_a_rule_for_each_part() {
        let change = StorageChange {
            filters: Some(vec![FilterRequest::gzip(4)]),
            ..StorageChange::rechunked("/d", &[2, 3])
        };
        let chunks = LayoutRequest::Chunks(vec![Size::Elements(2), Size::Elements(3)]);
        let changes: Vec<Change> = change.changes().collect();
        assert_eq!(changes, [Change::Layout(chunks), Change::Filters(vec![FilterRequest::gzip(4)])]);
        assert_eq!(change.page_bytes(), None);
        assert_eq!(StorageChange::paged(Pages::Of(4096)).page_bytes(), Some(4096));
    }
}
