"""A series of files as one dataset: files with the same variables that continue each other along a dimension.

`xarray.open_mfdataset` makes a dataset of each file and combines the datasets, which takes milliseconds a file whatever the
engine. Here the metadata of the files is compared, and each variable becomes one array over all files.

```text
paths ──► members: metadata of each file ──compare with the first──► SeriesArray for each variable ──► xarray decodes it
```
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import xarray
from xarray import Variable, conventions
from xarray.backends import AbstractDataStore
from xarray.core import indexing
from xarray.core.utils import FrozenDict

from hyperslab.errors import InvalidError, WrongTypeError
from hyperslab.xarray.array import LazyArray, SeriesArray
from hyperslab.xarray.files import FileHandle
from hyperslab.xarray.opening import Opening
from hyperslab.xarray.store import GroupStore

#: Attributes that say what the stored values mean: a variable has the same in all files. Those of times may differ, as their type
#: may: such times are decoded file by file.
MEANING = ("_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "units", "calendar", "_Encoding", "dtype")
#: What is told to users whose files are not a series.
HINT = "xarray.open_mfdataset(paths, engine='hyperslab') combines files that differ"
#: Distant files that are opened at the same time.
WORKERS = 16


class Part(NamedTuple):
    """A variable in one file."""

    dimensions: tuple[str, ...]
    attributes: dict[str, Any]
    array: LazyArray
    #: Its values, not decoded, if it is the coordinate of a dimension.
    coordinate: np.ndarray[Any, Any] | None

    def values(self) -> np.ndarray[Any, Any]:
        """The values, not decoded."""
        if self.coordinate is not None:
            return self.coordinate
        return np.asarray(self.array[indexing.BasicIndexer((slice(None),) * len(self.array.shape))])

    def is_time(self) -> bool:
        """True for numbers that count from a date."""
        units = self.attributes.get("units")
        return isinstance(units, str) and " since " in units

    def has_meaning_of(self, other: Part) -> bool:
        """True if equal stored values mean the same in both."""
        is_same = all(_equal(self.attributes.get(key), other.attributes.get(key)) for key in MEANING)
        return is_same and self.array.dtype == other.array.dtype


class Member(NamedTuple):
    """What is known of one file. It does not keep the file open."""

    handle: FileHandle
    lengths: dict[str, int]
    parts: dict[str, Part]

    @classmethod
    def of(cls, store: GroupStore, dropped: set[str]) -> Member:
        """Reads the coordinates of dimensions, too: xarray makes indexes of them."""
        parts = {}
        for name, (variable, dimensions) in store.variables().items():
            if name not in dropped:
                part = Part(dimensions, variable.attributes, store.array(variable), None)
                is_coordinate = dimensions == (name,)
                parts[name] = part._replace(coordinate=part.values()) if is_coordinate else part
        lengths = {**store.get_parent_dimensions(), **store.get_dimensions()}
        return cls(store.handle, lengths, parts)

    def coordinate(self, dimension: str) -> str | None:
        """The name of the coordinate of a dimension, if it has one."""
        part = self.parts.get(dimension)
        return None if part is None or part.coordinate is None else dimension

    def time(self, dimension: str) -> str | None:
        """The first time along a dimension, such as `XTIME(Time)`."""
        times = (name for name, part in self.parts.items() if part.dimensions == (dimension,) and part.is_time())
        return next(times, None)

    def times(self, dimension: str) -> set[str]:
        """The times along a dimension, and their bounds, which have their units."""
        found = {name for name, part in self.parts.items() if dimension in part.dimensions and part.is_time()}
        bounds = {self.parts[name].attributes.get("bounds") for name in found}
        return found | {name for name in bounds if isinstance(name, str) and name in self.parts}


def open_mfdataset(
    paths: str | os.PathLike[str] | Iterable[Any],
    *,
    concat_dim: str | None = None,
    chunks: Any = {},  # noqa: B006 (as in xarray: the chunks of the files)
    compat: str = "equals",
    **options: Any,
) -> xarray.Dataset:
    """Opens files that continue each other along a dimension as one dataset, such as a file for each day.

    Reads the metadata of all files and compares it: the variables, their dimensions, types, and what their values mean
    (`_FillValue`, `scale_factor`, `units` and the like) must be the same in all files. Those of times, and their types, may
    differ. Attributes are those of the first file.

    Args:
        paths: a pattern such as `"era5-*.nc"`, whose files are taken in the order of their names, or paths or URLs.
        concat_dim: the dimension along which the files continue each other, in the order of `paths`. If it is not given, it is
            the one whose coordinate (or time without one, such as `XTIME(Time)`) differs from file to file, and the files are put
            into the order of that coordinate.
        chunks: of Dask: `{}` (default) for the chunks of the files, None for arrays without Dask, otherwise as in xarray.
        compat: `"equals"` (default) compares the values of variables without that dimension with those of the first file;
            `"override"` takes those of the first file unread.
        options: as in `xarray.open_dataset(path, engine="hyperslab")`: `group`, `phony_dims`, `decode_vlen_strings`,
            `storage_options`, `store`, `cache_bytes`, `threads`, `locking`; and how xarray decodes, such as `decode_times` and
            `drop_variables`.

    Raises:
        InvalidError: for files that are not such a series; the message names the file, the variable and the difference.
    """
    if compat not in ("equals", "override"):
        raise ValueError(f"compat={compat!r}: use 'equals' or 'override'")
    files = _files(paths)
    if not files:
        raise FileNotFoundError(f"no files to open: {paths!r}")
    if "index" in options:
        raise WrongTypeError("open_mfdataset() has no argument 'index': each file has an index of its own")
    opening, decoders = Opening.of(options)
    dropped = decoders.get("drop_variables") or ()
    dropped = {dropped} if isinstance(dropped, str) else set(dropped)

    def opened(path: Any) -> GroupStore:
        (found,), _ = opening.groups(path, below=False)
        return found

    def member(path: Any) -> Member:
        return Member.of(opened(path), dropped)

    # Distant files are waited for together; local ones are parsed with the interpreter's lock.
    is_distant = any("://" in str(path) for path in files)
    members = _in_parallel(member, files) if is_distant else [member(path) for path in files]
    if concat_dim is None:
        concat_dim, placed_by = _dimension(members)
        members = _in_order(members, concat_dim, placed_by)
    elif concat_dim not in members[0].lengths:
        has = ", ".join(members[0].lengths) or "none"
        raise InvalidError(f"{members[0].handle.name}: no dimension {concat_dim!r}; it has {has}", hint=HINT)
    first = opened(members[0].handle.target)
    series = SeriesStore(first, members, concat_dim, compat, decoders)
    follows_files = chunks == {}
    dataset = xarray.open_dataset(series, engine="store", chunks=None if follows_files else chunks, **decoders)
    if follows_files:
        dataset = _in_chunks_of_files(dataset, series)
        dataset.set_close(series.close)
    dataset.encoding["source"] = members[0].handle.name
    return dataset


def _in_chunks_of_files(dataset: xarray.Dataset, series: SeriesStore) -> xarray.Dataset:
    """Arrays of Dask in the chunks of each file, as if xarray had opened the files one by one."""
    from dask.base import tokenize

    chunked = {}
    for name, variable in dataset.variables.items():
        if not variable._in_memory:
            token = f"open_mfdataset-{name}-{tokenize(series, name)}"
            chunked[name] = variable.chunk(series.chunks(str(name), variable), name=token)
    return dataset.assign(chunked)


def _files(paths: Any) -> list[Any]:
    if isinstance(paths, str | os.PathLike):
        pattern = os.path.expanduser(os.fspath(paths))
        is_pattern = "://" not in pattern and any(sign in pattern for sign in "*?[")
        return sorted(glob.glob(pattern)) if is_pattern else [pattern]
    return list(paths)


def _in_parallel(work: Any, items: list[Any]) -> list[Any]:
    with ThreadPoolExecutor(min(WORKERS, len(items))) as pool:
        return list(pool.map(work, items))


def _dimension(members: list[Member]) -> tuple[str, str | None]:
    """The dimension whose length or coordinate differs from file to file, and the variable that places the files along it."""
    first = members[0]

    def differs(dimension: str, name: str | None) -> bool:
        if any(member.lengths.get(dimension) != first.lengths[dimension] for member in members[1:]):
            return True
        places = _places(members, dimension, name)
        return places is not None and any(not _equal(place, places[0]) for place in places[1:])

    found: list[tuple[str, str | None]] = []
    # Times that are no coordinates are asked if no coordinate differs: they may belong to another dimension.
    for placed_by in (Member.coordinate, Member.time):
        if not found:
            candidates = [(dimension, placed_by(first, dimension)) for dimension in first.lengths]
            found = [candidate for candidate in candidates if differs(*candidate)]
    if len(found) == 1:
        return found[0]
    names = " and ".join(dimension for dimension, _ in found)
    what = f"the coordinates {names} differ" if found else "no coordinate differs"
    raise InvalidError(
        f"{first.handle.name}: {what} from file to file; name the dimension along which they go on",
        hint="for example concat_dim='time'",
    )


def _places(members: list[Member], dimension: str, name: str | None) -> list[np.ndarray[Any, Any]] | None:
    """The values of a variable along a dimension, file by file. Times are decoded if equal numbers mean different times."""
    parts = [part for part in (member.parts.get(name or "") for member in members) if part is not None]
    if len(parts) < len(members) or any(part.dimensions != (dimension,) for part in parts):
        return None
    if all(part.is_time() for part in parts) and not all(part.has_meaning_of(parts[0]) for part in parts):
        try:
            return [_decoded({dimension: part}, {})[dimension].values for part in parts]
        except (ValueError, OverflowError):
            # Units or numbers that are no times: xarray says so when it decodes them.
            pass
    return [part.values() for part in parts]


def _in_order(members: list[Member], dimension: str, name: str | None) -> list[Member]:
    """The files in the order of the variable that places them, if it has one."""
    values = _places(members, dimension, name)
    if values is None or any(value.size == 0 or value.dtype.kind not in "iufMO" for value in values):
        return members
    if any(isinstance(value[0], str | bytes) for value in values):
        return members
    try:
        order = sorted(range(len(members)), key=lambda number: values[number][0])
        is_descending = any(len(value) > 1 and value[0] > value[-1] for value in values)
    except TypeError:
        # Objects without an order, such as dates of several calendars.
        return members
    if is_descending:
        # Descending within the files, so descending from file to file.
        order.reverse()
    return [members[number] for number in order]


def _decoded(parts: dict[str, Part], options: dict[str, Any]) -> dict[str, Variable]:
    """Variables of one file as xarray decodes them."""
    raw = {name: Variable(part.dimensions, part.values(), part.attributes) for name, part in parts.items()}
    known = ("decode_times", "use_cftime", "decode_timedelta", "mask_and_scale")
    chosen = {name: options[name] for name in known if options.get(name) is not None}
    decoded, _, _ = conventions.decode_cf_variables(raw, {}, **chosen)
    return dict(decoded)


class SeriesStore(AbstractDataStore):
    """The variables of a series, as `xarray.open_dataset` takes them."""

    def __init__(
        self, first: GroupStore, members: list[Member], dimension: str, compat: str, options: dict[str, Any]
    ) -> None:
        """`first` is the first of the files, open."""
        self._members = members
        self._dimension = dimension
        self._lengths = [member.lengths.get(dimension, 0) for member in members]
        self._times = members[0].times(dimension)
        self._attributes = first.get_attrs()
        self._encoding = first.get_encoding()
        #: The chunks of each variable in the first file.
        self._preferred: dict[str, dict[str, int]] = {}
        for member in members[1:]:
            self._compare(member)
        self._variables = self._combined(first, compat, options)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        parts = [[member.handle.name, member.handle.stamp] for member in self._members]
        return type(self).__name__, self._dimension, parts, list(self._variables)

    def get_variables(self) -> Any:
        return FrozenDict(self._variables)

    def get_attrs(self) -> Any:
        return self._attributes

    def get_dimensions(self) -> Any:
        return FrozenDict(self._members[0].lengths | {self._dimension: sum(self._lengths)})

    def get_encoding(self) -> dict[str, Any]:
        return self._encoding

    def close(self) -> None:
        for member in self._members:
            member.handle.close()

    def _combined(self, first: GroupStore, compat: str, options: dict[str, Any]) -> dict[str, Variable]:
        by_file = self._decoded_by_file(options)
        stored = first.variables()
        combined = {}
        for name, part in self._members[0].parts.items():
            own = first.variable(stored[name][0])
            self._preferred[name] = own.encoding.get("preferred_chunks") or {}
            if self._dimension not in part.dimensions:
                if compat == "equals":
                    self._compare_values(name)
                combined[name] = own
            elif name in by_file:
                decoded = by_file[name]
                self._compare_calendars(name, decoded)
                values = np.concatenate([one.values for one in decoded], axis=part.dimensions.index(self._dimension))
                combined[name] = Variable(part.dimensions, values, decoded[0].attrs, own.encoding | decoded[0].encoding)
            else:
                combined[name] = self._over_files(name, own)
        return combined

    def _compare_calendars(self, name: str, decoded: list[Variable]) -> None:
        """Dates of one calendar cannot be put in a row with those of another."""
        found = zip(self._members, map(_calendar, decoded), strict=True)
        known = [(member.handle.name, calendar) for member, calendar in found if calendar is not None]
        for path, calendar in known[1:]:
            if calendar != known[0][1]:
                what = f"{path}: {name}: its dates are {calendar}, in {known[0][0]} {known[0][1]}"
                raise WrongTypeError(what, hint="dates of several calendars have no common type; open the files one by one")

    def _over_files(self, name: str, own: Variable) -> Variable:
        parts = [member.parts[name] for member in self._members]
        coordinates = [part.coordinate for part in parts if part.coordinate is not None]
        if len(coordinates) == len(parts):
            return Variable(own.dims, np.concatenate(coordinates), own.attrs, own.encoding)
        array = SeriesArray([part.array for part in parts], parts[0].dimensions.index(self._dimension))
        return Variable(own.dims, indexing.LazilyIndexedArray(array), own.attrs, own.encoding)

    def chunks(self, name: str, variable: Variable) -> dict[Any, Any]:
        """The chunks of a variable along each dimension: those of the files, none over two of them."""
        found: dict[Any, Any] = {}
        for dimension, size in variable.sizes.items():
            chunk = self._preferred[name].get(str(dimension))
            if dimension == self._dimension:
                found[dimension] = tuple(piece for length in self._lengths for piece in _pieces(length, chunk or length))
            else:
                found[dimension] = chunk or size
        return found

    def _decoded_by_file(self, options: dict[str, Any]) -> dict[str, list[Variable]]:
        """The times that have other units or another type in another file, and their bounds, which have those units, too."""
        first = self._members[0]
        names: list[str] = []
        for name, part in first.parts.items():
            if part.is_time() and name in self._times:
                bounds = part.attributes.get("bounds")
                group = [name, bounds] if bounds in first.parts else [name]
                others = ((member.parts[one], first.parts[one]) for member in self._members for one in group)
                if not all(other.has_meaning_of(own) for other, own in others):
                    names += group
        if not names:
            return {}
        if options.get("decode_times") is False or options.get("decode_cf") is False:
            raise InvalidError(
                f"{first.handle.name}: the units of {names[0]}, or its type, differ from file to file",
                hint="they are made one by decoding: leave decode_times on",
            )
        decoded = [_decoded({name: member.parts[name] for name in names}, options) for member in self._members]
        return {name: [one[name] for one in decoded] for name in names}

    def _compare(self, member: Member) -> None:
        """Compares the metadata of a file with that of the first."""
        first = self._members[0]
        for name in first.parts.keys() ^ member.parts.keys():
            has, lacks = (first, member) if name in first.parts else (member, first)
            raise InvalidError(f"{has.handle.name} has a variable {name!r}, {lacks.handle.name} has none", hint=HINT)
        times = self._times & member.times(self._dimension)
        for name, expected in first.parts.items():
            part = member.parts[name]

            def differ(what: str, mine: Any, theirs: Any, name: str = name) -> InvalidError:
                where = f"{member.handle.name}: {name}"
                return InvalidError(f"{where}: {what} {mine!r}, in {first.handle.name} {theirs!r}", hint=HINT)

            if part.dimensions != expected.dimensions:
                raise differ("it has the dimensions", part.dimensions, expected.dimensions)
            is_time = name in times
            if part.array.dtype != expected.array.dtype and not is_time:
                raise differ("its type is", part.array.dtype, expected.array.dtype)
            for dimension in part.dimensions:
                mine, theirs = member.lengths.get(dimension), first.lengths.get(dimension)
                if dimension != self._dimension and mine != theirs:
                    raise differ(f"the length of {dimension} is", mine, theirs)
            for key in MEANING:
                mine, theirs = part.attributes.get(key), expected.attributes.get(key)
                if not _equal(mine, theirs) and not is_time:
                    raise differ(f"the attribute {key} is", mine, theirs)

    def _compare_values(self, name: str) -> None:
        first, *others = self._members
        expected = first.parts[name].values() if others else None
        for member in others:
            if not _equal(member.parts[name].values(), expected):
                raise InvalidError(
                    f"{member.handle.name}: {name}: its values are not those of {first.handle.name}",
                    hint=f"{HINT}; compat='override' takes the values of the first file",
                )


def _calendar(decoded: Variable) -> str | None:
    """What kind of dates decoded times are: NumPy's, or those of a calendar of cftime. None if there are none."""
    dates = decoded.values.ravel()
    if dates.size == 0:
        return None
    if dates.dtype.kind != "O":
        return f"of NumPy's type {dates.dtype.name.partition('[')[0]}"
    return f"of the calendar {getattr(dates[0], 'calendar', type(dates[0]).__name__)!r}"


def _pieces(length: int, chunk: int) -> Iterator[int]:
    """The chunks along an axis of a file."""
    for start in range(0, length, max(chunk, 1)):
        yield min(chunk, length - start)


def _equal(a: Any, b: Any) -> bool:
    """Equality of attributes and of values; NaN is NaN."""
    if isinstance(a, np.ndarray | np.generic) and isinstance(b, np.ndarray | np.generic):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if not a.dtype.hasobject:
            return a.tobytes() == b.tobytes()
        try:
            return bool(np.all(np.asarray(a == b)))
        except TypeError:
            # Dates of several calendars.
            return False
    return type(a) is type(b) and bool(a == b)
