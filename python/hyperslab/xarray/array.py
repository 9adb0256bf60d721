"""Arrays whose values are read when they are indexed."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from xarray.backends import BackendArray
from xarray.core import indexing

from hyperslab import _hyperslab
from hyperslab._async import run
from hyperslab.errors import InvalidError
from hyperslab.xarray.files import FileHandle

#: Points are read one by one where the block around them has this many times as many elements.
POINTS_RATIO = 4


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
        return self._as_seen(values[tuple(finish)] if finish else values)

    def _read_axes(self, axes: list[Any]) -> np.ndarray[Any, Any]:
        """Reads what the dataset has of these indexes; the rest has the fill value."""
        dataset = self.handle.open().dataset(self.path)
        if dataset.shape is None:
            raise InvalidError(
                f"{self.handle.name}: {self.path}: the variable has no value (its dataspace is null)",
                hint=f"open the file with drop_variables=[{self.path.rpartition('/')[2]!r}]",
                file=self.handle.name,
                object=self.path,
            )
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
        padded = np.full(shape, self.fill, dtype=values.dtype)
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


def _absolute(index: Any, size: int, axis: int) -> Any:
    """Indexes counted from the beginning of the axis."""
    absolute = np.where(index < 0, index + size, index)
    if np.any((absolute < 0) | (absolute >= size)):
        raise IndexError(f"an index is out of bounds for axis {axis} with size {size}")
    return absolute
