"""What `Group.get(..., getlink=True)` answers."""

from __future__ import annotations

__all__ = ["ExternalLink", "HardLink", "SoftLink"]


class HardLink:
    """A link to an object of the same file; says nothing more."""

    __slots__ = ()


class SoftLink:
    """A link to a path, which need not exist."""

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = str(path)

    @property
    def path(self) -> str:
        """Where it leads."""
        return self._path

    def __repr__(self) -> str:
        return f'<SoftLink to "{self.path}">'


class ExternalLink:
    """A link to a path in another file; neither need exist."""

    __slots__ = ("_filename", "_path")

    def __init__(self, filename: str, path: str) -> None:
        self._filename = filename
        self._path = path

    @property
    def filename(self) -> str:
        """The other file."""
        return self._filename

    @property
    def path(self) -> str:
        """Where it leads in the other file."""
        return self._path

    def __repr__(self) -> str:
        return f'<ExternalLink to "{self.path}" in file "{self.filename}">'
