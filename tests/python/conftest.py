"""Fixtures of these tests: files that h5py writes and both libraries read."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import h5py
import kit
import pytest

import hyperslab


@pytest.fixture(params=["earliest", "latest"])
def libver(request):
    """The oldest and the latest format in which h5py writes files."""
    return request.param


class Pair:
    """A file written by h5py and opened by both libraries."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.theirs = h5py.File(path, "r")
        self.ours = hyperslab.File(path)

    def __getitem__(self, name):
        return self.theirs[name], self.ours[name]

    def close(self) -> None:
        self.theirs.close()
        self.ours.close()


@pytest.fixture
def pair(tmp_path):
    """Call it with a function that writes into an `h5py.File`."""
    opened = []

    def make(write, libver="latest") -> Pair:
        path = tmp_path / f"pair{len(opened)}.h5"
        with h5py.File(path, "w", libver=libver) as file:
            write(file)
        opened.append(Pair(path))
        return opened[-1]

    yield make
    for both in opened:
        both.close()


@pytest.fixture(scope="session")
def corpus():
    """The folder of real files; tests that need it are skipped without it."""
    if why := kit.missing_corpus():
        pytest.skip(why)
    return kit.CORPUS


class Handler(BaseHTTPRequestHandler):
    """Answers ranges of the files of the server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        content = self.server.files.get(unquote(self.path.split("?")[0]))
        self.server.requests.append(self.headers["Range"])
        self.server.tokens.add(self.headers["Authorization"])
        time.sleep(self.server.delay)
        if content is None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        part = content[int(first) : int(last) + 1]
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}")
        self.send_header("ETag", '"one"')
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    """A web server with the files of its `files`, which notes the ranges that were requested in `requests`
    and waits `delay` seconds before each answer."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.files, httpd.requests, httpd.tokens, httpd.delay = {}, [], set(), 0.0
    httpd.url = f"http://127.0.0.1:{httpd.server_port}"
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield httpd
    httpd.shutdown()
    httpd.server_close()
