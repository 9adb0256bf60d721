"""Blocks of indexes at regular distances: what HDF5 itself calls a hyperslab, and slices cannot say."""

from __future__ import annotations

from hyperslab.errors import InvalidError


class MultiBlockSlice:
    """`count` blocks of `block` indexes; the first begins at `start`, each `stride` after the one before.

    Without a count there are as many whole blocks as the axis has room for.
    """

    def __init__(self, start: int = 0, stride: int = 1, count: int | None = None, block: int = 1) -> None:
        if start < 0:
            raise InvalidError(f"a selection cannot start at {start}")
        if min(stride, block, 1 if count is None else count) < 1:
            raise InvalidError(f"stride {stride}, count {count} and block {block} must be at least 1")
        if block > stride:
            raise InvalidError(f"blocks of {block} would overlap with a stride of {stride}")
        self.start, self.stride, self.count, self.block = start, stride, count, block

    def indices(self, length: int) -> tuple[int, int, int, int]:
        """Start, stride, count and block for an axis of this length."""
        count = self.count
        if count is None:
            count = (length - self.start - self.block) // self.stride + 1
            if count < 1:
                raise InvalidError(f"not one block of {self!r} fits an axis of {length}")
        end = self.start + (count - 1) * self.stride + self.block
        if end > length:
            raise InvalidError(f"{self!r} ends at {end}, beyond an axis of {length}")
        return self.start, self.stride, count, self.block

    def __repr__(self) -> str:
        said = f"start={self.start}, stride={self.stride}, count={self.count}, block={self.block}"
        return f"MultiBlockSlice({said})"
