"""xarray reads HDF5 and netCDF-4 files through this package: `xarray.open_dataset(path, engine="hyperslab")`.

| module | what |
|---|---|
| `entrypoint` | what xarray calls: `open_dataset`, `open_datatree`, `open_groups_as_dict`, `guess_can_open` |
| `store` | the variables, attributes and encodings of a group |
| `dimensions` | the names of dimensions as h5netcdf gives them |
| `encoding` | how a variable is stored, in xarray's words |
| `opening` | the options of the engine |
| `series` | `open_mfdataset`: files that continue each other as one dataset |
| `array` | arrays whose values are read when they are indexed |
| `files` | open files: shared, limited in number, opened again where they are needed |
"""

from __future__ import annotations

from hyperslab.xarray.entrypoint import HyperslabBackendEntrypoint
from hyperslab.xarray.series import open_mfdataset

__all__ = ["HyperslabBackendEntrypoint", "open_mfdataset"]
