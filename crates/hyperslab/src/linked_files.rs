//! Other files that a file refers to: external links, references, sources of virtual datasets, external raw data.
//!
//! The search order is that of libhdf5. A relative name is searched for in the folder of the file that contains the
//! name, then in the working directory. An absolute name is searched for at its own path, then by its last component
//! in the folder of the file. The prefixes in the environment variables `HDF5_EXT_PREFIX`, `HDF5_VDS_PREFIX` and
//! `HDF5_EXTFILE_PREFIX` are searched first.

use crate::{Error, Result};
use hyperslab_io::{Location, Opener};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Why another file is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    ExternalLink,
    Reference,
    VirtualSource,
    RawData,
}

impl Purpose {
    fn prefix_variable(self) -> &'static str {
        match self {
            Purpose::ExternalLink | Purpose::Reference => "HDF5_EXT_PREFIX",
            Purpose::VirtualSource => "HDF5_VDS_PREFIX",
            Purpose::RawData => "HDF5_EXTFILE_PREFIX",
        }
    }
}

/// The other files that a file refers to: how they are found and opened, and which of them are open.
///
/// Files that were opened because of each other share one table, by location. If two files refer to each other, each
/// of them is opened once. The table holds weak references only, because strong ones would form a cycle; a file stays
/// open as long as one of its objects is in use (a virtual dataset keeps its sources open).
pub(crate) struct LinkedFiles<F> {
    opener: Arc<dyn Opener>,
    own: Option<Location>,
    opened: Arc<Mutex<HashMap<Location, Weak<F>>>>,
}

impl<F> LinkedFiles<F> {
    /// The linked files of the file at `own`. If that location is not known, the file cannot refer to others.
    pub(crate) fn new(opener: Arc<dyn Opener>, own: Option<Location>) -> Self {
        Self { opener, own, opened: Arc::default() }
    }

    /// The linked files of another file, at `own`, that this one refers to.
    pub(crate) fn of(&self, own: Location) -> Self {
        Self { opener: self.opener.clone(), own: Some(own), opened: self.opened.clone() }
    }

    /// The opener of all of these files.
    pub(crate) fn opener(&self) -> &dyn Opener {
        &*self.opener
    }

    /// The location of the file, if it is known.
    pub(crate) fn own(&self) -> Option<&Location> {
        self.own.as_ref()
    }

    /// Finds the file that this one refers to by `name`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] if it is in none of the folders that are searched.
    pub(crate) fn find(&self, name: &str, purpose: Purpose) -> Result<Location> {
        let Some(own) = &self.own else {
            let what =
                format!("refers to the file {name}, which cannot be searched for: this file has no path");
            return Err(Error::unsupported(what).with_hint("open the file by its path"));
        };
        let variable = purpose.prefix_variable();
        let prefixes = std::env::var_os(variable);
        let prefixes: Vec<PathBuf> = prefixes.iter().flat_map(std::env::split_paths).collect();
        let mut candidates = candidates(own, name, &prefixes).into_iter();
        candidates.find(|candidate| self.opener.is_file(candidate)).ok_or_else(|| {
            Error::not_found(format!("refers to the file {name}, which was not found"))
                .with_hint(format!("put it into the folder of this file, or set {variable} to its folder"))
        })
    }

    /// The file at an absolute location, if it is open.
    pub(crate) fn get(&self, location: &Location) -> Option<Arc<F>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.get(location).and_then(Weak::upgrade)
    }

    /// Adds an open file and returns it. If another thread has opened the same file in the meantime, returns that one.
    pub(crate) fn add(&self, location: Location, file: Arc<F>) -> Arc<F> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = opened.get(&location).and_then(Weak::upgrade) {
            return other;
        }
        opened.retain(|_, file| file.strong_count() > 0);
        opened.insert(location, Arc::downgrade(&file));
        file
    }
}

/// The locations at which to search for the file that the file at `own` refers to by `name`, in order.
fn candidates(own: &Location, name: &str, prefixes: &[PathBuf]) -> Vec<Location> {
    let wanted = Path::new(name);
    let in_prefix = |prefix: &PathBuf| match prefix.strip_prefix("${ORIGIN}") {
        Ok(rest) => own.beside(rest.join(wanted)),
        Err(_) => Location::from(prefix.join(wanted)),
    };
    let mut candidates: Vec<Location> = prefixes.iter().map(in_prefix).collect();
    let last_part_beside = || wanted.file_name().map(|last| own.beside(last));
    match (own.is_url(), wanted.is_absolute()) {
        // A name in a remote file must not lead to a file of this machine.
        (true, true) => candidates.extend(last_part_beside()),
        (true, false) => candidates.push(own.beside(wanted)),
        (false, true) => {
            candidates.push(Location::from(wanted));
            candidates.extend(last_part_beside());
        }
        (false, false) => candidates.extend([own.beside(wanted), Location::from(wanted)]),
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::LocalFiles;

    fn searched(own: &str, name: &str, prefixes: &[&str]) -> Vec<String> {
        let prefixes: Vec<PathBuf> = prefixes.iter().map(PathBuf::from).collect();
        candidates(&own.into(), name, &prefixes).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_are_searched_for_in_the_order_of_libhdf5() {
        assert_eq!(searched("a/b.h5", "c.h5", &[]), ["a/c.h5", "c.h5"]);
        assert_eq!(searched("a/b.h5", "/x/c.h5", &[]), ["/x/c.h5", "a/c.h5"]);
        assert_eq!(
            searched("a/b.h5", "c.h5", &["/p", "${ORIGIN}/q"]),
            ["/p/c.h5", "a/q/c.h5", "a/c.h5", "c.h5"]
        );
    }

    #[test]
    fn a_remote_file_does_not_lead_to_a_local_one() {
        assert_eq!(searched("s3://b/a/b.h5", "c.h5", &[]), ["s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "c.h5", &["/p"]), ["/p/c.h5", "s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "/etc/c.h5", &[]), ["s3://b/a/c.h5"]);
    }

    #[test]
    fn files_are_known_while_they_are_in_use() {
        let files = LinkedFiles::new(Arc::new(LocalFiles), None);
        let location = Location::from("/a");
        let first = files.add(location.clone(), Arc::new(1));
        assert_eq!(*files.of("/b".into()).add(location.clone(), Arc::new(2)), 1);
        drop(first);
        assert_eq!(files.get(&location), None);
        assert_eq!(*files.add(location, Arc::new(3)), 3);
    }
}
