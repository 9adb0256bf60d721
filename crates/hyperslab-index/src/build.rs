//! From a file to its index, in one pass.

use crate::array::array;
use crate::attribute::attributes;
use crate::model::{BuildOptions, Group, Index};
use hyperslab::{Error, File, Prefetch, Result};
use hyperslab_netcdf::Netcdf;
use hyperslab_netcdf::Omitted;

impl Index {
    /// Collects where the chunks of all variables lie. Readers find the file at `url`.
    ///
    /// # Errors
    /// Where the root group cannot be read, and for files of several members, whose addresses are not those of a file. What
    /// else cannot be read or expressed is listed in [`Index::omitted`].
    pub fn build(file: &File, url: &str, options: &BuildOptions) -> Result<Self> {
        if let Some(driver) = file.driver() {
            let what = format!("a file of the driver {} consists of several files", driver.name());
            return Err(Error::unsupported(what).in_file(file.name()));
        }
        file.root()?.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
        let netcdf = Netcdf::open(file)?;
        let mut index = Self { files: vec![url.to_owned()], ..Self::default() };
        index.omitted = netcdf.left_out().cloned().collect();
        let mut heap = file.heap();
        for group in &netcdf.groups {
            if let Some(reason) = refused(&group.path) {
                index.omitted.push(Omitted { path: group.path.clone(), reason });
                continue;
            }
            let own = attributes(&group.attributes, &mut heap, &group.path, &mut index.omitted);
            index.groups.push(Group { path: group.path.trim_matches('/').to_owned(), attributes: own });
            for variable in &group.variables {
                let path = variable.dataset.path();
                if let Some(reason) = refused(&variable.name) {
                    index.omitted.push(Omitted { path: path.to_owned(), reason });
                    continue;
                }
                match array(&netcdf, variable, options) {
                    Ok(mut array) => {
                        array.path = format!("{}/{}", group.path.trim_matches('/'), variable.name);
                        array.path = array.path.trim_start_matches('/').to_owned();
                        array.attributes =
                            attributes(&variable.attributes, &mut heap, path, &mut index.omitted);
                        index.arrays.push(array);
                    }
                    Err(reason) => index.omitted.push(Omitted { path: path.to_owned(), reason }),
                }
            }
        }
        Ok(index)
    }
}

/// Why no node of Zarr can have this path, if it cannot. HDF5 allows every name, and a reader that takes keys for paths of
/// files would leave its folder.
fn refused(path: &str) -> Option<String> {
    const METADATA: [&str; 5] = ["zarr.json", ".zgroup", ".zarray", ".zattrs", ".zmetadata"];
    let mut names = path.split('/').filter(|name| !name.is_empty());
    let name = names.find(|name| {
        let is_dots = name.bytes().all(|byte| byte == b'.');
        is_dots || METADATA.contains(name) || name.contains(['\\', '\0'])
    })?;
    Some(format!("Zarr allows no node of the name {name:?}"))
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for path in ["..", "/a/../b", "/.", "/a/zarr.json", ".zattrs", "a\\b"] {
            assert!(refused(path).is_some(), "{path}");
        }
        for path in ["", "/", "/a.b/..c", "/zarr.json.d", "__categories"] {
            assert_eq!(refused(path), None, "{path}");
        }
    }
}
