"""What groups and datasets of new files have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.attributes import NewAttributes
from hyperslab._new_file.references import NewReference

if TYPE_CHECKING:
    from hyperslab._new_file.file import NewFile


class Object:
    """A group or a dataset of a new file."""

    def __init__(self, file: NewFile, id: int, name: str) -> None:
        self._file = file
        self._id = id
        self._name = name
        self._attrs = NewAttributes(self)

    @property
    def name(self) -> str:
        """The path in the file."""
        return self._name

    @property
    def attrs(self) -> NewAttributes:
        """The attributes, to be set and read."""
        return self._attrs

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

    @property
    def _builder(self) -> FileBuilder:
        return self._file._open_builder()
