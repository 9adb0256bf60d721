//! How a dataset is stored: everything that is decided when it is created.

mod element;
mod layout;
mod record;
mod scalar;

pub use element::Element;
pub use layout::{FieldPlace, RecordLayout, align, of_datatype as layout_of, pack};
pub use record::{Field, Memory, Record, Records};
pub use scalar::{Kind, Scalar};

use hyperslab_storage::pattern::shape_text;
use hyperslab_storage::{FilterRequest, pipeline_text};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a dataset is created with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CreationProperties {
    /// Which kind of file.
    pub format: Format,
    /// Extent.
    pub shape: Vec<u64>,
    /// True where every dimension may grow; in files that netCDF-C or HDF4 write, the first alone.
    pub unlimited: bool,
    /// Element type in the file.
    pub element: Element,
    /// Chunk shape; none for contiguous, and in netCDF-4 where there have to be some for the library's own choice.
    pub chunks: Option<Vec<u64>>,
    /// In the order in which they are applied when writing.
    pub filters: Vec<FilterRequest>,
    /// The fill value, where one is set.
    pub fill_value: Option<f64>,
    /// When it is written.
    pub fill_time: FillTime,
    /// When space is allocated.
    pub alloc_time: AllocTime,
    /// Which versions of the format may be written.
    pub libver: Libver,
    /// Bytes of a file-space page; none for an unpaged file.
    pub page_bytes: Option<u64>,
}

/// Which kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// HDF5 by libhdf5.
    #[default]
    Hdf5,
    /// HDF5 by netCDF-C.
    Netcdf4,
    /// netCDF classic with 64-bit offsets (CDF-2) by netCDF-C.
    Classic,
    /// netCDF classic with 64-bit data (CDF-5) by netCDF-C.
    Cdf5,
    /// HDF4: a scientific dataset, or a table (Vdata) of records.
    Hdf4,
}

impl Format {
    /// True where a file of it is HDF5.
    pub fn is_hdf5(self) -> bool {
        matches!(self, Self::Hdf5 | Self::Netcdf4)
    }

    /// True for the formats of netCDF before it was HDF5, which have neither chunks nor filters.
    pub fn is_classic(self) -> bool {
        matches!(self, Self::Classic | Self::Cdf5)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hdf5 => "HDF5",
            Self::Netcdf4 => "netCDF-4",
            Self::Classic => "netCDF classic",
            Self::Cdf5 => "netCDF CDF-5",
            Self::Hdf4 => "HDF4",
        })
    }
}

/// When the fill value is written: `H5Pset_fill_time`, with the numbers of `H5D_fill_time_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FillTime {
    /// If one is set.
    #[default]
    IfSet = 2,
    /// When space is allocated.
    Alloc = 0,
    /// Never.
    Never = 1,
}

/// When space is allocated: `H5Pset_alloc_time`, with the numbers of `H5D_alloc_time_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllocTime {
    /// As the layout's default says.
    #[default]
    Default = 0,
    /// At creation.
    Early = 1,
    /// At the first write.
    Late = 2,
    /// Chunk by chunk.
    Incremental = 3,
}

/// Bounds on the versions of the format: `H5Pset_libver_bounds`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Libver {
    /// As the library comes.
    #[default]
    Default,
    /// The oldest that can express it.
    Earliest,
    /// The newest that the library knows.
    Latest,
}

impl CreationProperties {
    /// Contiguous, unfiltered, everything else as the library comes.
    pub fn plain(shape: Vec<u64>, element: Element) -> Self {
        Self {
            format: Format::Hdf5,
            shape,
            unlimited: false,
            element,
            chunks: None,
            filters: Vec::new(),
            fill_value: None,
            fill_time: FillTime::default(),
            alloc_time: AllocTime::default(),
            libver: Libver::default(),
            page_bytes: None,
        }
    }

    /// Bytes of all elements (saturating).
    pub fn logical_bytes(&self) -> u64 {
        self.shape.iter().fold(self.element.bytes(), |n, dim| n.saturating_mul(*dim))
    }

    /// Bytes of one decoded chunk (saturating).
    pub fn chunk_bytes(&self) -> Option<u64> {
        let chunks = self.chunks.as_ref()?;
        Some(chunks.iter().fold(self.element.bytes(), |n, dim| n.saturating_mul(*dim)))
    }

    /// What is impossible about it, in words.
    pub fn check(&self) -> Result<(), String> {
        let format = self.format;
        let is_plain = [
            self.libver == Libver::default(),
            self.page_bytes.is_none(),
            self.alloc_time == AllocTime::default(),
            self.fill_time != FillTime::Alloc,
        ];
        if matches!(self.element, Element::Record(_)) && self.fill_value.is_some() {
            return Err("a fill value is one number: there is no record to fill with".to_owned());
        }
        match &self.chunks {
            Some(chunks) if chunks.len() != self.shape.len() => {
                Err(format!("chunks of {} dimensions for a dataset of {}", chunks.len(), self.shape.len()))
            }
            Some(chunks) if chunks.contains(&0) => {
                Err("a chunk is at least one element in each dimension".to_owned())
            }
            Some(_) if format.is_classic() => Err("netCDF classic has no chunks".to_owned()),
            None if !self.filters.is_empty() && format != Format::Netcdf4 => {
                Err("filters need chunks".to_owned())
            }
            None if self.unlimited && format == Format::Hdf5 => {
                Err("dimensions that may grow need chunks".to_owned())
            }
            _ if format != Format::Hdf5 && is_plain.contains(&false) => Err(format!(
                "versions, pages, allocation time and filling at allocation are set for HDF5 by libhdf5, not for {format}"
            )),
            _ => Ok(()),
        }
    }
}

/// What differs from a plain one, for a line of a table: `chunks 4x30 gzip=6 unlimited`.
impl fmt::Display for CreationProperties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs_chunks = self.unlimited || !self.filters.is_empty();
        let pipeline = pipeline_text(&self.filters);
        if self.format != Format::Hdf5 {
            write!(f, "{}", self.format)?;
        }
        match (&self.chunks, self.format) {
            (Some(chunks), Format::Hdf5) => write!(f, "chunks {} {pipeline}", shape_text(chunks))?,
            (Some(chunks), _) => write!(f, " chunks {} {pipeline}", shape_text(chunks))?,
            (None, Format::Hdf5) => f.write_str("contiguous")?,
            (None, Format::Netcdf4) if needs_chunks => write!(f, " default chunks {pipeline}")?,
            (None, Format::Netcdf4) => f.write_str(" contiguous")?,
            (None, _) => {}
        }
        if self.unlimited {
            f.write_str(" unlimited")?;
        }
        if let Some(value) = self.fill_value {
            write!(f, " fill {value}")?;
        }
        f.write_str(match self.fill_time {
            FillTime::IfSet => "",
            FillTime::Alloc => ", fill time alloc",
            FillTime::Never => ", fill time never",
        })?;
        f.write_str(match self.alloc_time {
            AllocTime::Default => "",
            AllocTime::Early => ", allocation time early",
            AllocTime::Late => ", allocation time late",
            AllocTime::Incremental => ", allocation time incremental",
        })?;
        f.write_str(match self.libver {
            Libver::Default => "",
            Libver::Earliest => " libver earliest",
            Libver::Latest => " libver latest",
        })?;
        if let Some(bytes) = self.page_bytes {
            write!(f, " pages of {bytes}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> CreationProperties {
        CreationProperties::plain(vec![60, 30], ">f4".parse().unwrap())
    }

    #[test]
    fn impossible_storage_is_named() {
        let wrong = |storage: CreationProperties| storage.check().unwrap_err();
        assert!(wrong(CreationProperties { chunks: Some(vec![1]), ..plain() }).contains("1 dimensions"));
        assert!(
            wrong(CreationProperties { filters: vec![FilterRequest::shuffle()], ..plain() })
                .contains("need chunks")
        );
        assert!(wrong(CreationProperties { unlimited: true, ..plain() }).contains("need chunks"));
        let classic = CreationProperties { format: Format::Classic, chunks: Some(vec![1, 1]), ..plain() };
        assert!(wrong(classic).contains("no chunks"));
        let paged = CreationProperties { format: Format::Netcdf4, page_bytes: Some(4096), ..plain() };
        assert!(wrong(paged).contains("not for netCDF-4"));
        plain().check().unwrap();
    }

    #[test]
    fn it_reads_as_a_line_of_a_table() {
        let storage = CreationProperties {
            chunks: Some(vec![4, 30]),
            filters: FilterRequest::parse_pipeline("shuffle+gzip=6").unwrap(),
            unlimited: true,
            page_bytes: Some(4096),
            ..plain()
        };
        assert_eq!(storage.to_string(), "chunks 4x30 shuffle+gzip=6 unlimited pages of 4096");
        assert_eq!(storage.chunk_bytes(), Some(480));
        assert_eq!(plain().to_string(), "contiguous");
        assert_eq!(plain().logical_bytes(), 7200);
        let newest = CreationProperties { libver: Libver::Latest, ..plain() };
        assert_eq!(newest.to_string(), "contiguous libver latest");
        let classic = CreationProperties { format: Format::Classic, unlimited: true, ..plain() };
        assert_eq!(classic.to_string(), "netCDF classic unlimited");
        let netcdf =
            CreationProperties { format: Format::Netcdf4, page_bytes: None, chunks: None, ..storage };
        assert_eq!(netcdf.to_string(), "netCDF-4 default chunks shuffle+gzip=6 unlimited");
    }
}
