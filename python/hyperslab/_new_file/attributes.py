"""Attributes of new files."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hyperslab._empty import Empty
from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.elements import array_of, dtype_of, is_sequence, plain
from hyperslab._new_file.encoder import encode
from hyperslab._new_file.extents import Shape, shape_tuple
from hyperslab._new_file.named import dtype_and_name
from hyperslab._new_file.names import about, checked_text, text_of
from hyperslab._new_file.ownership import copied
from hyperslab._new_file.record import AttributeRecord, Record
from hyperslab._new_file.sequences import sequences_in
from hyperslab._new_file.values import outer_shape
from hyperslab.errors import InvalidError, NotFoundError, WrongTypeError

if TYPE_CHECKING:
    from hyperslab._new_file.datatype import NewDatatype
    from hyperslab._new_file.file import NewFile


class NewAttributes(MutableMapping[str, Any]):
    """The attributes of an object of a new file.

    A `str` becomes text of variable length in UTF-8, `bytes` text of variable length, other values an array of the dtype
    that NumPy gives them, as in h5py. `Empty` is an attribute without a value.
    """

    def __init__(self, file: NewFile, record: Record) -> None:
        self._file = file
        self._record = record

    def create(
        self, name: str, data: Any, shape: int | tuple[int, ...] | None = None, dtype: DTypeLike | NewDatatype | None = None
    ) -> None:
        """Set an attribute to `data`, with this shape and dtype if they are given. The dtype may be a named datatype of the file.

        Raises:
            TypeError: HDF5 has no datatype for the values, or the name is not a text.
            ValueError: the shape has another number of elements, or the values do not fit the dtype.
        """
        self._file._open_builder()
        with about(f"{self._record.name}: attribute {name!r}"):
            self._set(checked_text(name), plain(data), shape, dtype)

    def _set(self, name: str, data: Any, shape: int | tuple[int, ...] | None, dtype: DTypeLike | NewDatatype | None) -> None:
        given, named = (None, None) if dtype is None else dtype_and_name(dtype, self._file)
        value: NDArray[Any] | Empty
        if isinstance(data, Empty):
            value, stored = data, data.dtype if given is None else given
        else:
            stored = dtype_of(data) if given is None else given
            if stored.base.kind == "O" and not stored.base.metadata:
                raise WrongTypeError(f"{data!r} has no datatype in HDF5", hint="use hyperslab.string_dtype() or vlen_dtype()")
            value = _array(data, stored, shape)
        # What cannot be written is refused here, by a file that is never written, and not when all else is done.
        self._write_one(FileBuilder(), 0, name, AttributeRecord(value, stored, None))
        self._record.attributes[name] = AttributeRecord(value, stored, named)

    def modify(self, name: str, value: Any) -> None:
        """Set the value of an attribute; its dtype stays as it is, if it exists."""
        name = text_of(name)
        before = self._record.attributes.get(name)
        self.create(name, value, dtype=None if before is None else before.dtype)
        if before is not None:
            self._record.attributes[name].named = before.named

    def __setitem__(self, name: str, value: Any) -> None:
        self.create(name, value)

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._record.attributes[text_of(name)].value
        except KeyError:
            raise NotFoundError(f"{self._record.name}: there is no attribute {name!r}") from None
        return value if isinstance(value, Empty) else copied(value)[()]

    def __delitem__(self, name: str) -> None:
        self[name]
        del self._record.attributes[text_of(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._record.attributes))

    def __len__(self) -> int:
        return len(self._record.attributes)

    def __repr__(self) -> str:
        return f"<Attributes of {self._record.name!r} of a new HDF5 file>"

    def _write(self, builder: FileBuilder) -> None:
        for name, attribute in self._record.attributes.items():
            with about(f"{self._record.name}: attribute {name!r}"):
                self._write_one(builder, self._record.id, name, attribute)

    def _write_one(self, builder: FileBuilder, owner: int, name: str, attribute: AttributeRecord) -> None:
        value, dtype = attribute.value, attribute.dtype
        if isinstance(value, Empty):
            builder.attribute(owner, name, dtype, None, None, attribute.named)
            return
        shape = value.shape if dtype.subdtype is None else outer_shape(value.shape, dtype)
        builder.attribute(owner, name, dtype, shape, encode(value, dtype.base, self._file), attribute.named)


def _array(data: Any, dtype: np.dtype[Any], shape: Shape | None) -> NDArray[Any]:
    """The values as an array of their own in the shape that is asked for, with the axes of an array dtype at the end."""
    shape = None if shape is None else shape_tuple(shape)
    if shape is not None and is_sequence(dtype):
        return copied(sequences_in(data, shape, dtype))
    array = copied(array_of(data, dtype.base))
    if shape is not None:
        # h5py's shape has the axes of an array dtype, too; here it may also be that of the attribute alone.
        has_axes = shape[max(len(shape) - len(dtype.shape), 0) :] == dtype.shape and _size(shape) == array.size
        wanted = shape if has_axes else shape + dtype.shape
        if _size(wanted) != array.size:
            raise InvalidError(f"data of shape {array.shape} is not of shape {shape}")
        array = array.reshape(wanted)
    if dtype.subdtype is not None:
        outer_shape(array.shape, dtype)
    return array


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=object))
