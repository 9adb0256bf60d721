"""Runs h5py's own tests, with hyperslab answering what they read.

    .venv/bin/python scripts/try_h5py_suite.py [--alone] [ARGUMENTS OF PYTEST]

The tests write with h5py. Whenever they ask a dataset, a group, attributes or the dimensions of a dataset for something, the
file is flushed and opened by hyperslab, which answers. Left to h5py are objects (a group of a group), what has references or
files of other drivers, and anonymous objects; the numbers of both are printed. With `--alone`, h5py answers everything: what
fails then does not count.

Prints the tests that fail. `docs/h5py-differences.md` says why they do.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np
import pytest
from h5py._hl.dims import DimensionProxy
from suite_results import SuiteResults

import hyperslab

#: What is asked for, by class. Properties keep their setters.
PROPERTIES = {
    h5py.Dataset: [
        "shape", "dtype", "size", "nbytes", "ndim", "chunks", "compression", "compression_opts", "shuffle", "fletcher32",
        "scaleoffset", "fillvalue", "maxshape", "is_virtual", "external",
    ],
    h5py.File: ["userblock_size"],
}  # fmt: skip
METHODS = {
    h5py.Dataset: ["__getitem__", "__len__", "len"],
    h5py.Group: ["__contains__", "__len__", "__iter__"],
    h5py.AttributeManager: ["__getitem__", "__contains__", "__len__", "__iter__"],
    DimensionProxy: ["label", "__len__", "keys"],
}
ASKED: Counter[str] = Counter()


class LeftToH5pyError(Exception):
    """hyperslab cannot be asked this."""


def has_references(dtype: np.dtype[Any]) -> bool:
    if dtype.subdtype is not None:
        return has_references(dtype.subdtype[0])
    if dtype.names is not None:
        return any(has_references(dtype[name]) for name in dtype.names)
    info = dtype.metadata or {}
    inner = info.get("vlen")
    return "ref" in info or (isinstance(inner, np.dtype) and has_references(inner))


def locate(identifier: Any) -> Any:
    """The same object, opened by hyperslab."""
    if not identifier.valid:
        raise LeftToH5pyError
    name, file = h5py.h5i.get_name(identifier), h5py.h5i.get_file_id(identifier)
    if not name or file.get_access_plist().get_driver() != h5py.h5fd.SEC2:
        raise LeftToH5pyError
    if file.get_intent() != h5py.h5f.ACC_RDONLY:
        try:
            h5py.h5f.flush(identifier, h5py.h5f.SCOPE_GLOBAL)
        except RuntimeError as error:
            # While libhdf5 visits a group, its file cannot be flushed.
            raise LeftToH5pyError from error
    opened = hyperslab.File(h5py.h5f.get_name(identifier).decode())
    found = opened[name.decode("utf8", "surrogateescape")]
    # The object keeps the file open.
    return opened if name == b"/" else found


def of_h5py(answer: Any) -> Any:
    """The answer in h5py's classes, where they are compared by class."""
    if isinstance(answer, hyperslab.Empty):
        return h5py.Empty(answer.dtype)
    dtypes = [answer] if isinstance(answer, np.dtype) else [answer.dtype] if isinstance(answer, (np.ndarray, np.generic)) else []
    if any(has_references(dtype) for dtype in dtypes) or isinstance(answer, (hyperslab.Reference, hyperslab.RegionReference)):
        raise LeftToH5pyError
    return answer


def has_h5py_values(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(has_h5py_values(one) for one in value)
    kinds = (h5py.Reference, h5py.RegionReference, h5py.Dataset, h5py.Datatype, h5py.MultiBlockSlice)
    return isinstance(value, kinds)


def ask(what: str, identifier: Callable[[], Any], question: Callable[[Any], Any], arguments: tuple[Any, ...], theirs: Callable[[], Any]) -> Any:
    try:
        if has_h5py_values(arguments):
            raise LeftToH5pyError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            ours = locate(identifier())
        if isinstance(ours, hyperslab.Dataset) and has_references(ours.dtype) and what.endswith("__getitem__"):
            raise LeftToH5pyError
        answer = of_h5py(question(ours))
    except LeftToH5pyError:
        ASKED["left to h5py"] += 1
        return theirs()
    ASKED[what] += 1
    return answer


def replace_property(cls: type, name: str) -> None:
    theirs = getattr(cls, name)

    def answer(self: Any) -> Any:
        return ask(f"{cls.__name__}.{name}", lambda: self.id, lambda ours: getattr(ours, name), (), lambda: theirs.fget(self))

    setattr(cls, name, property(answer, theirs.fset, theirs.fdel, theirs.__doc__))


def replace_method(cls: type, name: str) -> None:
    theirs = getattr(cls, name)
    if isinstance(theirs, property):
        return

    @functools.wraps(theirs)
    def answer(self: Any, *arguments: Any, **options: Any) -> Any:
        if cls is h5py.AttributeManager:
            identifier, of = (lambda: self._id), (lambda ours: ours.attrs)
        elif cls is DimensionProxy:
            identifier, of = (lambda: self._id), (lambda ours: ours.dims[self._dimension])
        else:
            identifier, of = (lambda: self.id), (lambda ours: ours)

        def question(ours: Any) -> Any:
            if options.get("new_dtype") is not None:
                return of(ours).astype(options["new_dtype"])[arguments[0]]
            answered = getattr(of(ours), name)(*arguments)
            return iter(list(answered)) if name == "__iter__" else answered

        return ask(f"{cls.__name__}.{name}", identifier, question, arguments, lambda: theirs(self, *arguments, **options))

    setattr(cls, name, answer)


def main() -> int:
    arguments = sys.argv[1:]
    alone = "--alone" in arguments
    if alone:
        arguments.remove("--alone")
    else:
        for cls, names in PROPERTIES.items():
            for name in names:
                replace_property(cls, name)
        for cls, names in METHODS.items():
            for name in names:
                replace_method(cls, name)
    results = SuiteResults()
    # It registers a filter in libhdf5, reads nothing, and ends the process after the tests before it.
    left_out = ["-k", "not test_register_filter"]
    pytest.main(
        ["-q", "-p", "no:cacheprovider", "-W", "ignore", *left_out, "--pyargs", "h5py", *arguments], plugins=[results]
    )
    answered = sum(count for what, count in ASKED.items() if what != "left to h5py")
    results.report(
        f"h5py {h5py.__version__}", f"hyperslab answered {answered} questions, {ASKED['left to h5py']} were left to h5py"
    )
    return int(not alone and not answered)


if __name__ == "__main__":
    raise SystemExit(main())
