"""What can go wrong: one tree of exceptions, whose branches are also the built-in exceptions that h5py raises.

Code written for h5py (``except KeyError``) keeps working; new code may catch `HyperslabError` and look at ``kind``,
whose values are stable: ``not-found``, ``not-hdf5``, ``unsupported``, ``damaged``, ``invalid``, ``io``.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ClosedError",
    "DamagedError",
    "DirectoryError",
    "ForbiddenError",
    "HyperslabError",
    "InvalidError",
    "MissingFileError",
    "NotChunkedError",
    "NotFoundError",
    "NotHdf5Error",
    "OutOfRangeError",
    "ReadError",
    "UnfollowedLinkError",
    "UnsupportedError",
    "UnsupportedTypeError",
    "WrongTypeError",
]


class HyperslabError(Exception):
    """Any error of hyperslab."""

    kind = "invalid"
    """What a caller may want to do about it; a stable code."""
    message: str
    """What happened, with the file and the object."""
    hint: str | None
    """What to do next."""
    file: str | None
    """The file, if it is known."""
    object: str | None
    """Path of the object in the file, if it is known."""

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
    """No such object or attribute."""

    kind = "not-found"


class MissingFileError(HyperslabError, FileNotFoundError):
    """No such file."""

    kind = "not-found"


class NotHdf5Error(HyperslabError, OSError):
    """The bytes are not an HDF5 file."""

    kind = "not-hdf5"


class UnsupportedError(HyperslabError, OSError):
    """The file may be sound, but uses what this version does not read."""

    kind = "unsupported"


class UnfollowedLinkError(UnsupportedError, KeyError):
    """A user-defined link, which only the program that wrote it can follow."""


class UnsupportedTypeError(UnsupportedError, TypeError):
    """NumPy has no equivalent of this datatype."""


class DamagedError(HyperslabError, OSError):
    """The file breaks the specification."""

    kind = "damaged"


class ReadError(HyperslabError, OSError):
    """The operating system or the network did not deliver."""

    kind = "io"


class DirectoryError(ReadError, IsADirectoryError):
    """A directory is no file."""


class ForbiddenError(ReadError, PermissionError):
    """The file may not be read by this user."""


class InvalidError(HyperslabError, ValueError):
    """The caller asked for what cannot be."""


class OutOfRangeError(InvalidError, IndexError):
    """An index lies outside the dataset."""


class WrongTypeError(InvalidError, TypeError):
    """An argument of a type that cannot be used here."""


class NotChunkedError(InvalidError, RuntimeError):
    """A dataset that is not chunked was asked for its chunks."""


class ClosedError(InvalidError, OSError, KeyError, RuntimeError):
    """The file was closed. (h5py raises, by turns, each of the bases.)"""
