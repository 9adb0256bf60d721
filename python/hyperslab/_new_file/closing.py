"""New files that the program does not close itself: closed with the last reference, or at the end of the program.

What cannot be written is said on standard error, since nobody catches an exception there. If only the data of some datasets cannot
be read, all else is written under the name `FILE.partial`: the name of the file itself is for what is complete.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import weakref
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hyperslab._new_file.file import NewFile

_numbers = count()
#: The files that were begun in this process, in order.
_begun: dict[int, weakref.ref[NewFile]] = {}
#: The process whose end of a worker is known to close files.
_worker: int | None = None


def remember(file: NewFile) -> None:
    """Close a file at the end of the program, if it is still open then."""
    _at_end_of_worker()
    number = next(_numbers)
    _begun[number] = weakref.ref(file, lambda _: _begun.pop(number, None))


def close_unclosed(file: NewFile) -> None:
    """Close a file, and say on standard error if it cannot be written."""
    # A process that was forked has a copy of the file, which is not its own to write.
    if getattr(file, "_open", None) is None or os.getpid() != file._process:
        return
    try:
        file.close()
    except Exception as error:
        _say(f"{file.filename} was not written: {error}")
        _write_partial(file)
        file.discard()


def _write_partial(file: NewFile) -> None:
    """Write all but the data that cannot be read."""
    left_out: set[int] = set()
    while not file._failed <= left_out:
        left_out |= file._failed
        path = _free(f"{file.filename}.partial")
        try:
            file._write(path, file._options | {"overwrite": False}, left_out)
        except Exception as error:
            if file._failed <= left_out:
                _say(f"{path} was not written: {error}")
            continue
        names = ", ".join(file._records[number].name for number in sorted(left_out))
        _say(f"{path} has everything but the data of {names} (close a file to have such errors where they can be caught)")


def _free(path: str) -> str:
    """The path, with a number if the name is taken."""
    names = (path if number == 1 else f"{path}-{number}" for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


def _say(what: str) -> None:
    # At the end of a program, standard error may be closed.
    with contextlib.suppress(Exception):
        print(f"hyperslab: {what}", file=sys.stderr, flush=True)


def _at_end_of_worker() -> None:
    """Workers of `multiprocessing` end without the functions of `atexit`."""
    global _worker
    util = sys.modules.get("multiprocessing.util")
    if util is None or _worker == os.getpid():
        return
    _worker = os.getpid()
    util.Finalize(None, _at_exit, exitpriority=100)


def _at_exit() -> None:
    for reference in list(_begun.values()):
        file = reference()
        if file is not None:
            close_unclosed(file)


atexit.register(_at_exit)
