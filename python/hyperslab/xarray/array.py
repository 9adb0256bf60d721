"""Arrays whose values are read when they are indexed."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing

from hyperslab import _hyperslab
from hyperslab._async import run
from hyperslab.dtypes import check_string_dtype, check_vlen_dtype
from hyperslab.xarray.files import FileHandle

#: Points are read one by one where the block around them has this many times as many elements.
POINTS_RATIO = 4


def is_ragged(dtype: np.dtype[Any]) -> bool:
    """True for sequences of variable length, other than text."""
    return check_vlen_dtype(dtype) is not None and check_string_dtype(dtype) is None


class LazyArray(BackendArray):
    """The values of a variable. Each chunk that an index touches is decoded once; no lock is held while reading."""

    __slots__ = ("codec", "dtype", "fill", "handle", "path", "shape", "stored_shape", "view")

    def __init__(
        self,
        handle: FileHandle,
        path: str,
        dataset: Any,
        shape: tuple[int, ...],
        *,
        codec: str | None,
        view: np.dtype[Any] | None,
    ) -> None:
        """`dataset` is the one at `path`. It may be shorter than `shape` along unlimited dimensions: what is missing has the
        fill value. `codec` decodes text to `str`; values are seen as the dtype `view` if there is one."""
        self.handle = handle
        self.path = path
        self.shape = shape
        self.dtype = dataset.dtype
        self.stored_shape: tuple[int, ...] = dataset.shape or ()
        self.fill = dataset.fillvalue if self.stored_shape != shape else None
        self.codec = codec
        self.view = view

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        handle = self.handle
        options = sorted(handle.options.items())
        return type(self).__name__, handle.name, handle.store, handle.stamp, options, self.path, self.codec

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        if not isinstance(key, indexing.VectorizedIndexer):
            return self._read(key.tuple)
        points = self._points(key.tuple)
        return self._read_around(key.tuple) if points is None else points

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        """The same, read on another thread. If the task is cancelled, the requests are."""
        return await run(lambda: self[key])

    def _read(self, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        """Reads the product of an integer, a slice or an array of indexes along each axis."""
        key = key + (slice(None),) * (len(self.shape) - len(key))
        axes: list[Any] = []
        finish: list[Any] = []
        for axis, (index, size) in enumerate(zip(key, self.shape, strict=True)):
            if isinstance(index, slice):
                span = range(*index.indices(size))
                axes.append(span if span.step > 0 else span[::-1])
                finish.append(slice(None, None, 1 if span.step > 0 else -1))
            elif np.ndim(index) == 0:
                at = int(_absolute(operator.index(index), size, axis))
                axes.append(range(at, at + 1))
                finish.append(0)
            else:
                axes.append(np.ascontiguousarray(_absolute(np.asarray(index, np.int64), size, axis)))
                finish.append(slice(None))
        values = self._read_axes(axes)
        # With `...`, an element that is a sequence stays the element of an array without axes.
        return self._as_seen(values[(*finish, ...)])

    def _read_axes(self, axes: list[Any]) -> np.ndarray[Any, Any]:
        """Reads what the dataset has of these indexes; the rest has the fill value."""
        dataset = self.handle.open().dataset(self.path)
        stored: list[Any] = []
        places: list[Any] = []
        for indexes, size in zip(axes, self.stored_shape, strict=True):
            if isinstance(indexes, range):
                inside = indexes[: len(range(indexes.start, min(indexes.stop, size), indexes.step))]
                stored.append((inside.start, len(inside), indexes.step))
                places.append(slice(0, len(inside)))
            else:
                is_inside = indexes < size
                whole = bool(is_inside.all())
                stored.append(indexes if whole else indexes[is_inside])
                places.append(slice(0, len(indexes)) if whole else np.flatnonzero(is_inside))
        values = _hyperslab.read_orthogonal(dataset, tuple(stored), self.codec)
        shape = tuple(map(len, axes))
        if values.shape[: len(shape)] == shape:
            return values
        padded = np.empty(shape, values.dtype)
        if is_ragged(self.dtype):
            padded.fill(np.zeros(0, check_vlen_dtype(self.dtype)))
        else:
            padded[...] = self.fill
        padded[np.ix_(*(np.arange(place.stop) if isinstance(place, slice) else place for place in places))] = values
        return padded

    def _points(self, key: tuple[Any, ...]) -> np.ndarray[Any, Any] | None:
        """Reads single elements; None where a block that contains them is read with less work."""
        if not key or any(isinstance(index, slice) for index in key) or self.stored_shape != self.shape:
            return None
        indexes = [_absolute(np.asarray(index, np.int64), size, axis) for axis, (index, size) in enumerate(zip(key, self.shape, strict=True))]
        block = np.prod([len(np.unique(index)) for index in indexes], dtype=float)
        places = np.broadcast_arrays(*indexes)
        if block <= POINTS_RATIO * places[0].size:
            return None
        coordinates = np.stack([place.ravel() for place in places], axis=1)
        dataset = self.handle.open().dataset(self.path)
        values = _hyperslab.read_points(dataset, np.ascontiguousarray(coordinates), self.codec)
        return self._as_seen(values.reshape(places[0].shape))

    def _read_around(self, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        """Reads the block that contains elements whose coordinates are given together, and takes them from it."""
        outer: list[Any] = []
        inner: list[Any] = []
        for axis, (index, size) in enumerate(zip(key, self.shape, strict=True)):
            if isinstance(index, slice):
                outer.append(index)
                inner.append(slice(None))
            else:
                found, places = np.unique(_absolute(np.asarray(index, np.int64), size, axis), return_inverse=True)
                outer.append(found)
                inner.append(places.reshape(np.shape(index)))
        block = self._read(tuple(outer))
        indexable: Any = indexing.as_indexable(block)  # type: ignore[no-untyped-call]
        return np.asarray(indexable.vindex[indexing.VectorizedIndexer(tuple(inner))])

    def _as_seen(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return values if self.view is None else values.view(self.view)


class SeriesArray(BackendArray):
    """The values of a variable over several files that continue each other along an axis."""

    __slots__ = ("axis", "dtype", "ends", "parts", "shape")

    def __init__(self, parts: list[LazyArray], axis: int) -> None:
        """`parts` are the values in each file, equal in type and in all lengths but that along `axis`."""
        self.parts = parts
        self.axis = axis
        self.ends = np.cumsum([part.shape[axis] for part in parts])
        shape = list(parts[0].shape)
        shape[axis] = int(self.ends[-1])
        self.shape = tuple(shape)
        self.dtype = parts[0].dtype

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return type(self).__name__, self.axis, self.parts

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        if not isinstance(key, indexing.VectorizedIndexer):
            return self._read(key.tuple)
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._read)

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        """The same, read on another thread. If the task is cancelled, the requests are."""
        return await run(lambda: self[key])

    def _read(self, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        """Reads the product of an integer, a slice or an array of indexes along each axis."""
        before, along, after = key[: self.axis], key[self.axis], key[self.axis + 1 :]
        # Integers before the axis leave no axis behind.
        axis = sum(isinstance(index, slice) or np.ndim(index) > 0 for index in before)
        size = self.shape[self.axis]
        if isinstance(along, slice):
            span = range(*along.indices(size))
            is_reversed = span.step < 0
            span = span[::-1] if is_reversed else span
            spans = self._of_span(span)
            read = [(places, self.parts[owner]._read((*before, inside, *after))) for owner, places, inside in spans]
            values = self._joined(read, axis, len(span), key)
            return np.flip(values, axis) if is_reversed else values
        if np.ndim(along) == 0:
            at = int(_absolute(operator.index(along), size, self.axis))
            owner = int(np.searchsorted(self.ends, at, side="right"))
            return self.parts[owner]._read((*before, at - self._start(owner), *after))
        wanted = _absolute(np.asarray(along, np.int64), size, self.axis)
        owners = np.searchsorted(self.ends, wanted, side="right")
        found: list[tuple[Any, np.ndarray[Any, Any]]] = []
        for owner in np.unique(owners).tolist():
            places = np.flatnonzero(owners == owner)
            inside = wanted[places] - self._start(owner)
            found.append((places, self.parts[owner]._read((*before, inside, *after))))
        return self._joined(found, axis, len(wanted), key)

    def _start(self, owner: int) -> int:
        """The first index of a part."""
        return int(self.ends[owner]) - self.parts[owner].shape[self.axis]

    def _of_span(self, span: range) -> Iterator[tuple[int, slice, slice]]:
        """The parts that a rising range touches: the number of each, where its elements are in the range, and in the part."""
        if not span:
            return
        first, last = (int(np.searchsorted(self.ends, at, side="right")) for at in (span[0], span[-1]))
        for owner in range(first, last + 1):
            start, end = self._start(owner), int(self.ends[owner])
            from_, to = (max(0, -((span.start - at) // span.step)) for at in (start, end))
            to = min(to, len(span))
            if from_ < to:
                yield owner, slice(from_, to), slice(span[from_] - start, span[to - 1] - start + 1, span.step)

    def _joined(self, found: list[Any], axis: int, size: int, key: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        """One array of what was read of some parts, each with its places along the axis."""
        if not found:
            nothing = (*key[: self.axis], slice(0, 0), *key[self.axis + 1 :])
            return self.parts[0]._read(nothing)
        if len(found) == 1 and isinstance(found[0][0], slice):
            only: np.ndarray[Any, Any] = found[0][1]
            return only
        shape = list(found[0][1].shape)
        shape[axis] = size
        values = np.empty(shape, dtype=found[0][1].dtype)
        for places, part in found:
            values[(slice(None),) * axis + (places,)] = part
        return values


def _absolute(index: Any, size: int, axis: int) -> Any:
    """Indexes counted from the beginning of the axis."""
    absolute = np.where(index < 0, index + size, index)
    if np.any((absolute < 0) | (absolute >= size)):
        raise IndexError(f"an index is out of bounds for axis {axis} with size {size}")
    return absolute
