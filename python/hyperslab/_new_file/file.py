"""New files."""

from __future__ import annotations

import os
import warnings
from types import TracebackType
from typing import Any, Self, TypeAlias, cast

from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.dataset import NewDataset
from hyperslab._new_file.group import NewGroup
from hyperslab._new_file.object import Object
from hyperslab._new_file.options import checked_libver, checked_page_size, checked_threads, checked_userblock_size
from hyperslab.errors import ClosedError, DirectoryError, ExistingFileError, MissingFileError

StrPath: TypeAlias = str | os.PathLike[str]


class NewFile(NewGroup):
    """A new HDF5 file, which is written when it is closed.

        with hyperslab.NewFile("new.h5") as file:
            file.create_dataset("t2m", data=values, chunks=(1, 361, 720), compression="gzip", shuffle=True)
            file["t2m"].attrs["units"] = "K"

    All chunks are encoded by all threads, and metadata lies together at the start of the file. The file has a temporary name
    until it is complete, verified and on the device: after an exception in the block nothing is left of it. Files that exist
    are not changed.
    """

    def __init__(
        self,
        path: StrPath,
        *,
        libver: str | tuple[str, str] | None = None,
        page_size: int | str | None = None,
        userblock_size: int = 0,
        track_order: bool = False,
        overwrite: bool = False,
        verify: bool = True,
        threads: int | None = None,
    ) -> None:
        """Begin a new file.

        Args:
            path: of the new file, in a folder that exists.
            libver: the oldest HDF5 library that is to read it: `"earliest"` (1.6), `"v18"`, `"v110"` (the default) or `"latest"`.
            page_size: manage the file in pages of so many bytes (or `"1MiB"`), for readers of object stores.
            userblock_size: bytes before the file, for the application: 0, or a power of two from 512 on.
            track_order: let readers list links and attributes in the order of their creation.
            overwrite: replace a file of this name when the new one is complete.
            verify: read the new file again, and compare it with what was to be written.
            threads: how many threads encode; the bytes of the file do not depend on it.

        Raises:
            FileExistsError: there is a file of this name, and `overwrite` is not set.
            FileNotFoundError: there is no such folder.
            IsADirectoryError: the path is that of a folder.
            ValueError: an option that is not possible.
        """
        self._open: FileBuilder | None = None
        given = os.fsdecode(path)
        self._path = os.path.abspath(given)
        self._options = {
            "libver": checked_libver(libver),
            "page_size": checked_page_size(page_size),
            "userblock_size": checked_userblock_size(userblock_size),
            "overwrite": overwrite,
            "verify": verify,
            "threads": checked_threads(threads),
        }
        self._track_order = bool(track_order)
        if os.path.isdir(self._path) or given.endswith(os.sep):
            raise DirectoryError(f"{given}: it is a folder; a new file needs a name of its own", file=self._path)
        if not overwrite and os.path.lexists(self._path):
            raise ExistingFileError(f"{self._path}: the file exists", hint="replace it with overwrite=True", file=self._path)
        if not os.path.isdir(os.path.dirname(self._path)):
            raise MissingFileError(f"{self._path}: the folder does not exist", file=self._path)
        self._open = FileBuilder(track_order)
        self._objects: dict[int, Object] = {}
        super().__init__(self, 0, "/")
        self._objects[0] = self

    @property
    def filename(self) -> str:
        """The path of the new file."""
        return self._path

    def close(self) -> None:
        """Write the file. A file that is closed already stays as it is.

        Raises:
            OSError: the file could not be written, or its verification failed. Nothing of it is left.
        """
        builder = self._open
        if builder is None:
            return
        self._open = None
        for item in self._objects.values():
            item.attrs._write(builder)
            if isinstance(item, NewDataset):
                item._write(builder)
        builder.write(self._path, **cast("Any", self._options))

    def discard(self) -> None:
        """Close the file without writing it."""
        self._open = None

    def __enter__(self) -> Self:
        self._open_builder()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __bool__(self) -> bool:
        return self._open is not None

    def __del__(self) -> None:
        if getattr(self, "_open", None) is not None and len(self._objects) > 1:
            warnings.warn(f"{self._path} was not written: close the new file", ResourceWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f'<new HDF5 file "{os.path.basename(self._path)}"{"" if self else " (closed)"}>'

    def _open_builder(self) -> FileBuilder:
        if self._open is None:
            raise ClosedError(f"{self._path}: the new file is closed")
        return self._open
