"""Datasets of new files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hyperslab._empty import Empty
from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.dimensions import NewDimensions
from hyperslab._new_file.elements import array_of, is_sequence, plain
from hyperslab._new_file.encoder import check, encode
from hyperslab._new_file.fields import fields_of, values_of_field
from hyperslab._new_file.names import about
from hyperslab._new_file.object import Object
from hyperslab._new_file.references import NewRegionReference
from hyperslab._new_file.sequences import sequences_in
from hyperslab.dtypes import check_string_dtype
from hyperslab.errors import InvalidError, WrongTypeError

if TYPE_CHECKING:
    from hyperslab._new_file.file import NewFile


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
    memory. What was never assigned has the fill value.
    """

    def __init__(
        self,
        file: NewFile,
        id: int,
        name: str,
        *,
        dtype: np.dtype[Any],
        shape: tuple[int, ...] | None,
        maxshape: tuple[int | None, ...] | None,
        chunks: tuple[int, ...] | None,
        fillvalue: Any,
        source: Any,
        is_own: bool,
    ) -> None:
        super().__init__(file, id, name)
        self._dtype = dtype
        self._shape = shape
        self._maxshape = maxshape
        self._chunks = chunks
        self._fillvalue = fillvalue
        self._source = source
        #: True if the source is an array that nothing else uses.
        self._is_own = is_own
        self._labels: dict[int, str] = {}

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape; None for a dataset without elements."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the elements."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape or ())

    @property
    def size(self) -> int | None:
        """The number of elements."""
        return None if self._shape is None else int(np.prod(self._shape, dtype=object))

    @property
    def maxshape(self) -> tuple[int | None, ...] | None:
        """The shape to which it can grow; None along an axis without a limit."""
        return self._shape if self._maxshape is None else self._maxshape

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The shape of a chunk; None if it is not chunked."""
        return self._chunks

    @property
    def fillvalue(self) -> Any:
        """The value of elements that are not assigned."""
        return self._fillvalue

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
        if not self._shape:
            raise WrongTypeError(f"{self.name}: a dataset without axes has no length")
        return self._shape[0]

    def __setitem__(self, selection: Any, values: Any) -> None:
        self._builder
        if self._shape is None:
            raise InvalidError(f"{self.name}: the dataset has no elements")
        with about(self.name):
            names, index = fields_of(selection, self._dtype.base)
            values, target = plain(values), self._in_memory()
            if not names:
                self._assign(target, index, values, self._dtype)
                return
            given = [(name, values_of_field(values, name, names)) for name in names]
            for name, value in given:
                self._assign(target[name], index, value, self._dtype.base[name])

    def _assign(self, target: NDArray[Any], index: Any, values: Any, dtype: np.dtype[Any]) -> None:
        """Set elements of an array of the dtype that is given, which is that of the dataset or of a field."""
        if is_sequence(dtype):
            chosen = np.broadcast_to(np.False_, target.shape)[index]
            array = sequences_in(values, chosen.shape, dtype)
            check(array, dtype, self._file)
            # An index of one element stores what is assigned as it is.
            target[index] = array if isinstance(chosen, np.ndarray) else array[()]
            return
        array = array_of(values, dtype.base)
        check(array, dtype.base, self._file)
        target[index] = array[()]

    def __getitem__(self, selection: Any) -> Any:
        """The values that were given so far."""
        if self._shape is None:
            return Empty(self._dtype)
        names, index = fields_of(selection, self._dtype.base)
        if self._source is not None and not isinstance(self._source, np.ndarray):
            found = np.asarray(self._source[index], self._dtype.base)
        else:
            found = self._in_memory()[index]
        return found if not names else found[names[0] if len(names) == 1 else names]

    def __repr__(self) -> str:
        return f'<new HDF5 dataset "{self.name}": shape {self._shape}, type "{self._dtype.str}">'

    def _in_memory(self) -> NDArray[Any]:
        """The array of all elements; made if there is none."""
        assert self._shape is not None
        if self._is_own:
            return cast("NDArray[Any]", self._source)
        shape = self._shape + self._dtype.shape
        if self._source is not None:
            array = np.array(array_of(self._source[...], self._dtype.base), order="C", copy=True)
        elif self._dtype.base.kind == "O":
            array = np.empty(shape, object)
            array.fill(self._unset() if self._fillvalue is None else self._fillvalue)
        elif self._fillvalue is None:
            array = np.zeros(shape, self._dtype.base)
        else:
            array = np.full(shape, self._fillvalue, self._dtype.base)
        self._source, self._is_own = array, True
        return array

    def _unset(self) -> Any:
        text = check_string_dtype(self._dtype)
        return None if text is None else b""

    def _write(self, builder: FileBuilder) -> None:
        if self._source is None or self._shape is None:
            return
        source = self._source
        if isinstance(source, np.ndarray) and not self._dtype.hasobject and source.flags.c_contiguous and not isinstance(source, np.memmap):
            builder.data(self._id, source.reshape(-1).view(np.uint8), True)
        else:
            builder.data(self._id, self._block, False)

    def _block(self, start: tuple[int, ...], count: tuple[int, ...]) -> Any:
        selection = tuple(slice(first, first + size) for first, size in zip(start, count, strict=True))
        base = self._dtype.base
        # An array without axes stays one: its element may be a sequence.
        whole: Any = ... if isinstance(self._source, np.ndarray) else ()
        values = np.asarray(array_of(self._source[selection or whole], base))
        if values.shape != count + self._dtype.shape:
            raise InvalidError(f"{self.name}: the data of shape {count} from {start} on has the shape {values.shape}")
        with about(self.name):
            return encode(values, base, self._file)
