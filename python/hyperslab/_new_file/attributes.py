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
from hyperslab._new_file.sequences import sequences_in
from hyperslab._new_file.values import outer_shape
from hyperslab.errors import InvalidError, NotFoundError, WrongTypeError

if TYPE_CHECKING:
    from hyperslab._new_file.datatype import NewDatatype
    from hyperslab._new_file.object import Object


class NewAttributes(MutableMapping[str, Any]):
    """The attributes of an object of a new file.

    A `str` becomes text of variable length in UTF-8, `bytes` text of variable length, other values an array of the dtype
    that NumPy gives them, as in h5py. `Empty` is an attribute without a value.
    """

    def __init__(self, owner: Object) -> None:
        self._owner = owner
        self._values: dict[str, NDArray[Any] | Empty] = {}
        self._dtypes: dict[str, np.dtype[Any]] = {}
        #: The numbers of the named datatypes of those that use one.
        self._named: dict[str, int] = {}

    def create(
        self, name: str, data: Any, shape: int | tuple[int, ...] | None = None, dtype: DTypeLike | NewDatatype | None = None
    ) -> None:
        """Set an attribute to `data`, with this shape and dtype if they are given. The dtype may be a named datatype of the file.

        Raises:
            TypeError: HDF5 has no datatype for the values, or the name is not a text.
            ValueError: the shape has another number of elements, or the values do not fit the dtype.
        """
        self._owner._builder
        with about(f"{self._owner.name}: attribute {name!r}"):
            self._set(checked_text(name), plain(data), shape, dtype)

    def _set(self, name: str, data: Any, shape: int | tuple[int, ...] | None, dtype: DTypeLike | NewDatatype | None) -> None:
        given, named = (None, None) if dtype is None else dtype_and_name(dtype, self._owner.file)
        value: NDArray[Any] | Empty
        if isinstance(data, Empty):
            value, stored = data, data.dtype if given is None else given
        else:
            stored = dtype_of(data) if given is None else given
            if stored.base.kind == "O" and not stored.base.metadata:
                raise WrongTypeError(f"{data!r} has no datatype in HDF5", hint="use hyperslab.string_dtype() or vlen_dtype()")
            value = _array(data, stored, shape)
        # What cannot be written is refused here, by a file that is never written, and not when all else is done.
        self._write_one(FileBuilder(), 0, name, value, stored, None)
        self._named.pop(name, None)
        if named is not None:
            self._named[name] = named
        self._values[name], self._dtypes[name] = value, stored

    def modify(self, name: str, value: Any) -> None:
        """Set the value of an attribute; its dtype stays as it is, if it exists."""
        name = text_of(name)
        named = self._named.get(name)
        self.create(name, value, dtype=self._dtypes.get(name))
        if named is not None:
            self._named[name] = named

    def __setitem__(self, name: str, value: Any) -> None:
        self.create(name, value)

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._values[text_of(name)]
        except KeyError:
            raise NotFoundError(f"{self._owner.name}: there is no attribute {name!r}") from None
        return value if isinstance(value, Empty) else value[()]

    def __delitem__(self, name: str) -> None:
        self[name]
        name = text_of(name)
        del self._values[name], self._dtypes[name]
        self._named.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<Attributes of {self._owner!r}>"

    def _write(self, builder: FileBuilder) -> None:
        for name, value in self._values.items():
            with about(f"{self._owner.name}: attribute {name!r}"):
                self._write_one(builder, self._owner._id, name, value, self._dtypes[name], self._named.get(name))

    def _write_one(
        self, builder: FileBuilder, owner: int, name: str, value: NDArray[Any] | Empty, dtype: np.dtype[Any], named: int | None
    ) -> None:
        if isinstance(value, Empty):
            builder.attribute(owner, name, dtype, None, None, named)
            return
        shape = value.shape if dtype.subdtype is None else outer_shape(value.shape, dtype)
        builder.attribute(owner, name, dtype, shape, encode(value, dtype.base, self._owner._file), named)


def _array(data: Any, dtype: np.dtype[Any], shape: Shape | None) -> NDArray[Any]:
    """The values as an array of their own in the shape that is asked for, with the axes of an array dtype at the end."""
    shape = None if shape is None else shape_tuple(shape)
    if shape is not None and is_sequence(dtype):
        return sequences_in(data, shape, dtype)
    array = np.array(array_of(data, dtype.base), order="C", copy=True)
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
