"""The links that `Group.get(..., getlink=True)` returns."""

from __future__ import annotations

__all__ = ["ExternalLink", "HardLink", "SoftLink"]


class HardLink:
    """A link to an object in the same file."""

    __slots__ = ()


class SoftLink:
    """A link to a path in the same file, which need not exist."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = str(path)

    @property
    def path(self) -> str:
        """The path that the link refers to."""
        return self._path

    def __repr__(self) -> str:
        return f'<SoftLink to "{self.path}">'


class ExternalLink:
    """A link to a path in another file. Neither has to exist."""

    __slots__ = ("_filename", "_path")

    def __init__(self, filename: str, path: str) -> None:
        self._filename = filename
        self._path = path

    @property
    def filename(self) -> str:
        """The name of the other file."""
        return self._filename

    @property
    def path(self) -> str:
        """The path in the other file."""
        return self._path

    def __repr__(self) -> str:
        return f'<ExternalLink to "{self.path}" in file "{self.filename}">'
