"""Tries libraries that read HDF5 through h5py with hyperslab in its place, and prints a table.

    python scripts/try_ecosystem.py [LIBRARY...]

It runs in an environment with hyperslab and what `scripts/requirements-ecosystem.txt` names. Each library writes a file with h5py
and reads it twice, each time in a process of its own: with h5py, and with `hyperslab.h5py` in its place. Exits with 1 if
the values differ.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """A library: how its file is written, and what is read from it."""

    package: str
    ending: str
    write: Callable[[Path], None]
    read: Callable[[Path], Any]
    #: How it reads through an adapter of this package instead, which needs no replacement of h5py.
    adapted: Callable[[Path], Any] | None = None


def write_anndata(path: Path) -> None:
    import anndata
    import pandas
    import scipy.sparse

    random = np.random.default_rng(1)
    counts = scipy.sparse.random(50, 20, 0.2, format="csr", random_state=1, dtype="f4")
    obs = pandas.DataFrame(
        {"kind": pandas.Categorical(random.choice(["T", "B"], 50)), "score": random.random(50), "note": [f"cell {i}" for i in range(50)]},
        index=[f"c{i}" for i in range(50)],
    )
    cells = anndata.AnnData(counts, obs=obs, var=pandas.DataFrame(index=[f"g{i}" for i in range(20)]))
    cells.layers["scaled"] = random.random((50, 20))
    cells.obsm["umap"] = random.random((50, 2))
    cells.uns = {"title": "a test", "nested": {"number": 3, "flags": np.array([True, False])}}
    cells.write_h5ad(path, compression="gzip")


def read_anndata(path: Path) -> Any:
    import anndata

    cells = anndata.read_h5ad(path)
    backed = anndata.read_h5ad(path, backed="r")
    found = {name: cells.obs[name].tolist() for name in cells.obs}
    found |= {"X": cells.X.toarray(), "scaled": cells.layers["scaled"], "umap": cells.obsm["umap"], "uns": dict(cells.uns)}
    return found | {"backed": backed.X[3:9].toarray(), "names": list(cells.obs_names), "element": anndata.io.read_elem(backed.file["var"]).index.tolist()}


def write_pynwb(path: Path) -> None:
    from datetime import datetime, timezone

    import pynwb

    file = pynwb.NWBFile("a test", "an identifier", datetime(2020, 1, 1, tzinfo=timezone.utc))
    values = np.arange(300.0).reshape(100, 3)
    file.add_acquisition(pynwb.TimeSeries(name="series", data=values, unit="V", rate=10.0))
    device = file.create_device("device")
    group = file.create_electrode_group("group", "description", "cortex", device)
    for number in range(4):
        file.add_electrode(location=f"place {number}", group=group)
    region = file.create_electrode_table_region([0, 2], "two of them")
    file.add_acquisition(pynwb.ecephys.ElectricalSeries(name="electric", data=values[:, :2], electrodes=region, rate=10.0))
    file.add_trial_column("choice", "left or right")
    for number in range(5):
        file.add_trial(start_time=number * 1.0, stop_time=number + 0.5, choice="left" if number % 2 else "right")
    with pynwb.NWBHDF5IO(path, "w") as io:
        io.write(file)


def read_pynwb(path: Path) -> Any:
    import pynwb

    with pynwb.NWBHDF5IO(path, "r") as io:
        file = io.read()
        trials, electrodes = file.trials.to_dataframe(), file.electrodes.to_dataframe()
        return {
            "series": file.acquisition["series"].data[10:20],
            "rate": file.acquisition["series"].rate,
            "electric": file.acquisition["electric"].data[:],
            "region": file.acquisition["electric"].electrodes.data[:],
            "trials": trials.to_dict("list"),
            "places": electrodes["location"].tolist(),
            "groups": [group.name for group in electrodes["group"]],
            "start": file.session_start_time.isoformat(),
        }


def write_matlab(path: Path) -> None:
    import hdf5storage

    values = {
        "numbers": np.arange(12.0).reshape(3, 4),
        "whole": np.arange(5, dtype="i4"),
        "text": "some text",
        "flag": True,
        "complex": np.array([1 + 2j, 3.0]),
        "struct": {"a": 1.0, "b": "inner"},
        "cell": np.array(["one", 2.0, np.arange(3.0)], object),
    }
    hdf5storage.savemat(str(path), values, format="7.3")


def read_mat73(path: Path) -> Any:
    import mat73

    return mat73.loadmat(str(path))


def read_hdf5storage(path: Path) -> Any:
    import hdf5storage

    return {name: value for name, value in hdf5storage.loadmat(str(path)).items()}


def write_nexus(path: Path) -> None:
    from nexusformat.nexus import NXdata, NXentry, NXfield, NXroot

    x, y = NXfield(np.linspace(0, 1, 11), name="x", units="mm"), NXfield(np.arange(5), name="y")
    signal = NXfield(np.arange(55.0).reshape(11, 5), name="signal", chunks=(4, 5), compression="gzip")
    root = NXroot(NXentry(NXdata(signal, [x, y], title="a map")))
    root["entry/title"] = "an entry"
    root.save(path, "w")


def read_nexusformat(path: Path) -> Any:
    from nexusformat.nexus import nxload

    root = nxload(path, "r")
    data = root["entry/data"]
    found = {"title": str(root["entry/title"]), "units": data["x"].attrs["units"], "part": data["signal"][2:5].nxvalue}
    return found | {"signal": data.nxsignal.nxvalue, "axes": [axis.nxname for axis in data.nxaxes], "tree": root.tree.split("\n")[1:]}


def read_silx(path: Path) -> Any:
    import silx.io
    import silx.io.dictdump
    import silx.io.nxdata

    with silx.io.open(str(path)) as file:
        groups = [name for name in file["entry"] if silx.io.is_group(file["entry"][name])]
        plot = silx.io.nxdata.NXdata(file["entry/data"])
        found = {"groups": groups, "is": silx.io.is_dataset(file["entry/title"]), "signal": plot.signal[...], "axes": list(plot.axes_names)}
    return found | {"dictionary": silx.io.dictdump.h5todict(str(path), "/entry/data")}


def write_pytables(path: Path) -> None:
    import tables

    class Row(tables.IsDescription):
        name = tables.StringCol(8)
        number = tables.Int32Col()
        vector = tables.Float32Col(shape=(3,))
        kind = tables.EnumCol({"a": 0, "b": 1}, "a", base="uint8")

    with tables.open_file(path, "w") as file:
        for library in ("zlib", "blosc", "blosc2", "bzip2"):
            filters = tables.Filters(5, library, shuffle=True, fletcher32=library == "zlib")
            table = file.create_table("/", f"table_{library}", Row, filters=filters, chunkshape=(64,))
            for number in range(500):
                row = table.row
                row["name"], row["number"], row["vector"] = f"row {number}", number, number / 2
                row["kind"] = number % 2
                row.append()
            table.flush()
            file.create_carray("/arrays", library, obj=np.arange(6000.0).reshape(60, 100), filters=filters, chunkshape=(16, 32), createparents=True)
        table.cols.number.create_csindex()
        ragged = file.create_vlarray("/", "ragged", tables.Int16Atom())
        for length in range(5):
            ragged.append(np.arange(length, dtype="i2"))
        texts = file.create_vlarray("/", "texts", tables.VLUnicodeAtom())
        texts.append("äöü")
        file.create_array("/", "time", obj=np.array(["one", "three"], "S"), title="a title")
        file.create_earray("/", "growing", tables.ComplexAtom(16), (0, 2)).append(np.ones((7, 2)) * 1j)


def read_objects(path: Path) -> Any:
    """All values and attributes of a file, by h5py's interface."""
    import h5py

    found: dict[str, Any] = {}

    def visit(name: str, item: Any) -> None:
        attributes = {key: value for key, value in item.attrs.items()}
        found[name] = (attributes, item[...] if isinstance(item, h5py.Dataset) else None)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return found


def write_pandas(path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(
        {"number": range(100), "value": np.linspace(0, 1, 100), "text": [f"t{i}" for i in range(100)]},
        index=pandas.date_range("2020-01-01", periods=100),
    )
    frame.to_hdf(path, key="table", format="table", complevel=5, complib="blosc", data_columns=True)
    frame[["number", "value"]].to_hdf(path, key="fixed", format="fixed")


def write_netcdf(path: Path) -> None:
    import xarray

    values = xarray.DataArray(np.arange(600.0).reshape(6, 10, 10), dims=("time", "y", "x"), name="air", attrs={"units": "K"})
    values.to_netcdf(path, engine="h5netcdf", encoding={"air": {"chunksizes": (2, 5, 5), "zlib": True}})


def read_h5netcdf(path: Path, library: str = "h5netcdf") -> Any:
    with importlib.import_module(library).File(path, "r") as file:
        air = file["air"]
        return {"values": air[1:3], "units": air.attrs["units"], "dimensions": air.dimensions, "chunks": air.chunks}


def read_xarray(path: Path, engine: str = "h5netcdf") -> Any:
    import xarray

    with xarray.open_dataset(path, engine=engine) as ds:
        return {"values": ds.air.values, "attributes": ds.air.attrs, "chunks": ds.air.encoding["chunksizes"]}


def read_dask(path: Path) -> Any:
    import dask.array
    import h5py

    with h5py.File(path, "r") as file:
        array = dask.array.from_array(file["air"], chunks="auto")
        return {"mean": array.mean().compute(), "rows": array[2:4].compute()}


def read_zarr(path: Path) -> Any:
    import h5py
    import zarr

    with h5py.File(path, "r") as file:
        return zarr.array(file["air"][...], chunks=file["air"].chunks)[...]


CASES = {
    "anndata": Case("anndata", "h5ad", write_anndata, read_anndata),
    "pynwb": Case("pynwb", "nwb", write_pynwb, read_pynwb),
    "mat73": Case("mat73", "mat", write_matlab, read_mat73),
    "hdf5storage": Case("hdf5storage", "mat", write_matlab, read_hdf5storage),
    "nexusformat": Case("nexusformat", "nxs", write_nexus, read_nexusformat),
    "silx": Case("silx", "nxs", write_nexus, read_silx),
    "files of PyTables": Case("tables", "h5", write_pytables, read_objects),
    "files of pandas": Case("pandas", "h5", write_pandas, read_objects),
    "h5netcdf": Case("h5netcdf", "nc", write_netcdf, read_h5netcdf, partial(read_h5netcdf, library="hyperslab.h5netcdf")),
    "xarray": Case("xarray", "nc", write_netcdf, read_xarray, partial(read_xarray, engine="hyperslab")),
    "Dask": Case("dask", "nc", write_netcdf, read_dask),
    "zarr": Case("zarr", "nc", write_netcdf, read_zarr),
}


def difference(one: Any, other: Any, place: str = "") -> str | None:
    """Where two values differ first; `None` if they are the same."""
    if type(one).__name__ != type(other).__name__:
        return f"{place}: {type(one).__name__}, not {type(other).__name__}"
    if isinstance(one, dict):
        if list(one) != list(other):
            return f"{place}: members {list(one)}, not {list(other)}"
        return next((found for key in one if (found := difference(one[key], other[key], f"{place}/{key}"))), None)
    if isinstance(one, np.ndarray) and one.dtype == object and one.shape == other.shape:
        one, other = one.ravel().tolist(), other.ravel().tolist()
    if isinstance(one, (list, tuple)):
        if len(one) != len(other):
            return f"{place}: {len(one)} elements, not {len(other)}"
        pairs = enumerate(zip(one, other, strict=True))
        return next((found for number, (a, b) in pairs if (found := difference(a, b, f"{place}[{number}]"))), None)
    if isinstance(one, (np.ndarray, np.generic)):
        same = one.dtype == other.dtype and one.shape == other.shape and np.asarray(one).tobytes() == np.asarray(other).tobytes()
        return None if same else f"{place}: {one!r}, not {other!r}"
    if type(one).__name__ == "Empty":
        one, other = one.dtype, other.dtype
    return None if one == other or one != one else f"{place}: {one!r}, not {other!r}"


def read(name: str, path: Path, out: Path, library: str) -> None:
    """Reads in this process, and pickles what was read."""
    case = CASES[name]
    if library == "hyperslab" and case.adapted is not None:
        found = case.adapted(path)
    else:
        # The files have filters that libhdf5 gets from plug-ins.
        importlib.import_module("hdf5plugin" if library == "h5py" else "hyperslab.h5py")
        if library == "hyperslab":
            sys.modules["hyperslab.h5py"].install()
        found = case.read(path)
    out.write_bytes(pickle.dumps(found))


def outcome(name: str, folder: Path) -> str | None:
    """Why a library does not work; `None` if it does."""
    case = CASES[name]
    path = folder / f"file.{case.ending}"
    case.write(path)
    results = []
    for library in ("h5py", "hyperslab"):
        out = folder / library
        done = subprocess.run([sys.executable, __file__, "--read", name, path, out, library], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            return f"with {library}: {done.stderr.strip().splitlines()[-1]}"
        results.append(pickle.loads(out.read_bytes()))
    return difference(results[1], results[0])


def main() -> int:
    if sys.argv[1:2] == ["--read"]:
        name, path, out, library = sys.argv[2:]
        read(name, Path(path), Path(out), library)
        return 0
    failed = 0
    for name in sys.argv[1:] or CASES:
        try:
            version = importlib.metadata.version(CASES[name].package)
        except importlib.metadata.PackageNotFoundError:
            print(f"| {name} | | not installed |")
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = outcome(name, Path(folder))
        failed += found is not None
        print(f"| {name} | {version} | {found or 'the same values'} |", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
