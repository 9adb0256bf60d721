"""Random netCDF-4 files and their repacks: netCDF-C reads the same from both, and can change both.

`HYPERSLAB_RANDOM_FILES=4000:4200` tests the files with these seeds instead of the default ones. The full run tests more files.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import hyperslab
import netCDF4
import numpy as np
import pytest
from kit import scaled

FIRST, LAST = (int(number) for number in os.environ.get("HYPERSLAB_RANDOM_FILES", f"0:{scaled(6)}").split(":"))
#: What is asked of repack, and whether chunks and filters stay as they are.
VARIANTS: list[tuple[dict[str, Any], bool]] = [
    ({}, True),
    ({"page_size": "16KiB"}, True),
    ({"libver": "latest"}, True),
    ({"libver": "earliest"}, True),
    ({"user_block": 1024}, True),
    ({"filter": "shuffle+gzip=4"}, False),
    ({"chunks": "7"}, False),
]
NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
NAMES = ["time", "lat", "a b", "größe", "x-1", "T2", "deep.er", "_hidden", "über/all".replace("/", "_"), "n"]


class Writer:
    """Writes a file that its seed decides."""

    def __init__(self, path: Path, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        with netCDF4.Dataset(path, "w") as file:
            self.types: list[Any] = []
            self.lengths: dict[tuple[str, str], int] = {}
            self.group(file, [], 0)

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def pick(self, values: list[Any]) -> Any:
        return values[self.random.integers(len(values))]

    def group(self, group: Any, around: list[str], depth: int) -> None:
        self.user_types(group, depth)
        dimensions = []
        for number in range(self.random.integers(0, 4)):
            name = f"{self.pick(NAMES)}_{depth}{number}"
            length = int(self.random.integers(1, 6))
            group.createDimension(name, None if self.chance(0.3) else length)
            # All variables are written to the same length: netCDF-C returns whatever memory held beyond a shorter one.
            self.lengths[(group.path, name)] = length
            dimensions.append(name)
        self.attributes(group)
        for name in dimensions:
            if self.chance(0.5):
                self.variable(group, name, (name,))
        known = around + dimensions
        for number in range(self.random.integers(0, 5)):
            rank = int(self.random.integers(0, 4)) if known else 0
            # A dimension may come twice, and a variable may have the name of a dimension that it does not have.
            name = self.pick(dimensions) if dimensions and self.chance(0.1) else f"{self.pick(NAMES)} v{number}"
            if name not in group.variables:
                self.variable(group, name, tuple(self.pick(known) for _ in range(rank)))
        for number in range(self.random.integers(0, 3) if depth < 2 else 0):
            self.group(group.createGroup(f"{self.pick(NAMES)}_g{number}"), known, depth + 1)

    def user_types(self, group: Any, depth: int) -> None:
        if self.chance(0.4):
            members = {f"m {number}": number * 3 for number in range(self.random.integers(1, 4))}
            self.types.append(("enum", group.createEnumType(self.pick(["i1", "u2", "i4"]), f"enum{depth}{len(self.types)}", members), members))
        if self.chance(0.3):
            dtype = np.dtype([("a", "f4"), ("b", "i2", (2,)), ("c d", "u8")])
            self.types.append(("compound", group.createCompoundType(dtype, f"rec{depth}{len(self.types)}"), dtype))
        if self.chance(0.3):
            dtype = np.dtype(self.pick(["i2", "f8"]))
            self.types.append(("vlen", group.createVLType(dtype, f"vl{depth}{len(self.types)}"), dtype))

    def variable(self, group: Any, name: str, dimensions: tuple[str, ...]) -> None:
        # netCDF4-python ends with a segmentation fault when it reads a sequence that is a scalar.
        # User-defined types have no fill value by default: where there is none, all values are written, because what is not
        # is whatever memory held.
        is_fixed = not any(self.is_unlimited(group, one) for one in dimensions)
        user_types = [kind for kind, *_ in self.types if is_fixed and (dimensions or kind != "vlen")]
        kind = self.pick(["number"] * 6 + ["text", "S1"] + user_types)
        options: dict[str, Any] = {}
        if dimensions and kind in ("number", "S1") and self.chance(0.6):
            options = self.pick([
                {"zlib": True, "complevel": int(self.random.integers(1, 10)), "shuffle": self.chance(0.5)},
                {"zlib": True, "fletcher32": True},
                {"fletcher32": True},
                {"compression": "zstd", "complevel": 3} if kind == "number" else {"zlib": True},
                {"contiguous": True} if is_fixed else {},
                {"chunksizes": tuple(int(self.random.integers(1, 3)) for _ in dimensions)},
            ])  # fmt: skip
            sizes = options.get("chunksizes")
            if sizes:
                lengths = [self.length(group, one) for one in dimensions]
                unlimited = [self.is_unlimited(group, one) for one in dimensions]
                options["chunksizes"] = tuple(c if u else min(c, n) for c, n, u in zip(sizes, lengths, unlimited, strict=True))
        if kind == "number":
            datatype: Any = self.pick(["<", ">"]) + self.pick(NUMBERS)
            if self.chance(0.3):
                options["fill_value"] = self.pick([7, False]) if is_fixed else 7
            if datatype[1:] in ("f4", "f8") and options.get("zlib") and self.chance(0.3):
                options["significant_digits"] = 3
            variable = group.createVariable(name, datatype, dimensions, **options)
        elif kind == "text":
            variable = group.createVariable(name, str, dimensions)
        elif kind == "S1":
            variable = group.createVariable(name, "S1", dimensions, **options)
        else:
            _, datatype, detail = self.pick([one for one in self.types if one[0] == kind])
            variable = group.createVariable(name, datatype, dimensions)
        variable.set_auto_mask(False)
        variable.set_auto_scale(False)
        self.attributes(variable)
        if self.chance(0.8) or options.get("fill_value") is False or kind in user_types or kind == "text":
            shape = tuple(self.length(group, one) for one in dimensions)
            values = self.values(kind, datatype if kind in ("number",) else None, shape, detail if kind in ("enum", "compound", "vlen") else None)
            if dimensions:
                variable[tuple(slice(0, size) for size in shape)] = values
            else:
                variable[...] = values

    def values(self, kind: str, datatype: Any, shape: tuple[int, ...], detail: Any) -> Any:
        size = int(np.prod(shape, dtype=int))
        if kind == "number":
            return self.random.integers(0, 100, shape).astype(datatype)
        if kind == "S1":
            return np.array([b"abc"[i : i + 1] for i in self.random.integers(0, 3, size)], "S1").reshape(shape)
        if kind == "enum":
            return np.array([self.pick(list(detail.values())) for _ in range(size)]).reshape(shape)
        if kind == "compound":
            made = np.zeros(shape, detail)
            made["a"], made["c d"] = self.random.random(shape), self.random.integers(0, 9, shape)
            return made
        made = np.empty(size, object)
        for place in range(size):
            length = int(self.random.integers(0, 4))
            made[place] = "äb c"[:length] if kind == "text" else self.random.integers(0, 9, length).astype(detail)
        if not shape:
            return made[0]
        return made.reshape(shape)

    def attributes(self, item: Any) -> None:
        for number in range(self.random.integers(0, 4)):
            name = f"{self.pick(NAMES)}{number}"
            item.setncattr(name, self.pick([
                "text", "größer als ß", "", ["several", "strings", ""],
                np.int8(-3), np.array([1, 2, 3], "u4"), np.float32(0.5), np.array([1e300, -0.0]), np.int64(2**40),
            ]))  # fmt: skip
        if self.chance(0.05):
            for number in range(12):
                item.setncattr(f"many{number}", number)

    def dimension(self, group: Any, name: str) -> Any:
        while name not in group.dimensions:
            group = group.parent
        return group.dimensions[name]

    def length(self, group: Any, name: str) -> int:
        while name not in group.dimensions:
            group = group.parent
        return self.lengths[(group.path, name)]

    def is_unlimited(self, group: Any, name: str) -> bool:
        return bool(self.dimension(group, name).isunlimited())


def described(group: Any, keeps_storage: bool) -> dict[str, Any]:
    """Everything that netCDF-C tells of a group, in its order."""
    found: dict[str, Any] = {
        "dimensions": [(name, len(one), one.isunlimited()) for name, one in group.dimensions.items()],
        "types": [(one.name, str(one.dtype), getattr(one, "enum_dict", None)) for kind in (group.enumtypes, group.cmptypes, group.vltypes) for one in kind.values()],
        "attributes": attributes(group),
        "variables": [],
        "groups": [],
    }
    for name, variable in group.variables.items():
        variable.set_auto_maskandscale(False)
        told = [name, variable.dimensions, str(variable.dtype), variable.endian(), attributes(variable), values(variable)]
        if keeps_storage:
            told += [variable.chunking(), variable.filters()]
        found["variables"].append(told)
    found["groups"] = [(name, described(one, keeps_storage)) for name, one in group.groups.items()]
    return found


def attributes(item: Any) -> list[Any]:
    told = []
    for name in item.ncattrs():
        value = item.getncattr(name)
        told.append((name, type(value).__name__, str(np.asarray(value).dtype), np.asarray(value).tolist()))
    return told


def values(variable: Any) -> Any:
    read = np.asarray(variable[...])
    if read.dtype.hasobject:
        return read.shape, [one if isinstance(one, str) else np.asarray(one).tolist() for one in read.ravel()]
    return read.shape, read.tobytes()


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_repacks_are_what_they_were_for_netcdf(seed, tmp_path):
    path = tmp_path / "in.nc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Writer(path, seed)
    expected = {}
    for keeps_storage in (True, False):
        with netCDF4.Dataset(path) as file:
            expected[keeps_storage] = described(file, keeps_storage)
    for number, (options, keeps_storage) in enumerate(VARIANTS):
        out = tmp_path / f"{number}.nc"
        chosen = dict(options)
        if "chunks" in chosen:
            chosen["chunks"] = rechunked(path)
            if not chosen["chunks"]:
                continue
        hyperslab.repack(path, out, **chosen)
        assert hyperslab.check(out)["findings"] == [], options
        with netCDF4.Dataset(out) as file:
            assert described(file, keeps_storage) == expected[keeps_storage], options
        with netCDF4.Dataset(out, "a") as file:
            file.setncattr("added", 1)
            file.createDimension("added", 3)
            file.createVariable("added", "f4", ("added",))[:] = 1
        with netCDF4.Dataset(out) as file:
            assert file["added"][:].tolist() == [1, 1, 1], options


def rechunked(path: Path) -> list[str]:
    """Other chunks for each variable that has any."""
    found: list[str] = []

    def visit(group: Any) -> None:
        for variable in group.variables.values():
            if variable.ndim and isinstance(variable.chunking(), list) and all(variable.shape):
                # A variable with the name of a dimension that it does not have lies in the file under another name.
                is_other = variable.name in group.dimensions and variable.dimensions[:1] != (variable.name,)
                where = f"{group.path.rstrip('/')}/{'_nc4_non_coord_' if is_other else ''}{variable.name}"
                found.append(f"{where}:{'x'.join('2' if size > 1 else '1' for size in variable.shape)}")
        for inner in group.groups.values():
            visit(inner)

    with netCDF4.Dataset(path) as file:
        visit(file)
    return found
