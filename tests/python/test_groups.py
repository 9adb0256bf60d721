"""Groups, paths and links, compared with h5py."""

from __future__ import annotations

import os
from collections.abc import Mapping

import h5py
import numpy as np
import pytest

import hyperslab

CLASSES = {h5py.Group: hyperslab.Group, h5py.Dataset: hyperslab.Dataset, h5py.Datatype: hyperslab.Datatype}
LINKS = {
    h5py.HardLink: hyperslab.HardLink,
    h5py.SoftLink: hyperslab.SoftLink,
    h5py.ExternalLink: hyperslab.ExternalLink,
}


def write(file):
    file["d"] = np.arange(3)
    file["a/b/c/deep"] = 1
    file["a/x"] = 2
    file["type"] = np.dtype("f4")
    file["ümlaut"] = 5
    file["soft"] = h5py.SoftLink("/a/b")
    file["relative"] = h5py.SoftLink("a/x")
    file["dangling"] = h5py.SoftLink("/nowhere")
    file["external"] = h5py.ExternalLink("other.h5", "/in/it")
    file["again"] = file["a"]
    file["a/up"] = file["/"]
    many = file.create_group("many")
    for number in range(50):
        many[f"n{number:02}"] = number
    ordered = file.create_group("ordered", track_order=True)
    for name in ["zebra", "ant", "mule"]:
        ordered[name] = 1


PATHS = [
    "/", ".", "./a", "a", "/a", "a/b", "a/b/", "a//b", "a/./b", "/a/b/c/deep", "soft", "soft/c", "relative",
    "again/b/c", "a/up/a/x", "type", "ümlaut", "many/n07", b"a/x",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=repr)
def test_paths(pair, libver, path):
    both = pair(write, libver)
    theirs, ours = both[path]
    assert isinstance(ours, CLASSES[type(theirs)])
    assert (ours.name, repr(ours)) == (theirs.name, repr(theirs))
    assert ours.parent.name == theirs.parent.name
    assert ours.file.filename == theirs.file.filename
    assert ours.file == both.ours
    assert path in both.ours and path in both.theirs
    assert both.ours.get(path, getclass=True) is CLASSES[type(theirs)]


@pytest.mark.parametrize("path", ["nope", "a/nope", "nope/x", "d/x", "dangling", "", "a/../d"])
def test_missing_paths(pair, libver, path):
    both = pair(write, libver)
    with pytest.raises(KeyError):
        both.theirs[path]
    with pytest.raises(KeyError) as error:
        both.ours[path]
    assert isinstance(error.value, hyperslab.HyperslabError)
    assert (path in both.ours) == (path in both.theirs)


def test_a_near_miss_is_suggested(pair):
    with pytest.raises(KeyError, match="did you mean /a/b/c"):
        pair(write).ours["a/b/d"]
    with pytest.raises(KeyError, match="did you mean /ümlaut"):
        pair(write).ours["Umlaut"]


@pytest.mark.parametrize("wrong", [0, None, 1.5, ["a"]])
def test_names_are_text(pair, wrong):
    ours = pair(write).ours
    with pytest.raises(TypeError):
        ours[wrong]
    with pytest.raises(TypeError):
        wrong in ours  # noqa: B015


@pytest.mark.parametrize("path", ["/", "a", "many", "ordered", "soft"])
def test_a_group_is_a_mapping(pair, libver, path):
    theirs, ours = pair(write, libver)[path]
    assert isinstance(ours, Mapping)
    assert len(ours) == len(theirs)
    assert list(ours) == list(theirs)
    assert list(reversed(ours)) == list(reversed(theirs))
    assert list(ours.keys()) == list(theirs.keys()) and repr(ours.keys()) == repr(theirs.keys())
    assert [name for name, _ in ours.items()] == [name for name, _ in theirs.items()]
    found = [getattr(value, "name", None) for value in ours.values()]
    assert found == [getattr(value, "name", None) for value in theirs.values()]
    for name in theirs:
        assert name in ours and name in ours.keys()
    assert ours == ours and bool(ours)


@pytest.mark.parametrize(
    "name", ["d", "a", "soft", "relative", "dangling", "external", "again", "a/b/c", "soft/c", "nope", "a/nope"]
)
def test_links(pair, libver, name):
    both = pair(write, libver)
    theirs, ours = both.theirs.get(name, getlink=True), both.ours.get(name, getlink=True)
    if theirs is None:
        assert ours is None
        assert both.ours.get(name, "default", getlink=True) == "default"
        return
    assert type(ours) is LINKS[type(theirs)]
    assert both.ours.get(name, getlink=True, getclass=True) is type(ours)
    for attribute in ["path", "filename"]:
        assert getattr(ours, attribute, None) == getattr(theirs, attribute, None)


def test_links_in_a_circle(pair):
    def circle(file):
        file["a"] = h5py.SoftLink("/b")
        file["b"] = h5py.SoftLink("/a/c")

    both = pair(circle)
    with pytest.raises(RuntimeError, match="too many links"):
        both.theirs["a"]
    with pytest.raises(hyperslab.HyperslabError, match="loop"):
        both.ours["a"]
    assert list(both.ours) == ["a", "b"] and both.ours.get("a", getlink=True).path == "/b"


def test_get_has_a_default(pair):
    ours = pair(write).ours
    assert ours.get("nope") is None and ours.get("dangling") is None
    assert ours.get("nope", 3) == 3 and ours.get("nope", 3, getclass=True) == 3
    assert ours.get("d").shape == (3,)


@pytest.mark.parametrize("path", ["/", "a", "many", "again"])
def test_visits(pair, libver, path):
    theirs, ours = pair(write, libver)[path]
    for method in ["visit", "visit_links"]:
        expected, found = [], []
        getattr(theirs, method)(expected.append)
        getattr(ours, method)(found.append)
        assert found == expected
    expected, found = [], []
    theirs.visititems(lambda name, item: expected.append((name, item.name, CLASSES[type(item)])))
    ours.visititems(lambda name, item: found.append((name, item.name, type(item))))
    assert found == expected
    expected, found = [], []
    theirs.visititems_links(lambda name, link: expected.append((name, LINKS[type(link)])))
    ours.visititems_links(lambda name, link: found.append((name, type(link))))
    assert found == expected


def test_a_visit_ends_with_an_answer(pair):
    ours = pair(write).ours
    seen = []
    assert ours.visit(lambda name: seen.append(name) or (name == "a/b" and "found") or None) == "found"
    assert seen[-1] == "a/b"
    with pytest.raises(ZeroDivisionError):
        ours.visititems(lambda name, item: 1 / 0)


def test_closing_the_file_ends_a_loop_but_not_a_visit(pair):
    """h5py ends with a segmentation fault: its visit goes on with the identifiers that were closed."""
    ours = pair(write).ours
    whole, seen = [], []
    ours.visit(whole.append)
    ours.visititems(lambda name, item: seen.append(name) or ours.close())
    assert seen == whole and not ours
    ours = pair(write).ours
    with pytest.raises(hyperslab.errors.ClosedError, match="closed"):
        for _ in ours.items():
            ours.close()


def test_external_links(pair, tmp_path):
    both = pair(write)
    assert both.ours.get("external") is None
    with pytest.raises(KeyError):
        both.ours["external"]
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["in/it"] = ["text", "more"]
        other["in"]["it"].attrs["a"] = "b"
        other["in"]["ref"] = other["in"]["it"].ref
    theirs, ours = both["external"]
    assert ours[:].tolist() == theirs[:].tolist()
    assert ours.attrs["a"] == "b"
    assert (ours.name, ours.parent.name) == (theirs.name, theirs.parent.name) == ("/in/it", "/in")
    assert os.path.samefile(ours.file.filename, theirs.file.filename)
    assert ours.file != both.ours and ours.file == both.ours["external"].file
    # A reference leads somewhere in the file that it was read from.
    assert ours.file[ours.parent["ref"][()]] == ours
    other = ours.file
    both.ours.close()
    assert not ours and not other


def test_many_links_in_a_dense_group(pair):
    def write(file):
        group = file.create_group("g")
        for number in range(2000):
            group[f"member {number}"] = h5py.SoftLink("/g")

    both = pair(write)
    assert list(both.ours["g"]) == list(both.theirs["g"])
    assert "member 1999" in both.ours["g"] and "member 2000" not in both.ours["g"]


def test_names_that_are_not_utf8_are_told_from_those_that_are(tmp_path):
    path = tmp_path / "names.h5"
    with h5py.File(path, "w") as file:
        for number, name in enumerate(("temp\u00e9".encode(), b"temp\xe9", b"temp\xe8")):
            file[name] = np.arange(3) + 10 * number
            file.attrs[name] = number
        file["\u00e9".encode() + b"/\xe8"] = 7
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        assert list(ours) == list(theirs)
        for name in theirs:
            if isinstance(theirs[name], h5py.Dataset):
                np.testing.assert_array_equal(ours[name][()], theirs[name][()])
        assert {name: value for name, value in ours.attrs.items()} == dict(theirs.attrs.items())
        assert ours["\u00e9".encode() + b"/\xe8"][()] == 7
        # As text, the name that is UTF-8 is meant, and others are Latin-1.
        assert ours["temp\u00e9"][0] == 0 and ours["temp\u00e8"][0] == 20
        assert b"temp\xe7" not in ours and "temp\u00e7" not in ours
