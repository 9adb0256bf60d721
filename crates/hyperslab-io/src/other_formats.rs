//! What a file is that is not an HDF5 file: recognized by its first bytes, for messages that say what to do.
//!
//! Each entry has the bytes that the format's own specification gives. A text is recognized last, because many formats are
//! texts.

/// A format other than HDF5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherFormat {
    /// A short name, for summaries: `gzip`, `netCDF classic`.
    pub name: &'static str,
    /// What the file is, as the rest of a sentence: `a file compressed by gzip`.
    pub what: &'static str,
    /// What to do with it.
    pub hint: &'static str,
}

/// How many first bytes are enough for [`recognize`].
pub const HEAD_BYTES: usize = 1024;

const fn format(name: &'static str, what: &'static str, hint: &'static str) -> OtherFormat {
    OtherFormat { name, what, hint }
}

const UNPACK: &str = "decompress it first";
const TRANSFER: &str = "copy or download it again";
const READER: &str = "hyperslab reads HDF5 and netCDF files only";

/// Bytes at an offset, and the format that has them.
const SIGNATURES: &[(usize, &[u8], OtherFormat)] = &[
    (0, b"CDF\x01", CLASSIC),
    (0, b"CDF\x02", CLASSIC),
    (0, b"CDF\x05", CLASSIC),
    (0, b"\x0e\x03\x13\x01", HDF4),
    (0, b"\x89HDF\n", AS_TEXT),
    (0, b"\x89HDF\r\r\n", AS_TEXT),
    (0, b"\x09HDF", AS_TEXT),
    (0, b"OHDH", ONION),
    (0, b"\x1f\x8b", format("gzip", "a file compressed by gzip", UNPACK)),
    (0, b"BZh", format("bzip2", "a file compressed by bzip2", UNPACK)),
    (0, b"\xfd7zXZ\0", format("xz", "a file compressed by xz", UNPACK)),
    (0, b"\x28\xb5\x2f\xfd", format("zstd", "a file compressed by Zstandard", UNPACK)),
    (0, b"\x04\x22\x4d\x18", format("lz4", "a file compressed by LZ4", UNPACK)),
    (0, b"\x1f\x9d", format("compress", "a file compressed by compress", UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", format("7-Zip", "an archive of 7-Zip", "unpack it first")),
    (257, b"ustar", format("tar", "a tar archive", "unpack it first")),
    (
        0,
        b"version https://git-lfs",
        format(
            "Git LFS pointer",
            "a pointer of Git LFS",
            "fetch the file that it stands for: `git lfs pull`",
        ),
    ),
    (0, b"GRIB", format("GRIB", "a GRIB file", "xarray reads it with engine=\"cfgrib\"")),
    (0, b"BUFR", format("BUFR", "a BUFR file", "eccodes reads it")),
    (0, b"II*\0", TIFF),
    (0, b"MM\0*", TIFF),
    (0, b"II+\0", TIFF),
    (0, b"MM\0+", TIFF),
    (0, b"SIMPLE  =", format("FITS", "a FITS file", "astropy reads it")),
    (0, b"\x93NUMPY", format("NumPy", "an array of NumPy", "`numpy.load` reads it")),
    (0, b"PAR1", format("Parquet", "a Parquet file", "an index of hyperslab is given as `index=`")),
    (0, b"ARROW1", format("Arrow", "an Arrow file", READER)),
    (
        0,
        b"MATLAB 5.0",
        format(
            "MATLAB",
            "a MATLAB file of version 7 or older",
            "`scipy.io.loadmat` reads it; version 7.3 is HDF5",
        ),
    ),
    (0, b"SQLite format 3\0", format("SQLite", "a database of SQLite", READER)),
    (0, b"%PDF", format("PDF", "a PDF document", READER)),
    (0, b"\x89PNG\r\n", format("PNG", "a PNG image", READER)),
    (0, b"\xff\xd8\xff", format("JPEG", "a JPEG image", READER)),
    (0, b"GIF8", format("GIF", "a GIF image", READER)),
    (0, b"\x7fELF", format("program", "a program", READER)),
];

const CLASSIC: OtherFormat = format(
    "netCDF classic",
    "a netCDF classic file",
    "`hyperslab repack IN OUT` makes a netCDF-4 file of it",
);
const HDF4: OtherFormat =
    format("HDF4", "an HDF4 file", "`hyperslab repack IN OUT` makes a netCDF-4 file of it");
const TIFF: OtherFormat = format("TIFF", "a TIFF image", "rasterio reads it");
const AS_TEXT: OtherFormat = format(
    "HDF5 changed as text",
    "one that was changed when it was transferred as text",
    "transfer it again as binary data",
);
const ONION: OtherFormat = format(
    "onion history",
    "a history of revisions written by the onion driver",
    "the file of the same name without .onion can be opened; it holds the first revision",
);
const EMPTY: OtherFormat = format("empty", "an empty file", TRANSFER);
const ZEROS: OtherFormat = format(
    "zeros",
    "bytes that are all zero",
    "the download or the copy is not complete, or the writer never finished",
);
const HTML: OtherFormat = format(
    "HTML",
    "an HTML page",
    "a page of a server, such as one for logging in or of an error, was saved in place of the file",
);
const XML: OtherFormat =
    format("XML", "an XML document", "it may be the answer of a server that refused access");
const JSON: OtherFormat =
    format("JSON", "a JSON document", "references of kerchunk are opened by fsspec's `reference://`");
const TEXT: OtherFormat = format("text", "a text", READER);

/// What a file of `len` bytes is that begins with `head`; `None` if it is not recognized. HDF5's own signature is not looked for.
pub fn recognize(head: &[u8], len: u64) -> Option<OtherFormat> {
    if len == 0 {
        return Some(EMPTY);
    }
    let found =
        SIGNATURES.iter().find(|(at, bytes, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(bytes)));
    if let Some((.., format)) = found {
        return Some(*format);
    }
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Some(zip(head));
    }
    if !head.is_empty() && head.iter().all(|&byte| byte == 0) {
        return Some(ZEROS);
    }
    text(head)
}

/// A ZIP archive, by the name of its first member.
fn zip(head: &[u8]) -> OtherFormat {
    const NAME_AT: usize = 30;
    let name_len = head.get(26..28).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let end = NAME_AT.saturating_add(name_len.into()).min(head.len());
    let name = head.get(NAME_AT..end).unwrap_or_default();
    if name.ends_with(b".npy") {
        format("NumPy", "an archive of NumPy's arrays", "`numpy.load` reads it")
    } else if [&b"zarr.json"[..], b".zgroup", b".zarray", b".zattrs"].iter().any(|end| name.ends_with(end)) {
        format("Zarr", "a Zarr store in a ZIP archive", "zarr-python reads it")
    } else {
        format("zip", "a ZIP archive", "unpack it first")
    }
}

fn text(head: &[u8]) -> Option<OtherFormat> {
    let content = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins = |with: &str| {
        content.get(..with.len()).is_some_and(|first| first.eq_ignore_ascii_case(with.as_bytes()))
    };
    if begins("<!doctype html") || begins("<html") {
        Some(HTML)
    } else if begins("<?xml") || begins("<Error>") {
        Some(XML)
    } else if content.starts_with(b"{") || content.starts_with(b"[") {
        Some(JSON)
    } else {
        is_text(head).then_some(TEXT)
    }
}

/// True for printable UTF-8; its last character may be cut off.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !valid.is_empty() && valid.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\x0c'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(head: &[u8]) -> Option<&'static str> {
        recognize(head, head.len() as u64).map(|format| format.name)
    }

    #[test]
    fn formats_are_recognized_by_their_first_bytes() {
        let mut tar = vec![b'x'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let mut npz = b"PK\x03\x04".to_vec();
        npz.resize(26, 0);
        npz.extend(5u16.to_le_bytes());
        npz.extend(0u16.to_le_bytes());
        npz.extend(b"a.npy");
        for (head, expected) in [
            (&b"CDF\x02\0\0"[..], Some("netCDF classic")),
            (b"\x0e\x03\x13\x01", Some("HDF4")),
            (b"\x89HDF\n\x1a\n", Some("HDF5 changed as text")),
            (b"\x1f\x8b\x08", Some("gzip")),
            (b"version https://git-lfs.github.com/spec/v1\n", Some("Git LFS pointer")),
            (b"GRIB\0\0\0\x02", Some("GRIB")),
            (b"MM\0*", Some("TIFF")),
            (&tar, Some("tar")),
            (&npz, Some("NumPy")),
            (b"PK\x03\x04", Some("zip")),
            (b"\n <!DOCTYPE HTML><html>", Some("HTML")),
            (b"<?xml version=\"1.0\"?><Error><Code>AccessDenied", Some("XML")),
            (b"{\"refs\": {}}", Some("JSON")),
            (b"a,b\n1,2\n", Some("text")),
            ("mesures à".as_bytes(), Some("text")),
            (&"mesures à".as_bytes()[..9], Some("text")),
            (b"", Some("empty")),
            (&[0; 64], Some("zeros")),
            (b"\x01\x02\x03\x04", None),
            (b"\xff\xfe", None),
        ] {
            assert_eq!(name(head), expected, "{head:?}");
        }
        assert_eq!(recognize(b"", 5), None);
    }

    #[test]
    fn a_name_is_in_the_table_once_with_one_hint() {
        for (at, bytes, format) in SIGNATURES {
            assert!(at + bytes.len() <= HEAD_BYTES && !format.hint.is_empty() && !format.what.is_empty());
        }
    }
}
