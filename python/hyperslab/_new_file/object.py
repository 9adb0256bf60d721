"""What the handles of groups, datasets and named datatypes of new files have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.attributes import NewAttributes
from hyperslab._new_file.record import Record
from hyperslab._new_file.references import NewReference

if TYPE_CHECKING:
    from hyperslab._new_file.file import NewFile


class Object:
    """A group, a dataset or a named datatype of a new file."""

    _file: NewFile
    _record: Record

    def __init__(self, file: NewFile, record: Record) -> None:
        self._file = file
        self._record = record

    @property
    def name(self) -> str:
        """The path in the file."""
        return self._record.name

    @property
    def attrs(self) -> NewAttributes:
        """The attributes, to be set and read."""
        return NewAttributes(self._file, self._record)

    @property
    def file(self) -> NewFile:
        """The file that contains it."""
        return self._file

    @property
    def ref(self) -> NewReference:
        """A reference to it, as a value of datasets and attributes of the same file."""
        return NewReference(self._file, self._id)

    def __bool__(self) -> bool:
        """True until the file is closed, whether the object has members or elements."""
        return bool(self._file)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Object) and self._record is other._record

    def __hash__(self) -> int:
        return hash(self._record)

    @property
    def _id(self) -> int:
        return self._record.id

    @property
    def _builder(self) -> FileBuilder:
        return self._file._open_builder()
