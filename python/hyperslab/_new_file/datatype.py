"""Named datatypes of new files."""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperslab._new_file.named import Named
from hyperslab._new_file.object import Object
from hyperslab._new_file.record import DatatypeRecord


class NewDatatype(Object, Named):
    """A named (committed) datatype of a new file: a `dtype` for datasets and attributes of that file."""

    _record: DatatypeRecord

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its elements."""
        return self._record.dtype

    def __repr__(self) -> str:
        return f'<new HDF5 named type "{self.name}" (dtype {self.dtype.str})>'
