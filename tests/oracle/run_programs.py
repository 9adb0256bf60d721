"""Programs that no one here wrote, and how each reads a file of HDF5 or netCDF-4: what it prints, and the file that it writes."""

from __future__ import annotations

from pathlib import Path

OUT = "written.out"

R_NETCDF = """
library(ncdf4)
file <- nc_open(commandArgs(TRUE)[1])
for (name in names(file$var)) { values <- ncvar_get(file, name); print(c(name, length(values), format(sum(as.numeric(values), na.rm=TRUE), digits=17))) }
"""
R_HDF5 = """
library(hdf5r)
file <- H5File$new(commandArgs(TRUE)[1], "r")
for (name in file$ls(recursive=TRUE)$name) {
  item <- try(file[[name]], silent=TRUE)
  if (inherits(item, "H5D")) { values <- try(item$read(), silent=TRUE); print(name); if (is.numeric(values)) print(format(sum(as.numeric(values), na.rm=TRUE), digits=17)) }
}
"""
OCTAVE = "x = load('-hdf5', argv(){1}); disp(fieldnames(x)); for [value, name] = x; if isnumeric(value) disp(sum(double(value(:)))); end; end"
PYTABLES = """
import hashlib, sys, tables
with tables.open_file(sys.argv[1]) as file:
    for node in file.walk_nodes("/", "Leaf"):
        try:
            print(node._v_pathname, hashlib.sha256(repr(node.read().tolist()).encode()).hexdigest()[:16])
        except Exception as error:
            print(node._v_pathname, type(error).__name__)
"""
RASTERIO = """
import hashlib, sys, rasterio
with rasterio.open(sys.argv[1]) as file:
    for name in file.subdatasets or [sys.argv[1]]:
        with rasterio.open(name) as one:
            print(name.split("/")[-1], hashlib.sha256(one.read().tobytes()).hexdigest()[:16])
"""
XARRAY = """
import hashlib, sys, warnings, numpy, xarray
warnings.simplefilter("ignore")
with xarray.open_dataset(sys.argv[1], engine=sys.argv[2]) as file:
    for name, one in file.variables.items():
        print(name, hashlib.sha256(repr(numpy.asarray(one).tolist()).encode()).hexdigest()[:16])
"""

#: By name: the words of the command, where FILE is the file and OUT a file to write. PYTHON is the interpreter that has the package.
PROGRAMS: dict[str, list[str]] = {
    "ncks": ["ncks", "-h", "FILE"],
    "ncks to a file": ["ncks", "-h", "-O", "FILE", OUT],
    "ncwa": ["ncwa", "-h", "-O", "FILE", OUT],
    "nccopy": ["nccopy", "-d", "1", "FILE", OUT],
    "cdo info": ["cdo", "-s", "info", "FILE"],
    "cdo copy": ["cdo", "-s", "--no_history", "copy", "FILE", OUT],
    "gdalinfo": ["gdalinfo", "-checksum", "FILE"],
    "gdal_translate": ["gdal_translate", "-q", "-of", "ENVI", "FILE", OUT],
    "octave": ["octave-cli", "--no-gui", "--eval", OCTAVE, "FILE"],
    "R ncdf4": ["Rscript", "--vanilla", "-e", R_NETCDF, "FILE"],
    "R hdf5r": ["Rscript", "--vanilla", "-e", R_HDF5, "FILE"],
    "h5diff": ["h5diff", "-v", "FILE", "FILE"],
    "h5repack": ["h5repack", "-f", "NONE", "FILE", OUT],
    "PyTables": ["PYTHON", "-c", PYTABLES, "FILE"],
    "rasterio": ["PYTHON", "-c", RASTERIO, "FILE"],
    "xarray netcdf4": ["PYTHON", "-c", XARRAY, "FILE", "netcdf4"],
    "xarray h5netcdf": ["PYTHON", "-c", XARRAY, "FILE", "h5netcdf"],
}


def words(program: str, path: Path, python: str) -> list[str]:
    """The command for a file."""
    names = {"FILE": str(path), "PYTHON": python}
    return [names.get(word, word) for word in PROGRAMS[program]]
