//! From a file to its index, in one pass.

use crate::array::array;
use crate::attribute::attributes;
use crate::model::{BuildOptions, Group, Index, Omitted};
use hyperslab::{Error, File, Prefetch, Result};
use hyperslab_netcdf::Netcdf;

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
        let omitted = &netcdf.omitted;
        index
            .omitted
            .extend(omitted.iter().map(|one| Omitted { path: one.path.clone(), reason: one.reason.clone() }));
        let mut heap = file.heap();
        for group in &netcdf.groups {
            let own = attributes(&group.attributes, &mut heap, &group.path, &mut index.omitted);
            index.groups.push(Group { path: group.path.trim_matches('/').to_owned(), attributes: own });
            for variable in &group.variables {
                let path = variable.dataset.path();
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
