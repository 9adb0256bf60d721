"""Named datatypes as datasets and attributes use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from hyperslab.errors import InvalidError

if TYPE_CHECKING:
    from hyperslab._new_file.datatype import NewDatatype
    from hyperslab._new_file.file import NewFile
    from hyperslab._new_file.record import DatatypeRecord


class Named:
    """What tells a named datatype from a dtype."""

    _file: NewFile
    _record: DatatypeRecord


def dtype_and_name(dtype: DTypeLike | NewDatatype, file: NewFile) -> tuple[np.dtype[Any], int | None]:
    """Return a dtype, and the number of the named datatype if it is one.

    Raises:
        ValueError: it is a named datatype of another new file.
    """
    if not isinstance(dtype, Named):
        return np.dtype(dtype), None
    if dtype._file is not file:
        raise InvalidError(f"{dtype._record.name} is a named datatype of another new file")
    return dtype._record.dtype, dtype._record.id
