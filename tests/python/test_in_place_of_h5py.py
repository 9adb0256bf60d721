"""Libraries that import h5py, with `hyperslab.h5py.install()` and without: their results are the same."""

from __future__ import annotations

import json
import subprocess
import sys

import h5py
import hdf5plugin
import numpy as np
import pytest

KERCHUNK = """
import sys, json, warnings
warnings.simplefilter("ignore")
if sys.argv[2] == "ours":
    import hyperslab.h5py
    hyperslab.h5py.install()
from kerchunk.hdf import SingleHdf5ToZarr
found = SingleHdf5ToZarr(sys.argv[1], inline_threshold=0).translate()
print(json.dumps(found["refs"], sort_keys=True, default=lambda value: value.decode()))
"""

VIRTUALIZARR = """
import sys, json, warnings
warnings.simplefilter("ignore")
if sys.argv[2] == "ours":
    import hyperslab.h5py
    hyperslab.h5py.install()
from obstore.store import LocalStore
from virtualizarr.parsers import HDFParser
from virtualizarr.registry import ObjectStoreRegistry
store = LocalStore()
manifest = HDFParser()(url="file://" + sys.argv[1], registry=ObjectStoreRegistry({"file://": store}))
group = manifest._group
found = {}
for name, array in sorted(group.arrays.items()):
    found[name] = [array.metadata.to_dict(), {key: dict(entry) for key, entry in array.manifest.dict().items()}]
print(json.dumps(found, sort_keys=True, default=str))
"""


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        values = np.arange(60, dtype="f4").reshape(6, 10)
        storages = {
            "plain": {},
            "chunked": {"chunks": (2, 5)},
            "gzip": {"chunks": (2, 5), "compression": "gzip", "compression_opts": 5, "shuffle": True},
            "checked": {"chunks": (3, 5), "fletcher32": True},
            "zstd": {"chunks": (3, 5)} | dict(hdf5plugin.Zstd(clevel=3)),
            "sparse": {"chunks": (1, 10), "compression": "gzip"},
        }
        for name, storage in storages.items():
            file.create_dataset(name, values.shape, "f4", **storage)
            if name != "sparse":
                file[name][...] = values
        file["sparse"][2] = 1
        file["group/inner"] = np.arange(4)
        file["scalar"] = 5
        file["x"] = np.arange(6)
        file["x"].make_scale("x")
        file["gzip"].dims[0].attach_scale(file["x"])
        file["gzip"].attrs["units"] = "K"
    return tmp_path / "a.h5"


def run(code: str, path, library: str):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, path, library], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("code", [KERCHUNK, VIRTUALIZARR], ids=["kerchunk", "virtualizarr"])
def test_references_are_the_same(path, code):
    theirs, ours = run(code, path, "theirs"), run(code, path, "ours")
    assert len(theirs) > 5
    assert ours == theirs
