"""Pickled objects: files are opened again by path, and the objects of one file share it."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any

import hyperslab

Given = tuple[int | None, int | None, str | None]


def open_file(kind: type[hyperslab.File], path: str, given: Given) -> hyperslab.File:
    """Opens a file with the settings `cache_bytes`, `threads` and `locking`, as an object of the class `kind`."""
    cache_bytes, threads, locking = given
    file = kind.__new__(kind)
    hyperslab.File.__init__(file, path, cache_bytes=cache_bytes, threads=threads, locking=locking)
    return file


#: Files that members were opened of, by path, settings, size and time of the last change; the last one at the end.
_files: OrderedDict[tuple[Any, ...], hyperslab.File] = OrderedDict()
FILES_MAX = 64
_lock = threading.Lock()


def open_member(path: str, given: Given, name: str) -> Any:
    """Opens an object of a file. Objects of the same file, with the same settings, share it while it does not change."""
    found = os.stat(path)
    key = (os.fspath(path), given, found.st_size, found.st_mtime_ns)
    with _lock:
        file = _files.get(key) or _files.setdefault(key, open_file(hyperslab.File, path, given))
        _files.move_to_end(key)
        if len(_files) > FILES_MAX:
            _files.popitem(last=False)
    return file[name]


def open_attributes(path: str, given: Given, name: str) -> hyperslab.AttributeManager:
    """Opens the attributes of an object of a file."""
    attributes: hyperslab.AttributeManager = open_member(path, given, name).attrs
    return attributes


def token(dataset: hyperslab.Dataset) -> Any:
    """What names the values of a dataset: its file with size and time of the last change, and its path."""
    reduced: Any = dataset.__reduce__()
    path, _given, name = reduced[1]
    found = os.stat(path)
    return "hyperslab.Dataset", os.fspath(path), found.st_size, found.st_mtime_ns, name
