//! Opening files by their paths and URLs.

use crate::file::RemoteFile;
use crate::network::Network;
use crate::options::RemoteOptions;
use crate::transport::{is_store_url, list};
use hyperslab_io::{LocalFiles, Location, Opener, Source};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// Opens local files by their paths, and remote files by their URLs.
#[derive(Default)]
pub struct Files {
    options: RemoteOptions,
    /// Files that were opened to find out whether they exist, until they are opened.
    found: Mutex<HashMap<Location, Arc<dyn Source>>>,
}

impl Files {
    /// Opens remote files with these settings.
    pub fn new(options: RemoteOptions) -> Self {
        Self { options, found: Mutex::default() }
    }

    fn open_url(&self, location: &Location) -> io::Result<Arc<dyn Source>> {
        let url = location.as_path().to_str().unwrap_or_default();
        let scheme = url.split("://").next().unwrap_or_default();
        match scheme {
            "file" => LocalFiles.open(&Location::from(&url["file://".len()..])),
            "http" | "https" => Ok(Arc::new(RemoteFile::open(url, self.options.clone())?)),
            _ if is_store_url(url) => Ok(Arc::new(RemoteFile::open(url, self.options.clone())?)),
            _ => {
                let what = format!(
                    "URLs of the scheme {scheme}:// are not supported; s3, gs, az, abfs, https, http and file are"
                );
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
        }
    }

    /// The URLs of all objects below a prefix of a store, such as `s3://bucket/folder/`, in order.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a URL whose server cannot list; the error of the store.
    pub fn list(&self, prefix: &Location) -> io::Result<Vec<String>> {
        let url = prefix.as_path().to_str().unwrap_or_default().to_owned();
        if !is_store_url(&url) {
            let what = "folders can be listed in stores (s3://, gs://, az://), not on web servers";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let options = self.options.clone();
        let listed = Network::get()?.wait(async move { list(&url, &options).await });
        listed.map_err(|error| io::Error::new(error.kind(), format!("{prefix}: {error}")))
    }

    fn found(&self) -> std::sync::MutexGuard<'_, HashMap<Location, Arc<dyn Source>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opener for Files {
    fn open(&self, location: &Location) -> io::Result<Arc<dyn Source>> {
        if !location.is_url() {
            return LocalFiles.open(location);
        }
        let found = self.found().remove(location);
        found.map_or_else(|| self.open_url(location), Ok)
    }

    /// A URL is opened to find out whether there is a file, and the open file is kept for [`Self::open`].
    fn is_file(&self, location: &Location) -> bool {
        if !location.is_url() {
            return LocalFiles.is_file(location);
        }
        let Ok(source) = self.open_url(location) else { return false };
        self.found().insert(location.clone(), source);
        true
    }
}
