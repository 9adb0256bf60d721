"""Locks: what other programs do with a file that is open here, and what is done here with a file that they write."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time

import h5py
import numpy as np
import pytest

import hyperslab

COMMAND = [sys.executable, "-W", "ignore", "-m", "hyperslab"]
LOOKING = [["ls"], ["explain", "{}", "/x", "0"], ["chunks", "{}", "/x"], ["doctor"], ["check"], ["advise", "{}", "/x", "--read", "10", "--seconds", "1"]]
REFUSING = [["digest"], ["repack", "{}", "{}.out"], ["index", "{}", "-o", "{}.json"], ["bench", "{}", "/x", "--dry-run"]]


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("HDF5_USE_FILE_LOCKING", raising=False)


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w", libver="latest") as file:
        file.create_dataset("x", data=np.arange(1000), chunks=(100,), compression="gzip")
    return tmp_path / "a.h5"


@pytest.fixture
def writer(path):
    """Another process that has the file open for writing."""
    code = "import h5py, sys; f = h5py.File(sys.argv[1], 'a'); print('open', flush=True); sys.stdin.read()"
    process = subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "open\n"
    yield process
    process.communicate()


def run(arguments, path, **environment) -> subprocess.CompletedProcess[str]:
    """Run a command over the file."""
    words = [word.replace("{}", str(path)) for word in arguments]
    if len(words) == 1:
        words.append(str(path))
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, timeout=120, env=os.environ | environment)


def test_a_file_that_is_written_is_refused(path, writer, monkeypatch):
    for refused in (lambda: hyperslab.File(path), lambda: hyperslab.File(path, locking=True), lambda: h5py.File(path)):
        with pytest.raises(BlockingIOError) as raised:
            refused()
        assert raised.value.errno == 11
    with hyperslab.File(path, locking=False) as file:
        assert file["x"][5] == 5
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "FALSE")
    with hyperslab.File(path, locking=True) as file:
        assert file["x"][5] == 5
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "BEST_EFFORT")
    with pytest.raises(BlockingIOError):
        hyperslab.File(path, locking=False)


def test_xarray_refuses_it_too(path, writer):
    xr = pytest.importorskip("xarray")
    with pytest.raises(BlockingIOError):
        xr.open_dataset(path, engine="hyperslab", phony_dims="sort")
    xr.open_dataset(path, engine="hyperslab", phony_dims="sort", locking=False).close()


@pytest.mark.parametrize("arguments", LOOKING, ids=lambda words: words[0])
def test_commands_that_look_warn_once(path, writer, arguments):
    done = run(arguments, path)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr.count("open for writing") == 1 and str(path) in done.stderr
    assert "open for writing" not in run(arguments, path, HDF5_USE_FILE_LOCKING="FALSE").stderr


@pytest.mark.parametrize("arguments", REFUSING, ids=lambda words: words[0])
def test_commands_that_depend_on_it_refuse(path, writer, arguments):
    done = run(arguments, path)
    assert done.returncode != 0
    assert "open for writing" in done.stderr and "HDF5_USE_FILE_LOCKING=FALSE" in done.stderr
    assert sorted(os.listdir(path.parent)) == ["a.h5"]
    assert run(arguments, path, HDF5_USE_FILE_LOCKING="FALSE").returncode == 0


@pytest.mark.parametrize("mode", ["a", "r+"])
def test_a_file_that_is_open_here_is_not_changed_elsewhere(path, mode):
    before = path.read_bytes()
    with hyperslab.File(path) as file:
        dataset = file["x"]
        with pytest.raises(BlockingIOError):
            h5py.File(path, mode)
        h5py.File(path).close()
    # Closed, though an object of it is still there.
    assert dataset is not None
    h5py.File(path, mode).close()
    with hyperslab.File(path, locking=False):
        h5py.File(path, mode).close()
    assert path.read_bytes() == before


def test_a_pickled_file_keeps_its_locking(path, writer):
    with hyperslab.File(path, locking=False) as file:
        with pickle.loads(pickle.dumps(file)) as again:
            assert again["x"][7] == 7
        assert pickle.loads(pickle.dumps(file["x"]))[7] == 7


def test_a_file_of_a_writer_without_a_lock_is_not_replaced(tmp_path):
    path = tmp_path / "s.h5"
    code = """
import h5py, sys
file = h5py.File(sys.argv[1], "w", libver="latest")
data = file.create_dataset("x", (10,), "f4", maxshape=(None,), chunks=(5,))
file.swmr_mode = True
data[:] = 1
data.flush()
print("open", flush=True)
sys.stdin.read()
data.resize((20,))
data[10:] = 2
"""
    writer = subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "open\n"
    inode = path.stat().st_ino
    with pytest.raises(BlockingIOError, match="a program still writes it") as error:
        hyperslab.repack(path, in_place=True)
    assert "h5clear" in error.value.hint
    writer.communicate()
    assert path.stat().st_ino == inode and [at.name for at in tmp_path.iterdir()] == ["s.h5"]
    with h5py.File(path) as file:
        assert file["x"][:].tolist() == [1] * 10 + [2] * 10


def test_swmr_is_refused(path):
    with pytest.raises(ValueError, match="swmr"):
        hyperslab.File(path, swmr=True)
    hyperslab.File(path, swmr=False).close()


@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
def test_xarray_does_not_truncate_the_file_of_a_dataset(tmp_path, engine):
    xr = pytest.importorskip("xarray")
    path = tmp_path / "a.nc"
    xr.Dataset({"t": ("x", np.arange(1000.0))}).to_netcdf(path, engine="h5netcdf")
    before = path.read_bytes()
    ds = xr.open_dataset(path, engine="hyperslab")
    for name in (path, str(path), os.path.relpath(path)):
        with pytest.raises((BlockingIOError, PermissionError)):
            ds.to_netcdf(name, engine=engine)
    assert path.read_bytes() == before
    ds.to_netcdf(tmp_path / "b.nc", engine=engine)
    assert float(ds.t.sum()) == 499500
    ds.load().close()
    ds.to_netcdf(path, engine=engine)
    with xr.open_dataset(path, engine="hyperslab") as again:
        assert float(again.t.sum()) == 499500
    # Neither does a dataset that was not closed keep it for ever.
    lost = xr.open_dataset(path, engine="hyperslab")
    assert lost.t[3] == 3
    del lost
    h5py.File(path, "a").close()


def test_touching_a_file_changes_nothing(tmp_path):
    xr = pytest.importorskip("xarray")
    dask = pytest.importorskip("dask")
    path = tmp_path / "a.nc"
    xr.Dataset({"t": (("x", "y"), np.arange(200_000.0).reshape(200, 1000))}).to_netcdf(
        path, engine="h5netcdf", encoding={"t": {"chunksizes": (2, 1000), "zlib": True}}
    )
    with xr.open_dataset(path, engine="hyperslab", chunks={"x": 2}) as ds, hyperslab.File(path) as file:
        assert ds.t.data.npartitions == 100

        def touched(block):
            os.utime(path, ns=(0, int(block.flat[0]) * 1_000_000 + 10**18))
            return block

        for scheduler in ("threads", "processes"):
            with dask.config.set(scheduler=scheduler, num_workers=2):
                assert float(ds.t.data.map_blocks(touched).sum().compute()) == sum(range(200_000))
        assert file["t"][199, 999] == 199_999


def test_touching_a_file_of_fsspec_changes_nothing(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(3_000_000), chunks=(100_000,), compression="gzip")
    store = fsspec.filesystem("file")
    with hyperslab.File(str(path), store=store) as file:
        assert file["x"][5] == 5
        time.sleep(1.1)
        os.utime(path, ns=(0, 10**18))
        assert file["x"][2_900_000] == 2_900_000
        time.sleep(1.1)
        with open(path, "r+b") as changed:
            changed.seek(100)
            changed.write(b"other bytes")
            os.utime(path, ns=(0, 10**18 + 1))
        with pytest.raises(hyperslab.errors.ChangedError):
            file["x"][2_000_000]


@pytest.mark.parametrize("engine", ["netcdf4", "h5netcdf"])
def test_the_file_of_an_open_file_object_is_not_truncated(tmp_path, engine):
    xr = pytest.importorskip("xarray")
    path = tmp_path / "a.nc"
    xr.Dataset({"t": ("x", np.arange(5000.0))}).to_netcdf(path, engine="h5netcdf")
    before = path.read_bytes()
    with open(path, "rb") as opened:
        dataset = xr.open_dataset(opened, engine="hyperslab")
        with pytest.raises(BlockingIOError):
            dataset.to_netcdf(path, engine=engine)
        assert path.read_bytes() == before
        np.testing.assert_array_equal(dataset.t, np.arange(5000.0))
        dataset.close()
    xr.Dataset({"t": ("x", np.arange(3.0))}).to_netcdf(path, engine=engine)
    assert xr.open_dataset(path, engine="hyperslab").t.size == 3
