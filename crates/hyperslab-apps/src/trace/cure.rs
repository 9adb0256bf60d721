//! What would have helped most: a chunk cache that holds what is read again, in the words of the program.

use super::Traced;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::lines::{c_cache, h5py_cache, netcdf4_cache, python_string};
use hyperslab_trace::CacheDecodes;
use hyperslab_units::size::bytes_text;
use serde::Serialize;
use std::path::Path;

/// A line to paste, and what it would bring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cure {
    /// The chunk cache.
    pub cache: CacheSettings,
    /// Lines, and the programs that take them; the first is for the program that was traced.
    pub lines: Vec<(String, String)>,
    /// The decodes that remain.
    pub decodes: u64,
    /// The seconds that remain of those inside HDF5, about.
    pub seconds: f64,
}

/// A cache that decodes at most this many times as much as the best one is as good.
const AS_GOOD: f64 = 1.1;
/// What saves less than this share is not told of.
const GAIN_MIN: f64 = 0.1;
/// What a read takes apart from decoding: the call, and copying its bytes.
const CALL_SECONDS: f64 = 1e-6;
const BYTES_PER_SECOND: f64 = 3e9;

/// The cure of a dataset that was read by a program. `None` where no cache would save a tenth of the time.
pub(super) fn cure(traced: &Traced, program: &[String]) -> Option<Cure> {
    let decodes = traced.reads.decodes.filter(|decodes| *decodes > 0)?;
    let tried = smallest(&traced.candidates)?;
    let others = traced.reads.calls as f64 * CALL_SECONDS + traced.reads.bytes as f64 / BYTES_PER_SECOND;
    let decoding = (traced.reads.seconds - others).max(0.0);
    let seconds = traced.reads.seconds - decoding * (1.0 - tried.decodes as f64 / decodes as f64);
    if seconds > (1.0 - GAIN_MIN) * traced.reads.seconds {
        return None;
    }
    Some(Cure {
        cache: tried.cache,
        lines: lines(traced, tried.cache, program),
        decodes: tried.decodes,
        seconds,
    })
}

/// The smallest cache that decodes hardly more than the best one.
pub(super) fn smallest(candidates: &[CacheDecodes]) -> Option<&CacheDecodes> {
    let best = candidates.iter().map(|tried| tried.decodes).min()?;
    candidates.iter().find(|tried| tried.decodes as f64 <= AS_GOOD * best as f64)
}

fn lines(traced: &Traced, cache: CacheSettings, program: &[String]) -> Vec<(String, String)> {
    let shown =
        program.iter().map(|word| hyperslab_storage::lines::shell_word(word)).collect::<Vec<_>>().join(" ");
    let line = |target: &str, line: String| (target.to_owned(), line);
    let name = program.first().map(Path::new).and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let unchanged = line("the program as it is", format!("hyperslab run --only cache -- {shown}"));
    let mut lines = vec![unchanged];
    if name.starts_with("python") {
        lines.push(line("h5py", h5py_cache(&python_string(&traced.file), cache)));
        lines.push(line("netCDF4", netcdf4_cache(&traced.dataset, cache)));
    } else {
        lines.push(line("C", c_cache("H5Dopen2", cache)));
    }
    lines
}

impl Cure {
    /// What the cure is, in a few words.
    pub fn text(&self) -> String {
        format!("a chunk cache of {}", bytes_text(self.cache.nbytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_trace::{Calls, TracedDataset};

    fn traced(decodes: u64, candidates: &[(u64, u64)]) -> Traced {
        let cache = |nbytes| CacheSettings { nbytes, nslots: 521, w0: 0.75 };
        let tried =
            |(nbytes, decodes): &(u64, u64)| CacheDecodes { cache: cache(*nbytes), decodes: *decodes };
        let dataset = TracedDataset {
            traced: "/t".into(),
            file: "a.h5".into(),
            reads: Calls { calls: 1000, bytes: 1000, seconds: 10.0, decodes: Some(decodes) },
            candidates: candidates.iter().map(tried).collect(),
            ..TracedDataset::default()
        };
        Traced::of_line(&dataset)
    }

    #[test]
    fn the_smallest_cache_that_is_as_good_as_any_is_named_with_what_it_brings() {
        let found =
            cure(&traced(1000, &[(1 << 20, 900), (8 << 20, 105), (64 << 20, 100)]), &["./rows".into()])
                .unwrap();
        assert_eq!(found.cache.nbytes, 8 << 20);
        assert!((1.0..1.1).contains(&found.seconds), "{}", found.seconds);
        assert_eq!(found.lines[0].1, "hyperslab run --only cache -- ./rows");
        assert!(found.lines[1].1.contains("H5Pset_chunk_cache"), "{:?}", found.lines);
        let python = cure(&traced(1000, &[(1 << 20, 10)]), &["python3".into(), "a.py".into()]).unwrap();
        assert!(python.lines[1].1.starts_with("h5py.File(\"a.h5\""), "{:?}", python.lines);
    }

    #[test]
    fn what_saves_nothing_is_not_named() {
        assert_eq!(cure(&traced(100, &[(1 << 20, 95)]), &[]), None);
        assert_eq!(cure(&traced(100, &[]), &[]), None);
    }
}
