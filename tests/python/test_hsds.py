"""HSDS, started locally: a domain that is linked to a file has its values."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from urllib.request import Request, urlopen

import h5py
import numpy as np
import pytest

import hyperslab
import hyperslab.hsds

#: The bucket of its own settings, which the option does not change everywhere.
BUCKET = "hsdstest"
#: Seconds until the server answers.
START_TIME_MAX = 60


@pytest.fixture(scope="module")
def hsds(tmp_path_factory):
    # HSDS wants other versions of the tests' libraries: it is installed in an environment of its own.
    command = shutil.which(os.environ.get("HYPERSLAB_HSDS", "hsds"))
    if command is None:
        pytest.skip("the server hsds is missing: pip install hsds, and name its command in HYPERSLAB_HSDS")
    root = tmp_path_factory.mktemp("hsds")
    (root / BUCKET).mkdir()
    (root / "passwords").write_text("admin:admin\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["--root_dir", root, "--bucket_name", BUCKET, "--host", "127.0.0.1", "-p", str(port)]
    arguments += ["--password_file", root / "passwords", "--count", "1", "--logfile", root / "hs.log"]
    with open(root / "log", "wb") as log:
        # In a session of its own, because its nodes are processes that outlive it.
        server = subprocess.Popen([command, *arguments], stdout=log, stderr=log, cwd=root, start_new_session=True)
    endpoint = f"http://127.0.0.1:{port}"
    try:
        limit = time.monotonic() + START_TIME_MAX
        while True:
            try:
                # It answers before all of its nodes do.
                send(endpoint, "/home", "PUT", "/", {"folder": 1})
                break
            except OSError:
                assert time.monotonic() < limit and server.poll() is None, (root / "log").read_text()[-2000:]
                time.sleep(0.5)
        yield endpoint, root / BUCKET
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=30)


def send(endpoint, domain, method, path, body=None):
    pair = base64.b64encode(b"admin:admin").decode()
    headers = {"Authorization": f"Basic {pair}", "X-Hdf-domain": domain, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{endpoint}{path}", data, headers, method=method), timeout=60) as response:
        return json.loads(response.read())


def test_a_linked_domain_has_the_values_of_the_file(hsds):
    endpoint, bucket = hsds
    path = bucket / "t.h5"
    with h5py.File(path, "w") as file:
        ramp = np.arange(60, dtype="f4").reshape(6, 10)
        file.create_dataset("gzip", data=ramp, chunks=(4, 4), compression="gzip", shuffle=True).attrs["units"] = "K"
        file.create_dataset("big_endian", data=ramp.astype(">i2"), chunks=(4, 4))
        file["contiguous"] = ramp.astype("f8")
        file["group/many"] = ramp.astype("i4")
        file.create_dataset("chunks", data=np.arange(3000, dtype="i4"), chunks=(2,))
        file.create_dataset("sparse", (20,), "i4", chunks=(5,), fillvalue=7)[3] = 1
        file.create_dataset("fletcher", data=ramp, chunks=(4, 4), fletcher32=True)
    with pytest.warns(RuntimeWarning, match="/fletcher: HSDS does not undo Fletcher32"):
        document = hyperslab.index(path, format="hsds", url=f"{BUCKET}/t.h5")
    loaded = hyperslab.hsds.load(document, "/home/t.h5", endpoint=endpoint, user="admin", password="admin")
    assert set(loaded) == {"gzip", "big_endian", "contiguous", "group/many", "chunks", "sparse"}
    with h5py.File(path) as file:
        for name, identification in loaded.items():
            value = send(endpoint, "/home/t.h5", "GET", f"/datasets/{identification}/value")["value"]
            np.testing.assert_array_equal(value, file[name][...], err_msg=name)
    attributes = send(endpoint, "/home/t.h5", "GET", f"/datasets/{loaded['gzip']}/attributes/units")
    assert attributes["value"] == "K"
