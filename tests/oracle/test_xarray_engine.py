"""`engine="hyperslab"` over fixtures and corpus, compared with `engine="h5netcdf"`: dimensions, attributes, encodings, values.

A sample of the files by default, all of them at scale 10 (`scripts/test --full`).
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from kit import hdf5_files, scaled

#: Larger files, and values of more bytes, are not compared: `corpus_digest` reads all values.
FILE_BYTES_MAX = 4 << 20
VALUE_BYTES_MAX = 16 << 20
#: Files whose trees differ, and why.
DIFFERENT = {
    "tower.h5": "a virtual dataset that leads to more parts of its sources than the engine follows",
    "air_linked.nc": "several links to one scale: h5netcdf gives the scale itself the name of the last, other variables that of the first",
}
#: Single items that differ, by the end of the file's path and the beginning of what is said, and why.
DIFFERENT_ITEMS = {
    ("/attr_datatypes.hdf5", "/: attributes"): "h5py reads big-endian numbers of a variable-length attribute as little-endian ones",
    **{
        (f"/fill_values/{name}.h5", f"/{type}/never/"): "libhdf5 leaves memory as it was where no fill value was written"
        for name in ("v108", "v200")
        for type in range(4)
    },
}
#: Files at scale 1.
SAMPLE = 60

#: Members of encodings that differ on purpose, with the filters of the variable, and why.
ENCODINGS = {
    "32001": "blosc: h5netcdf has its key under the number of LZ4 (32004)",
    "32004": "LZ4: h5netcdf says blosc",
}


def is_known(path: Path, item: str) -> bool:
    return any(path.as_posix().endswith(end) and item.startswith(beginning) for end, beginning in DIFFERENT_ITEMS)


def candidates() -> list[Path]:
    found = hdf5_files(FILE_BYTES_MAX)
    # The files of netCDF are few, and the ones that matter most.
    first = [path for path in found if path.suffix in (".nc", ".nc4")]
    others = [path for path in found if path not in set(first)]
    random.Random(13).shuffle(others)
    return first + others[: scaled(SAMPLE)]


def is_alike(a, b) -> bool:
    """Equality of values of any kind; references of both libraries are alike."""
    if type(a).__name__ in ("Reference", "RegionReference", "Empty"):
        return type(a).__name__ == type(b).__name__
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(is_alike, a, b))
    if isinstance(a, np.void) and a.dtype.names:
        return a.dtype.names == b.dtype.names and all(is_alike(a[name], b[name]) for name in a.dtype.names)
    if isinstance(a, np.ndarray):
        if a.shape != np.shape(b):
            return False
        if a.dtype.hasobject or a.dtype.names:
            return all(map(is_alike, a.ravel().tolist(), np.asarray(b).ravel().tolist()))
    equal = np.asarray(a == b)
    return bool((equal | ((np.asarray(a) != a) & (np.asarray(b) != b))).all())


def dtype_parts(dtype):
    """What `==` of dtypes ignores: the byte order and the enumeration."""
    metadata = dict(getattr(dtype, "metadata", None) or {})
    metadata.pop("ref", None)
    return dtype if dtype is str else (np.dtype(dtype).str, np.dtype(dtype).names), metadata


def encoding_differences(ours: dict, theirs: dict, filters: set[str]) -> list[str]:
    ours, theirs = dict(ours), dict(theirs)
    if dtype_parts(ours.pop("dtype")) != dtype_parts(theirs.pop("dtype")):
        return ["dtype"]
    if filters & set(ENCODINGS):
        for name in ("blosc", "complevel"):
            ours.pop(name, None), theirs.pop(name, None)
    if theirs.get("compression") == "unknown":
        # h5py's name for filters that it does not know, with which xarray writes no file.
        theirs.pop("compression"), theirs.pop("compression_opts")
    fills = [encoding.get("_FillValue") for encoding in (ours, theirs)]
    if all(isinstance(fill, np.floating) and np.isnan(fill) for fill in fills) and fills[0].dtype == fills[1].dtype:
        ours.pop("_FillValue"), theirs.pop("_FillValue")
    return [] if ours == theirs else [f"{ours} here, {theirs} in h5netcdf"]


def filters_of(path: Path, group: str, name: str) -> set[str]:
    import hyperslab

    with hyperslab.File(path) as file:
        found = file[group].get(name) or file[group][f"_nc4_non_coord_{name}"]
        return set(map(str, found.filter_ids))


def without_value(path: Path, group: str, names: set[str]) -> set[str]:
    """Those with a null dataspace: the engine leaves them out and says so, h5netcdf has scalars that fail when they are read."""
    import hyperslab

    with hyperslab.File(path) as file:
        return {name for name in names if file[group][name].shape is None} if names else set()


def differences(path: Path, group: str, ours: xr.Dataset, theirs: xr.Dataset) -> list[str]:
    found = []
    theirs = theirs.drop_vars(without_value(path, group, set(theirs.variables) - set(ours.variables)))
    if set(ours.variables) != set(theirs.variables):
        return [f"{group}: variables {sorted(set(ours.variables) ^ set(theirs.variables))}"]
    if not (set(ours.attrs) == set(theirs.attrs) and all(is_alike(theirs.attrs[k], ours.attrs[k]) for k in ours.attrs)):
        found.append(f"{group}: attributes")
    if ours.encoding != theirs.encoding:
        found.append(f"{group}: {ours.encoding} here, {theirs.encoding} in h5netcdf")
    for name, theirs_variable in theirs.variables.items():
        a, b = ours.variables[name], theirs_variable
        where = f"{group.rstrip('/')}/{name}"
        if (a.dims, a.shape) != (b.dims, b.shape):
            found.append(f"{where}: {a.dims} {a.shape} here, {b.dims} {b.shape} in h5netcdf")
            continue
        if not (set(a.attrs) == set(b.attrs) and all(is_alike(b.attrs[k], a.attrs[k]) for k in a.attrs)):
            found.append(f"{where}: {a.attrs} here, {b.attrs} in h5netcdf")
        different = encoding_differences(a.encoding, b.encoding, set())
        if different and encoding_differences(a.encoding, b.encoding, filters_of(path, group, name)):
            found.append(f"{where}: encoding: {different}")
        if b.nbytes > VALUE_BYTES_MAX:
            continue
        try:
            expected = b.load().values
        except Exception:  # a filter that h5py does not have, or data that it refuses
            continue
        if not is_alike(expected, a.load().values):
            found.append(f"{where}: values {a.values.ravel()[:3]} here, {expected.ravel()[:3]} in h5netcdf")
    return found


@pytest.mark.parametrize("path", candidates(), ids=lambda path: "/".join(path.parts[-3:]))
@pytest.mark.filterwarnings("ignore")
def test_trees_are_those_of_h5netcdf(path: Path) -> None:
    if path.name in DIFFERENT:
        pytest.xfail(DIFFERENT[path.name])
    for phony_dims in ("access", "sort"):
        try:
            theirs = xr.open_datatree(path, engine="h5netcdf", phony_dims=phony_dims, decode_cf=False)
        except Exception:  # not a file that xarray can open through h5netcdf
            return
        with theirs, xr.open_datatree(path, engine="hyperslab", phony_dims=phony_dims, decode_cf=False) as ours:
            assert [node.path for node in ours.subtree] == [node.path for node in theirs.subtree]
            found = []
            for node in theirs.subtree:
                found += differences(path, node.path, ours[node.path].dataset, node.dataset)
            assert [item for item in found if not is_known(path, item)] == []


@pytest.mark.parametrize("path", [p for p in candidates() if p.suffix in (".nc", ".nc4")], ids=lambda path: "/".join(path.parts[-3:]))
@pytest.mark.filterwarnings("ignore")
def test_decoded_datasets_are_identical(path: Path) -> None:
    if path.name in DIFFERENT:
        pytest.xfail(DIFFERENT[path.name])
    try:
        theirs = xr.open_dataset(path, engine="h5netcdf", phony_dims="access")
        theirs.load().identical(theirs.copy(deep=True))
    except Exception:  # xarray cannot read it, or cannot compare its attributes (variable-length sequences)
        return
    with theirs, xr.open_dataset(path, engine="hyperslab", phony_dims="access") as ours:
        xr.testing.assert_identical(ours, theirs)
