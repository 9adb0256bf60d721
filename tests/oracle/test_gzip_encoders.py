"""Real files whose chunks are written by each encoder of gzip: h5py, netCDF4 and zlib itself read the same values."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from kit import hdf5_files, scaled
from readers import read_all

import hyperslab

BYTES_MAX, LOGICAL_BYTES_MAX = 4 << 20, 32 << 20
ENCODERS, LEVELS = ("auto", "fast", "small"), (1, 4, 9)
#: netCDF-C follows every path to a group, of which there are 2^n here.
ENDLESS_FOR_NETCDF = "tower.h5"

#: Reads all datasets of a file by one library: a digest of each, and the number of gzip chunks. By h5py, each of these is inflated by
#: zlib, too: nothing may follow the stream.
READ = """
import zlib
def inflate(dataset):
    plist = dataset.id.get_create_plist()
    filters = [plist.get_filter(number)[0] for number in range(plist.get_nfilters())]
    if not filters or filters[-1] != 1:
        return 0
    chunks = []
    dataset.id.chunk_iter(chunks.append)
    with open(dataset.file.filename, "rb") as file:
        for chunk in chunks:
            if chunk.filter_mask & 1 << len(filters) - 1 or not chunk.size:
                continue
            file.seek(chunk.byte_offset)
            stream = zlib.decompressobj()
            stream.decompress(file.read(chunk.size))
            assert stream.eof and not stream.unused_data, dataset.name
    return len(chunks)
def by_h5py(path):
    import h5py
    found, chunks = {}, 0
    def look(name, item):
        nonlocal chunks
        # Addresses are others in another file, and what was never written is whatever was in memory.
        if isinstance(item, h5py.Dataset) and item.shape is not None:
            chunks += inflate(item) if item.chunks else 0
            if not item.dtype.hasobject or h5py.check_string_dtype(item.dtype):
                found[name] = digest(item[...]) if item.id.get_storage_size() else None
    with h5py.File(path) as file:
        file.visititems(look)
    return found, chunks
def by_netcdf4(path):
    import netCDF4
    found = {}
    def look(group, prefix):
        for name, variable in group.variables.items():
            variable.set_auto_maskandscale(False)
            if isinstance(variable.dtype, np.dtype) and not variable.dtype.hasobject:
                found[prefix + name] = digest(variable[...])
        for name, child in group.groups.items():
            look(child, prefix + name + "/")
    with netCDF4.Dataset(path) as file:
        look(file, "")
    return found, 0
read = {"h5py": by_h5py, "netcdf4": by_netcdf4}[reader]
"""


def logical_bytes(path: Path) -> int:
    """Bytes of all elements: few stored bytes may be many. As many as are too many of a file that cannot be read."""
    sizes = []
    try:
        with hyperslab.File(path) as file:
            file.visititems(lambda _, item: sizes.append(item.nbytes) if isinstance(item, hyperslab.Dataset) else None)
    except Exception:
        return LOGICAL_BYTES_MAX + 1
    return sum(sizes)


def check(path: Path, folder: Path) -> int:
    """Repacks a file with each encoder at each level; returns how many gzip chunks zlib inflated."""
    copies = []
    for encoder, level in itertools.product(ENCODERS, LEVELS):
        out = folder / f"{encoder}{level}.nc"
        try:
            hyperslab.repack(path, out, filter=f"shuffle+gzip={level}", encoder=encoder, overwrite=True)
        except hyperslab.errors.HyperslabError:
            # Damaged, or without what a file needs: as every repack of it.
            return 0
        copies.append(out)
    inflated = 0
    for library in ["h5py"] if path.name == ENDLESS_FOR_NETCDF else ["h5py", "netcdf4"]:
        before, *after = read_all(READ, library, [path, *copies], folder / "read", 600)
        if isinstance(before, str):
            continue
        for copy, found in zip(copies, after, strict=True):
            assert not isinstance(found, str), (path, copy.name, library, found)
            written = {name: digest for name, digest in before[0].items() if digest}
            assert {name: found[0].get(name) for name in written} == written, (path, copy.name, library)
            inflated += found[1]
    return inflated


def test_real_files(tmp_path):
    files = [path for path in hdf5_files(BYTES_MAX) if logical_bytes(path) <= LOGICAL_BYTES_MAX]
    if not files:
        pytest.skip("no files")
    step = max(1, len(files) // scaled(6, full=160))
    inflated = sum(check(path, tmp_path) for path in files[::step])
    assert inflated >= len(files[::step])
