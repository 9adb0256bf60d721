"""Texts and plain sequences of a new dataset, one after the other in one buffer, as they were when they were given.

To pack them is a copy and a check at once; when the file is written, nothing has to be done value by value again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperslab._new_file.encoder import Elements, of_variable_length, packed_values
from hyperslab.dtypes import check_string_dtype


@dataclass(frozen=True)
class Packed:
    """The values of a dataset with one axis."""

    shape: tuple[int]
    #: Where each value begins in the content, in bytes, and where the last one ends.
    bounds: NDArray[np.int64]
    content: NDArray[np.uint8]
    #: The dtype of the elements of a sequence.
    base: np.dtype[Any]
    #: Texts as they were given; None for sequences, which come back from the content.
    texts: NDArray[Any] | None

    def array(self) -> NDArray[Any]:
        """The values as an array that nothing else uses."""
        if self.texts is not None:
            return self.texts
        result = np.empty(self.shape, object)
        elements = self.content.view(self.base)
        bounds = (self.bounds // self.base.itemsize).tolist()
        for number, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
            result[number] = elements[start:end].copy()
        return result

    def elements(self, first: int, count: int) -> Elements:
        """The elements from `first` on."""
        bounds = self.bounds[first : first + count + 1]
        lengths = np.diff(bounds)
        return of_variable_length(lengths // self.base.itemsize, lengths, self.content[bounds[0] : bounds[-1]])


def packed(array: NDArray[Any], dtype: np.dtype[Any], is_own: bool) -> Packed | None:
    """Pack the values of an array of objects; None where they have to be looked at one by one. Nothing else changes the array if
    it is an own one."""
    if dtype.kind != "O" or array.ndim != 1:
        return None
    found = packed_values(array.tolist(), dtype)
    if found is None:
        return None
    base, lengths, content = found
    bounds = np.zeros(array.size + 1, np.int64)
    np.cumsum(lengths, out=bounds[1:])
    texts = None if check_string_dtype(dtype) is None else array if is_own else array.copy()
    return Packed((array.size,), bounds, content, base, texts)
