"""Links of classes that an application registered: listed with their class, in nobody's way."""

from __future__ import annotations

import ctypes

import h5py
import numpy as np
import pytest
from libhdf5 import libhdf5

import hyperslab

TRAVERSE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_char_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, ctypes.c_int64
)


class LinkClass(ctypes.Structure):
    """`H5L_class_t`, version 1."""

    _fields_ = [
        ("version", ctypes.c_int),
        ("id", ctypes.c_int),
        ("comment", ctypes.c_char_p),
        ("create", ctypes.c_void_p),
        ("move", ctypes.c_void_p),
        ("copy", ctypes.c_void_p),
        ("traverse", TRAVERSE),
        ("delete", ctypes.c_void_p),
        ("query", ctypes.c_void_p),
    ]


def write(file):
    library = libhdf5()
    kind = LinkClass(1, 199, b"test", None, None, None, TRAVERSE(lambda *_: -1), None, None)
    assert library.H5Lregister(ctypes.byref(kind)) >= 0
    create = library.H5Lcreate_ud
    create.argtypes = [ctypes.c_int64, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t] + [ctypes.c_int64] * 2
    file["before"] = np.arange(3)
    assert create(file.id.id, b"mine", 199, b"some data", 9, 0, 0) >= 0
    file["zebra"] = np.arange(4)
    assert library.H5Lunregister(199) >= 0


def test_the_rest_of_the_group_is_read(pair, libver):
    both = pair(write, libver)
    assert list(both.ours) == list(both.theirs) == ["before", "mine", "zebra"]
    assert "mine" in both.ours
    assert both.ours.get("mine") is both.theirs.get("mine") is None
    assert [value is None for value in both.ours.values()] == [False, True, False]
    found = []
    both.ours.visit(found.append)
    assert found == ["before", "zebra"]
    for file in (both.ours, both.theirs):
        with pytest.raises(KeyError):
            file["mine"]
        with pytest.raises(TypeError, match="Unknown link type"):
            file.get("mine", getlink=True)
    with pytest.raises(hyperslab.errors.UnsupportedError, match="user-defined link of class 199"):
        both.ours["mine"]
