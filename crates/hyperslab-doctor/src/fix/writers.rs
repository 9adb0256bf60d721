//! A new storage in the words of the programs that write files: h5py, netCDF4, xarray, C, nccopy.

use super::new_filters::{NewFilters, has_checksum};
use crate::facts::DatasetFacts;
use hyperslab_storage::lines::{python_string, python_tuple, shell_word};
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
    let line = |target: &str, line: String| WriterLine { target: target.to_owned(), line };
    let list = chunk.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let tuple = python_tuple(chunk);
    let name = facts.path.trim_start_matches('/');
    let (text, checksum) = (python_string(name), has_checksum(facts));
    let (mut h5py, mut netcdf, mut xarray) = (String::new(), String::new(), String::new());
    let mut c = format!("hsize_t chunk[] = {{{list}}}; H5Pset_chunk(dcpl, {}, chunk);", chunk.len());
    if let NewFilters::Deflate { level, shuffle } = filters {
        let truth = if shuffle { "True" } else { "False" };
        h5py = format!(", shuffle={truth}, compression=\"gzip\", compression_opts={level}");
        netcdf = format!(", compression=\"zlib\", complevel={level}, shuffle={truth}");
        xarray = format!(", \"zlib\": True, \"complevel\": {level}, \"shuffle\": {truth}");
        c.push_str(if shuffle { " H5Pset_shuffle(dcpl);" } else { "" });
        c.push_str(&format!(" H5Pset_deflate(dcpl, {level});"));
    }
    if checksum {
        h5py.push_str(", fletcher32=True");
        netcdf.push_str(", fletcher32=True");
        xarray.push_str(", \"fletcher32\": True");
        c.push_str(" H5Pset_fletcher32(dcpl);");
    }
    let mut lines = vec![
        line("h5py", format!("out.create_dataset({text}, data=data, chunks={tuple}{h5py})")),
        line(
            "netCDF4",
            format!("out.createVariable({text}, datatype, dimensions, chunksizes={tuple}{netcdf})"),
        ),
        line("C", c),
    ];
    // xarray writes a group at a time.
    if !name.contains('/') {
        let encoding = format!("{{{text}: {{\"chunksizes\": {tuple}{xarray}}}}}");
        lines.insert(
            2,
            line("xarray", format!("ds.to_netcdf(\"out.nc\", engine=\"h5netcdf\", encoding={encoding})")),
        );
    }
    lines
}

/// The line that repacks a netCDF-4 file: nccopy keeps the other variables as they are.
pub(crate) fn nccopy_line(file: &str, facts: &DatasetFacts, chunk: &[u64]) -> WriterLine {
    let dims = chunk.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let variable = facts.path.strip_prefix('/').filter(|name| !name.contains('/')).unwrap_or(&facts.path);
    let option = shell_word(&format!("{variable}:{dims}"));
    WriterLine {
        target: "nccopy".to_owned(),
        line: format!("nccopy -c {option} {} out.nc", shell_word(file)),
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
        assert_eq!(nccopy_line("in.nc", &facts, &[50, 20]).line, "nccopy -c d:50,20 in.nc out.nc");
    }
}
