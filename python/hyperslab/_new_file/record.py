"""What a new file contains: a record for each object.

Users get handles (`NewGroup`, `NewDataset`, `NewDatatype`), which keep the file alive. Records refer neither to handles nor to the
file, so that a file has no cycles: it ends with the last handle, and is closed then (`closing.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperslab._empty import Empty
from hyperslab.links import ExternalLink, SoftLink


@dataclass
class AttributeRecord:
    """An attribute."""

    value: NDArray[Any] | Empty
    dtype: np.dtype[Any]
    #: The number of the named datatype that it uses, if it does.
    named: int | None


@dataclass(eq=False)
class Record:
    """An object."""

    #: Its number in the `FileBuilder`.
    id: int
    #: Its path.
    name: str
    attributes: dict[str, AttributeRecord] = field(default_factory=dict, kw_only=True)


@dataclass(eq=False)
class GroupRecord(Record):
    """A group, with its links by name."""

    members: dict[str, Member] = field(default_factory=dict, kw_only=True)


@dataclass(eq=False)
class DatatypeRecord(Record):
    """A named datatype."""

    dtype: np.dtype[Any]


@dataclass(eq=False)
class DatasetRecord(Record):
    """A dataset: its properties and its values."""

    dtype: np.dtype[Any]
    #: None for a dataset without elements.
    shape: tuple[int, ...] | None
    maxshape: tuple[int | None, ...] | None
    chunks: tuple[int, ...] | None
    fillvalue: Any
    #: What the values are read from; None if all elements have the fill value.
    source: Any
    #: True if the source is an array that nothing else uses.
    is_own: bool
    #: The labels of the axes that have one.
    labels: dict[int, str] = field(default_factory=dict, kw_only=True)


#: What a link of a group leads to.
Member: TypeAlias = Record | SoftLink | ExternalLink
