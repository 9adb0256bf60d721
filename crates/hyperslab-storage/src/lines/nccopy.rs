//! nccopy's command line.

use super::shell_word;
use super::storage::{StorageLines, joined};
use crate::FilterRequest;
use crate::filter::number::{DEFLATE, FLETCHER32, LZF, NBIT, SCALEOFFSET, SHUFFLE};

impl StorageLines<'_> {
    /// The command line of nccopy, for a variable of the root group of a netCDF file. nccopy sets deflate and shuffle for all
    /// variables at once; other filters, or none, for one variable.
    pub fn nccopy(&self) -> Option<String> {
        let (name, chunks) = (self.root_name()?, self.chunks?);
        if !self.is_netcdf || self.decimal_digits.is_some() {
            return None;
        }
        let filters = match self.filters {
            [] => format!("-F {}", shell_word(&format!("{name},none"))),
            [FilterRequest { id: DEFLATE, parameters }] => format!("-d {}", parameters.first()?),
            [FilterRequest { id: SHUFFLE, .. }, FilterRequest { id: DEFLATE, parameters: level }] => {
                format!("-d {} -s", level.first()?)
            }
            [FilterRequest { id, parameters }]
                if !matches!(*id, SHUFFLE | FLETCHER32 | NBIT | SCALEOFFSET | LZF) =>
            {
                format!(
                    "-F {}",
                    shell_word(&format!("{name},{}", joined(&filter_numbers(*id, parameters), ",")))
                )
            }
            _ => return None,
        };
        let chunks = shell_word(&format!("{name}:{}", joined(chunks, ",")));
        Some(format!("nccopy -k nc4 -c {chunks} {filters} {} out.nc", shell_word(self.file)))
    }

    /// The command line of nccopy that changes only the chunks of a variable: it keeps the filters.
    pub fn nccopy_chunks(&self) -> Option<String> {
        let variable = self.root_name().unwrap_or(self.path);
        let option = shell_word(&format!("{variable}:{}", joined(self.chunks?, ",")));
        Some(format!("nccopy -c {option} {} out.nc", shell_word(self.file)))
    }
}

/// The number of a filter and its parameters.
fn filter_numbers(id: u16, parameters: &[u32]) -> Vec<u32> {
    std::iter::once(u32::from(id)).chain(parameters.iter().copied()).collect()
}
