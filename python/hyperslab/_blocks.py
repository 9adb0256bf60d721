"""Blocks of indexes at equal distances: an HDF5 hyperslab along one axis, which a slice cannot express."""

from __future__ import annotations

from hyperslab.errors import InvalidError


class MultiBlockSlice:
    """`count` blocks of `block` indexes each; the first begins at `start`, and each next one `stride` later.

    If `count` is None, there are as many whole blocks as fit in the axis.
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
        """Return start, stride, count and block for an axis of this length."""
        count = self.count
        if count is None:
            count = (length - self.start - self.block) // self.stride + 1
            if count < 1:
                raise InvalidError(f"no block of {self!r} fits in an axis of {length}")
        end = self.start + (count - 1) * self.stride + self.block
        if end > length:
            raise InvalidError(f"{self!r} ends at {end}, beyond an axis of {length}")
        return self.start, self.stride, count, self.block

    def __repr__(self) -> str:
        said = f"start={self.start}, stride={self.stride}, count={self.count}, block={self.block}"
        return f"MultiBlockSlice({said})"
