//! How engines, caches and storages are called, so that two that differ are never called the same.

use crate::matrix::Row;
use hyperslab_engines::FileBuffers;
use hyperslab_storage::CacheSettings;
use hyperslab_units::size;

/// What has to be said of a cache to tell it from the others of one document.
#[derive(Debug, Default)]
pub struct Names {
    /// Sizes that occur with several numbers of slots or weights of eviction.
    varied: Vec<u64>,
}

impl Names {
    /// The names for these rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut known: Vec<CacheSettings> = Vec::new();
        let mut varied = Vec::new();
        let written = |row: &'a Row| row.write.as_ref().and_then(|write| write.cache);
        for cache in rows.into_iter().flat_map(|row| [row.cache, written(row)]).flatten() {
            if known.iter().any(|other| other.nbytes == cache.nbytes && *other != cache) {
                varied.push(cache.nbytes);
            }
            known.push(cache);
        }
        Self { varied }
    }

    /// A cache: `1.0 MiB`, `8.0 MiB (default)`, `1.0 MiB, 80021 slots, w0 0.75`.
    pub fn settings(&self, cache: CacheSettings, is_default: bool) -> String {
        let text = match self.varied.contains(&cache.nbytes) {
            true => settings(cache),
            false => size::bytes(cache.nbytes),
        };
        if is_default { format!("{text} (default)") } else { text }
    }

    /// The chunk cache and the other buffers of a row, as columns and legends name them; empty where there is neither.
    pub fn cache(&self, row: &Row) -> String {
        let cache = row.cache.map(|cache| self.settings(cache, row.is_default_cache));
        cache.into_iter().chain(buffers(row.buffers)).collect::<Vec<_>>().join(", ")
    }

    /// The engine with its cache, in a sentence.
    pub fn who(&self, row: &Row) -> String {
        let with = self.with(row.cache, row.is_default_cache, row.buffers);
        if with.is_empty() { row.engine.clone() } else { format!("{} with {with}", row.engine) }
    }

    /// A cache and other buffers, in a sentence: `its default cache of 8.0 MiB`.
    pub fn with(&self, cache: Option<CacheSettings>, is_default: bool, others: FileBuffers) -> String {
        let cache = cache.map(|cache| {
            let text = self.settings(cache, false);
            if is_default { format!("its default cache of {text}") } else { format!("a cache of {text}") }
        });
        let others = named(others).map(|(name, bytes)| format!("a {name} of {}", size::bytes(bytes)));
        cache.into_iter().chain(others).collect::<Vec<_>>().join(" and ")
    }
}

/// What is buffered beside chunks, as columns and legends name it: `page buffer 4.0 KiB`.
pub fn buffers(set: FileBuffers) -> impl Iterator<Item = String> {
    named(set).map(|(name, bytes)| format!("{name} {}", size::bytes(bytes)))
}

fn named(set: FileBuffers) -> impl Iterator<Item = (&'static str, u64)> {
    let FileBuffers { page_buffer, metadata_cache } = set;
    let each = [("page buffer", page_buffer), ("metadata cache", metadata_cache)];
    each.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)))
}

/// Everything that is set of a chunk cache.
pub fn settings(cache: CacheSettings) -> String {
    format!("{}, {} slots, w0 {}", size::bytes(cache.nbytes), cache.nslots, cache.w0)
}

/// The engine with its release.
pub fn engine(row: &Row) -> String {
    format!("{} {}", row.engine, row.version).trim_end().to_owned()
}

/// What was read, in a sentence.
pub fn stored(row: &Row) -> &str {
    if row.storage.is_none() { "the file as it is" } else { &row.stored_as }
}

/// True for rows of the engine that does nothing.
pub fn is_null(row: &Row) -> bool {
    row.engine == "null"
}

/// Items of the same key together: the groups and what is in them in the order in which they come.
pub fn grouped<K: PartialEq, T>(items: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, item) in items {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}

/// True where the time of all reads is computed from that of some.
pub fn is_part(row: &Row) -> bool {
    row.read.extrapolated_read.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::row;

    #[test]
    fn slots_are_named_where_they_differ() {
        let cached = |nslots| {
            let cache = Some(CacheSettings { nbytes: 1 << 20, nslots, w0: 0.75 });
            Row { cache, is_default_cache: false, ..row("libhdf5", 1.0, None) }
        };
        let (few, many) = (cached(521), cached(80_021));
        let alone = Names::of([&few]);
        assert_eq!(alone.who(&few), "libhdf5 with a cache of 1.0 MiB");
        let both = Names::of([&few, &many]);
        assert_eq!(both.who(&many), "libhdf5 with a cache of 1.0 MiB, 80021 slots, w0 0.75");
        let buffers = FileBuffers { page_buffer: Some(4096), metadata_cache: None };
        let paged = Row { buffers, ..few };
        assert_eq!(both.cache(&paged), "1.0 MiB, 521 slots, w0 0.75, page buffer 4.0 KiB");
        let buffers = FileBuffers { metadata_cache: Some(1 << 20), ..buffers };
        let row = Row { cache: None, buffers, ..paged };
        assert_eq!(both.who(&row), "libhdf5 with a page buffer of 4.0 KiB and a metadata cache of 1.0 MiB");
    }
}
