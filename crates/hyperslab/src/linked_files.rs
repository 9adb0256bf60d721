//! Other files that a file refers to: external links, references, sources of virtual datasets, external raw data.
//!
//! The search order is that of libhdf5 (`H5F_prefix_open_file`); the first file that exists is used:
//!
//! 1. an absolute name as it is stored; if that does not exist, its last component takes the place of the name below;
//! 2. in the folders that `HDF5_EXT_PREFIX`, `HDF5_VDS_PREFIX` or `HDF5_EXTFILE_PREFIX` names;
//! 3. in the folder of the path by which the file was opened, as it was at that time;
//! 4. in the working directory;
//! 5. in the folder of the real file, if the last component of that path is a symbolic link (all links resolved).
//!
//! For external raw data, libhdf5 uses the working directory or the prefix only. Here the folders of the file come first
//! (step 3, then step 5), because raw data lies next to its file, and the working directory last.
//!
//! URLs have only the folder of the URL that was requested, also after a redirection.

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
    own: Option<OpenedAt>,
    opened: Arc<Mutex<HashMap<Location, Weak<F>>>>,
}

impl<F> LinkedFiles<F> {
    /// The linked files of the file at `own`. If that location is not known, the file cannot refer to others.
    pub(crate) fn new(opener: Arc<dyn Opener>, own: Option<Location>) -> Self {
        Self { opener, own: own.map(OpenedAt::new), opened: Arc::default() }
    }

    /// The linked files of another file, at `own`, that this one refers to.
    pub(crate) fn of(&self, own: Location) -> Self {
        Self { opener: self.opener.clone(), own: Some(OpenedAt::new(own)), opened: self.opened.clone() }
    }

    /// Those of the same file, opened again.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.opener.clone(), self.own().cloned())
    }

    /// The opener of all of these files.
    pub(crate) fn opener(&self) -> &dyn Opener {
        &*self.opener
    }

    /// The location of the file as it was given, if it is known.
    pub(crate) fn own(&self) -> Option<&Location> {
        self.own.as_ref().map(|own| &own.given)
    }

    /// The location of the file when it was opened, independent of the working directory.
    pub(crate) fn own_absolute(&self) -> Option<&Location> {
        self.own.as_ref().map(|own| &own.absolute)
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
        let mut candidates = own.candidates(name, purpose, &prefixes).into_iter();
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

/// Where a file was opened: the folders in which the names that it contains are searched for.
struct OpenedAt {
    given: Location,
    /// Made when the file is opened: the working directory may change afterwards.
    absolute: Location,
    /// The real file, if the location is a symbolic link; otherwise the location as it was given.
    real: Location,
}

impl OpenedAt {
    fn new(given: Location) -> Self {
        let is_link = !given.is_url() && given.as_path().is_symlink();
        let real = if is_link { given.as_path().canonicalize().ok() } else { None };
        let real = real.map_or_else(|| given.clone(), Location::from);
        Self { absolute: given.absolute(), real, given }
    }

    /// The locations at which to search for the file that this one refers to by `name`, in order.
    fn candidates(&self, name: &str, purpose: Purpose, prefixes: &[PathBuf]) -> Vec<Location> {
        let name = Path::new(name);
        let (own, is_url) = (&self.absolute, self.given.is_url());
        let mut candidates = Vec::new();
        let relative = match name.is_absolute() {
            true => name.file_name().map_or(name, Path::new),
            false => name,
        };
        // A name in a remote file must not lead to a file of this machine.
        if name.is_absolute() && !is_url {
            candidates.push(Location::from(name));
        }
        candidates.extend(prefixes.iter().map(|prefix| match prefix.strip_prefix("${ORIGIN}") {
            // libhdf5 knows this word for the others alone.
            Ok(rest) if !matches!(purpose, Purpose::ExternalLink) => own.beside(rest.join(relative)),
            _ => Location::from(prefix.join(relative)),
        }));
        candidates.push(own.beside(relative));
        if is_url {
            return candidates;
        }
        let mut last = [Location::from(relative), self.real.beside(relative)];
        if matches!(purpose, Purpose::RawData) {
            last.reverse();
        }
        candidates.extend(last);
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::LocalFiles;

    fn searched(own: &str, name: &str, prefixes: &[&str]) -> Vec<String> {
        searched_for(Purpose::VirtualSource, &OpenedAt::new(own.into()), name, prefixes)
    }

    fn searched_for(purpose: Purpose, own: &OpenedAt, name: &str, prefixes: &[&str]) -> Vec<String> {
        let prefixes: Vec<PathBuf> = prefixes.iter().map(PathBuf::from).collect();
        own.candidates(name, purpose, &prefixes).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_are_searched_for_in_the_order_of_libhdf5() {
        assert_eq!(searched("/a/b.h5", "c.h5", &[]), ["/a/c.h5", "c.h5", "/a/c.h5"]);
        assert_eq!(searched("/a/b.h5", "/x/c.h5", &[]), ["/x/c.h5", "/a/c.h5", "c.h5", "/a/c.h5"]);
        assert_eq!(
            searched("/a/b.h5", "c.h5", &["/p", "${ORIGIN}/q"]),
            ["/p/c.h5", "/a/q/c.h5", "/a/c.h5", "c.h5", "/a/c.h5"]
        );
        assert_eq!(searched("/a/b.h5", "/x/c.h5", &["/p"])[..2], ["/x/c.h5", "/p/c.h5"]);
        let own = OpenedAt::new("/a/b.h5".into());
        let linked = searched_for(Purpose::ExternalLink, &own, "c.h5", &["${ORIGIN}/q"]);
        assert_eq!(linked[..2], ["${ORIGIN}/q/c.h5", "/a/c.h5"]);
    }

    #[test]
    fn a_relative_location_is_that_of_the_working_directory_at_the_time() {
        let here = std::env::current_dir().unwrap();
        let absolute = here.join("a/c.h5").display().to_string();
        assert_eq!(searched("a/b.h5", "c.h5", &[]), [&absolute, "c.h5", "a/c.h5"]);
    }

    #[test]
    fn the_folder_of_the_real_file_is_searched_last() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        for name in ["real", "links"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join("real/m.h5"), "").unwrap();
        std::os::unix::fs::symlink("../real/m.h5", root.join("links/one.h5")).unwrap();
        std::os::unix::fs::symlink("links/one.h5", root.join("two.h5")).unwrap();
        let own = OpenedAt::new(root.join("two.h5").into());
        let found = searched_for(Purpose::ExternalLink, &own, "c.h5", &[]);
        assert_eq!(found, [at("c.h5"), "c.h5".to_owned(), at("real/c.h5")]);
        let found = searched_for(Purpose::RawData, &own, "c.raw", &[]);
        assert_eq!(found, [at("c.raw"), at("real/c.raw"), "c.raw".to_owned()]);
    }

    #[test]
    fn a_remote_file_does_not_lead_to_a_local_one() {
        assert_eq!(searched("s3://b/a/b.h5", "c.h5", &[]), ["s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "c.h5", &["/p"]), ["/p/c.h5", "s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "/etc/c.h5", &[]), ["s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "/etc/c.h5", &["/p"]), ["/p/c.h5", "s3://b/a/c.h5"]);
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
