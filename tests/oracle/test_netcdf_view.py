"""`hyperslab ls --netcdf` over fixtures and corpus, compared with netCDF-C (through netCDF4-python)."""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from kit import CORPUS, FIXTURES, SIGNATURE, missing_corpus
from records import COMMAND

#: netCDF-C crashes on some of the other HDF5 files, which were written to break readers.
SUFFIXES = {".nc", ".nc4", ".cdf"}

#: The files for which netCDF-C and the view differ, and the reasons.
DIFFERENT = {
    "fsspec+kerchunk/tests/air_linked.nc": "netCDF-C takes several links to one dimension scale for one dimension",
}

NAMES = {
    "S1": "char", "i1": "byte", "u1": "ubyte", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint",
    "i8": "int64", "u8": "uint64", "f4": "float", "f8": "double",
}  # fmt: skip


def type_name(datatype) -> str:
    if datatype is str:
        return "string"
    if isinstance(datatype, np.dtype):
        return NAMES[datatype.str[1:]]
    return datatype.name


def is_alike(ours, theirs) -> bool:
    """The values of an attribute: from our JSON, and as netCDF4-python returns them."""
    if isinstance(theirs, str):
        return ours in (theirs, [theirs]) or (isinstance(ours, str) and ours.rstrip("\0") == theirs)
    theirs = np.atleast_1d(np.asarray(theirs)).ravel().tolist()
    if len(ours) != len(theirs):
        return False
    for a, b in zip(ours, theirs):
        if isinstance(b, float):
            a = float(a)
            if not (a == b or (math.isnan(a) and math.isnan(b)) or np.float32(a) == np.float32(b)):
                return False
        elif a != b:
            return False
    return True


def differences(ours: dict, theirs: netCDF4.Dataset | netCDF4.Group, where: str) -> list[str]:
    found = []

    def compare(what: str, a, b) -> None:
        if a != b:
            found.append(f"{where}{what}: {a!r} here, {b!r} in netCDF-C")

    compare(
        "dimensions",
        [(d["name"], d["size"], d["unlimited"]) for d in ours["dimensions"]],
        [(d.name, d.size, d.isunlimited()) for d in theirs.dimensions.values()],
    )
    # netCDF-C omits attributes of types that it does not support.
    variables = {v["name"]: v for v in ours["variables"] if v["type"] != "none"}
    compare("variables", list(variables), list(theirs.variables))
    for name in set(variables) & set(theirs.variables):
        a, b = variables[name], theirs.variables[name]
        compare(f"{name} dimensions", [d["name"] for d in a["dimensions"]], list(b.dimensions))
        compare(f"{name} shape", a["shape"], list(b.shape))
        datatype = b._enumtype if b._isenum else b._cmptype if b._iscompound else b._vltype if b._isvlen else b.dtype
        compare(f"{name} type", a["type"], type_name(str if b.dtype is str else datatype))
        chunking = b.chunking()
        compare(f"{name} chunks", a["chunk_sizes"], None if isinstance(chunking, str) or not chunking else chunking)
        filters = b.filters()
        if filters is not None:
            compare(f"{name} shuffle", a["shuffle"], filters["shuffle"])
            compare(f"{name} fletcher32", a["fletcher32"], filters["fletcher32"])
            compare(f"{name} gzip", a["deflate_level"] or 0, filters["complevel"] if filters["zlib"] else 0)
        found += attribute_differences(a["attributes"], b, f"{where}{name}:")
    found += attribute_differences(ours["attributes"], theirs, where)
    compare("groups", [g["name"] for g in ours["groups"]], list(theirs.groups))
    for child in ours["groups"]:
        if child["name"] in theirs.groups:
            found += differences(child, theirs.groups[child["name"]], f"{where}{child['name']}/")
    return found


def attribute_differences(ours: list[dict], theirs, where: str) -> list[str]:
    try:
        names = theirs.ncattrs()
    except Exception:  # if netCDF-C cannot read one attribute, it reads none
        return []
    ours = {a["name"]: a for a in ours if a["type"] != "none"}
    found = [] if list(ours) == names else [f"{where} attributes {list(ours)} here, {names} in netCDF-C"]
    for name in set(ours) & set(names):
        try:
            value = theirs.getncattr(name)
        except Exception:
            continue
        # Elements of user-defined types are bytes in our JSON document.
        if ours[name]["type"] not in (*NAMES.values(), "string"):
            continue
        if "value" in ours[name] and not is_alike(ours[name]["value"], value):
            found.append(f"{where}{name}: {ours[name]['value']!r} here, {value!r} in netCDF-C")
    return found


def view(path: Path) -> dict:
    done = subprocess.run([COMMAND, "ls", "--netcdf", "--json", path], capture_output=True, check=True)
    return json.loads(done.stdout)


def check(path: Path) -> None:
    try:
        theirs = netCDF4.Dataset(path)
    except (OSError, TypeError):
        # netCDF-C or netCDF4-python cannot read it. The view must still be printed.
        assert view(path)["root"]["path"] == "/"
        return
    theirs.set_auto_maskandscale(False)
    with theirs:
        assert differences(view(path)["root"], theirs, "/") == []


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("netcdf4/*.nc")), ids=lambda path: path.name)
def test_files_of_netcdf_c_look_as_in_netcdf_c(path: Path) -> None:
    check(path)


def corpus_files() -> list[Path]:
    if missing_corpus():
        return []
    found = [path for path in sorted(CORPUS.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    return [path for path in found if path.open("rb").read(8) == SIGNATURE]


def test_the_corpus_has_netcdf_files() -> None:
    if why := missing_corpus():
        pytest.skip(why)
    assert len(corpus_files()) > 40


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: str(path.relative_to(CORPUS)))
def test_real_files_look_as_in_netcdf_c(path: Path) -> None:
    reason = DIFFERENT.get(str(path.relative_to(CORPUS)))
    if reason:
        pytest.xfail(reason)
    check(path)
