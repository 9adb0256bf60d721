//! h5py's calls.

use super::storage::{StorageLines, scale_factor};
use super::{python_string, python_tuple};
use crate::filter::is_nearest_neighbour;
use crate::filter::number::{DEFLATE, FLETCHER32, LZF, NBIT, SCALEOFFSET, SHUFFLE, SZIP};
use crate::{CacheSettings, FilterRequest};

/// The call that opens a file with this chunk cache for its datasets; `opened` are the arguments before it.
pub fn h5py_cache(opened: &str, cache: CacheSettings) -> String {
    let CacheSettings { nbytes, nslots, .. } = cache;
    format!("h5py.File({opened}, rdcc_nbytes={nbytes}, rdcc_nslots={nslots})")
}

impl StorageLines<'_> {
    /// The call of h5py that creates the dataset in a file `out`.
    pub fn h5py(&self) -> Option<String> {
        // h5py refuses both, and rounds nothing.
        if self.has(SCALEOFFSET) && self.has(FLETCHER32) || self.decimal_digits.is_some() {
            return None;
        }
        let mut options = vec![python_string(self.name()), "data=data".to_owned()];
        options.extend(self.chunks.map(|chunks| format!("chunks={}", python_tuple(chunks))));
        let mut compressions = 0;
        for FilterRequest { id, parameters } in self.filters {
            let (compression, settings) = match *id {
                SHUFFLE => {
                    options.push("shuffle=True".to_owned());
                    continue;
                }
                FLETCHER32 => continue,
                SCALEOFFSET => {
                    options.push(format!("scaleoffset={}", scale_factor(parameters)?));
                    continue;
                }
                NBIT => return None,
                DEFLATE => ("\"gzip\"".to_owned(), Some(parameters.first()?.to_string())),
                SZIP => {
                    let coding = if is_nearest_neighbour(parameters) { "nn" } else { "ec" };
                    ("\"szip\"".to_owned(), Some(format!("(\"{coding}\", {})", parameters.get(1)?)))
                }
                LZF => ("\"lzf\"".to_owned(), None),
                id => {
                    let numbers: Vec<u64> = parameters.iter().map(|number| u64::from(*number)).collect();
                    (id.to_string(), Some(python_tuple(&numbers)))
                }
            };
            compressions += 1;
            options.push(format!("compression={compression}"));
            options.extend(settings.map(|settings| format!("compression_opts={settings}")));
        }
        if self.has(FLETCHER32) {
            options.push("fletcher32=True".to_owned());
        }
        (compressions <= 1).then(|| format!("out.create_dataset({})", options.join(", ")))
    }
}
