//! A new storage in the words of the programs that write files: h5py, netCDF4, xarray, C, nccopy.

use super::new_filters::NewFilters;
use crate::facts::DatasetFacts;
use hyperslab_storage::FilterRequest;
use hyperslab_storage::lines::StorageLines;
use serde::{Deserialize, Serialize};

/// A line for one library or tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriterLine {
    /// `hyperslab`, `h5py`, `netCDF4`, `xarray`, `C` or `nccopy`.
    #[serde(rename = "for")]
    pub target: String,
    /// The line to paste.
    pub line: String,
}

/// The lines that write a dataset with these chunks and filters.
pub(crate) fn writer_lines(facts: &DatasetFacts, chunk: &[u64], filters: NewFilters) -> Vec<WriterLine> {
    let filters = filters.requests(facts);
    let new = lines("", facts, chunk, &filters);
    let each =
        [("h5py", new.h5py()), ("netCDF4", new.netcdf4()), ("xarray", new.xarray_call()), ("C", new.c())];
    each.into_iter()
        .filter_map(|(target, line)| Some(WriterLine { target: target.to_owned(), line: line? }))
        .collect()
}

/// The line that repacks a netCDF-4 file: nccopy keeps the other variables as they are.
pub(crate) fn nccopy_line(file: &str, facts: &DatasetFacts, chunk: &[u64]) -> Option<WriterLine> {
    let line = lines(file, facts, chunk, &[]).nccopy_chunks()?;
    Some(WriterLine { target: "nccopy".to_owned(), line })
}

fn lines<'a>(
    file: &'a str,
    facts: &'a DatasetFacts,
    chunk: &'a [u64],
    filters: &'a [FilterRequest],
) -> StorageLines<'a> {
    StorageLines {
        file,
        is_netcdf: false,
        path: &facts.path,
        chunks: Some(chunk),
        filters,
        decimal_digits: None,
        page_bytes: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FilterFact;
    use crate::testing::{chunked, gzip};

    #[test]
    fn each_writer_gets_its_own_words() {
        let checksum =
            FilterFact { name: String::new(), id: 3, parameters: vec![], description: String::new() };
        let facts = DatasetFacts { filters: vec![gzip(4), checksum], ..chunked(&[100, 20], &[10, 20], 4) };
        let lines = writer_lines(&facts, &[50, 20], NewFilters::Deflate { level: 4, shuffle: true });
        let lines: Vec<String> =
            lines.into_iter().map(|line| format!("{}: {}", line.target, line.line)).collect();
        assert_eq!(
            lines,
            [
                "h5py: out.create_dataset(\"d\", data=data, chunks=(50, 20), shuffle=True, compression=\"gzip\", compression_opts=4, fletcher32=True)",
                "netCDF4: out.createVariable(\"d\", datatype, dimensions, chunksizes=(50, 20), compression=\"zlib\", complevel=4, shuffle=True, fletcher32=True)",
                "xarray: ds.to_netcdf(\"out.nc\", engine=\"h5netcdf\", encoding={\"d\": {\"chunksizes\": (50, 20), \"zlib\": True, \"complevel\": 4, \"shuffle\": True, \"fletcher32\": True}})",
                "C: hsize_t chunk[] = {50, 20}; H5Pset_chunk(dcpl, 2, chunk); H5Pset_shuffle(dcpl); H5Pset_deflate(dcpl, 4); H5Pset_fletcher32(dcpl);",
            ]
        );
        let raw = writer_lines(&chunked(&[9], &[3], 4), &[3], NewFilters::None);
        assert_eq!(raw[0].line, "out.create_dataset(\"d\", data=data, chunks=(3,))");
        assert_eq!(nccopy_line("in.nc", &facts, &[50, 20]).unwrap().line, "nccopy -c d:50,20 in.nc out.nc");
    }
}
