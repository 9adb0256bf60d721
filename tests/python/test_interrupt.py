"""Ctrl-C ends a long read in each of its stages; so does a change of the file."""

import os
import signal
import subprocess
import sys
import time
import zlib

import h5py
import numpy as np
import pytest

import hyperslab

CHUNK = 1 << 20
CHUNKS = 1 << 15

READ = """
import hyperslab, sys
dataset = hyperslab.File(sys.argv[1])["d"]
print("reading", flush=True)
dataset[:: 1 << 20]
"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A file of a few megabytes that takes many seconds to decode: 32 GiB of zeros."""
    path = tmp_path_factory.mktemp("interrupt") / "slow.h5"
    stored = zlib.compress(bytes(CHUNK), 1)
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("d", (CHUNKS * CHUNK,), "u1", chunks=(CHUNK,), compression="gzip")
        for number in range(CHUNKS):
            dataset.id.write_direct_chunk((number * CHUNK,), stored)
    return path


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
def test_ctrl_c_ends_a_read_between_two_chunks(slow):
    reader = subprocess.Popen([sys.executable, "-c", READ, slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert reader.stdout.readline() == b"reading\n"
    time.sleep(0.5)
    assert reader.poll() is None, "the read was over before it could be interrupted"
    reader.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, complaint = reader.communicate(timeout=60)
    assert time.monotonic() - began < 3
    assert complaint.rstrip().endswith(b"KeyboardInterrupt")


def test_a_handler_that_raises_ends_a_read_and_the_next_one_succeeds(slow):
    class Enough(Exception):
        pass

    def enough(*_):
        raise Enough

    before = signal.signal(signal.SIGALRM, enough)
    try:
        with hyperslab.File(slow) as file:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Enough):
                file["d"][::CHUNK]
            assert not file["d"][: 2 * CHUNK : CHUNK].any()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_file_that_changes_while_it_is_open_is_an_error(tmp_path):
    path = tmp_path / "changed.h5"
    with h5py.File(path, "w") as file:
        file["d"] = np.arange(100_000)
    with hyperslab.File(path) as file:
        assert file["d"][5] == 5
        later = time.time() + 5
        os.utime(path, (later, later))
        assert file["d"][10] == 10, "another time alone is no change"
        with open(path, "r+b") as changed:
            changed.write(b"other")
        os.utime(path, (later + 1, later + 1))
        with pytest.raises(OSError, match="changed after it was opened") as raised:
            file["d"][50_000:]
        assert raised.value.file == str(path)


def test_ctrl_c_inside_of_a_file_like_object_is_ctrl_c(tmp_path):
    path = tmp_path / "plain.h5"
    with h5py.File(path, "w") as file:
        file["d"] = np.arange(100_000)

    class Interrupted:
        def __init__(self):
            self.file = open(path, "rb")
            self.seek, self.is_over = self.file.seek, False

        def read(self, size):
            if self.is_over:
                raise KeyboardInterrupt
            return self.file.read(size)

    source = Interrupted()
    with hyperslab.File(source) as file:
        dataset = file["d"]
        source.is_over = True
        with pytest.raises(KeyboardInterrupt):
            dataset[50_000:]
        source.is_over = False
        assert dataset[99_999] == 99_999
