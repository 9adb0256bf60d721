//! The file of the netCDF developers' blog, which its four studies share.
//!
//! Monthly precipitation of a climate model: `pr_A1.20C3M_8.CCSM.atmm.1870-01_cat_1999-12.nc`, of the data for the fourth
//! assessment report. 1560x128x256 32-bit floats, of which the classic file has 204,523,236 bytes.
//!
//! The benches were written with netCDF-C, which read and wrote through libhdf5. Here both do, each on its own.

use super::plan::{Cell, Content, EngineKind};
use crate::data::Synthetic;
use crate::study::{Access, Element, FilterSpec, Format, Storage};

/// EngineKind published all four, and where.
pub(super) const BLOG: &str = "Unidata Developer's Blog (2009 to 2010), entries on the chunk cache";

/// Months.
pub(super) const TIMES: u64 = 1560;
/// Latitudes.
pub(super) const ROWS: u64 = 128;
/// Longitudes, and as many units as the last axis can be cut into: the chunks of all studies are whole numbers of them.
const COLUMNS: u64 = 256;
const UNITS: u64 = 32;

pub(super) const MIB: u64 = 1 << 20;

/// The variable, its rows as much shorter.
pub(super) struct Precipitation {
    units: u64,
    element: Element,
}

impl Precipitation {
    pub(super) fn scaled(scale: f64) -> Self {
        let units = ((UNITS as f64 * scale).round() as u64).clamp(1, UNITS);
        Self { units, element: "<f4".parse().expect("an element type") }
    }

    pub(super) fn shrink(&self) -> f64 {
        self.units as f64 / UNITS as f64
    }

    /// A number of published longitudes.
    pub(super) fn columns(&self, published: u64) -> u64 {
        (published * self.units / UNITS).max(1)
    }

    pub(super) fn shape(&self) -> Vec<u64> {
        vec![TIMES, ROWS, self.columns(COLUMNS)]
    }

    /// Values that gzip makes smaller by this ratio.
    pub(super) fn values(&self, ratio: f64) -> Content {
        Content::Synthetic(Synthetic::with_ratio(&self.shape(), self.element, ratio, 1))
    }

    /// Chunks of a published shape.
    pub(super) fn chunked(&self, published: [u64; 3], filters: &[FilterSpec]) -> Storage {
        let chunks = vec![published[0], published[1], self.columns(published[2])];
        let plain = Storage::plain(self.shape(), self.element);
        Storage { chunks: Some(chunks), filters: filters.to_vec(), ..plain }
    }

    /// The classic file.
    pub(super) fn classic(&self, values: Content) -> Cell {
        let storage = Storage { format: Format::Classic, ..Storage::plain(self.shape(), self.element) };
        let month_by_month = self.time_steps();
        Cell::file("classic", storage, values).by(&[EngineKind::Netcdf]).written(month_by_month)
    }

    /// Month by month, all of the earth: what the blog calls horizontal reads.
    pub(super) fn time_steps(&self) -> Access {
        Access::sweep(vec![1, ROWS, self.columns(COLUMNS)])
    }

    /// Place by place, all months: what the blog calls time series.
    pub(super) fn time_series(&self) -> Access {
        Access::sweep(vec![TIMES, 1, 1])
    }
}

/// Both libraries that write HDF5, that of the publication first, each reading its own file; and hyperslab.
pub(super) const READERS: [EngineKind; 3] = [EngineKind::Netcdf, EngineKind::Libhdf5, EngineKind::Hyperslab];
/// Both libraries that write HDF5, that of the publication first.
pub(super) const WRITERS: [EngineKind; 2] = [EngineKind::Netcdf, EngineKind::Libhdf5];
