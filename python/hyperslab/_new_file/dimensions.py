"""Dimension scales of new files: h5py's `dataset.dims`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hyperslab.errors import OutOfRangeError, WrongTypeError

if TYPE_CHECKING:
    from hyperslab._new_file.dataset import NewDataset

__all__ = ["NewDimension", "NewDimensions"]


class NewDimension:
    """One axis of a new dataset."""

    def __init__(self, dataset: NewDataset, axis: int) -> None:
        self._dataset = dataset
        self._axis = axis

    @property
    def label(self) -> str:
        """The label of the axis; empty if it has none."""
        return self._dataset._record.labels.get(self._axis, "")

    @label.setter
    def label(self, text: str) -> None:
        self._dataset._builder.label_axis(self._dataset._id, self._axis, text)
        self._dataset._record.labels[self._axis] = text

    def attach_scale(self, scale: NewDataset) -> None:
        """Attach a dimension scale: a dataset of the same file with the coordinates along this axis.

        Raises:
            ValueError: the dataset is a scale itself.
        """
        if scale.file is not self._dataset.file:
            raise WrongTypeError("a dimension scale must be in the same new file")
        self._dataset._builder.attach_scale(self._dataset._id, self._axis, scale._id)


class NewDimensions:
    """The axes of a new dataset."""

    def __init__(self, dataset: NewDataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return self._dataset.ndim

    def __getitem__(self, axis: int) -> NewDimension:
        if not 0 <= axis < len(self):
            raise OutOfRangeError(f"{self._dataset.name} has {len(self)} axes; {axis} is not a valid axis")
        return NewDimension(self._dataset, axis)

    def __iter__(self) -> Iterator[NewDimension]:
        return (self[axis] for axis in range(len(self)))
