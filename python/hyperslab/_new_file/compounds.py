"""Values as arrays of compound dtypes, member by member.

NumPy's own conversion cuts texts off, wraps integers, and goes by the position of members. Here each member is converted as an
array of its own would be, and members of arrays are found by their names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperslab.errors import InvalidError, WrongTypeError

#: Values as an array of a dtype without fields, or an error.
Convert = Callable[[Any, np.dtype[Any]], NDArray[Any]]


def compound_array(values: Any, dtype: np.dtype[Any], convert: Convert) -> NDArray[Any]:
    """Return values, an array or tuples, as an array of a compound dtype."""
    assert dtype.names is not None
    given = getattr(values, "dtype", None)
    if isinstance(given, np.dtype) and given.names is not None:
        if given == dtype:
            return np.asarray(values, dtype)
        if set(given.names) != set(dtype.names):
            raise WrongTypeError(f"members {', '.join(given.names)} do not become {', '.join(dtype.names)}")
        array = np.asarray(values)
    else:
        array = np.asarray(values, [(name, object) for name in dtype.names])
    result = np.zeros(array.shape, dtype)
    for name in dtype.names:
        column = array[name]
        try:
            if column.dtype != object:
                result[name] = _broadcast(convert(column, dtype[name].base), result[name], array.ndim)
            elif dtype[name].subdtype is None:
                result[name] = _converted(column, dtype[name], convert)
            else:
                _set_elements(result[name], column, dtype[name].base, convert)
        except WrongTypeError as error:
            raise WrongTypeError(f"member {name!r}: {error.message}") from None
        except InvalidError as error:
            raise InvalidError(f"member {name!r}: {error.message}") from None
    return result


def _converted(column: NDArray[Any], dtype: np.dtype[Any], convert: Convert) -> NDArray[Any]:
    """A member of which each value is a Python object."""
    if dtype.kind in "OSiu" or dtype.names is not None:
        # These take objects as they are.
        return convert(column, dtype)
    return convert(column.tolist(), dtype)


def _set_elements(result: NDArray[Any], column: NDArray[Any], base: np.dtype[Any], convert: Convert) -> None:
    """Set a member that is an array of each element."""
    for place in np.ndindex(column.shape):
        result[place] = column[place] if base.kind == "O" else convert(column[place], base)


def _broadcast(column: NDArray[Any], target: NDArray[Any], axes: int) -> NDArray[Any]:
    """A member with one value for all places of an array member."""
    return column.reshape(column.shape + (1,) * (target.ndim - axes)) if column.ndim == axes < target.ndim else column
