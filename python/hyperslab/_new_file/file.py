"""New files."""

from __future__ import annotations

import errno
import os
import threading
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias, cast

from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.attributes import NewAttributes
from hyperslab._new_file.closing import close_unclosed, remember
from hyperslab._new_file.dataset import NewDataset
from hyperslab._new_file.datatype import NewDatatype
from hyperslab._new_file.group import NewGroup
from hyperslab._new_file.options import checked_encoder, checked_libver, checked_page_size, checked_threads, checked_userblock_size
from hyperslab._new_file.record import DatasetRecord, DatatypeRecord, GroupRecord, Record
from hyperslab.errors import ClosedError, DirectoryError, ExistingFileError, ForbiddenError, MissingFileError, NotFoundError
from hyperslab.links import ExternalLink, SoftLink

StrPath: TypeAlias = str | os.PathLike[str]


class NewFile(NewGroup):
    """A new HDF5 file, which is written when it is closed.

        with hyperslab.NewFile("new.h5") as file:
            file.create_dataset("t2m", data=values, chunks=(1, 361, 720), compression="gzip", shuffle=True)
            file["t2m"].attrs["units"] = "K"

    All chunks are encoded by all threads, and metadata lies together at the start of the file. The file has a temporary name
    until it is complete, verified and on the device: after an exception in the block nothing is left of it. Files that exist
    are not changed.

    A file that the program does not close itself is closed with the last reference to it and its objects, or when the program
    ends; if that fails, a message on standard error says so.
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
        encoder: Literal["auto", "fast", "small"] = "auto",
    ) -> None:
        """Begin a new file.

        Args:
            path: of the new file, in a folder that exists.
            libver: the oldest HDF5 library that is to read it: `"earliest"` (1.6), `"v18"`, `"v110"` (the default) or `"latest"`.
            page_size: manage the file in pages of this size (or `"1MiB"`), for readers of object stores.
            userblock_size: bytes before the file, for the application: 0, or a power of two from 512 on.
            track_order: let readers list links and attributes in the order of their creation.
            overwrite: replace a file of this name when the new one is complete.
            verify: read the new file again, and compare it with what was to be written.
            threads: how many threads encode; the bytes of the file do not depend on it.
            encoder: of the gzip filter: `"small"` makes the smallest chunks of a level, `"fast"` is several times as fast, and `"auto"`
                takes it for datasets that it makes at most 5 % larger (10 % at levels 1 to 3, never from 7 on).

        Raises:
            FileExistsError: there is a file of this name, and `overwrite` is not set.
            FileNotFoundError: there is no such folder.
            PermissionError: no file can be created in the folder.
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
            "encoder": checked_encoder(encoder),
        }
        self._track_order = bool(track_order)
        if os.path.isdir(self._path) or given.endswith(os.sep):
            raise DirectoryError(f"{given}: it is a folder; a new file needs a name of its own", file=self._path)
        if not overwrite and os.path.lexists(self._path):
            raise ExistingFileError(f"{self._path}: the file exists", hint="replace it with overwrite=True", file=self._path)
        if not os.path.isdir(os.path.dirname(self._path)):
            raise MissingFileError(f"{self._path}: the folder does not exist", file=self._path)
        if not os.access(os.path.dirname(self._path), os.W_OK | os.X_OK):
            raise ForbiddenError(f"{self._path}: no file can be created in this folder", file=self._path, errno=errno.EACCES)
        self._open = FileBuilder(track_order)
        self._record = GroupRecord(0, "/")
        self._records: dict[int, Record] = {0: self._record}
        #: The datasets whose data could not be read when the file was to be written.
        self._failed: set[int] = set()
        #: A second thread finds the file closed.
        self._closing = threading.RLock()
        #: The process that began it, and that alone writes it.
        self._process = os.getpid()
        remember(self)

    @property
    def _file(self) -> Self:  # type: ignore[override]
        """Not an attribute: a file that refers to itself would end later than its last reference."""
        return self

    @property
    def filename(self) -> str:
        """The path of the new file."""
        return self._path

    def close(self) -> None:
        """Write the file. A file that is closed already stays as it is.

        After an error nothing of it is left, and it is still open: when the cause is mended (a full device, a source of data that
        failed), close it again, or `discard()` it.

        Raises:
            OSError: the file could not be written, its verification failed, or the data of a dataset could not be read.
        """
        try:
            with self._closing:
                self._failed.clear()
                self._write(self._path, self._options, leave_out=set())
        except Exception:
            raise
        except BaseException:
            # Interrupted: nothing may be left, not even at the end of the program.
            self.discard()
            raise

    def discard(self) -> None:
        """Close the file without writing it."""
        self._open = None

    def _write(self, path: str, options: dict[str, Any], leave_out: set[int]) -> None:
        """Write the file and close it, without the data of some datasets."""
        builder = self._open
        if builder is None:
            return
        try:
            for record in self._records.values():
                NewAttributes(self, record)._write(builder)
                if isinstance(record, DatasetRecord) and record.id not in leave_out:
                    NewDataset(self, record)._write(builder)
            builder.write(path, **cast("Any", options))
        finally:
            # The next try begins anew, and the builder must not refer to handles, which refer to the file.
            builder.clear_values()
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
        close_unclosed(self)

    def __repr__(self) -> str:
        return f'<new HDF5 file "{os.path.basename(self._path)}"{"" if self else " (closed)"}>'

    def _open_builder(self) -> FileBuilder:
        if self._open is None:
            raise ClosedError(f"{self._path}: the new file is closed")
        return self._open

    def _handle(self, member: Any) -> Any:
        """What a user gets of a record; a symbolic link is itself."""
        if member is self._record:
            return self
        if isinstance(member, GroupRecord):
            return NewGroup(self, member)
        if isinstance(member, DatasetRecord):
            return NewDataset(self, member)
        return NewDatatype(self, member) if isinstance(member, DatatypeRecord) else member

    def _find_from(self, group: GroupRecord, name: str, getlink: bool, depth: int = 0) -> Any:
        """The record at a path from a group on, or, with `getlink`, the symbolic link there."""
        found: Any = self._record if name.startswith("/") else group
        parts = [part for part in name.split("/") if part]
        for number, part in enumerate(parts):
            member = found.members.get(part) if isinstance(found, GroupRecord) else None
            if isinstance(member, SoftLink) and not (getlink and number == len(parts) - 1):
                if depth > 16:
                    raise NotFoundError(f"{name}: too many symbolic links")
                member = self._find_from(found, member.path, False, depth + 1)
            if member is None or (isinstance(member, ExternalLink) and not getlink):
                raise NotFoundError(f"{group.name}: there is no {name!r} in the new file")
            found = member
        return found
