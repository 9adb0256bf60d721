"""Many threads, one dataset."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest
from kit import IS_FULL

import hyperslab


def test_eight_threads_read_the_same_dataset(tmp_path):
    values = np.random.default_rng(1).integers(0, 1000, (64, 40, 30)).astype("<i4")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=values, chunks=(5, 40, 30), compression="gzip", shuffle=True)
    start = threading.Barrier(8)

    def work(seed):
        random = np.random.default_rng(seed)
        start.wait()
        for _ in range(200):
            i, j = random.integers(64), random.integers(40)
            np.testing.assert_array_equal(dataset[i, j], values[i, j])
            first = random.integers(60)
            index = np.s_[first : first + 4, ::3, j % 30]
            np.testing.assert_array_equal(dataset[index], values[index])
        return True

    with hyperslab.File(tmp_path / "a.h5") as file, ThreadPoolExecutor(8) as pool:
        dataset = file["d"]
        assert all(pool.map(work, range(8)))
        # No chunk is decoded twice because two threads want it.
        assert file.decodes == 13


def test_objects_in_threads(tmp_path):
    words = [f"word {number}" for number in range(500)]
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=words, chunks=(50,), compression="gzip")
    expected = [word.encode() for word in words]

    def work(_):
        return dataset[:].tolist() == expected and file["d"].asstr()[7] == "word 7"

    with hyperslab.File(tmp_path / "a.h5") as file, ThreadPoolExecutor(8) as pool:
        dataset = file["d"]
        assert all(pool.map(work, range(80)))


def test_threads_share_a_file_like_object(tmp_path):
    values = np.arange(40_000).reshape(400, 100)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=values, chunks=(10, 100), compression="gzip")
        file.create_dataset("ref", data=file["d"].ref, dtype=h5py.ref_dtype)

    def work(seed):
        row = seed * 7 % 400
        np.testing.assert_array_equal(file["d"][row], values[row])
        # The name of what a reference leads to is sought in the file.
        return file[file["ref"][()]].name == "/d"

    with open(tmp_path / "a.h5", "rb") as source, hyperslab.File(source) as file, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_reads(tmp_path):
    values = np.arange(100_000).reshape(100, 1000)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=values, chunks=(1, 1000), compression="gzip")
    with hyperslab.File(tmp_path / "a.h5") as file:
        dataset = file["d"]
        np.testing.assert_array_equal(dataset[...], values)
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            equal = np.array_equal(dataset[...], values) and np.array_equal(dataset[5], values[5])
            with hyperslab.File(tmp_path / "a.h5") as again:
                equal = equal and np.array_equal(again["d"][::3], values[::3])
            os._exit(0 if equal else 1)
        assert os.waitpid(child, 0)[1] == 0
        np.testing.assert_array_equal(dataset[...], values)


def test_closing_while_others_read(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=np.arange(100_000), chunks=(100,), compression="gzip")
    for _ in range(10):
        file = hyperslab.File(tmp_path / "a.h5")
        dataset = file["d"]
        reading = threading.Event()
        wrong = []

        def work():
            try:
                while True:
                    found = dataset[::7]
                    reading.set()
                    if not np.array_equal(found, np.arange(0, 100_000, 7)):
                        wrong.append(found)
                        return
            except hyperslab.errors.ClosedError:
                reading.set()
            except Exception as error:
                wrong.append(error)
                reading.set()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        assert reading.wait(30)
        file.close()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        assert not wrong



def test_the_interpreter_runs_on_while_a_read_is_under_way(tmp_path):
    values = np.random.default_rng(1).integers(0, 255, (200, 100_000)).astype("u1")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("d", data=values, chunks=(1, 100_000), compression="gzip", compression_opts=1)
    steps = 0
    with hyperslab.File(tmp_path / "a.h5", cache_bytes=0) as file:
        dataset = file["d"]
        # On a busy machine, a read may be over before the interpreter gets a processor again.
        for _ in range(50):
            result = []
            thread = threading.Thread(target=lambda result=result: result.append(dataset[...]))
            thread.start()
            while thread.is_alive():
                steps += 1
            thread.join()
            np.testing.assert_array_equal(result[0], values)
            if steps > 100:
                break
    assert steps > 100


@pytest.mark.parametrize("place", ["local", "http"])
def test_thirty_two_threads_open_and_read_files_without_an_error(tmp_path, place, server):
    """For 20 seconds of files in CI, and a million times by `scripts/test --full`: half of them by HTTP."""
    xr = pytest.importorskip("xarray")
    files = []
    for number in range(20):
        path = tmp_path / f"f{number}.nc"
        values = np.random.default_rng(number).integers(0, 50, (24, 30, 40)).astype("f4")
        xr.Dataset({"t": (("time", "y", "x"), values)}, {"time": np.arange(24)}).to_netcdf(
            path, engine="h5netcdf", encoding={"t": {"zlib": True, "chunksizes": (6, 30, 40)}}
        )
        server.files[f"/{path.name}"] = path.read_bytes()
        files.append((str(path) if place == "local" else f"{server.url}/{path.name}", values.sum(dtype="f8")))
    opens = 500_000 if IS_FULL else None
    until = time.monotonic() + (20 if place == "local" else 5)
    counted = [0] * 32

    def work(thread):
        random = np.random.default_rng(thread)
        while (counted[thread] < opens // 32) if opens else (time.monotonic() < until):
            name, total = files[random.integers(20)]
            with xr.open_dataset(name, engine="hyperslab") as ds:
                assert float(ds.t.values.sum(dtype="f8")) == total
                assert float(ds.t.isel(time=-1, x=3).values[0]) == float(ds.t.values[-1, 0, 3])
            counted[thread] += 1

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(work, range(32)))
    assert all(counted), counted
