//! A new storage of a dataset, for the lines of each program. One that cannot write it has no line.

use super::shell_word;
use crate::FilterRequest;

/// How a dataset is to be stored in a new file.
#[derive(Debug, Clone)]
pub struct StorageLines<'a> {
    /// The file that holds it now, as a shell finds it.
    pub file: &'a str,
    /// True if netCDF-C can read the file.
    pub is_netcdf: bool,
    /// The dataset in it.
    pub path: &'a str,
    /// The shape of a chunk, or `None` for contiguous storage.
    pub chunks: Option<&'a [u64]>,
    /// The filters in the order of writing, without what follows from the dataset.
    pub filters: &'a [FilterRequest],
    /// Digits after the decimal point to which values are rounded before they are stored, if they are.
    pub decimal_digits: Option<i32>,
    /// Size of the pages of the new file, if it has pages.
    pub page_bytes: Option<u64>,
}

impl StorageLines<'_> {
    /// The new file.
    pub(super) fn output(&self) -> &'static str {
        if self.is_netcdf { "out.nc" } else { "out.h5" }
    }

    /// An argument about the dataset: `PATH:WHAT`.
    pub(super) fn option(&self, what: &str) -> String {
        shell_word(&format!("{}:{what}", self.path))
    }

    pub(super) fn name(&self) -> &str {
        self.path.trim_start_matches('/')
    }

    /// The name of a variable of the root group: netCDF's tools write a group at a time.
    pub(super) fn root_name(&self) -> Option<&str> {
        Some(self.name()).filter(|name| !name.contains('/'))
    }

    /// The filter of this number.
    pub(super) fn filter(&self, id: u16) -> Option<&FilterRequest> {
        self.filters.iter().find(|one| one.id == id)
    }

    pub(super) fn has(&self, id: u16) -> bool {
        self.filter(id).is_some()
    }

    /// True if every filter is one of these.
    pub(super) fn has_only(&self, ids: &[u16]) -> bool {
        self.filters.iter().all(|one| ids.contains(&one.id))
    }
}

/// The bits of integers, or the digits after the decimal point of floats. h5repack and h5py take no negative number.
pub(super) fn scale_factor(parameters: &[u32]) -> Option<u32> {
    u32::try_from(*parameters.get(1)? as i32).ok()
}

pub(super) fn joined<T: ToString>(numbers: &[T], separator: &str) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::number::{FLETCHER32, LZF, NBIT, SCALEOFFSET, SZIP};

    /// The first parameter of scale-offset for floats.
    const DECIMAL: u32 = 0;

    fn storage<'a>(chunks: Option<&'a [u64]>, filters: &'a [FilterRequest]) -> StorageLines<'a> {
        StorageLines {
            file: "era 5.nc",
            is_netcdf: true,
            path: "/t2m",
            chunks,
            filters,
            decimal_digits: None,
            page_bytes: None,
        }
    }

    #[test]
    fn each_program_gets_its_own_words() {
        let filters = [FilterRequest::shuffle(), FilterRequest::gzip(4)];
        let new = storage(Some(&[73, 91, 90]), &filters);
        assert_eq!(
            new.hyperslab("shuffle+gzip=4"),
            "hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:shuffle+gzip=4 'era 5.nc' out.nc"
        );
        assert_eq!(
            new.h5repack().unwrap(),
            "h5repack -l /t2m:CHUNK=73x91x90 -f /t2m:SHUF -f /t2m:GZIP=4 'era 5.nc' out.nc"
        );
        assert_eq!(new.nccopy().unwrap(), "nccopy -k nc4 -c t2m:73,91,90 -d 4 -s 'era 5.nc' out.nc");
        assert_eq!(
            new.h5py().unwrap(),
            "out.create_dataset(\"t2m\", data=data, chunks=(73, 91, 90), shuffle=True, compression=\"gzip\", compression_opts=4)"
        );
    }

    #[test]
    fn each_filter_is_named_as_the_program_names_it() {
        let one = |id: u16, parameters: &[u32]| {
            let filters = [FilterRequest::new(id, parameters)];
            let new = storage(Some(&[4]), &filters);
            let short = |line: Option<String>, before: &str| {
                line.map(|line| line.split_once(before).map_or("", |(_, rest)| rest).to_owned())
            };
            (short(new.h5repack(), "-f /t2m:"), short(new.h5py(), "chunks=(4,)"))
        };
        let of = |h5repack: &str, h5py: &str| {
            (Some(format!("{h5repack} 'era 5.nc' out.nc")), Some(format!("{h5py})")))
        };
        assert_eq!(
            one(SZIP, &[32, 8]),
            of("SZIP=8,NN", ", compression=\"szip\", compression_opts=(\"nn\", 8)")
        );
        assert_eq!(
            one(SZIP, &[4, 16]),
            of("SZIP=16,EC", ", compression=\"szip\", compression_opts=(\"ec\", 16)")
        );
        assert_eq!(one(SCALEOFFSET, &[DECIMAL, 2]), of("SOFF=2,DS", ", scaleoffset=2"));
        assert_eq!(one(SCALEOFFSET, &[2, 5]), of("SOFF=5,IN", ", scaleoffset=5"));
        assert_eq!(one(SCALEOFFSET, &[DECIMAL, -1i32 as u32]), (None, None));
        assert_eq!(one(FLETCHER32, &[]), of("FLET", ", fletcher32=True"));
        let zstd = of("UD=32015,0,1,3", ", compression=32015, compression_opts=(3,)");
        assert_eq!(one(32_015, &[3]), zstd);
        assert_eq!(one(LZF, &[]), (None, Some(", compression=\"lzf\")".to_owned())));
        assert_eq!(one(NBIT, &[]).1, None);
    }

    #[test]
    fn nccopy_sets_other_filters_for_one_variable() {
        let line = |filters: &[FilterRequest]| storage(Some(&[4]), filters).nccopy();
        assert!(line(&[]).unwrap().contains(" -F t2m,none "));
        assert!(line(&[FilterRequest::new(32_015, [3])]).unwrap().contains(" -F t2m,32015,3 "));
        assert_eq!(line(&[FilterRequest::shuffle(), FilterRequest::new(32_015, [3])]), None);
        assert_eq!(line(&[FilterRequest::gzip(4), FilterRequest::fletcher32()]), None);
    }

    #[test]
    fn contiguous_storage_and_pages_are_made_by_those_that_can() {
        let new =
            StorageLines { file: "in.h5", is_netcdf: false, page_bytes: Some(1 << 20), ..storage(None, &[]) };
        assert_eq!(new.hyperslab("none"), "hyperslab repack --page-size 1MiB --contiguous /t2m in.h5 out.h5");
        let line = new.h5repack().unwrap();
        assert_eq!(line, "h5repack -S PAGE -G 1048576 -l /t2m:CONTI -f /t2m:NONE in.h5 out.h5");
        assert_eq!(new.nccopy(), None);
    }
}
