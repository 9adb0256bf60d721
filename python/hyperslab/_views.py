"""Views of datasets and groups."""

from __future__ import annotations

import collections.abc
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hyperslab import _cast
from hyperslab.dtypes import check_string_dtype
from hyperslab.errors import InvalidError, WrongTypeError

if TYPE_CHECKING:
    from hyperslab import Dataset


class View:
    """A dataset whose values are converted when they are read."""

    def __init__(self, dataset: Dataset, dtype: np.dtype[Any]) -> None:
        self._dataset = dataset
        self._dtype = dtype

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values that are read."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of the dataset."""
        return self._dataset.shape

    @property
    def ndim(self) -> int:
        """The number of axes of the dataset."""
        return self._dataset.ndim

    @property
    def size(self) -> int | None:
        """The number of elements of the dataset."""
        return self._dataset.size

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, selection: Any) -> Any:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return array(self, dtype, copy)


class AsType(View):
    """A view of a dataset as another dtype."""

    def __init__(self, dataset: Dataset, dtype: np.dtype[Any]) -> None:
        if dtype.kind == "T" and check_string_dtype(dataset.dtype) is None:
            raise WrongTypeError(f"{dtype} is for an HDF5 string datatype, but {dataset.name} holds {dataset.dtype}")
        super().__init__(dataset, dtype)

    def __getitem__(self, selection: Any) -> Any:
        return _cast.cast(self._dataset[selection], self._dtype)


class AsStr(View):
    """A view of a dataset of text as `str`."""

    def __init__(self, dataset: Dataset, encoding: str | None, errors: str) -> None:
        info = check_string_dtype(dataset.dtype)
        if info is None:
            raise WrongTypeError(f"asstr() is for datasets of text, but {dataset.name} holds {dataset.dtype}")
        super().__init__(dataset, np.dtype(object))
        self.encoding = encoding or info.encoding
        self.errors = errors

    def __getitem__(self, selection: Any) -> Any:
        text = self._dataset._read_text(selection, self.encoding, self.errors)
        return self._decoded(self._dataset[selection]) if text is None else text

    def _decoded(self, found: Any) -> Any:
        """Text of NumPy in opaque elements, whose tag h5py writes, is decoded here; the reader knows HDF5's text only."""
        if isinstance(found, bytes):
            return found.decode(self.encoding, self.errors)
        if not isinstance(found, np.ndarray) or found.dtype.kind != "S":
            return found
        decoded = np.empty(found.size, object)
        decoded[:] = [text.decode(self.encoding, self.errors) for text in found.flat]
        return decoded.reshape(found.shape)


class Fields(View):
    """A view of some members of a dataset of compounds."""

    def __init__(self, dataset: Dataset, names: str | list[str] | tuple[str, ...], prior: Any = None) -> None:
        base: Any = dataset.dtype if prior is None else prior
        self._only = names if isinstance(names, str) else None
        wanted = self._wanted = [names] if isinstance(names, str) else list(names)
        if base.names is None:
            raise InvalidError(
                "Field names only allowed for compound types",
                hint=f"{dataset.name} holds {base}",
                object=dataset.name,
            )
        for name in wanted:
            if name not in base.names:
                raise InvalidError(
                    f"Field {name} does not appear in this type",
                    hint=f"its fields are {', '.join(base.names)}",
                    object=dataset.name,
                )
        read = np.dtype([(name, base.fields[name][0]) for name in wanted])
        super().__init__(dataset, read if self._only is None else read[self._only])

    def __getitem__(self, selection: Any) -> Any:
        found = self._dataset._read_fields(self._wanted, self._only is not None, selection)
        return self._dataset[selection] if found is None else found


class VirtualSource(NamedTuple):
    """The source of a part of a virtual dataset, as named in the file."""

    file_name: str
    """The file; ``.`` stands for the file that contains the virtual dataset."""
    dset_name: str
    """The path of the dataset in that file."""


def array(source: Any, dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """Return the values of a dataset or view as an array, for `numpy.asarray`."""
    if copy is False:
        name = type(source).__name__
        raise InvalidError(f"{name}.__array__ received copy=False but memory allocation cannot be avoided on read")
    if source.shape is None:
        raise WrongTypeError("a dataset with a null dataspace has no elements and cannot become an array")
    found = source[...]
    return found if dtype is None else np.asarray(_cast.cast(found, np.dtype(dtype)))


def rows(dataset: Dataset) -> Iterator[Any]:
    """Iterate over the first axis."""
    for index in range(dataset.len()):
        yield dataset[index]


class Chunks:
    """The chunks that touch a region, as selections in row-major order."""

    def __init__(self, dataset: Dataset, region: Any = None) -> None:
        chunks, shape = dataset.chunks, dataset.shape
        if chunks is None or shape is None:
            raise WrongTypeError("Chunked dataset required", object=dataset.name)
        if region is None:
            region = tuple(slice(0, size) for size in shape)
        elif isinstance(region, (slice, int)):
            region = (region,)
        if len(region) != len(shape):
            raise InvalidError("Invalid selection - selection region must have same rank as dataset")
        self._spans = [_span(part, size) for part, size in zip(region, shape, strict=True)]
        counts = []
        for (start, stop), chunk in zip(self._spans, chunks, strict=True):
            counts.append(range(start // chunk, -(-stop // chunk)))
        self._chunks = chunks
        self._counts = counts
        self._done = 0
        self._total = int(np.prod([len(count) for count in counts], dtype=object))

    def __iter__(self) -> Iterator[tuple[slice, ...]]:
        return self

    def __next__(self) -> tuple[slice, ...]:
        if self._done >= self._total:
            raise StopIteration
        rest, slices = self._done, []
        for count, chunk, (start, stop) in zip(
            reversed(self._counts), reversed(self._chunks), reversed(self._spans), strict=True
        ):
            rest, index = divmod(rest, len(count))
            first = count[index] * chunk
            slices.append(slice(max(first, start), min(first + chunk, stop), 1))
        self._done += 1
        return tuple(reversed(slices))


def _span(part: slice | int, size: int) -> tuple[int, int]:
    start, stop = (part, part + 1) if isinstance(part, int) else (part.start or 0, part.stop or size)
    if start < 0 or stop > size or stop <= start:
        raise InvalidError("Invalid selection - selection region must be within dataset space")
    return start, stop


class Keys(collections.abc.KeysView[str]):
    """The names of members or attributes."""

    _mapping: Any

    def __repr__(self) -> str:
        return f"<KeysViewHDF5 {list(self)}>"

    __str__ = __repr__

    def __reversed__(self) -> Iterator[str]:
        yield from reversed(self._mapping)


class Values(collections.abc.ValuesView[Any]):
    """The members, or the values of attributes. A broken link gives None."""

    _mapping: Any

    def __contains__(self, value: object) -> bool:
        return any(value == self._mapping.get(key) for key in self._mapping)

    def __iter__(self) -> Iterator[Any]:
        for key in self._mapping:
            yield self._mapping.get(key)

    def __reversed__(self) -> Iterator[Any]:
        for key in reversed(self._mapping):
            yield self._mapping.get(key)


class Items(collections.abc.ItemsView[str, Any]):
    """The names with their members or values."""

    _mapping: Any

    def __contains__(self, item: object) -> bool:
        if not isinstance(item, tuple) or len(item) != 2:
            return False
        key, value = item
        return key in self._mapping and value == self._mapping.get(key)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for key in self._mapping:
            yield key, self._mapping.get(key)

    def __reversed__(self) -> Iterator[tuple[str, Any]]:
        for key in reversed(self._mapping):
            yield key, self._mapping.get(key)
