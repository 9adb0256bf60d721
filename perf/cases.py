"""The benchmark cases: what is measured, and the bounds that the results must satisfy.

A bound: the median of `measured` is at most `factor` times the smallest median of the readers in `against`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CRIS = ("case_study/cris.h5", "/All_Data/CrIS-SDR_All/ES_ImaginaryLW")
CRIS_RAW = ("case_study/cris_raw.h5", CRIS[1])
MAPS = ("t2m/big_t1.h5", "/t2m")
SERIES = ("t2m/big_365.h5", "/t2m")
ROWS = ("rows250/rows.h5", "/d")
PLAIN = ("rows250/plain.h5", "/d")
CONTIGUOUS = ("rows250/contiguous.h5", "/d")
STRINGS = "million_elements/strings.h5"
RECORDS = "million_elements/records.h5"
FIELD = ("scattered/field.h5", "/field")

PEERS = ("h5py", "hidefix")


@dataclass
class Bound:
    measured: str
    against: tuple[str, ...]
    factor: float


@dataclass
class Case:
    name: str
    file: str
    dataset: str
    #: Selections read one after the other; none means every row along the last axis.
    selections: tuple[str, ...] = ()
    #: Python readers.
    readers: tuple[str, ...] = ("hyperslab", "h5py")
    bounds: tuple[Bound, ...] = ()
    #: "read" and "task" (Rust and Python), or "open" and "list" (Rust and the command).
    kind: str = "read"
    #: Its name in tasks.py.
    task: str = ""
    #: In all interleaved repeats; large reads are steady enough with fewer.
    repeats: int = 7
    #: (reader, rows): too slow to read all; extrapolated from this many.
    sampled: dict[str, int] = field(default_factory=dict)
    #: Most decodes of a chunk by the engine.
    decodes_at_most: float | None = None
    #: Most seconds, whatever others take.
    seconds_at_most: dict[str, float] = field(default_factory=dict)


def whole(rank: int) -> tuple[str, ...]:
    return (", ".join([":"] * rank),)


#: Every tenth row of the middle axis, ten in all.
TEN_PLANES = tuple(f":, {y}, :" for y in range(0, 1000, 100))

#: The factor for "not slower". The medians of equal readers differ by a few percent.
EQUAL = 1.05
NO_SLOWER = (Bound("hyperslab", PEERS, EQUAL),)
NO_SLOWER_THAN_H5PY = (Bound("hyperslab", ("h5py",), EQUAL),)



def task(name: str, file: str, dataset: str, task: str, **options) -> Case:
    """A task other than reading slices, or one without a floor: not slower than h5py, from Python and from Rust."""
    bounds = (*NO_SLOWER_THAN_H5PY, Bound("rust", ("h5py",), EQUAL))
    return Case(name, file, dataset, kind="task", task=task, bounds=bounds, **options)


def strides(name: str, selection: str) -> Case:
    return Case(name, *FIELD, selections=(selection,), bounds=NO_SLOWER_THAN_H5PY, decodes_at_most=1)


#: Kinds of text and records: the name of the dataset, and its name in the table.
TEXT = {
    "vlen": "variable length",
    "vlen_gzip": "variable length, gzip",
    "fixed": "fixed length",
    "fixed_gzip": "fixed length, gzip",
}
RECORD_STORAGE = {"contiguous": "contiguous", "gzip": "gzip"}
INDEXES = {
    "btree_v1": "earliest",
    "fixed_array": "latest",
    "extensible_array": "latest",
    "btree_v2": "latest",
}

TABLES = [
    *(task(f"10^6 strings, {what}", STRINGS, name, "whole", repeats=5) for name, what in TEXT.items()),
    *(task(f"10^6 strings, {what}, as str", STRINGS, name, "text", repeats=5) for name, what in TEXT.items()),
    *(task(f"10^6 records, {what}, whole", RECORDS, name, "whole") for name, what in RECORD_STORAGE.items()),
    *(task(f"10^6 records, {what}, one field", RECORDS, name, "field") for name, what in RECORD_STORAGE.items()),
    *(task(f"10^6 records, {what}, two fields", RECORDS, name, "fields") for name, what in RECORD_STORAGE.items()),
]

MEMBERS = [
    *(task(f"names of 10^5 members, {v}", f"many_members/{v}.h5", "/group", "names") for v in ("earliest", "latest")),
    *(task(f"number of 10^5 members, {v}", f"many_members/{v}.h5", "/group", "count") for v in ("earliest", "latest")),
    *(task(f"one of 10^5 members, {v}", f"many_members/{v}.h5", "/group", "member") for v in ("earliest", "latest")),
    task("names of 10^5 attributes", "many_members/latest.h5", "/object", "attribute names"),
    task("one of 10^5 attributes", "many_members/latest.h5", "/object", "attribute"),
]

MANY_CHUNKS = [
    *(
        task(f"10^6 chunks, {name.replace('_', ' ')}, whole", f"many_chunks/{v}.h5", name, "whole", repeats=1)
        for name, v in INDEXES.items()
    ),
    *(
        task(f"10^6 chunks, {name.replace('_', ' ')}, the first", f"many_chunks/{v}.h5", name, "first chunk")
        for name, v in INDEXES.items()
    ),
    *(
        task(f"10^6 chunks, {name.replace('_', ' ')}, 2,500 of them", f"many_chunks/{v}.h5", name, "block")
        for name, v in INDEXES.items()
    ),
]

SCATTERED = [
    strides("strides of 3 and 5, gzip", "::3, ::5"),
    strides("strides beyond a chunk, gzip", "::300, 7::9"),
    task("100,000 points by a boolean mask, gzip", *FIELD, "mask", repeats=5, decodes_at_most=1),
    task("a list of 400 rows, gzip", *FIELD, "rows", repeats=5, decodes_at_most=1),
    task("a list of 100 columns, gzip", *FIELD, "columns", repeats=5, decodes_at_most=1),
]

CASES = [
    Case(
        "16,200 rows, gzip",
        *CRIS,
        readers=("hyperslab", "h5py", "h5py tuned", "h5py 1 MiB"),
        bounds=(Bound("rust", ("floor",), 2.0), Bound("hyperslab", ("h5py tuned",), 0.6)),
        sampled={"h5py 1 MiB": 100},
        decodes_at_most=1,
    ),
    Case("whole dataset, gzip", *CRIS, selections=whole(4), bounds=NO_SLOWER_THAN_H5PY),
    Case(
        "1.4 GiB, whole",
        *MAPS,
        selections=whole(3),
        readers=("hyperslab", "h5py", "hidefix"),
        bounds=(Bound("rust", ("floor_new",), 1.15), Bound("hyperslab", ("h5py",), 0.2)),
        repeats=7,
        decodes_at_most=1,
    ),
    Case("1.4 GiB, a time step", *MAPS, selections=("700, :, :",), readers=("hyperslab", *PEERS), bounds=NO_SLOWER),
    Case(
        "1.4 GiB, a time series",
        *MAPS,
        selections=(":, 180, 360",),
        readers=("hyperslab", *PEERS),
        bounds=NO_SLOWER,
        repeats=3,
    ),
    Case(
        "1.4 GiB in 365x25x25, a time step",
        *SERIES,
        selections=("700, :, :",),
        readers=("hyperslab", *PEERS),
        bounds=NO_SLOWER,
        repeats=5,
    ),
    Case(
        "1.4 GiB in 365x25x25, a time series",
        *SERIES,
        selections=(":, 180, 360",),
        readers=("hyperslab", *PEERS),
        bounds=NO_SLOWER,
    ),
    Case(
        "ten reads d[:, y, :] of the same 250 chunks",
        *ROWS,
        selections=TEN_PLANES,
        readers=("hyperslab", "h5py", "h5py tuned"),
        bounds=(Bound("hyperslab", ("h5py tuned",), EQUAL),),
        repeats=3,
        decodes_at_most=1,
    ),
    Case("contiguous, whole", *CONTIGUOUS, selections=whole(3), bounds=NO_SLOWER_THAN_H5PY),
    Case("contiguous, one plane", *CONTIGUOUS, selections=("60, :, :",), bounds=NO_SLOWER_THAN_H5PY),
    Case("contiguous, across the slow axis", *CONTIGUOUS, selections=(":, 500, :",), bounds=NO_SLOWER_THAN_H5PY),
    Case("uncompressed chunks, whole", *PLAIN, selections=whole(3), bounds=NO_SLOWER_THAN_H5PY),
    Case("uncompressed chunks, ten planes", *PLAIN, selections=TEN_PLANES, bounds=NO_SLOWER_THAN_H5PY),
    Case(
        "16,200 rows, uncompressed",
        *CRIS_RAW,
        bounds=(*NO_SLOWER_THAN_H5PY, Bound("rust", ("floor",), 4.0)),
    ),
    Case("open and list, 500 chunks", *ROWS, kind="list", seconds_at_most={"rust": 0.010}),
    Case("open and list, 1,460 chunks", *MAPS, kind="list", seconds_at_most={"rust": 0.010}),
    Case(
        "open one of 20,000 datasets, earliest",
        "many_datasets/flat_earliest.h5",
        "/dataset 12345",
        kind="open",
        seconds_at_most={"rust": 0.005},
    ),
    Case(
        "open one of 20,000 datasets, latest",
        "many_datasets/flat_latest.h5",
        "/dataset 12345",
        kind="open",
        seconds_at_most={"rust": 0.005},
    ),
    Case("walk 20,000 datasets, earliest", "many_datasets/tree_earliest.h5", "/", kind="list", repeats=3),
    Case("walk 20,000 datasets, latest", "many_datasets/tree_latest.h5", "/", kind="list", repeats=3),
    *SCATTERED,
    *TABLES,
    *MEMBERS,
    *MANY_CHUNKS,
]
