"""Filters that the program brings itself."""

from __future__ import annotations

import subprocess
import sys
import threading
import zlib

import h5py
import numpy as np
import pytest
from kit import ROOT
from libhdf5 import call

import hyperslab

VALUES = np.arange(1000, dtype="<i4").reshape(10, 100)


@pytest.fixture
def stored(tmp_path):
    """Writes `VALUES` in ten chunks, as if through a filter of this number: what `encode` makes of each row."""
    def write(id, encode, client_data=(7, 8), shuffle=False):
        path = tmp_path / f"filter{id}.h5"
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((1, 100))
        if shuffle:
            plist.set_shuffle()
        # Optional: libhdf5 does not have it, and is given chunks that are encoded already.
        plist.set_filter(id, h5py.h5z.FLAG_OPTIONAL, client_data)
        with h5py.File(path, "w") as file:
            space = h5py.h5s.create_simple(VALUES.shape)
            dataset = h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I32LE, space, plist)
            for row in range(10):
                raw = VALUES[row].tobytes()
                if shuffle:
                    raw = np.frombuffer(raw, "u1").reshape(-1, 4).T.tobytes()
                dataset.write_direct_chunk((row, 0), encode(raw))
        return path

    return write


def read(path, selection=...):
    with hyperslab.File(path) as file:
        return file["x"][selection]


def test_a_filter_of_the_program_is_used(stored):
    path = stored(40_001, lambda raw: raw[::-1])
    calls = []

    def decode(chunk, client_data, nbytes):
        calls.append((type(chunk), client_data, nbytes, threading.get_ident()))
        return chunk[::-1]

    hyperslab.register_filter(40_001, "reverse", decode)
    assert np.array_equal(read(path), VALUES)
    assert len(calls) == 10
    assert {call[:3] for call in calls} == {(bytes, (7, 8), 400)}
    assert np.array_equal(read(path, np.s_[3:5, ::7]), VALUES[3:5, ::7])


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda chunk: np.frombuffer(chunk, "<i4")])
def test_the_answer_is_whatever_offers_bytes(stored, kind):
    path = stored(40_002, lambda raw: raw)
    hyperslab.register_filter(40_002, "copy", lambda chunk, client_data, nbytes: kind(chunk))
    assert np.array_equal(read(path), VALUES)


def test_as_one_of_several_filters(stored):
    """Where more filters follow, the length is a bound."""
    path = stored(40_003, zlib.compress, shuffle=True)
    bounds = []

    def decode(chunk, client_data, nbytes):
        bounds.append(nbytes)
        return zlib.decompress(chunk)

    hyperslab.register_filter(40_003, "zlib", decode)
    assert np.array_equal(read(path), VALUES)
    assert min(bounds) >= 400


def test_a_later_one_takes_its_place(stored):
    path = stored(40_004, lambda raw: raw)
    hyperslab.register_filter(40_004, "zeros", lambda chunk, client_data, nbytes: bytes(nbytes))
    assert not read(path).any()
    hyperslab.register_filter(40_004, "copy", lambda chunk, client_data, nbytes: chunk)
    assert np.array_equal(read(path), VALUES)


def test_before_one_that_is_built_in(tmp_path):
    path = tmp_path / "lzf.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.zeros(500, "<i4"), chunks=(500,), compression="lzf")
    script = (
        "import hyperslab, sys; hyperslab.register_filter(32000, 'ones', lambda chunk, data, n: b'\\1' * n);"
        "print(set(hyperslab.File(sys.argv[1])['x'][:].tolist()))"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert done.stdout == f"{{{0x01010101}}}\n", done.stderr


def fail(chunk, client_data, nbytes):
    raise RuntimeError("no such luck")


@pytest.mark.parametrize(
    "decode, message",
    [
        (fail, "filter 40005 (mine): RuntimeError: no such luck"),
        (lambda chunk, client_data, nbytes: None, "decode() must return bytes, not <class 'NoneType'>"),
        (lambda chunk, client_data, nbytes: "text", "decode() must return bytes, not <class 'str'>"),
        (lambda chunk, client_data, nbytes: bytes(401), "decode() returned 401 bytes, but at most 400 are allowed"),
        (lambda chunk, client_data, nbytes: chunk[:-1], "mine: decoded to 399 bytes instead of 400"),
        (lambda chunk: chunk, "takes 1 positional argument but 3 were given"),
    ],
)
def test_what_goes_wrong_names_the_filter(stored, decode, message):
    path = stored(40_005, lambda raw: raw)
    hyperslab.register_filter(40_005, "mine", decode)
    with pytest.raises(hyperslab.HyperslabError) as caught:
        read(path)
    assert message in str(caught.value)
    assert "mine" in str(caught.value)
    assert (caught.value.file, caught.value.object) == (str(path), "/x")


def test_the_exception_of_a_filter_is_the_cause(stored):
    """An `OSError`, as h5py raises for a filter that fails; what the filter raised is behind it."""
    path = stored(40_008, lambda raw: raw)
    hyperslab.register_filter(40_008, "mine", fail)
    with pytest.raises(OSError, match=r"filter 40008 \(mine\)") as caught:
        read(path)
    cause = caught.value.__cause__
    assert type(cause) is RuntimeError and cause.args == ("no such luck",)
    assert cause.__traceback__.tb_frame.f_code.co_name == "fail"


def test_an_unknown_filter_says_what_can_be_done(stored):
    path = stored(32_030, lambda raw: raw)
    with pytest.raises(hyperslab.errors.UnsupportedError) as caught:
        read(path)
    for part in ["32030", "FFMPEG", "ffmpeg HDF5 filter", "register_filter"]:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((0, "none", bytes), ValueError),
        ((-1, "none", bytes), OverflowError),
        ((70_000, "none", bytes), OverflowError),
        ((40_006, "none", 5), TypeError),
        ((40_006, 5, bytes), TypeError),
    ],
)
def test_what_cannot_be_registered(arguments, error):
    with pytest.raises(error):
        hyperslab.register_filter(*arguments)


def test_a_file_is_read_by_many_threads(stored):
    path = stored(40_007, zlib.compress)
    hyperslab.register_filter(40_007, "zlib", lambda chunk, client_data, nbytes: zlib.decompress(chunk))
    results = []
    with hyperslab.File(path) as file:
        threads = [threading.Thread(target=lambda: results.append(file["x"][:])) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 8
    assert all(np.array_equal(result, VALUES) for result in results)


def test_the_example_of_the_readme(stored):
    path = stored(40_000, lambda raw: bytes(byte ^ 0xFF for byte in raw))
    example = next(part for part in (ROOT / "README.md").read_text().split("```") if "register_filter(" in part)
    exec(example.removeprefix("python\n"), {"hyperslab": hyperslab})
    assert np.array_equal(read(path), VALUES)


@pytest.mark.parametrize("first", ["zfp", "nbit"])
def test_part_of_a_chunk_that_a_built_in_filter_stored_before_the_programs_own(tmp_path, first):
    """Nobody knows how much comes out of the program's filter, and so how much the other one is given."""
    plugins = pytest.importorskip("hdf5plugin")
    own, values = 40_010, VALUES.astype("<i4")

    def made(file, name, *more):
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((10, 100))
        kind = h5py.h5t.STD_I32LE.copy()
        if first == "nbit":
            kind.set_precision(17)
            call("H5Pset_nbit", plist)
        else:
            settings = plugins.Zfp(reversible=True)
            plist.set_filter(settings.filter_id, h5py.h5z.FLAG_MANDATORY, settings.filter_options)
        for id in more:
            plist.set_filter(id, h5py.h5z.FLAG_OPTIONAL, ())
        return h5py.Dataset(h5py.h5d.create(file.id, name, kind, h5py.h5s.create_simple(values.shape), plist))

    with h5py.File(tmp_path / "x.h5", "w") as file:
        plain = made(file, b"plain")
        plain[...] = values
        file.flush()
        _, chunk = plain.id.read_direct_chunk((0, 0))
        made(file, b"x", own).id.write_direct_chunk((0, 0), chunk[::-1])
    hyperslab.register_filter(own, "reverse", lambda chunk, client_data, nbytes: chunk[::-1])
    assert np.array_equal(read(tmp_path / "x.h5", np.s_[3:5, 7]), values[3:5, 7])
