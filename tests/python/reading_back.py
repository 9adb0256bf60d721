"""Files that are hard to index, and indexes read back by their consumers.

Each index is read in a process of its own with a time limit: readers of Zarr 3 may hang in threads of fsspec. It is forked from
one that has imported the libraries, which takes longer than to read.
"""

from __future__ import annotations

import atexit
import functools
import json
import pickle
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np

import hyperslab

#: Opens the index `sys.argv[1]` as `ds`.
OPEN = {
    "kerchunk": """
ds = xarray.open_dataset(sys.argv[1], engine="kerchunk", **options)
""",
    "dmrpp": """
from virtualizarr.parsers import DMRPPParser
manifest = DMRPPParser()(url="file://" + sys.argv[1], registry=registry)
ds = xarray.open_zarr(manifest, consolidated=False, zarr_format=3, **options)
""",
    "zarr": """
from hyperslab.virtualizarr import manifest_store
manifest = manifest_store(sys.argv[1], registry)
ds = xarray.open_zarr(manifest, consolidated=False, zarr_format=3, **options)
""",
    "virtualizarr": """
from hyperslab.virtualizarr import Parser
manifest = Parser()(url="file://" + sys.argv[1], registry=registry)
ds = xarray.open_zarr(manifest, consolidated=False, zarr_format=3, **options)
""",
    "icechunk": """
import icechunk, hyperslab.icechunk
storage = icechunk.local_filesystem_storage(sys.argv[1])
allowed = hyperslab.icechunk.containers(sys.argv[1])
repository = icechunk.Repository.open(storage, authorize_virtual_chunk_access=allowed)
ds = xarray.open_zarr(repository.readonly_session("main").store, consolidated=False, **options)
""",
}
# Without the protocol, fsspec looks for it among the references, and fails on groups.
OPEN["kerchunk-parquet"] = OPEN["kerchunk"].replace("**options", 'storage_options={"remote_protocol": "file"}, **options')
#: The libraries that a consumer needs besides xarray.
NEEDS = {
    "kerchunk": ["kerchunk"],
    "kerchunk-parquet": ["kerchunk", "fastparquet"],
    "dmrpp": ["virtualizarr"],
    "zarr": ["virtualizarr"],
    "virtualizarr": ["virtualizarr"],
    "icechunk": ["icechunk"],
}
BEFORE = """
import os, pickle, sys, warnings, xarray
warnings.simplefilter("ignore")
options = {"decode_times": False}
try:
    import obstore
    from obspec_utils.registry import ObjectStoreRegistry
    registry = ObjectStoreRegistry({"file://": obstore.store.LocalStore()})
except ImportError:
    pass
"""
AFTER = """
with open(sys.argv[2], "wb") as file:
    pickle.dump({name: (v.dims, v.values, dict(v.attrs)) for name, v in ds.variables.items()}, file)
# Threads of a library may end the process by a signal when the interpreter is taken down below them.
os._exit(0)
"""
#: Seconds for one index.
TIME_LIMIT = 90
#: Runs programs that come line by line, each in a process of its own, and answers with the status in which it ended.
SERVE = """
import contextlib, importlib, json, os, signal, sys, traceback
for name in ("xarray", "zarr", "kerchunk", "fastparquet", "virtualizarr.parsers", "icechunk", "hyperslab.virtualizarr"):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
for line in sys.stdin:
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        signal.alarm(job["seconds"])
        told = os.open(job["told"], os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(told, 1)
        os.dup2(told, 2)
        try:
            sys.argv = ["", *job["arguments"]]
            exec(job["program"], {"__name__": "__main__"})
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@functools.cache
def server():
    """The process that the readers are forked from."""
    process = subprocess.Popen([sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def run(program, *arguments, told):
    """Runs a program, whose words go to the file `told`. Returns its exit code, negative if a signal ended it."""
    job = {"program": program, "arguments": list(map(str, arguments)), "told": str(told), "seconds": TIME_LIMIT}
    server().stdin.write(json.dumps(job) + "\n")
    server().stdin.flush()
    return int(server().stdout.readline())


def read_back(format, path, tmp_path, out=None, **options):
    """The variables of an index, as its consumer reads them. With `out`, the index is already there."""
    values = tmp_path / "values.pickle"
    if out is None and format == "virtualizarr":
        out = path
    elif out is None:
        # Readers of DMR++ find the file beside it, by its name.
        out = path.with_name(f"{path.name}.dmrpp") if format == "dmrpp" else tmp_path / f"index.{format}"
        hyperslab.index(path, out, format=format, url=f"file://{path}" if format == "dmrpp" else None, **options)
    told = tmp_path / "told.txt"
    status = run(BEFORE + OPEN[format] + AFTER, out, values, told=told)
    # A library that ends by a signal says nothing: then its number is all there is.
    assert status == 0, f"ended with {status}: {Path(told).read_text(errors='replace')}"
    return pickle.loads(values.read_bytes())


def make_tricky(path):
    """One dataset for each way in which a reference could be misread."""
    ramp = np.arange(60, dtype="f4").reshape(6, 10)
    with h5py.File(path, "w", userblock_size=512, libver="latest") as file:
        def chunked(name, data=ramp, **options):
            return file.create_dataset(name, data=data, chunks=(4, 4), **options)

        chunked("plain")
        chunked("gzip", compression="gzip", shuffle=True, fletcher32=True)
        chunked("big_endian", data=ramp.astype(">i2"), compression="gzip")
        # Zeros that were never written are values, not missing ones.
        file.create_dataset("sparse", (6, 10), "f4", chunks=(4, 4), compression="gzip")[0, 0] = 1
        masked = file.create_dataset("sparse_masked", (6, 10), "f4", chunks=(4, 4), fillvalue=-9)
        masked[0, 0] = 1
        masked.attrs["_FillValue"] = np.float32(-9)
        # One chunk without the deflate filter, as its mask says.
        skipped = file.create_dataset("mask", (4, 4), "i4", chunks=(4, 4), compression="gzip")
        skipped.id.write_direct_chunk((0, 0), np.arange(16, dtype="<i4").tobytes(), filter_mask=1)
        # Partial chunks at the edges are not filtered.
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((4, 4))
        plist.set_deflate(4)
        plist.set_chunk_opts(h5py.h5d.CHUNK_DONT_FILTER_PARTIAL_CHUNKS) if hasattr(plist, "set_chunk_opts") else None
        edges = h5py.h5d.create(file.id, b"edges", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((6, 10)), plist)
        edges.write(h5py.h5s.ALL, h5py.h5s.ALL, ramp)
        chunked("lzf", compression="lzf")
        file["contiguous"] = ramp.astype("f8")
        file["scalar"] = np.int16(-5)
        file["truth"] = np.array([True, False, True])
        file["complex"] = np.array([1 + 2j, 3 - 4j], "c8")
        file["text"] = ["one", "zwei", "três"]
        file["fixed"] = np.array([b"ab", b"cde"])
        file["empty"] = np.zeros((0, 3), "f4")
        file["compound"] = np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    return path


def make_climate(path):
    """A file of netCDF-C with groups, a packed variable, and one that is shorter than its dimension."""
    with netCDF4.Dataset(path, "w") as file:
        file.title = 'quotes " and <tags>'
        for name, size in (("time", None), ("lat", 5), ("lon", 7)):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",))[:] = [1, 2, 3]
        # netCDF-C computes the checksum first, and shuffles afterwards.
        air = file.createVariable(
            "air", "f4", ("time", "lat", "lon"), zlib=True, shuffle=True, fletcher32=True, chunksizes=(1, 3, 4), fill_value=-1
        )
        air.scale_factor, air.add_offset, air.limits = 0.5, 2.0, np.array([1, 2.5], "f4")
        air.set_auto_maskandscale(False)
        air[:] = np.arange(105).reshape(3, 5, 7)
        short = file.createVariable("short", "i4", ("time", "lat"), chunksizes=(2, 5), fill_value=-7)
        short[:1] = np.arange(5)
        file.createGroup("model").createVariable("bias", "i2", ("lat",))[:] = range(5)
    return path
