"""Dimension scales: datasets that give the coordinates along the axes of other datasets.

HDF5's high-level library stores them as attributes: ``DIMENSION_LABELS`` and ``DIMENSION_LIST`` of a dataset, ``CLASS``
and ``NAME`` of a scale.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hyperslab.errors import NotFoundError, OutOfRangeError

if TYPE_CHECKING:
    from hyperslab import Dataset

__all__ = ["Dimension", "Dimensions", "is_scale"]


def _text(value: Any) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def is_scale(dataset: Dataset) -> bool:
    """Return True if a dataset is a dimension scale."""
    kind = dataset.attrs.get("CLASS")
    return isinstance(kind, (str, bytes)) and _text(kind) == "DIMENSION_SCALE"


def _name(scale: Dataset) -> str:
    name = scale.attrs.get("NAME")
    return _text(name) if isinstance(name, (str, bytes)) else ""


class Dimension:
    """One axis of a dataset: its label, and a mapping of names to scales."""

    def __init__(self, dataset: Dataset, axis: int) -> None:
        self._dataset = dataset
        self._axis = axis

    @property
    def label(self) -> str:
        """The label of the axis; empty if it has none."""
        labels = self._dataset.attrs.get("DIMENSION_LABELS")
        return "" if labels is None else _text(labels[self._axis])

    def values(self) -> list[Dataset]:
        """Return the scales of the axis."""
        attached = self._dataset.attrs.get("DIMENSION_LIST")
        return [] if attached is None else [self._dataset.file[scale] for scale in attached[self._axis] if scale]

    def keys(self) -> list[str]:
        """Return the names of the scales."""
        return [_name(scale) for scale in self.values()]

    def items(self) -> list[tuple[str, Dataset]]:
        """Return the names and scales."""
        return [(_name(scale), scale) for scale in self.values()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.values())

    def __getitem__(self, item: int | str) -> Dataset:
        scales = self.values()
        if isinstance(item, int):
            return scales[item]
        for scale in scales:
            if _name(scale) == item:
                return scale
        raise NotFoundError(f"{self._dataset.name}: axis {self._axis} has no scale {item!r}")

    def __repr__(self) -> str:
        return f'<"{self.label}" dimension {self._axis} of {self._dataset!r}>'


class Dimensions:
    """The axes of a dataset."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return self._dataset.ndim

    def __getitem__(self, axis: int) -> Dimension:
        if not 0 <= axis < len(self):
            raise OutOfRangeError(f"{self._dataset.name} has {len(self)} axes; {axis} is not a valid axis")
        return Dimension(self._dataset, axis)

    def __iter__(self) -> Iterator[Dimension]:
        return (self[axis] for axis in range(len(self)))

    def __repr__(self) -> str:
        return f"<Dimensions of {self._dataset!r}>"
