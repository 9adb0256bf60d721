"""Named datatypes of new files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hyperslab._new_file.named import Named
from hyperslab._new_file.object import Object

if TYPE_CHECKING:
    from hyperslab._new_file.file import NewFile


class NewDatatype(Object, Named):
    """A named (committed) datatype of a new file: a `dtype` for datasets and attributes of that file."""

    def __init__(self, file: NewFile, id: int, name: str, dtype: np.dtype[Any]) -> None:
        super().__init__(file, id, name)
        self._dtype = dtype

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its elements."""
        return self._dtype

    def __repr__(self) -> str:
        return f'<new HDF5 named type "{self.name}" (dtype {self._dtype.str})>'
