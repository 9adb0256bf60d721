//! A change of storage in the words of the programs that rewrite whole files: h5repack, and hyperslab with the same options.

use super::shell_word;
use super::storage::h5repack_filter;
use crate::filter::pipeline_text;
use crate::pattern::shape_text;
use crate::storage_change::{Pages, StorageChange};
use hyperslab_units::bytes_option;

impl StorageChange {
    /// The command line of h5repack for a file.
    pub fn h5repack(&self, file: &str) -> String {
        let mut words = vec!["h5repack".to_owned()];
        words.extend(self.is_latest.then(|| "-L".to_owned()));
        if let Pages::MetadataFirst(bytes) | Pages::Of(bytes) = self.pages {
            words.push(format!("-S PAGE -G {bytes}"));
        }
        self.line(words, file)
    }

    /// The command line of hyperslab for a file.
    pub fn hyperslab(&self, file: &str) -> String {
        let mut words = vec!["hyperslab repack".to_owned()];
        words.extend(self.page_bytes().map(|bytes| format!("--page-size {}", bytes_option(bytes))));
        self.line(words, file)
    }

    fn line(&self, mut words: Vec<String>, file: &str) -> String {
        let option =
            |what: &str| shell_word(&format!("{}:{what}", self.dataset.as_deref().unwrap_or_default()));
        if let Some(filters) = &self.filters {
            let named = filters.iter().map(|filter| h5repack_filter(filter.id, &filter.parameters));
            match named.collect::<Option<Vec<_>>>() {
                Some(none) if none.is_empty() => words.push(format!("-f {}", option("NONE"))),
                Some(named) => words.extend(named.iter().map(|filter| format!("-f {}", option(filter)))),
                // h5repack has no word for one of them, and refuses this option rather than leave a filter out.
                None => words.push(format!("--filter {}", option(&pipeline_text(filters)))),
            }
        }
        if let Some(chunk) = &self.chunks {
            words.push(format!("-l {}", option(&format!("CHUNK={}", shape_text(chunk)))));
        }
        words.extend([shell_word(file), "out.h5".to_owned()]);
        words.join(" ")
    }
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
