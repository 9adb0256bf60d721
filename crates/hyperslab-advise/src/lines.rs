//! A storage in the words of the programs that make it: hyperslab, h5repack, nccopy, xarray, netCDF4, h5py, CDL.
//!
//! A program that cannot make a storage has no line: nccopy has no checksums, h5repack no LZF, netCDF none of the lossy filters,
//! and xarray writes one group at a time.

use crate::encoding::Encoding;
use crate::pipeline::{Compression, Pipeline};
use crate::storage::Storage;
use hyperslab_doctor::pattern::shape_text;
use hyperslab_doctor::{DatasetFacts, python_string, python_tuple, shell_word};
use hyperslab_units::bytes_option;
use serde::Serialize;

/// The file that the lines are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// Its name, as a shell finds it.
    pub file: String,
    /// True if netCDF-C can read it.
    pub is_netcdf: bool,
    /// Size of a page of the new file, if it is to have pages.
    pub page_bytes: Option<u64>,
}

/// A line for one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// `hyperslab`, `h5repack`, `nccopy`, `xarray`, `netCDF4`, `h5py` or `CDL`.
    pub tool: &'static str,
    /// The line to paste.
    pub line: String,
}

/// The lines that store a dataset so.
pub fn lines(target: &Target, facts: &DatasetFacts, storage: &Storage) -> Vec<Line> {
    let name = facts.path.trim_start_matches('/');
    let is_in_root = !name.contains('/');
    let mut lines = vec![Line { tool: "hyperslab", line: hyperslab(target, facts, storage) }];
    let mut add =
        |tool: &'static str, line: Option<String>| lines.extend(line.map(|line| Line { tool, line }));
    add("h5py", h5py(name, storage));
    add("h5repack", h5repack(target, facts, storage));
    if target.is_netcdf && is_in_root {
        add("nccopy", nccopy(target, name, storage));
    }
    if is_in_root {
        add("xarray", xarray(name, storage));
        add("CDL", cdl(name, storage));
    }
    lines
}

fn numbers(chunk: &[u64], separator: &str) -> String {
    chunk.iter().map(u64::to_string).collect::<Vec<_>>().join(separator)
}

fn hyperslab(target: &Target, facts: &DatasetFacts, storage: &Storage) -> String {
    let file = shell_word(&target.file);
    let output = if target.is_netcdf { "out.nc" } else { "out.h5" };
    let pages =
        target.page_bytes.map_or_else(String::new, |bytes| format!("--page-size {} ", bytes_option(bytes)));
    let Some(chunk) = &storage.chunk else {
        return format!("hyperslab repack {pages}--contiguous {} {file} {output}", shell_word(&facts.path));
    };
    let chunks = shell_word(&format!("{}:{}", facts.path, shape_text(chunk)));
    let filter = shell_word(&format!("{}:{}", facts.path, storage.pipeline.text()));
    format!("hyperslab repack {pages}--chunks {chunks} --filter {filter} {file} {output}")
}

fn h5repack(target: &Target, facts: &DatasetFacts, storage: &Storage) -> Option<String> {
    if matches!(storage.pipeline.compression, Compression::Rounded { .. }) {
        return None;
    }
    let option = |what: &str| shell_word(&format!("{}:{what}", facts.path));
    let mut words = vec!["h5repack".to_owned()];
    if let Some(bytes) = target.page_bytes {
        words.extend(["-S".to_owned(), "PAGE".to_owned(), "-G".to_owned(), bytes.to_string()]);
    }
    words.push("-l".to_owned());
    words.push(match &storage.chunk {
        Some(chunk) => option(&format!("CHUNK={}", shape_text(chunk))),
        None => option("CONTI"),
    });
    let mut filters = Vec::new();
    for (id, parameters) in storage.pipeline.requests() {
        filters.push(match id {
            1 => format!("GZIP={}", parameters.first()?),
            2 => "SHUF".to_owned(),
            3 => "FLET".to_owned(),
            4 => format!("SZIP={},NN", parameters.get(1)?),
            // Digits behind the decimal point; h5repack takes no negative number.
            6 => format!("SOFF={},DS", u32::try_from(*parameters.get(1)? as i32).ok()?),
            // h5repack takes at least one parameter, and this filter has none.
            32_000 => return None,
            id => {
                let words = [u32::from(id), 0, parameters.len() as u32].into_iter().chain(parameters);
                format!("UD={}", words.map(|word| word.to_string()).collect::<Vec<_>>().join(","))
            }
        });
    }
    if filters.is_empty() {
        filters.push("NONE".to_owned());
    }
    words.extend(filters.iter().flat_map(|filter| ["-f".to_owned(), option(filter)]));
    let output = if target.is_netcdf { "out.nc" } else { "out.h5" };
    words.extend([shell_word(&target.file), output.to_owned()]);
    Some(words.join(" "))
}

/// nccopy sets deflate and shuffle for all variables at once; other filters, or none, for one variable.
fn nccopy(target: &Target, name: &str, storage: &Storage) -> Option<String> {
    let chunk = storage.chunk.as_ref()?;
    let Pipeline { shuffle, compression, checksum } = &storage.pipeline;
    if *checksum {
        return None;
    }
    let filters = match compression {
        Compression::Gzip(level) => format!("-d {level}{}", if *shuffle { " -s" } else { "" }),
        Compression::None if !shuffle => format!("-F {}", shell_word(&format!("{name},none"))),
        _ if *shuffle || compression.is_lossy() => return None,
        _ => {
            let (id, parameters) = storage.pipeline.requests().into_iter().next()?;
            let words = std::iter::once(u32::from(id)).chain(parameters);
            let words: Vec<String> = words.map(|word| word.to_string()).collect();
            format!("-F {}", shell_word(&format!("{name},{}", words.join(","))))
        }
    };
    let chunks = shell_word(&format!("{name}:{}", numbers(chunk, ",")));
    Some(format!("nccopy -k nc4 -c {chunks} {filters} {} out.nc", shell_word(&target.file)))
}

fn h5py(name: &str, storage: &Storage) -> Option<String> {
    let mut options = String::new();
    if let Some(chunk) = &storage.chunk {
        options.push_str(&format!(", chunks={}", python_tuple(chunk)));
    }
    let Pipeline { shuffle, compression, checksum } = &storage.pipeline;
    if *shuffle {
        options.push_str(", shuffle=True");
    }
    match compression {
        Compression::None => {}
        Compression::Gzip(level) => {
            options.push_str(&format!(", compression=\"gzip\", compression_opts={level}"));
        }
        // NumPy would round missing values, too; h5py takes one filter beside shuffle.
        Compression::Rounded { .. } | Compression::Digits { .. } => return None,
        Compression::Lzf => options.push_str(", compression=\"lzf\""),
        Compression::Szip => options.push_str(", compression=\"szip\", compression_opts=(\"nn\", 8)"),
        // h5py refuses both.
        Compression::ScaleOffset { digits, .. } if *digits < 0 || *checksum => return None,
        Compression::ScaleOffset { digits, level } => {
            options.push_str(&format!(", scaleoffset={digits}"));
            if *level > 0 {
                options.push_str(&format!(", compression=\"gzip\", compression_opts={level}"));
            }
        }
        Compression::Zstd(_) | Compression::Blosc | Compression::Bitshuffle | Compression::Zfp(_) => {
            let request = storage.pipeline.requests().into_iter().find(|(id, _)| *id > 255);
            if let Some((id, parameters)) = request {
                let parameters: Vec<u64> = parameters.into_iter().map(u64::from).collect();
                options
                    .push_str(&format!(", compression={id}, compression_opts={}", python_tuple(&parameters)));
            }
        }
    }
    if *checksum {
        options.push_str(", fletcher32=True");
    }
    Some(format!("out.create_dataset({}, data=data{options})", python_string(name)))
}

/// The argument `encoding` of `Dataset.to_netcdf`.
fn xarray(name: &str, storage: &Storage) -> Option<String> {
    let encoding = Encoding::of(storage)?;
    Some(format!("encoding = {{{}: {}}}", python_string(name), encoding.python()))
}

/// A name as CDL has it, with a backslash before what is special there. `None` for names that CDL cannot have.
fn cdl_name(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(|c: char| c.is_control() || c == '/') {
        return None;
    }
    let mut escaped = String::with_capacity(name.len());
    for (place, c) in name.chars().enumerate() {
        let is_plain = c.is_alphabetic() || !c.is_ascii() || "_.@+-".contains(c) && place > 0 || c == '_';
        let is_digit = c.is_ascii_digit();
        if !(is_plain || is_digit && place > 0) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Some(escaped)
}

/// The special attributes of a variable that ncgen understands.
fn cdl(name: &str, storage: &Storage) -> Option<String> {
    let name = &cdl_name(name)?;
    let Some(chunk) = &storage.chunk else { return Some(format!("{name}:_Storage = \"contiguous\" ;")) };
    let mut words =
        vec![format!("{name}:_Storage = \"chunked\" ; {name}:_ChunkSizes = {} ;", numbers(chunk, ", "))];
    if storage.pipeline.shuffle {
        words.push(format!("{name}:_Shuffle = \"true\" ;"));
    }
    match storage.pipeline.compression {
        Compression::None => {}
        Compression::Gzip(level) => words.push(format!("{name}:_DeflateLevel = {level} ;")),
        Compression::Lzf
        | Compression::ScaleOffset { .. }
        | Compression::Rounded { .. }
        | Compression::Zfp(_)
        | Compression::Digits { .. } => return None,
        _ => {
            let (id, parameters) = storage.pipeline.requests().into_iter().find(|(id, _)| *id > 3)?;
            let all = std::iter::once(u32::from(id)).chain(parameters);
            let text = all.map(|word| word.to_string()).collect::<Vec<_>>().join(",");
            words.push(format!("{name}:_Filter = \"{text}\" ;"));
        }
    }
    if storage.pipeline.checksum {
        words.push(format!("{name}:_Fletcher32 = \"true\" ;"));
    }
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(storage: &Storage) -> Vec<String> {
        let facts = DatasetFacts::contiguous("/t2m", &[1460, 361, 720], "<f4", 4);
        let target = Target { file: "era 5.nc".to_owned(), is_netcdf: true, page_bytes: None };
        lines(&target, &facts, storage)
            .into_iter()
            .map(|line| format!("{}: {}", line.tool, line.line))
            .collect()
    }

    #[test]
    fn names_in_cdl_are_escaped() {
        assert_eq!(cdl_name("t2m").as_deref(), Some("t2m"));
        assert_eq!(cdl_name("2m temp (K)").as_deref(), Some(r"\2m\ temp\ \(K\)"));
        assert_eq!(cdl_name("new\nline"), None, "CDL has no such names");
    }

    #[test]
    fn each_program_gets_its_own_words() {
        let pipeline = Pipeline { shuffle: true, compression: Compression::Gzip(4), checksum: false };
        assert_eq!(
            all(&Storage::chunked(&[73, 91, 90], pipeline)),
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
    fn lossy_filters_are_named_with_their_bound() {
        let lines: Vec<String> = Pipeline::lossy_candidates("0.01".parse().unwrap(), false)
            .into_iter()
            .flat_map(|pipeline| all(&Storage::chunked(&[73, 91, 90], pipeline)).into_iter().take(3))
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
    fn pages_are_made_by_those_that_can() {
        let facts = DatasetFacts::contiguous("/t2m", &[1460, 361, 720], "<f4", 4);
        let target = Target { file: "in.h5".to_owned(), is_netcdf: false, page_bytes: Some(1 << 20) };
        let lines = lines(&target, &facts, &Storage::CONTIGUOUS);
        assert_eq!(lines[0].line, "hyperslab repack --page-size 1MiB --contiguous /t2m in.h5 out.h5");
        assert_eq!(lines[2].line, "h5repack -S PAGE -G 1048576 -l /t2m:CONTI -f /t2m:NONE in.h5 out.h5");
    }

    #[test]
    fn what_a_program_cannot_make_has_no_line() {
        let tools = |pipeline: Pipeline| -> Vec<String> {
            let lines = all(&Storage::chunked(&[1, 2, 3], pipeline));
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
        assert!(all(&Storage::CONTIGUOUS).iter().any(|line| line.contains("--contiguous /t2m")));
    }
}
