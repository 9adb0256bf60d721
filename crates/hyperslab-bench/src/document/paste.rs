//! Lines that store a dataset as it was found to be best, and read it so: hyperslab, h5repack, nccopy, h5py.

use super::document::Document;
use super::head::Data;
use super::verdict::Choice;
use hyperslab_engines::{CreationProperties, Format};
use hyperslab_storage::filter::number::SCALEOFFSET;
use hyperslab_storage::lines::{StorageLines, python_string};
use hyperslab_storage::{FilterRequest, pipeline_text};

/// A tool, and what to give it.
pub struct Paste {
    /// The program.
    pub tool: &'static str,
    /// The line.
    pub line: String,
}

/// The lines for a choice; none for the file as it is under the default cache.
pub fn lines(document: &Document, choice: &Choice) -> Vec<Paste> {
    let data = &document.head.data;
    let storage = document.row_of(choice).and_then(|row| row.storage.as_ref());
    let mut found = storage.map(|storage| storing(data, storage)).unwrap_or_default();
    if let Some(cache) = choice.cache.filter(|_| !choice.is_default_cache) {
        let (file, nbytes, nslots, w0) = (python_string(&file(data)), cache.nbytes, cache.nslots, cache.w0);
        let line = format!("h5py.File({file}, rdcc_nbytes={nbytes}, rdcc_nslots={nslots}, rdcc_w0={w0})");
        found.push(Paste { tool: "h5py", line });
    }
    found
}

fn file(data: &Data) -> String {
    data.file.as_ref().map_or_else(|| "in.h5".to_owned(), |file| file.display().to_string())
}

/// The lines that write a file with this storage; none for formats that these tools do not write.
fn storing(data: &Data, storage: &CreationProperties) -> Vec<Paste> {
    // netCDF-C chooses chunks where none are given, and stores values in chunks where it needs to.
    let is_contiguous = storage.chunks.is_none();
    if !storage.format.is_hdf5() || is_contiguous && storage.format == Format::Netcdf4 {
        return Vec::new();
    }
    let file = file(data);
    let filters: Vec<FilterRequest> = storage.filters.iter().map(|one| request(one, storage)).collect();
    let new = StorageLines {
        is_netcdf: storage.format == Format::Netcdf4 || file.ends_with(".nc"),
        file: &file,
        path: data.dataset.as_deref().unwrap_or("/data"),
        chunks: storage.chunks.as_deref(),
        filters: &filters,
        decimal_digits: None,
        page_bytes: storage.page_bytes,
    };
    let lines = [
        ("hyperslab", Some(new.hyperslab(&pipeline_text(&storage.filters)))),
        ("h5repack", new.h5repack()),
        ("nccopy", new.nccopy()),
        ("h5py", new.h5py()),
    ];
    lines.into_iter().filter_map(|(tool, line)| Some(Paste { tool, line: line? })).collect()
}

/// A filter with all parameters that a program that writes gives.
fn request(filter: &FilterRequest, storage: &CreationProperties) -> FilterRequest {
    if filter.id != SCALEOFFSET {
        return filter.clone();
    }
    // Floats are scaled by decimal digits, integers by bits.
    let kind = if storage.element.to_string().contains('f') { 0 } else { 2 };
    FilterRequest::new(SCALEOFFSET, [kind, filter.parameters.last().copied().unwrap_or_default()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(data: &Data, storage: &CreationProperties) -> Vec<String> {
        storing(data, storage).into_iter().map(|Paste { tool, line }| format!("{tool}: {line}")).collect()
    }

    #[test]
    fn a_storage_of_the_bench_is_told_in_the_words_of_each_tool() {
        let data =
            Data { file: Some("my era5.nc".into()), dataset: Some("/t2m".to_owned()), ..Data::default() };
        let plain = CreationProperties::plain(vec![40, 50], "<f4".parse().unwrap());
        let filters = FilterRequest::parse_pipeline("shuffle+gzip=4").unwrap();
        let storage = CreationProperties { chunks: Some(vec![4, 50]), filters, ..plain.clone() };
        assert_eq!(
            told(&data, &storage),
            [
                "hyperslab: hyperslab repack --chunks /t2m:4x50 --filter /t2m:shuffle+gzip=4 'my era5.nc' out.nc",
                "h5repack: h5repack -l /t2m:CHUNK=4x50 -f /t2m:SHUF -f /t2m:GZIP=4 'my era5.nc' out.nc",
                "nccopy: nccopy -k nc4 -c t2m:4,50 -d 4 -s 'my era5.nc' out.nc",
                "h5py: out.create_dataset(\"t2m\", data=data, chunks=(4, 50), shuffle=True, compression=\"gzip\", compression_opts=4)",
            ]
        );
        assert_eq!(
            told(&data, &plain)[0],
            "hyperslab: hyperslab repack --contiguous /t2m 'my era5.nc' out.nc"
        );
        let scaled = CreationProperties {
            filters: FilterRequest::parse_pipeline("scaleoffset=2").unwrap(),
            ..storage.clone()
        };
        assert!(told(&data, &scaled)[1].contains("SOFF=2,DS"));
        let integers = CreationProperties { element: "<i4".parse().unwrap(), ..scaled };
        assert!(told(&data, &integers)[1].contains("SOFF=2,IN"));
        let classic = CreationProperties { format: Format::Classic, ..plain };
        assert_eq!(told(&data, &classic), [""; 0]);
    }
}
