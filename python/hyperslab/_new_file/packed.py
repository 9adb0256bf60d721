"""Texts and plain sequences of a new dataset, one after the other in one buffer, as they were when they were given.

To pack them is a copy and a check at once; when the file is written, nothing has to be done value by value again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hyperslab._new_file.encoder import Elements, of_variable_length, packed_values
from hyperslab.dtypes import check_string_dtype


@dataclass(frozen=True)
class Packed:
    """The values of a dataset with axes, in row-major order."""

    shape: tuple[int, ...]
    #: Where each value begins in the content, in bytes, and where the last one ends.
    bounds: NDArray[np.int64]
    content: NDArray[np.uint8]
    #: The dtype of the elements of a sequence.
    base: np.dtype[Any]
    #: True for texts in UTF-8, false for sequences.
    are_texts: bool

    def array(self) -> NDArray[Any]:
        """The values as an array that nothing else uses: texts as they are read from a file, as `bytes`."""
        result = np.empty(math.prod(self.shape), object)
        elements = self.content.view(self.base)
        bounds = (self.bounds // self.base.itemsize).tolist()
        for number, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            result[number] = elements[start:end].tobytes() if self.are_texts else elements[start:end].copy()
        return result.reshape(self.shape)

    def in_shape(self, shape: tuple[int, ...]) -> Packed:
        """The same values in another shape of as many elements."""
        return replace(self, shape=shape)

    def elements(self, start: tuple[int, ...], count: tuple[int, ...]) -> Elements:
        """The elements of a block."""
        bounds = [self.bounds[first : last + 1] for first, last in self._runs(start, count)]
        lengths = _joined([np.diff(part) for part in bounds], np.int64)
        content = _joined([self.content[part[0] : part[-1]] for part in bounds], np.uint8)
        counts = lengths if self.base.itemsize == 1 else lengths // self.base.itemsize
        return of_variable_length(counts, lengths, content)

    def _runs(self, start: tuple[int, ...], count: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Where the elements of a block that follow each other begin and end."""
        axis = len(count) - 1
        # What is taken in full along the last axes goes on with the next place of the axis before them.
        while axis > 0 and count[axis] == self.shape[axis]:
            axis -= 1
        inner = math.prod(self.shape[axis + 1 :])
        for outer in np.ndindex(*count[:axis]):
            place = 0
            for index, first, extent in zip((*outer, 0), start, self.shape, strict=False):
                place = place * extent + first + index
            yield place * inner, (place + count[axis]) * inner


def _joined(parts: list[NDArray[Any]], dtype: type) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0, dtype)


def packed(array: NDArray[Any], dtype: np.dtype[Any]) -> Packed | None:
    """Pack the values of an array of objects, or of `StringDType`; None where they have to be looked at one by one."""
    if dtype.kind != "O" or array.ndim == 0:
        return None
    found = packed_values(array if array.dtype.kind == "T" else array.reshape(-1).tolist(), dtype)
    if found is None:
        return None
    base, lengths, content = found
    bounds = np.zeros(array.size + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    return Packed(array.shape, bounds, content, base, check_string_dtype(dtype) is not None)


def is_string_array(values: Any) -> TypeGuard[NDArray[Any]]:
    """True for an array of NumPy's `StringDType`. Masked arrays have subclasses of their own."""
    return type(values) is np.ndarray and values.dtype.kind == "T"
