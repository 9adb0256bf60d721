//! A new storage of a dataset in the words of the programs that write it: hyperslab, h5repack, nccopy, h5py.
//!
//! A program that cannot write a storage has no line: nccopy writes no checksums, and h5py one compression filter beside
//! shuffle.

use super::{python_string, python_tuple, shell_word};
use crate::FilterRequest;
use crate::filter::is_nearest_neighbour;
use crate::filter::number::{DEFLATE, FLETCHER32, LZF, NBIT, SCALEOFFSET, SHUFFLE, SZIP};
use crate::pattern::shape_text;
use hyperslab_units::bytes_option;

/// The first parameter of scale-offset for floats (`H5Z_SO_FLOAT_DSCALE`).
const DECIMAL: u32 = 0;

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
    /// Size of the pages of the new file, if it has pages.
    pub page_bytes: Option<u64>,
}

impl StorageLines<'_> {
    /// The new file.
    fn output(&self) -> &'static str {
        if self.is_netcdf { "out.nc" } else { "out.h5" }
    }

    /// An argument about the dataset: `PATH:WHAT`.
    fn option(&self, what: &str) -> String {
        shell_word(&format!("{}:{what}", self.path))
    }

    fn name(&self) -> &str {
        self.path.trim_start_matches('/')
    }

    fn has(&self, filter: u16) -> bool {
        self.filters.iter().any(|one| one.id == filter)
    }

    /// The command line of hyperslab, with the filters as `--filter` takes them.
    pub fn hyperslab(&self, filters: &str) -> String {
        let mut words = vec!["hyperslab repack".to_owned()];
        words.extend(self.page_bytes.map(|bytes| format!("--page-size {}", bytes_option(bytes))));
        match self.chunks {
            Some(chunks) => words.extend([
                format!("--chunks {}", self.option(&shape_text(chunks))),
                format!("--filter {}", self.option(filters)),
            ]),
            None => words.push(format!("--contiguous {}", shell_word(self.path))),
        }
        words.extend([shell_word(self.file), self.output().to_owned()]);
        words.join(" ")
    }

    /// The command line of h5repack.
    pub fn h5repack(&self) -> Option<String> {
        let mut words = vec!["h5repack".to_owned()];
        words.extend(self.page_bytes.map(|bytes| format!("-S PAGE -G {bytes}")));
        let layout =
            self.chunks.map_or_else(|| "CONTI".to_owned(), |chunks| format!("CHUNK={}", shape_text(chunks)));
        words.push(format!("-l {}", self.option(&layout)));
        if self.filters.is_empty() {
            words.push(format!("-f {}", self.option("NONE")));
        }
        for FilterRequest { id, parameters } in self.filters {
            words.push(format!("-f {}", self.option(&h5repack_filter(*id, parameters)?)));
        }
        words.extend([shell_word(self.file), self.output().to_owned()]);
        Some(words.join(" "))
    }

    /// The command line of nccopy, for a variable of the root group of a netCDF file. nccopy sets deflate and shuffle for all
    /// variables at once; other filters, or none, for one variable.
    pub fn nccopy(&self) -> Option<String> {
        let (name, chunks) = (self.name(), self.chunks?);
        if !self.is_netcdf || name.contains('/') {
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

    /// The call of h5py that creates the dataset in a file `out`.
    pub fn h5py(&self) -> Option<String> {
        // h5py refuses both.
        if self.has(SCALEOFFSET) && self.has(FLETCHER32) {
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

/// The bits of integers, or the digits after the decimal point of floats. h5repack and h5py take no negative number.
fn scale_factor(parameters: &[u32]) -> Option<u32> {
    u32::try_from(*parameters.get(1)? as i32).ok()
}

/// A filter as h5repack's `-f` takes it.
pub(super) fn h5repack_filter(id: u16, parameters: &[u32]) -> Option<String> {
    Some(match id {
        DEFLATE => format!("GZIP={}", parameters.first()?),
        SHUFFLE => "SHUF".to_owned(),
        FLETCHER32 => "FLET".to_owned(),
        NBIT => "NBIT".to_owned(),
        SZIP => {
            format!(
                "SZIP={},{}",
                parameters.get(1)?,
                if is_nearest_neighbour(parameters) { "NN" } else { "EC" }
            )
        }
        SCALEOFFSET => {
            let kind = if *parameters.first()? == DECIMAL { "DS" } else { "IN" };
            format!("SOFF={},{kind}", scale_factor(parameters)?)
        }
        // h5repack takes at least one parameter, and LZF has none.
        LZF => return None,
        id => {
            let numbers =
                [u32::from(id), 0, parameters.len() as u32].into_iter().chain(parameters.iter().copied());
            format!("UD={}", joined(&numbers.collect::<Vec<_>>(), ","))
        }
    })
}

/// The number of a filter and its parameters.
fn filter_numbers(id: u16, parameters: &[u32]) -> Vec<u32> {
    std::iter::once(u32::from(id)).chain(parameters.iter().copied()).collect()
}

fn joined<T: ToString>(numbers: &[T], separator: &str) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage<'a>(chunks: Option<&'a [u64]>, filters: &'a [FilterRequest]) -> StorageLines<'a> {
        StorageLines { file: "era 5.nc", is_netcdf: true, path: "/t2m", chunks, filters, page_bytes: None }
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
