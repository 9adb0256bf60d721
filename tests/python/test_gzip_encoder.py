"""Which encoder writes the gzip filter: every zlib reads what either writes, and the choice depends on data and options alone."""

from __future__ import annotations

import hashlib
import os
import tempfile
import zlib
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
from kit import IS_FULL, scaled

import hyperslab

#: Buffers of random kinds, and the largest length of each of these groups; lengths are uniform in the logarithm. The full run has
#: 10^5 buffers of 20 GB in all.
GROUPS = [(95_000, 64 << 10), (5_000, 64 << 20)] if IS_FULL else [(max(50, scaled(1000)), 1 << 20)]
#: Buffers that are written into one file.
BATCH, BATCH_BYTES = 1000, 64 << 20


def inflated(stored: bytes) -> bytes:
    """The bytes of a zlib stream, by zlib: all of it, and nothing behind it."""
    stream = zlib.decompressobj()
    raw = stream.decompress(stored)
    assert stream.eof and not stream.unused_data
    return raw


def chunks(dataset):
    """Each chunk as it is stored: the offset of its first element, and its bytes."""
    for number in range(dataset.id.get_num_chunks()):
        found = dataset.id.get_chunk_info(number)
        mask, stored = dataset.id.read_direct_chunk(found.chunk_offset)
        assert mask == 0
        yield found.chunk_offset, stored


def digests(path):
    """A digest of each chunk of each dataset: what differs is told in few words."""
    with h5py.File(path) as file:
        found = {name: file[name] for name in ("t2m", "text") if name in file}
        return {name: [hashlib.sha256(stored).hexdigest()[:8] for _, stored in chunks(data)] for name, data in found.items()}


def field(rows=400, columns=500):
    y, x = np.mgrid[0:rows, 0:columns]
    noise = np.random.default_rng(5).normal(size=(rows, columns))
    return np.round(280 + 15 * np.sin(x / 90) * np.cos(y / 70) + 0.3 * noise, 2).astype("f4")


def text(count=100_000):
    """Words, of which libdeflate finds many more repetitions."""
    words = ["chunk", "filter", "dataspace", "hyperslab", "page", "buffer", "object", "header"]
    chosen = np.random.default_rng(6).choice(words, count)
    return np.frombuffer(" ".join(chosen).encode(), "u1")


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "plain.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("t2m", field()), ("text", text())):
            shape = [file.createDimension(f"{name}{axis}", size).name for axis, size in enumerate(values.shape)]
            file.createVariable(name, values.dtype, shape, chunksizes=[min(128, values.shape[0] // 3), 250][: values.ndim])[:] = values
    return path


@pytest.mark.parametrize("level", [1, 4, 9])
@pytest.mark.parametrize("encoder", ["auto", "fast", "small"])
def test_all_read_what_each_encoder_writes(plain, tmp_path, encoder, level):
    out = tmp_path / "out.nc"
    done = hyperslab.repack(plain, out, chunks=["t2m:100x500", "text:20000"], filter=f"shuffle+gzip={level}", encoder=encoder)
    chosen = {one["path"]: one["encoder"] for one in done["result"]["encoders"]}
    expected = {"auto": {1: ("fast", "fast"), 4: ("fast", "small"), 9: ("small", "small")}[level]}
    assert (chosen["/t2m"], chosen["/text"]) == expected.get(encoder, (encoder, encoder))
    with h5py.File(out) as file, netCDF4.Dataset(out) as theirs, hyperslab.File(out) as ours:
        for name, values in (("t2m", field()), ("text", text())):
            np.testing.assert_array_equal(file[name][...], values)
            np.testing.assert_array_equal(theirs[name][...], values)
            np.testing.assert_array_equal(ours[name][...], values)
            for _, stored in chunks(file[name]):
                assert len(inflated(stored)) == values.itemsize * np.prod(file[name].chunks)


def test_the_bytes_depend_on_data_and_options_alone(plain, tmp_path):
    def repacked(name, **options):
        out = tmp_path / name
        hyperslab.repack(plain, out, chunks=["t2m:70x130", "text:9000"], filter="shuffle+gzip=4", **options)
        return digests(out)

    first = repacked("a.nc")
    assert repacked("b.nc") == first
    assert repacked("c.nc", memory="32MiB") == first
    fast, small = repacked("d.nc", encoder="fast"), repacked("e.nc", encoder="small")
    assert first["t2m"] == fast["t2m"] != small["t2m"]
    assert first["text"] == small["text"] != fast["text"]
    values = field()
    for threads in (1, 2, 5):
        with hyperslab.NewFile(tmp_path / f"{threads}.h5", threads=threads) as file:
            file.create_dataset("t2m", data=values, chunks=(70, 130), compression="gzip", shuffle=True)
    written = [digests(tmp_path / f"{threads}.h5") for threads in (1, 2, 5)]
    assert written[0] == written[1] == written[2]


def test_constant_chunks_do_not_decide(tmp_path):
    values = np.zeros((60, 20_000), "f4")
    values[50:] = field(10, 20_000)
    for encoder in ("auto", "fast", "small"):
        with hyperslab.NewFile(tmp_path / f"{encoder}.h5", encoder=encoder) as file:
            file.create_dataset("t2m", data=values, chunks=(1, 20_000), compression="gzip", compression_opts=6, shuffle=True)
    auto, fast, small = (digests(tmp_path / f"{encoder}.h5")["t2m"] for encoder in ("auto", "fast", "small"))
    assert auto == fast and fast[50:] != small[50:]


def test_an_encoder_that_does_not_exist_is_refused(plain, tmp_path):
    with pytest.raises(ValueError, match="'auto', 'fast', 'small'"):
        hyperslab.NewFile(tmp_path / "new.h5", encoder="quick")
    with pytest.raises(ValueError, match="'auto', 'fast', 'small'"):
        hyperslab.repack(plain, tmp_path / "out.nc", encoder="quick")
    assert not (tmp_path / "out.nc").exists() and not (tmp_path / "new.h5").exists()


def buffers(random):
    """Constants, noise, periods, shuffled walks, few values, and parts of all of these; lengths uniform in the logarithm."""
    for length_max in (most for count, most in GROUPS for _ in range(count)):
        length = int(np.exp(random.uniform(0, np.log(length_max)))) - 1
        kind = random.integers(7)
        if kind == 0:
            raw = np.full(length, random.integers(256), "u1")
        elif kind == 1:
            raw = random.integers(0, 256, length, "u1")
        elif kind == 2:
            period = int(np.exp(random.uniform(0, np.log(32769))))
            raw = np.resize(random.integers(0, 256, max(period, 1), "u1"), length)
        elif kind == 3:
            walk = np.cumsum(random.normal(size=length // 4 + 1)).astype("f4").view("u1")
            raw = np.ascontiguousarray(walk.reshape(-1, 4).T).ravel()[:length]
        elif kind == 4:
            raw = random.choice(random.integers(0, 256, 3, "u1"), length)
        elif kind == 5:
            raw = random.poisson(random.uniform(0.01, 30), length).astype("u1")
        else:
            raw = np.concatenate([random.integers(0, 1 << int(random.integers(1, 9)), length // 3 + 1).astype("u1") for _ in range(3)])[:length]
        yield raw


def batches(all_buffers):
    batch = []
    for raw in all_buffers:
        batch.append(raw)
        if len(batch) == BATCH or sum(map(len, batch)) >= BATCH_BYTES:
            yield batch
            batch = []
    yield batch


def test_random_buffers_come_back_from_zlib_and_are_never_longer_than_stored(tmp_path):
    # Files are synced: in memory that takes no time.
    folder = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=folder) as name:
        path = Path(name) / "buffers.h5"
        for batch in batches(buffers(np.random.default_rng(20261128))):
            with hyperslab.NewFile(path, encoder="fast", verify=False, overwrite=True) as file:
                for number, raw in enumerate(batch):
                    if len(raw):
                        file.create_dataset(f"{number}", data=raw, chunks=raw.shape, compression="gzip", compression_opts=4)
            with h5py.File(path) as file:
                for number, raw in enumerate(batch):
                    if len(raw):
                        ((_, stored),) = chunks(file[f"{number}"])
                        assert inflated(stored) == raw.tobytes(), number
                        assert len(stored) <= len(raw) + 5 * -(-len(raw) // 65_535) + 6, number
