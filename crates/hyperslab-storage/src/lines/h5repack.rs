//! h5repack's command line, whose options hyperslab takes as well.

use super::shell_word;
use super::storage::{StorageLines, joined, scale_factor};
use crate::FilterRequest;
use crate::filter::number::{DEFLATE, FLETCHER32, LZF, NBIT, SCALEOFFSET, SHUFFLE, SZIP};
use crate::filter::{is_nearest_neighbour, pipeline_text};
use crate::pattern::shape_text;
use crate::storage_change::{Pages, StorageChange};

/// The name of the new file.
pub(super) const OUTPUT: &str = "out.h5";
/// The first parameter of scale-offset for floats (`H5Z_SO_FLOAT_DSCALE`).
const DECIMAL: u32 = 0;

impl StorageChange {
    /// The command line of h5repack for a file.
    pub fn h5repack(&self, file: &str) -> String {
        let mut words = vec!["h5repack".to_owned()];
        words.extend(self.is_latest.then(|| "-L".to_owned()));
        if let Pages::MetadataFirst(bytes) | Pages::Of(bytes) = self.pages {
            words.push(format!("-S PAGE -G {bytes}"));
        }
        line(self, words, file, OUTPUT)
    }
}

impl StorageLines<'_> {
    /// The command line of h5repack.
    pub fn h5repack(&self) -> Option<String> {
        if self.decimal_digits.is_some() {
            return None;
        }
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
}

/// The options and files of a change, after these words.
pub(super) fn line(change: &StorageChange, mut words: Vec<String>, file: &str, output: &str) -> String {
    let option =
        |what: &str| shell_word(&format!("{}:{what}", change.dataset.as_deref().unwrap_or_default()));
    if let Some(filters) = &change.filters {
        let named = filters.iter().map(|filter| h5repack_filter(filter.id, &filter.parameters));
        match named.collect::<Option<Vec<_>>>() {
            Some(none) if none.is_empty() => words.push(format!("-f {}", option("NONE"))),
            Some(named) => words.extend(named.iter().map(|filter| format!("-f {}", option(filter)))),
            // h5repack has no word for one of them, and refuses this option rather than leave a filter out.
            None => words.push(format!("--filter {}", option(&pipeline_text(filters)))),
        }
    }
    if let Some(chunk) = &change.chunks {
        words.push(format!("-l {}", option(&format!("CHUNK={}", shape_text(chunk)))));
    }
    words.extend([shell_word(file), output.to_owned()]);
    words.join(" ")
}

/// A filter as h5repack's `-f` takes it.
fn h5repack_filter(id: u16, parameters: &[u32]) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FilterRequest;

    #[test]
    fn both_programs_get_their_words() {
        let filters = vec![FilterRequest::shuffle(), FilterRequest::gzip(4)];
        let change = StorageChange { filters: Some(filters), ..StorageChange::rechunked("/a b", &[2, 3]) };
        let options = "-f '/a b:SHUF' -f '/a b:GZIP=4' -l '/a b:CHUNK=2x3' in.h5 out.h5";
        assert_eq!(change.h5repack("in.h5"), format!("h5repack {options}"));
        assert_eq!(change.hyperslab("in.h5"), format!("hyperslab repack {options}"));
        let none =
            StorageChange { dataset: Some("/d".into()), filters: Some(Vec::new()), ..Default::default() };
        assert_eq!(none.h5repack("x"), "h5repack -f /d:NONE x out.h5");
        let lzf = StorageChange { filters: Some(vec![FilterRequest::new(32_000, [])]), ..none };
        assert_eq!(lzf.hyperslab("x"), "hyperslab repack --filter /d:lzf x out.h5");
        let paged = StorageChange { is_latest: true, ..StorageChange::paged(Pages::Of(1 << 20)) };
        assert_eq!(paged.h5repack("x"), "h5repack -L -S PAGE -G 1048576 x out.h5");
        assert_eq!(paged.hyperslab("x"), "hyperslab repack --page-size 1MiB x out.h5");
        let first = StorageChange::paged(Pages::MetadataFirst(4096));
        assert_eq!(first.h5repack("x"), "h5repack -S PAGE -G 4096 x out.h5");
        assert_eq!(first.hyperslab("x"), "hyperslab repack x out.h5");
    }
}
