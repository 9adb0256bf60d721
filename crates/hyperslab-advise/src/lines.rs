//! A storage in the words of the programs that make it: hyperslab, h5repack, nccopy, xarray, netCDF4, h5py, CDL.
//!
//! A program that cannot make a storage has no line: nccopy has no checksums, h5repack no LZF, netCDF none of the lossy filters,
//! and xarray writes one group at a time.

use crate::candidate::Candidate;
use crate::pipeline::Compression;
use hyperslab_doctor::DatasetFacts;
use hyperslab_storage::FilterRequest;
use hyperslab_storage::lines::{Encoding, StorageLines};
use serde::Serialize;

/// The file that the lines are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// Its name, as a shell finds it.
    pub file: String,
    /// Where the values come from.
    pub origin: Origin,
    /// True if netCDF-C can read it.
    pub is_netcdf: bool,
    /// Size of a page of the new file, if it is to have pages.
    pub page_bytes: Option<u64>,
}

/// Where the values come from that are to be stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// A file of HDF5.
    #[default]
    Hdf5,
    /// Nowhere yet: there are no lines that repack them.
    Planned,
    /// A file of netCDF classic or HDF4, whose storage libhdf5 does not read.
    Older,
}

/// A line for one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// `hyperslab`, `h5repack`, `nccopy`, `xarray`, `netCDF4`, `h5py` or `CDL`.
    pub tool: &'static str,
    /// The line to paste.
    pub line: String,
}

/// A storage as the words of programs take it.
fn words<'a>(
    target: &'a Target,
    path: &'a str,
    storage: &'a Candidate,
    filters: &'a [FilterRequest],
) -> StorageLines<'a> {
    let decimal_digits = match storage.pipeline.compression {
        Compression::Rounded { digits, .. } => Some(digits),
        _ => None,
    };
    StorageLines {
        file: &target.file,
        is_netcdf: target.is_netcdf,
        path,
        chunks: storage.chunk.as_deref(),
        filters,
        decimal_digits,
        page_bytes: target.page_bytes,
    }
}

/// The encoding of xarray that stores a variable so.
pub(crate) fn encoding(storage: &Candidate) -> Option<Encoding> {
    words(&Target::default(), "", storage, &storage.pipeline.requests()).encoding()
}

/// The lines that store a dataset so.
pub fn lines(target: &Target, facts: &DatasetFacts, storage: &Candidate) -> Vec<Line> {
    let filters = storage.pipeline.requests();
    let new = words(target, &facts.path, storage, &filters);
    let mut lines = Vec::new();
    let mut add =
        |tool: &'static str, line: Option<String>| lines.extend(line.map(|line| Line { tool, line }));
    if target.origin == Origin::Planned {
        // A new file of hyperslab takes the words of h5py.
        add("hyperslab", new.h5py());
        add("h5py", new.h5py());
    } else {
        add("hyperslab", Some(new.hyperslab(&storage.pipeline.text())));
        add("h5py", new.h5py());
        add("h5repack", new.h5repack().filter(|_| target.origin == Origin::Hdf5));
        add("nccopy", new.nccopy().filter(|_| !storage.pipeline.compression.is_lossy()));
    }
    add("xarray", new.xarray());
    add("CDL", new.cdl());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Pipeline;

    fn all(storage: &Candidate) -> Vec<String> {
        of_target(storage, Origin::Hdf5)
    }

    fn of_target(storage: &Candidate, origin: Origin) -> Vec<String> {
        let facts = DatasetFacts::contiguous("/t2m", &[1460, 361, 720], "<f4", 4);
        let target = Target { file: "era 5.nc".to_owned(), origin, is_netcdf: true, page_bytes: None };
        lines(&target, &facts, storage)
            .into_iter()
            .map(|line| format!("{}: {}", line.tool, line.line))
            .collect()
    }

    #[test]
    fn each_program_gets_its_own_words() {
        let pipeline = Pipeline { shuffle: true, compression: Compression::Gzip(4), checksum: false };
        assert_eq!(
            all(&Candidate::chunked(&[73, 91, 90], pipeline)),
            [
                "hyperslab: hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:shuffle+gzip=4 'era 5.nc' out.nc",
                "h5py: out.create_dataset(\"t2m\", data=data, chunks=(73, 91, 90), shuffle=True, compression=\"gzip\", compression_opts=4)",
                "h5repack: h5repack -l /t2m:CHUNK=73x91x90 -f /t2m:SHUF -f /t2m:GZIP=4 'era 5.nc' out.nc",
                "nccopy: nccopy -k nc4 -c t2m:73,91,90 -d 4 -s 'era 5.nc' out.nc",
                "xarray: encoding = {\"t2m\": {\"chunksizes\": (73, 91, 90), \"zlib\": True, \"complevel\": 4, \"shuffle\": True}}",
                "CDL: t2m:_Storage = \"chunked\" ; t2m:_ChunkSizes = 73, 91, 90 ; t2m:_Shuffle = \"true\" ; t2m:_DeflateLevel = 4 ;",
            ]
        );
    }

    #[test]
    fn a_file_that_is_not_written_yet_is_not_repacked() {
        let pipeline = Pipeline { shuffle: true, compression: Compression::Gzip(4), checksum: false };
        let lines = of_target(&Candidate::chunked(&[73, 91, 90], pipeline.clone()), Origin::Planned);
        let tools: Vec<&str> = lines.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(tools, ["hyperslab", "h5py", "xarray", "CDL"]);
        assert!(lines.iter().all(|line| !line.contains("era 5.nc")), "{lines:?}");
        let lines = of_target(&Candidate::chunked(&[73, 91, 90], pipeline), Origin::Older);
        let tools: Vec<&str> = lines.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(tools, ["hyperslab", "h5py", "nccopy", "xarray", "CDL"], "h5repack reads HDF5 alone");
    }

    #[test]
    fn lossy_filters_are_named_with_their_bound() {
        let lines: Vec<String> = Pipeline::lossy_candidates("0.01".parse().unwrap(), false)
            .into_iter()
            .flat_map(|pipeline| all(&Candidate::chunked(&[73, 91, 90], pipeline)).into_iter().take(3))
            .collect();
        assert_eq!(
            lines,
            [
                "hyperslab: hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:scaleoffset=2 'era 5.nc' out.nc",
                "h5py: out.create_dataset(\"t2m\", data=data, chunks=(73, 91, 90), scaleoffset=2)",
                "h5repack: h5repack -l /t2m:CHUNK=73x91x90 -f /t2m:SOFF=2,DS 'era 5.nc' out.nc",
                "hyperslab: hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:scaleoffset=2+gzip=1 'era 5.nc' out.nc",
                "h5py: out.create_dataset(\"t2m\", data=data, chunks=(73, 91, 90), scaleoffset=2, compression=\"gzip\", compression_opts=1)",
                "h5repack: h5repack -l /t2m:CHUNK=73x91x90 -f /t2m:SOFF=2,DS -f /t2m:GZIP=1 'era 5.nc' out.nc",
                "hyperslab: hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:round=2+shuffle+gzip=1 'era 5.nc' out.nc",
                "xarray: encoding = {\"t2m\": {\"chunksizes\": (73, 91, 90), \"zlib\": True, \"complevel\": 1, \"least_significant_digit\": 2, \"shuffle\": True}}",
                "hyperslab: hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:round=2+shuffle+gzip=4 'era 5.nc' out.nc",
                "xarray: encoding = {\"t2m\": {\"chunksizes\": (73, 91, 90), \"zlib\": True, \"complevel\": 4, \"least_significant_digit\": 2, \"shuffle\": True}}",
                "hyperslab: hyperslab repack --chunks /t2m:73x91x90 --filter /t2m:zfp-accuracy=0.01 'era 5.nc' out.nc",
                "h5py: out.create_dataset(\"t2m\", data=data, chunks=(73, 91, 90), compression=32013, compression_opts=(3, 0, 1202590843, 1065646817))",
                "h5repack: h5repack -l /t2m:CHUNK=73x91x90 -f /t2m:UD=32013,0,4,3,0,1202590843,1065646817 'era 5.nc' out.nc",
            ]
        );
    }

    #[test]
    fn what_a_program_cannot_make_has_no_line() {
        let tools = |pipeline: Pipeline| -> Vec<String> {
            let lines = all(&Candidate::chunked(&[1, 2, 3], pipeline));
            lines.iter().map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
        };
        let zstd = Pipeline { shuffle: true, compression: Compression::Zstd(3), checksum: true };
        assert_eq!(tools(zstd), ["hyperslab", "h5py", "h5repack", "xarray", "CDL"]);
        let lzf = Pipeline { shuffle: true, compression: Compression::Lzf, checksum: false };
        assert_eq!(tools(lzf), ["hyperslab", "h5py"]);
        let lossy = Pipeline::lossy_candidates("0.01".parse().unwrap(), false);
        for one in lossy {
            let rounds = matches!(one.compression, Compression::Rounded { .. });
            let others: &[&str] = if rounds { &["xarray"] } else { &["h5py", "h5repack"] };
            assert_eq!(tools(one), [&["hyperslab"], others].concat());
        }
        let tens = Compression::ScaleOffset { digits: -1, level: 1 };
        assert_eq!(tools(Pipeline { compression: tens, ..Pipeline::NONE }), ["hyperslab"]);
        assert!(all(&Candidate::CONTIGUOUS).iter().any(|line| line.contains("--contiguous /t2m")));
    }
}
