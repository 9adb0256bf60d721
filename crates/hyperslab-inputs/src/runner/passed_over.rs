//! Files that a folder has and that a command does not take, by kind or reason: a summary counts every file that was seen.

use crate::error::one_line;
use hyperslab_units::count_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Files that were passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassedOver(Vec<Kind>);

/// The files of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kind {
    /// A format, such as `netCDF classic`, or a reason, such as `link that leads nowhere`.
    kind: String,
    files: u64,
    bytes: u64,
    /// The first of them, in order of name.
    first: String,
}

/// A folder below those that were named, which cannot be listed.
const UNREADABLE_FOLDER: &str = "folder that cannot be read";

impl PassedOver {
    /// Adds up files of a kind.
    pub(super) fn of(files: impl IntoIterator<Item = (String, String, u64)>) -> Self {
        let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
        for (kind, path, bytes) in files {
            let known = kinds.entry(kind.clone());
            let known = known.or_insert_with(|| Kind { kind, files: 0, bytes: 0, first: path.clone() });
            known.files += 1;
            known.bytes = known.bytes.saturating_add(bytes);
            if path < known.first {
                known.first = path;
            }
        }
        Self(kinds.into_values().collect())
    }

    /// Adds those of other runs. Shares of the same folders have passed over the same files, which count once.
    pub fn add(&mut self, others: &[Self]) {
        let mut known: Vec<&Self> = Vec::new();
        let own = self.clone();
        for other in others.iter().filter(|other| **other != own) {
            if !known.contains(&other) {
                known.push(other);
            }
        }
        for kind in known.into_iter().flat_map(|other| &other.0) {
            match self.0.iter_mut().find(|own| own.kind == kind.kind) {
                Some(own) => {
                    own.files += kind.files;
                    own.bytes = own.bytes.saturating_add(kind.bytes);
                    if kind.first < own.first {
                        own.first.clone_from(&kind.first);
                    }
                }
                None => self.0.push(kind.clone()),
            }
        }
        self.0.sort_by(|a, b| a.kind.cmp(&b.kind));
    }

    /// True if a folder could not be listed: files may be missing.
    pub fn has_unreadable(&self) -> bool {
        self.0.iter().any(|kind| kind.kind == UNREADABLE_FOLDER)
    }

    /// `passed over 3: 2 netCDF classic (a/x.nc, ...), 1 GRIB (y.grb)`; `None` without a file.
    pub fn text(&self) -> Option<String> {
        let total: u64 = self.0.iter().map(|kind| kind.files).sum();
        let kinds = self.0.iter().map(|kind| {
            let more = if kind.files > 1 { ", ..." } else { "" };
            format!("{} {} ({}{more})", count_text(kind.files), kind.kind, one_line(&kind.first))
        });
        (total > 0)
            .then(|| format!("passed over {}: {}", count_text(total), kinds.collect::<Vec<_>>().join(", ")))
    }

    /// Why nothing was found: what the folders have instead.
    pub fn nothing_found(&self) -> String {
        let what = "no file of HDF5, netCDF or HDF4 was found in these folders";
        match self.text() {
            Some(text) => format!("{what}; {text}"),
            None => what.into(),
        }
    }

    /// A line for the end of a summary.
    pub fn line(&self) -> String {
        self.text().map_or_else(String::new, |text| text + "\n")
    }
}

/// The kind of a folder that cannot be listed.
pub(super) fn unreadable_folder(path: &Path) -> (String, String, u64) {
    (UNREADABLE_FOLDER.into(), path.display().to_string(), 0)
}
