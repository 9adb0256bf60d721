"""Keeps xarray from truncating a file that is open here: `xr.open_dataset(path, engine="hyperslab").to_netcdf(path)`.

libhdf5 refuses to create a file that it has open itself. Of files that others have open, it learns by a lock, which it tries only
after it has truncated the file. All engines of xarray that write files open them by `CachingFileManager`, so that is asked first.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any

from hyperslab.errors import LockedError

if TYPE_CHECKING:
    from hyperslab.xarray.files import FileHandle

#: The handles of local files, and of open files with the name of one.
_guarded: weakref.WeakSet[FileHandle] = weakref.WeakSet()
_lock = threading.RLock()
_is_installed = False


def guard(handle: FileHandle) -> None:
    """Refuse that xarray truncates the file of a handle while the handle is in use."""
    with _lock:
        _install()
        _guarded.add(handle)


def release(handle: FileHandle) -> None:
    """The dataset was closed: its file may be replaced."""
    with _lock:
        _guarded.discard(handle)


def _install() -> None:
    global _is_installed
    if _is_installed:
        return
    _is_installed = True
    from xarray.backends.file_manager import CachingFileManager

    begin = CachingFileManager.__init__

    @functools.wraps(begin)
    def checked(self: Any, opener: Any, *args: Any, **options: Any) -> None:
        # First, because the end of the object needs what it sets.
        begin(self, opener, *args, **options)
        if options.get("mode") == "w" and args:
            _check(args[0])

    CachingFileManager.__init__ = checked  # type: ignore[method-assign]


def _check(path: Any) -> None:
    """Refuse to truncate a file that a handle has open."""
    if not isinstance(path, (str, os.PathLike)):
        return
    with _lock:
        handles = list(_guarded)
    for handle in handles:
        known = handle.local_path
        try:
            is_same = known is not None and os.path.samefile(path, known)
        except OSError:
            continue
        if is_same:
            raise LockedError(
                f"{os.fspath(path)}: the file is open here, and would be truncated",
                hint="load the dataset and close it first, or write another file and rename it",
                file=os.fspath(path),
                errno=11,
            )
