"""The exceptions. Each is also an instance of the built-in exception that h5py raises in the same case.

Code written for h5py (``except KeyError``) keeps working; new code may catch `HyperslabError` and look at ``kind``,
whose values are stable: ``not-found``, ``not-hdf5``, ``unsupported``, ``damaged``, ``invalid``, ``limit``,
``out-of-memory``, ``io``, ``changed``, ``cancelled``, ``internal``.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "CancelledError",
    "ChangedError",
    "ClosedError",
    "DamagedError",
    "DirectoryError",
    "ExistingFileError",
    "ForbiddenError",
    "HyperslabError",
    "InternalError",
    "InvalidError",
    "LimitError",
    "LockedError",
    "MissingFileError",
    "MissingGroupError",
    "NotChunkedError",
    "NotFoundError",
    "NotHdf5Error",
    "OutOfMemoryError",
    "OutOfRangeError",
    "ReadError",
    "ReadOnlyError",
    "UnfollowedLinkError",
    "UnsupportedError",
    "UnsupportedTypeError",
    "WriteError",
    "WrongTypeError",
]


class HyperslabError(Exception):
    """Any error of hyperslab."""

    kind = "invalid"
    """The kind of error; a stable code."""
    message: str
    """What failed, with the file and the object."""
    hint: str | None
    """What to do next."""
    file: str | None
    """The name of the file, if it is known."""
    object: str | None
    """The path of the object in the file, if it is known."""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: str | None = None,
        object: str | None = None,
        errno: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.file = file
        self.object = object
        if isinstance(self, OSError):
            vars(OSError)["errno"].__set__(self, errno)
            vars(OSError)["strerror"].__set__(self, message)
            vars(OSError)["filename"].__set__(self, file)

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message, self.hint, self.file, self.object, getattr(self, "errno", None)))


def _rebuild(cls: type[HyperslabError], message: str, *rest: Any) -> HyperslabError:
    hint, file, object, errno = rest
    return cls(message, hint=hint, file=file, object=object, errno=errno)


class NotFoundError(HyperslabError, KeyError):
    """There is no such object or attribute."""

    kind = "not-found"


class MissingFileError(HyperslabError, FileNotFoundError):
    """There is no such file."""

    kind = "not-found"


class MissingGroupError(NotFoundError, OSError):
    """There is no group that xarray can open at this path; an `OSError`, too, as with `engine="h5netcdf"`."""


class NotHdf5Error(HyperslabError, OSError):
    """The file is not an HDF5 file."""

    kind = "not-hdf5"


class UnsupportedError(HyperslabError, OSError):
    """The file may be valid, but uses a feature that this version does not support."""

    kind = "unsupported"


class UnfollowedLinkError(UnsupportedError, KeyError):
    """A user-defined link, which only the program that wrote it can follow."""


class UnsupportedTypeError(UnsupportedError, TypeError):
    """NumPy has no equivalent of this datatype."""


class DamagedError(HyperslabError, OSError):
    """The file violates the HDF5 specification."""

    kind = "damaged"


class LimitError(HyperslabError, OSError):
    """A ceiling that protects the reader from hostile files was reached: nesting, links, members, axes."""

    kind = "limit"


class OutOfMemoryError(HyperslabError, MemoryError):
    """The machine could not give the memory. A smaller selection may succeed."""

    kind = "out-of-memory"


class ReadError(HyperslabError, OSError):
    """The operating system or the network could not read the file."""

    kind = "io"


class ChangedError(HyperslabError, OSError):
    """The file changed while it was being read."""

    kind = "changed"


class CancelledError(HyperslabError):
    """The work was asked to stop before it was done."""

    kind = "cancelled"


class InternalError(HyperslabError, RuntimeError):
    """A mistake in hyperslab. Please report it."""

    kind = "internal"


class DirectoryError(ReadError, IsADirectoryError):
    """The path is that of a directory."""


class ForbiddenError(ReadError, PermissionError):
    """This user has no permission to read the file, or to create one in the folder."""


class LockedError(ReadError, BlockingIOError):
    """Another program has the file open for writing."""


class InvalidError(HyperslabError, ValueError):
    """The request is invalid."""


class OutOfRangeError(InvalidError, IndexError):
    """An index is outside the dataset."""


class WrongTypeError(InvalidError, TypeError):
    """An argument has the wrong type."""


class ExistingFileError(InvalidError, FileExistsError):
    """A new file would replace one that exists."""


class WriteError(HyperslabError, OSError):
    """A new file could not be written. Nothing of it is left."""

    kind = "io"


class ReadOnlyError(InvalidError, OSError):
    """Something would write, but hyperslab only reads."""


class NotChunkedError(InvalidError, RuntimeError):
    """A dataset that is not chunked was asked for its chunks."""


class ClosedError(InvalidError, OSError, KeyError, RuntimeError):
    """The file was closed. (h5py raises one or another of the base classes, depending on the call.)"""
