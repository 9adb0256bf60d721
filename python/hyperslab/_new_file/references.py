"""References as values of datasets and attributes of a new file."""

from __future__ import annotations

from weakref import ref


class NewReference:
    """A reference to an object of a new file, as a value of datasets and attributes of that file."""

    __slots__ = ("_file", "_id")

    def __init__(self, file: object, id: int) -> None:
        #: Weak: the values of a file must not keep it open.
        self._file = ref(file)
        self._id = id

    def is_of(self, file: object) -> bool:
        """True if it leads to an object of this file."""
        return self._file() is file

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NewReference) and (self._file, self._id) == (other._file, other._id)

    def __hash__(self) -> int:
        return hash(self._id)


class NewRegionReference:
    """A reference to a region of a dataset of a new file, as a value of datasets and attributes of that file."""

    __slots__ = ("_file", "_id", "_selection")

    def __init__(self, file: object, id: int, selection: bytes) -> None:
        self._file = ref(file)
        self._id = id
        self._selection = selection

    def is_of(self, file: object) -> bool:
        """True if it leads to an object of this file."""
        return self._file() is file

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NewRegionReference) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self._id, self._selection))

    def _key(self) -> tuple[object, int, bytes]:
        return self._file, self._id, self._selection
