"""Files that are named by URLs."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time

import h5py
import hyperslab
import numpy as np
import pytest
from comparing import assert_same_content


@pytest.fixture
def served(server, tmp_path):
    """A served file with groups, attributes, chunks, and a link to another served file."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        for number in range(30):
            group = file.create_group(f"group{number:02}")
            data = group.create_dataset("data", data=np.arange(3000) + number, chunks=(100,), compression="gzip")
            data.attrs["number"] = number
            group["contiguous"] = np.arange(5000.0) * number
        file["other"] = h5py.ExternalLink("b.h5", "/x")
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["x"] = [1, 2, 3]
    for name in ["a.h5", "b.h5"]:
        server.files[f"/folder/{name}"] = (tmp_path / name).read_bytes()
    return path, f"{server.url}/folder/a.h5"


def test_values_of_a_url_equal_those_of_the_file(served):
    path, url = served
    with h5py.File(path) as local, hyperslab.File(url) as file:
        assert (file.driver, file.filename) == ("ros3", url)
        assert_same_content(file, local)
        assert list(file["other"][...]) == [1, 2, 3]
    assert hyperslab.is_hdf5(url)
    assert not hyperslab.is_hdf5(url + ".none")


def test_metadata_is_fetched_in_advance(server, served):
    _, url = served
    before = hyperslab.traffic()
    with hyperslab.File(url) as file:
        file.prefetch(chunk_indexes=True)
        fetched = len(server.requests)
        found = []
        file.visititems(lambda name, item: found.append(getattr(item, "chunks", None)))
        maps = [file[f"group{number:02}/data"].chunk_map() for number in range(30)]
        assert (len(found), len(maps), len(server.requests)) == (90, 30, fetched)
    after = hyperslab.traffic()
    assert after.requests - before.requests == fetched
    assert 1 <= after.rounds - before.rounds <= 8
    assert after.bytes > before.bytes and after.retries == before.retries and after.waited > before.waited


def test_a_signature_is_sent_and_not_shown(served):
    _, url = served
    with hyperslab.File(url + "?X-Amz-Signature=secret") as file:
        assert file.filename == url
        assert "secret" not in repr(file)
    with pytest.raises(FileNotFoundError) as error:
        hyperslab.File(url + ".none?X-Amz-Signature=secret")
    assert "secret" not in str(error.value) and url in str(error.value)


def test_options_of_a_store(server, served):
    server.files["/bucket/a key.h5"] = server.files["/folder/a.h5"]
    options = {"anon": True, "client_kwargs": {"endpoint_url": server.url, "region_name": "us-east-1"}, "token": None}
    with hyperslab.File("s3://bucket/a key.h5", storage_options=options) as file:
        assert file["group03/data"][5] == 8
    with hyperslab.File(f"{server.url}/folder/a.h5", storage_options={"headers": {"Authorization": "Bearer x"}}) as file:
        assert file["group03/data"][5] == 8
    assert server.tokens == {None, "Bearer x"}
    with pytest.raises(ValueError, match="unknown option"):
        hyperslab.File("s3://bucket/a.h5", storage_options={"no_such_option": "1"})
    with pytest.raises(ValueError, match="storage_options are for URLs"):
        hyperslab.File("a.h5", storage_options=options)
    with pytest.raises(TypeError, match="must be text or a bool"):
        hyperslab.File("s3://bucket/a.h5", storage_options={"key": 1})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_connections_of_its_own(served):
    path, url = served
    with hyperslab.File(url) as file:
        expected = file["group01/data"][...]
        child = os.fork()
        if child == 0:
            same = np.array_equal(file["group02/data"][...], expected + 1)
            os._exit(0 if same else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        np.testing.assert_array_equal(file["group02/data"][...], expected + 1)


def test_reads_are_awaited_together(server, served):
    path, url = served
    server.delay = 0.05
    with hyperslab.File(url) as file, h5py.File(path) as local:
        file.prefetch(chunk_indexes=True)

        async def all_of_them():
            reads = [file.aread(f"group{number:02}/data", np.s_[100:300]) for number in range(20)]
            whole = file["group07/contiguous"].aread()
            return await asyncio.gather(*reads, whole)

        began = time.monotonic()
        *found, whole = asyncio.run(all_of_them())
        assert time.monotonic() - began < 10
        for number, values in enumerate(found):
            np.testing.assert_array_equal(values, local[f"group{number:02}/data"][100:300])
        np.testing.assert_array_equal(whole, local["group07/contiguous"][...])
        with pytest.raises(KeyError):
            asyncio.run(file.aread("none"))


def test_a_read_that_is_no_longer_awaited_is_cancelled(server, served):
    _, url = served
    with hyperslab.File(url) as file:
        dataset = file["group29/contiguous"]
        server.delay = 20.0

        async def give_up():
            await asyncio.wait_for(dataset.aread(), timeout=0.3)

        began = time.monotonic()
        with pytest.raises(TimeoutError):
            asyncio.run(give_up())
        assert time.monotonic() - began < 10, "the request takes 20 seconds"
        server.delay = 0.0
        assert dataset[5] == 5 * 29


METADATA = """
import hyperslab, sys
print("opening", flush=True)
file = hyperslab.File(sys.argv[1])
print("opened", flush=True)
sys.stdin.readline()
file["group17/data"].chunk_map()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("stage", ["opening", "opened"])
def test_ctrl_c_ends_requests_for_metadata(server, served, stage):
    _, url = served
    server.delay = 10.0 if stage == "opening" else 0.0
    pipe = subprocess.PIPE
    reader = subprocess.Popen([sys.executable, "-c", METADATA, url], stdin=pipe, stdout=pipe, stderr=pipe)
    assert reader.stdout.readline() == b"opening\n"
    if stage == "opened":
        assert reader.stdout.readline() == b"opened\n"
        server.delay = 10.0
        reader.stdin.write(b"go on\n")
        reader.stdin.flush()
    time.sleep(0.5)
    assert reader.poll() is None, "it was over before it could be interrupted"
    reader.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, complaint = reader.communicate(timeout=60)
    assert time.monotonic() - began < 5
    assert complaint.rstrip().endswith(b"KeyboardInterrupt")


def test_a_disk_cache_is_named_by_the_environment(server, served, tmp_path):
    path, url = served
    script = "import hyperslab, sys; f = hyperslab.File(sys.argv[1]); [f[n + '/data'][...] for n in f if n != 'other']; print(hyperslab.traffic().requests)"
    environment = {**os.environ, "HYPERSLAB_DISK_CACHE": str(tmp_path / "cache")}
    counts = []
    for _ in range(2):
        output = subprocess.run([sys.executable, "-c", script, url], env=environment, capture_output=True, check=True)
        counts.append(int(output.stdout))
    assert counts[0] >= 1 and counts[1] == 1, counts
