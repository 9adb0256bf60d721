"""netCDF files of which variables are left out: netCDF4, h5netcdf and xarray open them, and what is kept is the same."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from kit import hdf5_files, scaled
from readers import read_all

import hyperslab

#: Reads all variables of a file by one reader: a digest of each.
READ = """
def netcdf4(group, prefix=""):
    for name, variable in group.variables.items():
        variable.set_auto_maskandscale(False)
        yield prefix + name, (variable.dimensions, digest(variable[...]))
    for name, child in group.groups.items():
        yield from netcdf4(child, prefix + name + "/")
def h5netcdf(group, prefix=""):
    for name, variable in group.variables.items():
        yield prefix + name, (variable.dimensions, digest(variable[...]))
    for name, child in group.groups.items():
        yield from h5netcdf(child, prefix + name + "/")
def read(path):
    if reader == "netcdf4":
        import netCDF4
        with netCDF4.Dataset(path) as file:
            return dict(netcdf4(file))
    if reader == "h5netcdf":
        import h5netcdf as library
        with library.File(path, phony_dims="sort") as file:
            return dict(h5netcdf(file))
    import xarray
    with xarray.open_dataset(path, engine="h5netcdf", phony_dims="sort", decode_cf=False) as ds:
        return {name: (variable.dims, digest(variable.values)) for name, variable in ds.variables.items()}
"""
READERS = ["netcdf4", "h5netcdf", "xarray"]
BYTES_MAX = 2 << 20
VARIABLES_MAX = 12


def read(reader: str, paths: list[Path], out: Path) -> list[dict[str, object] | str]:
    """The dimensions and the digest of each variable of each file, or the error of the reader."""
    return read_all(READ, reader, paths, out, 300)


def has_scales(path: Path) -> bool:
    """True for a file with dimension scales, which libhdf5 opens."""
    try:
        with h5py.File(path) as file:
            found = []
            file.visititems(lambda _, item: found.append(1) if isinstance(item, h5py.Dataset) and item.is_scale else None)
            return bool(found)
    except Exception:
        return False


def never_written(path: Path) -> set[str]:
    """Datasets without data: some readers return what was in memory before."""
    found = set()
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: found.add(name)
            if isinstance(item, h5py.Dataset) and item.size and not item.id.get_storage_size()
            else None
        )
    return found


def soft_links(path: Path) -> set[str]:
    """The soft links of the root group."""
    with h5py.File(path) as file:
        return {name for name in file if isinstance(file.get(name, getlink=True), h5py.SoftLink)}


def escaped(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[]" else letter for letter in name)


def made(folder: Path) -> list[Path]:
    """The cases that few files have: coordinates of two axes, names of dimensions, companions, groups, dimensions that grow."""
    import netCDF4

    path = folder / "made.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, size in {"time": None, "lat": 3, "lon": 4, "nv": 2}.items():
            file.createDimension(name, size)
        file.createVariable("lat", "f4", ("lat", "lon"))[:] = np.arange(12).reshape(3, 4)
        file.createVariable("lon", "f4", ("lat", "lon"))[:] = np.arange(12).reshape(3, 4)
        time = file.createVariable("time", "f8", ("time",))
        time[:] = np.arange(5)
        time.bounds = "time_bnds"
        file.createVariable("time_bnds", "f8", ("time", "nv"))[:] = np.zeros((5, 2))
        file.createVariable("crs", "i4", ())[...] = 1
        t = file.createVariable("t", "f4", ("time", "lat", "lon"), zlib=True)
        t[:] = np.arange(60).reshape(5, 3, 4)
        t.coordinates, t.grid_mapping = "lat lon", "crs"
        group = file.createGroup("model")
        group.createDimension("level", 2)
        group.createVariable("level", "f4", ("level",))[:] = [1, 2]
        group.createVariable("u", "f4", ("time", "level", "lon"))[:] = np.ones((5, 2, 4))
    types = folder / "types.nc"
    with netCDF4.Dataset(types, "w") as file:
        file.createDimension("x", 3)
        inner, other = np.dtype([("i", "<i2"), ("j", "<i4")]), np.dtype([("x", "<f4"), ("y", "<f8", (3, 2))])
        outer = np.dtype([("xx", inner), ("yy", other)])
        for name, dtype in (("inner", inner), ("other", other), ("outer", outer)):
            file.createCompoundType(dtype, name)
        file.createVariable("nested", file.cmptypes["outer"], ("x",))[:] = np.zeros(3, outer)
        file.createVariable("plain", file.cmptypes["inner"], ("x",))[:] = np.zeros(3, inner)
        file.createVariable("number", "f4", ("x",))[:] = [1, 2, 3]
    return [path, types]


def check(path: Path, folder: Path, variables_max: int = VARIABLES_MAX) -> int:
    """Drop each variable of a file, and keep each alone; return how many copies were compared."""
    before = {reader: read(reader, [path], folder / "out")[0] for reader in READERS}
    if any(isinstance(found, str) for found in before.values()):
        return 0
    copies, unwritten = [], never_written(path)
    names = [name for name in before["netcdf4"] if before["h5netcdf"].get(name)][:variables_max]
    for number, name in enumerate(names):
        for option in ("drop", "only"):
            out = folder / f"{option}{number}.nc"
            try:
                hyperslab.repack(path, out, overwrite=True, **{option: [f"/{escaped(name)}"]})
            except hyperslab.errors.HyperslabError as error:
                assert "is left" in str(error) or "takes values from it" in str(error), (path, name, error)
                continue
            copies.append((name, option, out))
    for reader in READERS:
        here = before[reader]
        for (name, option, _), after in zip(copies, read(reader, [out for *_, out in copies], folder / "out"), strict=True):
            what = (path, option, name, reader)
            assert isinstance(after, dict), (what, after)
            kept = {known: after[known] for known in after if known in here and known not in unwritten}
            assert kept == {known: here[known] for known in kept}, what
            if name in here:
                assert (name in after) == (option == "only"), (what, sorted(after))
            if option == "drop":
                # Soft links to it are left out, too.
                assert set(here) - set(after) <= {name} | soft_links(path), what
    return len(copies)


def test_made_files(tmp_path):
    assert [check(path, tmp_path) for path in made(tmp_path)] == [16, 6]


def test_real_files(tmp_path):
    #: First those with what is rare.
    rare = ("h5netcdf_test.hdf5", "ref_hdf5_compat2.nc", "dim_scales.hdf5", "ref_tst_compounds2.nc")
    # Of several hard links to a dimension scale, libraries take one or another as its name.
    files = [path for path in hdf5_files(BYTES_MAX) if has_scales(path) and path.name != "air_linked.nc"]
    files.sort(key=lambda path: (not path.name.endswith(rare), path.as_posix()))
    if not files:
        pytest.skip("no netCDF files")
    step = max(1, len(files) // scaled(2, full=40))
    chosen = files[: len(rare)] + files[len(rare) :: step]
    compared = sum(check(path, tmp_path, scaled(4, full=VARIABLES_MAX)) for path in chosen)
    assert compared >= len(chosen)
