"""Real files: every dataset and attribute of a sample of the corpus, as h5py reads them."""

from __future__ import annotations

import csv
import subprocess
import sys
import warnings
import zlib

import h5py
import numpy as np
import pytest
from comparing import same, same_dtype

import hyperslab

try:
    import hdf5plugin  # noqa: F401  (registers filters with libhdf5)
except ImportError:
    pass

ELEMENTS_MAX = 2_000_000
#: One in so many valid files is compared.
EVERY = 3


def sample(corpus):
    with open(corpus / "MANIFEST.tsv", newline="") as manifest:
        for row in csv.DictReader(manifest, delimiter="\t"):
            broken = {"MALFORMED", "UNCLEAN-CLOSE", "companion"} & set(row["features"].replace(",", " ").split())
            if row["kind"] == "hdf5" and not broken and zlib.crc32(row["path"].encode()) % EVERY == 0:
                yield row["path"]


def unreadable_vlen(dtype):
    """h5py reads variable-length big-endian numbers wrongly."""
    dtype = getattr(dtype, "base", dtype)
    if dtype.names is not None:
        return any(unreadable_vlen(dtype.fields[name][0]) for name in dtype.names)
    base = (dtype.metadata or {}).get("vlen")
    return isinstance(base, np.dtype) and (has_big_endian(base) or unreadable_vlen(base))


def has_big_endian(dtype):
    dtype = dtype.base
    if dtype.names is not None:
        return any(has_big_endian(dtype.fields[name][0]) for name in dtype.names)
    return dtype.byteorder == ">"


def compare(path):
    """The differences, as lines, and the number of equal values."""
    found, equal = [], 0
    with h5py.File(path) as theirs:
        names = ["/"]
        theirs.visit(names.append)
        try:
            ours = hyperslab.File(path)
        except hyperslab.HyperslabError as error:
            return ([] if error.kind == "unsupported" else [f"open: {error}"]), 0
        with ours:
            for name in names:
                lines, values = compare_object(theirs, ours, name)
                found += [f"{name}: {line}" for line in lines]
                equal += values
    return found, equal


def compare_object(theirs, ours, name):
    lines, equal = [], 0
    try:
        a, b = ours[name], theirs[name]
        things = [((lambda: a.attrs[key]), (lambda: b.attrs[key]), f"attribute {key}") for key in b.attrs]
        for key in b.attrs:
            problem, count = compare_value(lambda: a.attrs[key], lambda: b.attrs[key])  # noqa: B023
            lines += [f"attribute {key}: {line}" for line in problem]
            equal += count
        del things
        if isinstance(b, h5py.Dataset) and (b.size or 0) * b.dtype.itemsize < 8 * ELEMENTS_MAX:
            if not same_dtype(a.dtype, b.dtype):
                lines.append(f"dtype {a.dtype} {a.dtype.metadata}, not {b.dtype} {b.dtype.metadata}")
            elif not unreadable_vlen(b.dtype):
                problem, count = compare_value(lambda: a[()], lambda: b[()])
                lines += problem
                equal += count
    except hyperslab.HyperslabError as error:
        if error.kind != "unsupported":
            lines.append(f"{type(error).__name__}: {error}")
    except (OSError, TypeError, ValueError, KeyError, RuntimeError):
        pass  # h5py cannot read it
    return lines, equal


def compare_value(ours, theirs):
    try:
        expected = theirs()
    except Exception:
        return [], 0
    if unreadable_vlen(getattr(expected, "dtype", np.dtype("i4"))):
        return [], 0
    try:
        value = ours()
    except hyperslab.HyperslabError as error:
        return ([] if error.kind == "unsupported" else [f"{type(error).__name__}: {error}"]), 0
    return ([], 1) if same(value, expected) else ([f"{value!r:.200}, not {expected!r:.200}"], 0)


def compare_all(corpus, paths):
    """Runs in its own process, because some of these files crash libhdf5."""
    script = "import sys, test_real_files; test_real_files.main(sys.argv[1:])"
    todo, problems, equal = list(paths), {}, 0
    while todo:
        done = subprocess.run(
            [sys.executable, "-c", script, *(str(corpus / path) for path in todo)],
            capture_output=True, text=True, cwd=__file__.rsplit("/", 1)[0],
        )  # fmt: skip
        lines = [line.split("\t", 2) for line in done.stdout.splitlines()]
        finished = [line[1] for line in lines if line[0] == "done"]
        equal += sum(int(line[2]) for line in lines if line[0] == "done")
        for line in lines:
            if line[0] == "problem":
                problems.setdefault(line[1], []).append(line[2])
        if len(finished) == len(todo):
            break
        crashed = todo[len(finished)]
        print(f"reading {crashed} ended the process: {done.stderr[-500:]}")
        if "panicked" in done.stderr:
            problems.setdefault(crashed, []).append(done.stderr[-2000:])
        todo = todo[len(finished) + 1 :]
    return problems, equal


def main(paths):
    warnings.simplefilter("ignore")
    for path in paths:
        try:
            problems, equal = compare(path)
        except (OSError, RuntimeError, ValueError, KeyError):
            problems, equal = [], 0  # h5py cannot open it, or walk through it
        for problem in problems:
            print("problem", path, repr(problem), sep="\t")
        print("done", path, equal, sep="\t", flush=True)


def test_a_sample_of_the_corpus(corpus):
    paths = list(sample(corpus))
    problems, equal = compare_all(corpus, paths)
    for path, lines in problems.items():
        print(path, *lines[:5], sep="\n    ")
    assert not problems
    assert equal > 1000
