"""Names of fields in an index of a dataset of compounds: `dataset["x"]`, `dataset[0:2, "x"]`, `dataset["x", "y"]`."""

from __future__ import annotations

from typing import Any

import numpy as np

from hyperslab.errors import InvalidError, WrongTypeError


def fields_of(selection: Any, dtype: np.dtype[Any]) -> tuple[list[str], Any]:
    """Return the names of the fields in an index, and the index without them.

    Raises:
        TypeError: the elements have no fields.
        ValueError: there is no field of this name.
    """
    parts = selection if isinstance(selection, tuple) else (selection,)
    if len(parts) == 1 and isinstance(parts[0], list) and parts[0] and all(isinstance(part, str) for part in parts[0]):
        parts = tuple(parts[0])
    names = [part for part in parts if isinstance(part, str)]
    if not names:
        return [], selection
    if dtype.names is None:
        raise WrongTypeError(f"elements of {dtype} have no fields, such as {names[0]!r}")
    for name in names:
        if name not in dtype.names:
            raise InvalidError(f"there is no field {name!r}; there are {', '.join(map(repr, dtype.names))}")
    rest = tuple(part for part in parts if not isinstance(part, str))
    return names, rest or ...


def values_of_fields(values: Any, names: list[str]) -> list[tuple[str, Any]]:
    """Return what is assigned to which of the fields: the members of their names that the values have, or, for a single field
    and values without members, the values themselves.

    Raises:
        TypeError: the values have none of the members.
    """
    members = getattr(getattr(values, "dtype", None), "names", None)
    if members is None and len(names) == 1:
        return [(names[0], values)]
    found = [(name, values[name]) for name in members or () if name in names]
    if not found:
        raise WrongTypeError(f"values for the fields {', '.join(names)} have fields of these names; or assign one field after another")
    return found
