"""Many threads, one dataset."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest

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
    with hyperslab.File(tmp_path / "a.h5") as file:
        dataset = file["d"]
        result = []
        thread = threading.Thread(target=lambda: result.append(dataset[...]))
        thread.start()
        while thread.is_alive():
            steps += 1
        thread.join()
    np.testing.assert_array_equal(result[0], values)
    assert steps > 100
