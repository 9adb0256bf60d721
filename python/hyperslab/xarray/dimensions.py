"""The dimensions of variables, with the names that h5netcdf gives to those that the file does not name.

netCDF-C, h5netcdf and this package agree on the dimensions that a file names. An axis without a name gets a *phony*
dimension: `phony_dim_0`, `phony_dim_1`, ... h5netcdf makes them group by group: for each length as many as the variable that
uses it most often needs, apart from named dimensions of that length. With `phony_dims="sort"` the numbers go on after those
of the named dimensions, with `"access"` they begin at 0.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple


class Dimension(NamedTuple):
    """A dimension of a group."""

    name: str
    length: int
    is_unlimited: bool


class Names:
    """Gives the axes of variables their dimensions, group by group in the order of the file."""

    def __init__(self, phony_dims: str) -> None:
        if phony_dims not in ("access", "sort"):
            raise ValueError(
                f"unknown value {phony_dims!r} for phony_dims\n"
                "Use phony_dims='sort' for sorted naming, phony_dims='access' for per access naming."
            )
        self._counts_named = phony_dims == "sort"
        self._named = 0
        #: Number of dimensions that the file does not name.
        self.phony = 0

    def of_group(self, group: Any) -> tuple[list[Dimension], dict[str, tuple[str, ...]]]:
        """The dimensions of a group, and those of each of its variables."""
        own = [Dimension(d.name, d.length, d.is_unlimited) for d in group.dimensions if not d.is_phony]
        self._named += len(own)
        unlabelled = [variable for variable in group.variables if not variable.has_labels]
        own += self._make_phony(own, unlabelled)
        names = {}
        for variable in group.variables:
            if variable.has_labels:
                names[variable.name] = tuple(dimension.name for dimension in variable.dimensions)
            else:
                names[variable.name] = _by_length(own, variable.dataset.shape or ())
        return own, names

    def _make_phony(self, own: list[Dimension], unlabelled: list[Any]) -> list[Dimension]:
        wanted: Counter[int] = Counter()
        for variable in unlabelled:
            wanted |= Counter(variable.dataset.shape or ())
        named = Counter(dimension.length for dimension in own if not dimension.is_unlimited)
        made = []
        for length, count in wanted.items():
            for _ in range(named[length], count):
                number = self.phony + (self._named if self._counts_named else 0)
                made.append(Dimension(f"phony_dim_{number}", length, False))
                self.phony += 1
        return made


def _by_length(dimensions: list[Dimension], shape: tuple[int, ...]) -> tuple[str, ...]:
    """For each axis the next dimension of its length."""
    used: Counter[int] = Counter()
    names = []
    for length in shape:
        names.append([d.name for d in dimensions if d.length == length][used[length]])
        used[length] += 1
    return tuple(names)
