//! Lines that store a dataset as it was found to be best, and read it so: h5repack, nccopy, h5py.

use super::document::{Data, Document};
use super::verdict::{Choice, row_of};
use hyperslab_doctor::pattern::shape_text;
use hyperslab_engines::{FilterSpec, Format, Storage};

/// A tool, and what to give it.
pub(in crate::bench) struct Paste {
    pub(in crate::bench) tool: &'static str,
    pub(in crate::bench) line: String,
}

/// The lines for a choice; none for the file as it is under the default cache.
pub(in crate::bench) fn lines(document: &Document, choice: &Choice) -> Vec<Paste> {
    let data = &document.head.data;
    let storage = row_of(document, choice).and_then(|row| row.storage.as_ref());
    let mut found = Vec::new();
    if let Some(storage) = storage.filter(|storage| storage.format.is_hdf5()) {
        found.extend(h5repack(data, storage).map(|line| Paste { tool: "h5repack", line }));
        found.extend(nccopy(data, storage).map(|line| Paste { tool: "nccopy", line }));
        found.extend(h5py(data, storage).map(|line| Paste { tool: "h5py", line }));
    }
    if let Some(cache) = choice.cache.filter(|_| !choice.is_default_cache) {
        let (file, nbytes, nslots, w0) = (python(&file(data)), cache.nbytes, cache.nslots, cache.w0);
        let line = format!("h5py.File({file}, rdcc_nbytes={nbytes}, rdcc_nslots={nslots}, rdcc_w0={w0})");
        found.push(Paste { tool: "h5py", line });
    }
    found
}

fn file(data: &Data) -> String {
    data.file.as_ref().map_or_else(|| "in.h5".to_owned(), |file| file.display().to_string())
}

fn path(data: &Data) -> String {
    data.dataset.clone().unwrap_or_else(|| "/data".to_owned())
}

/// Options that h5repack has a word for; none for a file that it does not make.
fn h5repack(data: &Data, storage: &Storage) -> Option<String> {
    let path = path(data);
    let layout = match (&storage.chunks, storage.format) {
        (Some(chunks), _) => format!("CHUNK={}", shape_text(chunks)),
        (None, Format::Hdf5) => "CONTI".to_owned(),
        (None, _) => return None,
    };
    let mut words = vec!["h5repack".to_owned(), "-l".to_owned(), format!("{path}:{layout}")];
    let filters: Vec<String> = match storage.filters.as_slice() {
        [] => vec!["NONE".to_owned()],
        some => some.iter().map(|filter| h5repack_filter(filter, storage)).collect(),
    };
    for filter in filters {
        words.extend(["-f".to_owned(), format!("{path}:{filter}")]);
    }
    if let Some(bytes) = storage.page_bytes {
        words.extend(["-S".to_owned(), "PAGE".to_owned(), "-G".to_owned(), bytes.to_string()]);
    }
    words.extend([file(data), "out.h5".to_owned()]);
    shell(&words)
}

fn h5repack_filter(filter: &FilterSpec, storage: &Storage) -> String {
    match filter {
        FilterSpec::Gzip(level) => format!("GZIP={level}"),
        FilterSpec::Shuffle => "SHUF".to_owned(),
        FilterSpec::Fletcher32 => "FLET".to_owned(),
        FilterSpec::Nbit => "NBIT".to_owned(),
        FilterSpec::ScaleOffset(factor) => {
            // Floats are scaled by decimal digits.
            let is_float = storage.element.to_string().contains('f');
            format!("SOFF={},{}", factor.unwrap_or_default(), if is_float { "DS" } else { "IN" })
        }
        FilterSpec::Szip { nearest_neighbour, pixels } => {
            format!("SZIP={pixels},{}", if *nearest_neighbour { "NN" } else { "EC" })
        }
        FilterSpec::Other { id, parameters } => {
            let numbers =
                [u32::from(*id), 0, parameters.len() as u32].into_iter().chain(parameters.iter().copied());
            format!("UD={}", numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(","))
        }
    }
}

/// For variables of the root group of netCDF-4 files, with the filters that nccopy knows.
fn nccopy(data: &Data, storage: &Storage) -> Option<String> {
    let name = data.dataset.as_deref()?.trim_start_matches('/');
    let file = data.file.as_ref()?;
    let is_netcdf = storage.format == Format::Netcdf4 || file.extension().is_some_and(|end| end == "nc");
    let chunks = storage.chunks.as_ref()?;
    if !is_netcdf || name.contains('/') {
        return None;
    }
    let sizes: Vec<String> = chunks.iter().map(u64::to_string).collect();
    let mut words = ["nccopy", "-k", "nc4", "-c"].map(str::to_owned).to_vec();
    words.push(format!("{name}:{}", sizes.join(",")));
    for filter in &storage.filters {
        match filter {
            FilterSpec::Gzip(level) => words.extend(["-d".to_owned(), level.to_string()]),
            FilterSpec::Shuffle => words.push("-s".to_owned()),
            _ => return None,
        }
    }
    if storage.filters.is_empty() {
        words.extend(["-d".to_owned(), "0".to_owned()]);
    }
    words.extend([file.display().to_string(), "out.nc".to_owned()]);
    shell(&words)
}

fn h5py(data: &Data, storage: &Storage) -> Option<String> {
    let mut options = vec![python(path(data).trim_start_matches('/')), "data=values".to_owned()];
    if let Some(chunks) = &storage.chunks {
        let sizes: Vec<String> = chunks.iter().map(u64::to_string).collect();
        options.push(format!("chunks=({},)", sizes.join(", ")));
    }
    let mut compressors = 0;
    for filter in &storage.filters {
        let (name, numbers) = match filter {
            FilterSpec::Shuffle => {
                options.push("shuffle=True".to_owned());
                continue;
            }
            FilterSpec::Fletcher32 => {
                options.push("fletcher32=True".to_owned());
                continue;
            }
            FilterSpec::ScaleOffset(factor) => {
                let factor = factor.map_or_else(|| "True".to_owned(), |factor| factor.to_string());
                options.push(format!("scaleoffset={factor}"));
                continue;
            }
            FilterSpec::Nbit => return None,
            FilterSpec::Gzip(level) => ("\"gzip\"".to_owned(), level.to_string()),
            FilterSpec::Szip { nearest_neighbour, pixels } => {
                let coding = if *nearest_neighbour { "nn" } else { "ec" };
                ("\"szip\"".to_owned(), format!("(\"{coding}\", {pixels})"))
            }
            FilterSpec::Other { id, parameters } => {
                let numbers: Vec<String> = parameters.iter().map(|number| format!("{number},")).collect();
                (id.to_string(), format!("({})", numbers.join(" ")))
            }
        };
        compressors += 1;
        options.extend([format!("compression={name}"), format!("compression_opts={numbers}")]);
    }
    // h5py takes one of them, and puts shuffle before it.
    (compressors <= 1).then(|| format!("f.create_dataset({})", options.join(", ")))
}

/// A Python string.
fn python(text: &str) -> String {
    format!("{text:?}")
}

/// A line as a shell reads it.
fn shell(words: &[String]) -> Option<String> {
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_gets_its_own_words() {
        let data =
            Data { file: Some("my era5.nc".into()), dataset: Some("/t2m".to_owned()), ..Data::default() };
        let plain = Storage::plain(vec![40, 50], "<f4".parse().unwrap());
        let filters = FilterSpec::parse_pipeline("shuffle+gzip=4").unwrap();
        let storage = Storage { chunks: Some(vec![4, 50]), filters, ..plain.clone() };
        assert_eq!(
            h5repack(&data, &storage).unwrap(),
            "h5repack -l '/t2m:CHUNK=4x50' -f /t2m:SHUF -f '/t2m:GZIP=4' 'my era5.nc' out.h5"
        );
        assert_eq!(
            nccopy(&data, &storage).unwrap(),
            "nccopy -k nc4 -c 't2m:4,50' -s -d 4 'my era5.nc' out.nc"
        );
        assert_eq!(
            h5py(&data, &storage).unwrap(),
            "f.create_dataset(\"t2m\", data=values, chunks=(4, 50,), shuffle=True, compression=\"gzip\", compression_opts=4)"
        );
        assert_eq!(
            h5repack(&data, &plain).unwrap(),
            "h5repack -l /t2m:CONTI -f /t2m:NONE 'my era5.nc' out.h5"
        );
        let other = Storage { filters: FilterSpec::parse_pipeline("zstd=3").unwrap(), ..storage };
        let scaled = Storage { filters: vec![FilterSpec::ScaleOffset(Some(2))], ..other.clone() };
        assert!(h5repack(&data, &scaled).unwrap().contains("SOFF=2,DS"));
        assert!(h5repack(&data, &other).unwrap().contains("-f '/t2m:UD=32015,0,1,3'"));
        assert!(h5py(&data, &other).unwrap().contains("compression=32015, compression_opts=(3,)"));
        assert!(nccopy(&data, &other).is_none());
    }
}
