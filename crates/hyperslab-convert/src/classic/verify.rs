//! Reads the new file back and compares it with what was copied.

use super::write::{BLOCK_BYTES, big_endian, parts};
use super::{Classic, Progress};
use hyperslab::{Error, File, Result};
use hyperslab_classic::Header;
use hyperslab_netcdf::Netcdf;

impl Classic {
    /// Compares the file that was written: its header, and every value. Returns the bytes that were compared.
    ///
    /// # Errors
    /// The first difference; what cannot be read.
    pub fn verify(&self, written: &File, progress: Progress<'_>) -> Result<u64> {
        let differs =
            |what: String| Err(Error::internal(format!("the new file is not as it was written: {what}")));
        let mut head = vec![0; self.header.bytes as usize];
        written.source().read_into(0, &mut head).map_err(Error::from)?;
        match Header::parse(&head, written.len()) {
            Ok(header) if header.encode() == self.header.encode() => {}
            _ => return differs("its header".to_owned()),
        }
        let netcdf = Netcdf::open(written)?;
        let mut compared = self.header.bytes;
        for (number, variable) in self.header.variables.iter().enumerate() {
            let name = variable.name.to_string();
            // Not by its path: a name may have a slash.
            let found = netcdf.root().variables.iter().find(|found| found.name == name);
            let Some(found) = found else { return differs(name) };
            let (shape, element_bytes) = (self.shape(number), variable.kind.bytes());
            if found.dataset.shape() != shape {
                return differs(format!("the shape of {name}"));
            }
            let (elements, each) = (shape.iter().product::<u64>(), (BLOCK_BYTES / element_bytes).max(1));
            for part in parts(0..elements, each) {
                let theirs = big_endian(&found.dataset, &shape, part.clone())?;
                if theirs != self.values(number, part)? {
                    return differs(format!("values of {name}"));
                }
                progress(theirs.len() as u64)?;
                compared += theirs.len() as u64;
            }
        }
        Ok(compared)
    }
}
