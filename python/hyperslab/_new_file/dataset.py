"""Datasets of new files."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hyperslab._empty import Empty
from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.dimensions import NewDimensions
from hyperslab._new_file.elements import array_of, is_sequence, plain, text_bytes
from hyperslab._new_file.encoder import check, encode
from hyperslab._new_file.fields import fields_of, values_of_fields
from hyperslab._new_file.names import about
from hyperslab._new_file.object import Object
from hyperslab._new_file.ownership import copied
from hyperslab._new_file.packed import Packed, is_string_array, packed
from hyperslab._new_file.record import DatasetRecord
from hyperslab._new_file.references import NewRegionReference
from hyperslab._new_file.selection import Selected, select
from hyperslab._new_file.sequences import assigned_sequences
from hyperslab._new_file.values import outer_shape, whole
from hyperslab.dtypes import check_string_dtype, check_vlen_dtype
from hyperslab.errors import InvalidError, WriteError, WrongTypeError


class NewRegions:
    """The regions of a dataset: an index of it gives a reference to what it selects."""

    def __init__(self, dataset: NewDataset) -> None:
        self._dataset = dataset

    def __getitem__(self, selection: Any) -> NewRegionReference:
        dataset = self._dataset
        if dataset.shape is None:
            raise InvalidError(f"{dataset.name}: the dataset has no elements")
        return NewRegionReference(dataset.file, dataset._id, FileBuilder.region(selection, dataset.shape))


class NewDataset(Object):
    """A dataset of a new file.

    Its values are those of `data`, or what is assigned to it; for an assignment, an array of the whole dataset is made in
    memory. An index means what it means in a read, and values are broadcast by h5py's rules. What was never assigned has the
    fill value.
    """

    _record: DatasetRecord

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape; None for a dataset without elements."""
        return self._record.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self._record.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._record.shape or ())

    @property
    def size(self) -> int | None:
        """The number of elements."""
        return None if self._record.shape is None else int(np.prod(self._record.shape, dtype=object))

    @property
    def maxshape(self) -> tuple[int | None, ...] | None:
        """The shape to which it can grow; None along an axis without a limit."""
        return self._record.shape if self._record.maxshape is None else self._record.maxshape

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The shape of a chunk; None if it is not chunked."""
        return self._record.chunks

    @property
    def fillvalue(self) -> Any:
        """The value of elements that are not assigned."""
        return self._record.fillvalue

    @property
    def regionref(self) -> NewRegions:
        """References to regions: `dataset.regionref[0:10, 5]` is a value of dtype `regionref_dtype`."""
        return NewRegions(self)

    @property
    def dims(self) -> NewDimensions:
        """The axes, to which dimension scales are attached."""
        return NewDimensions(self)

    def make_scale(self, name: str = "") -> None:
        """Make it a dimension scale of this name."""
        self._builder.make_scale(self._id, name)

    def __len__(self) -> int:
        if not self._record.shape:
            raise WrongTypeError(f"{self.name}: a dataset without axes has no length")
        return self._record.shape[0]

    def __setitem__(self, selection: Any, values: Any) -> None:
        self._builder
        if self._record.shape is None:
            raise InvalidError(f"{self.name}: the dataset has no elements")
        with about(self.name):
            names, index = fields_of(selection, self._record.dtype.base)
            selected = select(index, self._record.shape, self._id)
            values, dtype = plain(values), self._record.dtype
            if not names and (source := self._packed(values, selected)) is not None:
                self._record.source, self._record.is_own = source, True
                return
            given: list[tuple[str | None, NDArray[Any]]] = []
            if names:
                for field, value in values_of_fields(values, names):
                    given.append((field, self._values(value, selected, dtype.base[field])))
            else:
                given.append((None, self._values(values, selected, dtype)))
            # Nothing was changed if a value does not fit.
            target = self._in_memory()
            for name, array in given:
                changed = target if name is None else target[name]
                if selected.index:
                    changed[selected.index] = array
                else:
                    # An assignment to an array without axes would make an array of objects its element.
                    np.copyto(changed, array)

    def _packed(self, values: Any, selected: Selected) -> Packed | None:
        """Texts or sequences for all elements in the order of the dataset, ready to be written; None for other values."""
        shape, dtype = self._record.shape, self._record.dtype
        if dtype.kind != "O" or not shape or selected.kind != "regular" or selected.counts != shape or selected.integers:
            return None
        if is_string_array(values) and values.shape == shape and (texts := packed(values, dtype)) is not None:
            return texts
        array = assigned_sequences(values, shape, dtype) if is_sequence(dtype) else array_of(values, dtype)
        return packed(array, dtype) if array.shape == shape else None

    def _values(self, values: Any, selected: Selected, dtype: np.dtype[Any]) -> NDArray[Any]:
        """Values of the dtype of the dataset or of a field, in a shape that NumPy broadcasts to the selected elements."""
        if is_sequence(dtype):
            array = assigned_sequences(values, selected.shape, dtype)
            check(array, dtype, self._file)
            return copied(array).reshape(selected.expand(array.shape, self._record.chunks))
        array = array_of(values, dtype.base)
        check(array, dtype.base, self._file)
        given = outer_shape(array.shape, dtype)
        if dtype.shape and not given and selected.shape:
            raise WrongTypeError(f"a single element of the array dtype {dtype} for several elements")
        if not given and selected.shape:
            selected.expand(given, self._record.chunks)
            return array
        return array.reshape(selected.expand(given, self._record.chunks) + dtype.shape)

    def __getitem__(self, selection: Any) -> Any:
        """A copy of the values that were given so far."""
        if self._record.shape is None:
            return Empty(self._record.dtype)
        names, index = fields_of(selection, self._record.dtype.base)
        selected = select(index, self._record.shape, self._id)
        source = self._in_memory() if self._record.source is None or self._record.is_own else self._read(whole(self._record.source.shape))
        found = copied(selected.of(source))
        if names:
            found = found[names[0] if len(names) == 1 else names]
        elif check_string_dtype(self._record.dtype) is not None and found.dtype.kind == "O":
            # As they are read from the file.
            found = np.asarray(np.frompyfunc(text_bytes, 1, 1)(found), object)
        return found if self._record.shape == () and index is ... else found[()]

    def _read(self, index: Any) -> NDArray[Any]:
        """Elements of the source, as it is now."""
        try:
            return np.asarray(array_of(self._record.source[index], self._record.dtype.base))
        except Exception as error:
            what = f"{self.name}: its data cannot be read: {type(error).__name__}: {error}"
            raise WriteError(what, hint="the data was given as a source that is read later", object=self.name) from error

    def __repr__(self) -> str:
        return f'<new HDF5 dataset "{self.name}": shape {self._record.shape}, type "{self._record.dtype.str}">'

    def _in_memory(self) -> NDArray[Any]:
        """The array of all elements; made if there is none."""
        assert self._record.shape is not None
        if isinstance(self._record.source, Packed):
            self._record.source = self._record.source.array()
        if self._record.is_own:
            return cast("NDArray[Any]", self._record.source)
        shape = self._record.shape + self._record.dtype.shape
        if self._record.source is not None:
            array = copied(self._read(whole(self._record.source.shape)))
        elif self._record.dtype.base.kind == "O":
            array = np.empty(shape, object)
            array.fill(self._unset() if self._record.fillvalue is None else self._record.fillvalue)
        elif self._record.fillvalue is None:
            array = np.zeros(shape, self._record.dtype.base)
        else:
            array = np.full(shape, self._record.fillvalue, self._record.dtype.base)
        self._record.source, self._record.is_own = array, True
        return array

    def _unset(self) -> Any:
        """What an element is that was never assigned."""
        if check_string_dtype(self._record.dtype) is not None:
            return b""
        return np.empty(0, check_vlen_dtype(self._record.dtype)) if is_sequence(self._record.dtype) else None

    def _write(self, builder: FileBuilder) -> None:
        """Give the builder the data, which it reads when it writes the file."""
        if self._record.source is None or self._record.shape is None:
            return
        source = self._record.source
        if isinstance(source, np.ndarray) and not self._record.dtype.hasobject and source.flags.c_contiguous and not isinstance(source, np.memmap):
            builder.data(self._id, source.reshape(-1).view(np.uint8), True)
        else:
            builder.data(self._id, self._block, False)

    def _block(self, start: tuple[int, ...], count: tuple[int, ...]) -> Any:
        """The elements of a block. If that fails, the file knows of which dataset."""
        try:
            return self._encoded(start, count)
        except Exception:
            self._file._failed.add(self._id)
            raise

    def _encoded(self, start: tuple[int, ...], count: tuple[int, ...]) -> Any:
        if isinstance(self._record.source, Packed):
            return self._record.source.elements(start, count)
        selection = tuple(slice(first, first + size) for first, size in zip(start, count, strict=True))
        base = self._record.dtype.base
        # An array without axes stays one: its element may be a sequence.
        every: Any = ... if isinstance(self._record.source, np.ndarray) else ()
        values = self._read(selection or every)
        if values.shape != count + self._record.dtype.shape:
            raise InvalidError(f"{self.name}: the data of shape {count} from {start} on has the shape {values.shape}")
        with about(self.name):
            return encode(values, base, self._file)
