"""What an index of a new dataset selects, and h5py's rules of shape and broadcasting for values that are assigned to it.

The index is parsed by the code that parses the index of a read, so that both mean the same elements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperslab._hyperslab import FileBuilder
from hyperslab._new_file.references import NewRegionReference
from hyperslab.errors import InvalidError, WrongTypeError


@dataclass(frozen=True)
class Selected:
    """Elements of an array."""

    #: The index for NumPy; it keeps all axes.
    index: tuple[Any, ...]
    #: The number of elements along each axis; of single elements, their number alone.
    counts: tuple[int, ...]
    #: The shape of the result of a read: without the axes that were indexed by an integer.
    shape: tuple[int, ...]
    #: The axes that were indexed by an integer.
    integers: frozenset[int]
    #: `"regular"` (integers and slices), `"list"` (one axis has a list or a mask), or `"points"` (a mask, a region).
    kind: str

    def of(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the elements of an array, with the shape of the result of a read. It may be a view."""
        # With `...`, an element is an array without axes.
        found = array[(*self.index, ...)]
        return found.reshape(self.shape + found.shape[len(self.counts) :])

    def expand(self, given: tuple[int, ...], chunks: tuple[int, ...] | None) -> tuple[int, ...]:
        """Return the shape in which values of the shape `given` are broadcast to the elements.

        Raises:
            TypeError: values of this shape do not fit. The rules are those of h5py: integers and slices broadcast as in NumPy;
                with a list, the shape must be that of the selection; single elements take as many values as there are.
        """
        if not given and self.shape:
            given = self._of_one_value(chunks)
        if self.kind == "points":
            if math.prod(given) != math.prod(self.counts):
                raise WrongTypeError(f"{math.prod(given)} values for {math.prod(self.counts)} elements")
            return self.counts
        if self.kind == "list":
            if given != self.shape:
                raise WrongTypeError(f"values of shape {given} for a list of indexes that selects the shape {self.shape}")
            return self.counts
        rest, expanded = list(given), list[int]()
        for axis in reversed(range(len(self.counts))):
            size = 1 if axis in self.integers or not rest else rest.pop()
            if size not in (1, self.counts[axis]):
                raise WrongTypeError(f"values of shape {given} cannot be broadcast to {self.shape}")
            expanded.append(size)
        if any(size > 1 for size in rest):
            raise WrongTypeError(f"values of shape {given} cannot be broadcast to {self.shape}")
        return tuple(reversed(expanded))

    def _of_one_value(self, chunks: tuple[int, ...] | None) -> tuple[int, ...]:
        """The shape in which h5py repeats a single value: that of the selection if it is at most a chunk, or its last axis."""
        if self.kind == "points":
            return (math.prod(self.counts),)
        is_small = chunks is not None and math.prod(chunks) >= math.prod(self.shape)
        return self.shape if is_small else self.shape[-1:]


def select(index: Any, shape: tuple[int, ...], dataset: int) -> Selected:
    """Return what an index selects of the dataset of this shape and number.

    Raises:
        TypeError, ValueError, IndexError: the index is not one of h5py, or is out of range.
    """
    if isinstance(index, tuple) and len(index) == 1 and isinstance(index[0], NewRegionReference):
        index = index[0]
    if isinstance(index, NewRegionReference):
        if index._id != dataset:
            raise InvalidError("the region reference is to another dataset")
        numpy_index, counts, result, integers, kind = FileBuilder.selected_region(index._selection, shape)
    else:
        numpy_index, counts, result, integers, kind = FileBuilder.selected(index, shape)
    if kind != "points" and sum(isinstance(axis, np.ndarray) for axis in numpy_index) > 1:
        # Blocks at equal distances along several axes.
        numpy_index = np.ix_(*(_listed(axis, size) for axis, size in zip(numpy_index, shape, strict=True)))
    return Selected(tuple(numpy_index), tuple(counts), tuple(result), frozenset(integers), kind)


def _listed(axis: Any, size: int) -> NDArray[Any]:
    return np.arange(size)[axis] if isinstance(axis, slice) else axis
