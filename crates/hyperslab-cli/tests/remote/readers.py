"""Reads a served file as users do, as it is told.

Usage: readers.py RECORD URL. RECORD is the script of the command that records, whose functions open, list and read here, too.
Prints {"skip": why}, or {"ready": true}; then {"seconds": number} for each job that comes as a line of JSON:
{"reader", "block": bytes, "step": opening, listing or reading, "dataset", "blocks"}, with "file" to read that instead; or
{"skip": why}. Readers are h5py over the caches of fsspec (none, first, readahead, blockcache), h5py over libhdf5's driver ros3,
zarr over the references that kerchunk makes of the local file "local", and hyperslab.
"""

import http.client
import json
import os
import runpy
import sys
import time
import urllib.parse

try:
    import fsspec.spec
    import h5py
except ImportError as error:
    print(json.dumps({"skip": str(error)}))
    sys.exit()


class Served(fsspec.spec.AbstractFileSystem):
    """One file of a web server, asked for its length when it is opened, as fsspec's own file systems do."""

    protocol = "served"
    cachable = False

    def __init__(self, url):
        super().__init__()
        parts = urllib.parse.urlsplit(url)
        self.path = parts.path
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port)

    def response(self, method, headers):
        self.connection.request(method, self.path, headers=headers)
        response = self.connection.getresponse()
        return response, response.read()

    def range(self, start, end):
        return self.response("GET", {"Range": f"bytes={start}-{end - 1}"})[1]

    async def _cat_file(self, path, start=None, end=None, **_):
        """What the file system of references asks for."""
        return self.range(start, end)

    def info(self, path, **_):
        response, _ = self.response("HEAD", {})
        return {"name": path, "size": int(response.headers["Content-Length"]), "type": "file"}

    def _open(self, path, mode="rb", **options):
        return File(self, path, mode, **options)


class File(fsspec.spec.AbstractBufferedFile):
    def _fetch_range(self, start, end):
        return self.fs.range(start, end)


def by_h5py(file, job):
    if job["step"] == "listing":
        work["listing"](file, [])
    elif job["step"] == "reading":
        work["reading"](job, 1 << 60)(file, [])


def locally(path, job):
    with h5py.File(path, "r") as file:
        by_h5py(file, job)


def over_ros3(url, job):
    parts = urllib.parse.urlsplit(url)
    # The name of a host, not its number: the driver refuses numbers.
    os.environ |= {"AWS_ENDPOINT_URL": f"http://localhost:{parts.port}", "HDF5_ROS3_VFD_FORCE_PATH_STYLE": "1"}
    secrets = {"aws_region": b"us-east-1", "secret_id": b"x", "secret_key": b"x"}
    with h5py.File(f"s3://bucket{parts.path}", "r", driver="ros3", **secrets) as file:
        by_h5py(file, job)


def over_fsspec(url, job):
    served = Served(url).open("file", cache_type=job["reader"], block_size=job["block"])
    with served, h5py.File(served, "r") as file:
        by_h5py(file, job)


def over_references(url, job):
    """zarr over kerchunk's references; they themselves are not fetched from the server."""
    import fsspec
    import kerchunk.hdf
    import zarr

    with open(job["local"], "rb") as local:
        references = kerchunk.hdf.SingleHdf5ToZarr(local, "served://file", inline_threshold=0).translate()
    served = {"served": Served(url)}
    file = fsspec.filesystem("reference", fo=references, fs=served, asynchronous=True)
    group = zarr.open_group(zarr.storage.FsspecStore(file, read_only=True), mode="r", zarr_format=2)
    if job["step"] == "reading":
        array = group[job["dataset"].strip("/")]
        for start, count in job["blocks"]:
            array[tuple(slice(first, first + many) for first, many in zip(start, count))]


def by_hyperslab(url, job):
    import hyperslab

    with hyperslab.File(url) as file:
        if job["step"] == "listing":
            file.prefetch(chunk_indexes=True)
        elif job["step"] == "reading":
            dataset = file[job["dataset"]]
            for start, count in job["blocks"]:
                dataset[tuple(slice(first, first + many) for first, many in zip(start, count))]


record, url = sys.argv[1:]
work = runpy.run_path(record, run_name="record")
readers = {"ros3": over_ros3, "kerchunk": over_references}
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    job = json.loads(line)
    began = time.perf_counter()
    try:
        if job["reader"] == "hyperslab":
            by_hyperslab(job.get("file", url), job)
        elif "file" in job:
            locally(job["file"], job)
        else:
            readers.get(job["reader"], over_fsspec)(url, job)
    except ImportError as error:
        print(json.dumps({"skip": str(error)}), flush=True)
        continue
    print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)
