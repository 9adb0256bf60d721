"""Open files that all arrays of the process share.

A file is opened when it is first needed. At most `file_cache_maxsize` files (an option of xarray) stay open; one that was
left out is opened again. A read that is in progress keeps its file open.
"""

from __future__ import annotations

import os
import threading
import weakref
import zlib
from collections import Counter, OrderedDict
from typing import Any, NamedTuple, cast

import xarray

import hyperslab
from hyperslab.errors import ChangedError
from hyperslab.xarray.guard import guard, release


#: The URLs that `hyperslab.File` opens itself; fsspec opens others.
SCHEMES = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "http", "https"}


#: The bytes at each end of a file by which it is recognized.
_END = 1024


class Stamp(NamedTuple):
    """The state of a local file. Its time alone says little: `touch` changes it."""

    size: int
    mtime_ns: int
    inode: int
    #: A checksum of its first and last bytes.
    ends: int

    @classmethod
    def of(cls, path: str) -> Stamp | None:
        """The state of the file at a path; None if it cannot be read."""
        try:
            with open(path, "rb") as file:
                found = os.fstat(file.fileno())
                first = file.read(_END)
                file.seek(max(0, found.st_size - _END))
                return cls(found.st_size, found.st_mtime_ns, found.st_ino, zlib.crc32(file.read(_END), zlib.crc32(first)))
        except OSError:
            return None

    def is_same(self, other: Stamp | None) -> bool:
        """True if the file has not changed, as far as is known."""
        if other is None or self.size != other.size:
            return False
        # The number of the file alone may be another one on another computer.
        return self.mtime_ns == other.mtime_ns or (self.inode, self.ends) == (other.inode, other.ends)


class OpenFile:
    """An open file with the datasets that were opened in it, whose chunk indexes are kept with them."""

    def __init__(self, file: hyperslab.File) -> None:
        self.file = file
        self.datasets: dict[str, hyperslab.Dataset] = {}

    def dataset(self, path: str) -> hyperslab.Dataset:
        """The dataset at a path."""
        found = self.datasets.get(path)
        if found is None:
            found = self.datasets[path] = self.file[path]
        return found


#: Reentrant: a finalizer may run while it is held, and read a dataset.
_lock = threading.RLock()
#: The open files, the one that was used last at the end.
_open: OrderedDict[tuple[Any, ...], OpenFile] = OrderedDict()
#: The number of handles of each file.
_handles: Counter[tuple[Any, ...]] = Counter()


def _forget(key: tuple[Any, ...]) -> None:
    """Called when a handle is gone."""
    with _lock:
        _handles[key] -= 1
        if _handles[key] <= 0:
            del _handles[key]
            _open.pop(key, None)


class FileHandle:
    """Names a file, and opens it when it is needed. Two handles of the same file share it while it is open.

    Handles are pickled by name and options, so that another process opens the file itself. A file that was replaced or
    changed since the handle was made is an error, because what is known of its variables no longer applies.
    """

    def __init__(
        self, target: Any, options: dict[str, Any] | None = None, storage_options: Any = None, store: Any = None
    ) -> None:
        self.target = target
        self.options = dict(options or {})
        self.storage_options = storage_options
        self.store = store
        self.stamp = self._stamp()
        #: What tells handles with other options of the same file apart.
        self._described = repr(sorted(self.options.items())), repr(self.storage_options)
        self._register()

    def _register(self) -> None:
        """Close the file with the last of its handles: an open file is locked."""
        key = self._key()
        with _lock:
            _handles[key] += 1
        weakref.finalize(self, _forget, key).atexit = False
        if self.local_path is not None:
            guard(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._register()

    @property
    def name(self) -> str:
        """The path or URL; of a file object, its description."""
        return self.target if isinstance(self.target, str) else repr(self.target)

    @property
    def is_local(self) -> bool:
        """True for a path on this computer."""
        return isinstance(self.target, str) and self.store is None and "://" not in self.target

    @property
    def local_path(self) -> str | None:
        """The path on this computer; of an open file, that of its name. None for what has none."""
        if self.is_local:
            return cast("str", self.target)
        name = None if self.store is not None or isinstance(self.target, (str, bytes)) else getattr(self.target, "name", None)
        return name if isinstance(name, str) and os.path.isfile(name) else None

    def _stamp(self) -> Stamp | None:
        """The state of a local file."""
        return Stamp.of(self.target) if self.is_local else None

    def _key(self) -> tuple[Any, ...]:
        # An open file keeps the objects that its key names, so their numbers are not given to others meanwhile.
        target = self.target if isinstance(self.target, str) else id(self.target)
        return target, id(self.store), self._described, self.stamp

    def open(self) -> OpenFile:
        """The open file."""
        key = self._key()
        with _lock:
            found = _open.get(key)
            if found is not None:
                _open.move_to_end(key)
                return found
        made = OpenFile(self._open())
        if self.local_path is not None:
            guard(self)
        with _lock:
            made = _open.setdefault(key, made)
            _open.move_to_end(key)
            while len(_open) > max(1, xarray.get_options()["file_cache_maxsize"]):  # type: ignore[no-untyped-call]
                _open.popitem(last=False)
        return made

    def _open(self) -> hyperslab.File:
        if isinstance(self.target, bytes):
            return hyperslab.File.in_memory(self.target)
        if self.store is not None:
            return hyperslab.File(self.target, store=self.store, storage_options=self.storage_options, **self.options)
        if isinstance(self.target, str) and not self.is_local:
            if self.target.split("://")[0] in SCHEMES:
                return hyperslab.File(self.target, storage_options=self.storage_options, **self.options)
            return hyperslab.File(open_url(self.target, self.storage_options), **self.options)
        file = hyperslab.File(self.target, **self.options)
        if self.stamp is not None and not self.stamp.is_same(self._stamp()):
            raise ChangedError(f"{self.name}: the file changed after it was opened; open the dataset again", file=self.name)
        return file

    def close(self) -> None:
        """Lets go of the file. Reading again opens it again."""
        with _lock:
            _open.pop(self._key(), None)
        release(self)

    def __repr__(self) -> str:
        return f"<FileHandle of {self.name}>"


def open_url(url: str, storage_options: Any) -> Any:
    """Opens a URL with fsspec, without a cache in between: the engine asks for the ranges that it needs."""
    import fsspec  # type: ignore[import-untyped]

    return fsspec.open(url, mode="rb", cache_type="none", **(storage_options or {})).open()
