"""Expressions on one file, evaluated with both libraries: they give the same value or the same kind of error.

`docs/h5py-differences.md` lists intended differences; its expressions are also here, and must still differ.
"""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from comparing import same
from kit import ROOT

import hyperslab

POINT = np.dtype([("x", "<f4"), ("n", "<i2"), ("name", "S4"), ("v", "<i4", (2,))])
COLOURS = {"red": 0, "green": 1, "blue": 5}


def write(file: h5py.File) -> None:
    values = np.arange(600, dtype="<i4").reshape(20, 30)
    chunked = file.create_dataset(
        "chunked", data=values, chunks=(7, 8), maxshape=(None, 40), compression="gzip", compression_opts=5,
        shuffle=True, fletcher32=True, fillvalue=-3,
    )  # fmt: skip
    file["plain"] = values.astype(">f8")
    file["line"] = np.arange(10, dtype="u1")
    file["cube"] = np.arange(60, dtype="i8").reshape(3, 4, 5)
    file["number"] = np.float32(2.5)
    file["nothing"] = h5py.Empty("f4")
    file["zero"] = np.zeros((0, 3), "i2")
    file["flags"] = np.array([True, False, True])
    file["complex"] = np.array([1 + 2j, -3j])
    file["fixed"] = np.array([b"ab", b"abc\xc3\xa9"], "S5")
    file.create_dataset("text", data=["one", "zwei", "δύο"], dtype=h5py.string_dtype())
    file.create_dataset("ascii", data=[b"one", b"two"], dtype=h5py.string_dtype("ascii"))
    file.create_dataset("ragged", (3,), dtype=h5py.vlen_dtype("i4"))[:] = [
        np.array([1], "i4"), np.array([], "i4"), np.array([2, 3], "i4")
    ]  # fmt: skip
    file.create_dataset("colours", data=[0, 5, 1], dtype=h5py.enum_dtype(COLOURS))
    points = np.zeros((2, 3), POINT)
    points["x"], points["n"], points["name"] = 1.5, np.arange(6).reshape(2, 3), b"abcd"
    file["points"] = points
    file.create_dataset("lzf", data=values, chunks=True, compression="lzf")
    file.create_dataset("scaled", data=values, chunks=(20, 30), scaleoffset=2)
    file.create_dataset("links", data=[file["line"].ref, None], dtype=h5py.ref_dtype)
    file.create_dataset("regions", data=[file["cube"].regionref[1, 1:3], None], dtype=h5py.regionref_dtype)
    file["opaque"] = np.array([1, 2], "M8[s]").astype(h5py.opaque_dtype("M8[s]"))
    file["type"] = np.dtype([("a", "i4"), ("b", "S3")])
    group = file.create_group("group/inner")
    group["data"] = file["scaled"]
    file["group/soft"] = h5py.SoftLink("/group/inner/data")
    file["group/dangling"] = h5py.SoftLink("/no/such")
    file["group/external"] = h5py.ExternalLink("missing.h5", "/there")
    tracked = file.create_group("tracked", track_order=True)
    for name in "zay":
        tracked[name] = 1
        tracked.attrs[name] = name
    layout = h5py.VirtualLayout((2, 10), "u1", filename=file.filename)
    layout[0] = h5py.VirtualSource(file["line"])
    file.create_virtual_dataset("virtual", layout, fillvalue=9)
    file["line"].make_scale("a scale")
    file["virtual"].dims[1].attach_scale(file["line"])
    file["virtual"].dims[1].label = "across"
    for name, value in {
        "int": 5, "float": 2.5, "array": np.arange(4, dtype=">i2"), "text": "δύο", "bytes": b"abc",
        "empty": h5py.Empty("S1"), "list": ["a", "bc"], "bool": True, "ref": chunked.ref, "matrix": np.eye(2),
        "fixed": np.array([b"a", b"bc"]),
        "point": points[0, 0], "complex": 1j, "enum": np.array(5, h5py.enum_dtype(COLOURS)),
    }.items():  # fmt: skip
        chunked.attrs[name] = value


EXPRESSIONS = """
f.name; f.mode; f.parent; f.file; f.attrs; dict(f.attrs); len(f); bool(f); f == f["/"]; hash(f) == hash(f["/"])
f.swmr_mode; f.userblock_size; repr(f)[:10]; list(f); list(f.keys()); list(reversed(f))
[v.name for v in f.values() if v]; 'line' in f; [k for k, v in f.items()]; f.keys() & {"line", "x"}
"line" in f.keys(); ("line", f["line"]) in f.items(); f["line"] in f.values(); repr(f.keys())[:14]
isinstance(f.keys(), collections.abc.KeysView); isinstance(f, collections.abc.Mapping)

f["line"]; f["/line"]; f["group/inner/../data"]; f["group"]["inner"]["data"]; f["group/"]; f["group//inner"]
f["./line"]; f[b"line"]; f["no"]; f[""]; f["line/x"]; f["group/dangling"]; f["group/external"]; f[5]; f[None]
f["no/such"]; f[("line",)]; f["."]; f["/"]; f.get("line"); f.get("no"); f.get("no", 7); f.get("group/dangling", 7)
f.get("group/external"); f.get("line", getclass=True); f.get("line", getlink=True); f.get("group/soft", getlink=True)
f.get("group/external", getlink=True); f.get("no", getclass=True); f.get("group/soft", getlink=True, getclass=True)
f.get("group/external", getlink=True, getclass=True); f.get("no", getlink=True); f.get("type", getclass=True)
f.get("group", getclass=True); f.get("group/soft", getlink=True).path; f.get("line", elink_mode="r")
f.get("group/external", getlink=True).filename; f.get("line", elink_mode="r+"); f.get("line", elink_locking=False)
"no" in f; "group/inner" in f; "group/no" in f; "line/x" in f; "group/dangling" in f; "group/external" in f; "" in f
"/" in f; b"line" in f; 5 in f; "." in f; "group/soft" in f; f["group"].parent; f["group/inner"].parent
f["group/soft"].name; f["group/soft"].parent; f["group"].visit(lambda n: None); visited(f["group"].visit)
visited(f["group"].visititems); visited(f["group"].visit_links); visited(f["group"].visititems_links)
f["group"].visit(lambda n: n); list(f["tracked"]); list(f["tracked"].attrs); f["group"].visit(3)
list(reversed(f["tracked"])); repr(f["group"]); repr(f["line"]); repr(f["type"]); repr(f["chunked"].attrs)[:25]
str(f["cube"])

f["chunked"].shape; f["chunked"].dtype; f["chunked"].size; f["chunked"].ndim; f["chunked"].nbytes
f["chunked"].maxshape; f["chunked"].chunks; f["chunked"].compression; f["chunked"].compression_opts
f["chunked"].shuffle; f["chunked"].fletcher32; f["chunked"].fillvalue; f["chunked"].scaleoffset
f["scaled"].scaleoffset; f["lzf"].compression; f["lzf"].compression_opts; f["chunked"].filter_ids
f["chunked"].filter_names; f["plain"].filter_ids; f["plain"].chunks; f["plain"].compression; f["plain"].external
f["plain"].is_virtual; f["virtual"].is_virtual; [s.dset_name for s in f["virtual"].virtual_sources()]
[s.file_name for s in f["virtual"].virtual_sources()]; len(f["chunked"]); f["chunked"].len(); len(f["number"])
bool(f["number"]); f["number"].shape; f["number"].maxshape; f["nothing"].shape; f["nothing"].size; f["nothing"].dtype
f["nothing"].ndim; f["nothing"].maxshape; f["nothing"][()]; f["nothing"][...]; f["nothing"][0]; f["nothing"].nbytes
f["zero"].shape; f["zero"].size; f["zero"][:]; f["zero"][0]; f["zero"].nbytes; list(f["zero"]); f["type"].dtype
f["type"].name

f["chunked"][...]; f["chunked"][()]; f["chunked"][:]; f["chunked"][3]; f["chunked"][-1]; f["chunked"][3, 4]
f["chunked"][3][4]; f["chunked"][..., 5]; f["chunked"][2:9, 5:20:3]; f["chunked"][5:2]; f["chunked"][-5:-2, -3:]
f["chunked"][100:]; f["chunked"][::7, ::-1]; f["chunked"][20]; f["chunked"][-21]; f["chunked"][1, 2, 3]
f["chunked"][..., ...]; f["chunked"][None]; f["chunked"][np.newaxis, 1]; f["chunked"]["x"]; f["chunked"][1.5]
f["chunked"][1, 2.0]; f["chunked"][np.int64(3), np.uint8(4)]; f["chunked"][[1, 4, 9]]; f["chunked"][:, [0, 3]]
f["chunked"][[1, 4], [2, 3]]; f["chunked"][[4, 1]]; f["chunked"][[1, 1]]; f["chunked"][[]]; f["chunked"][:, []]
f["chunked"][[25]]; f["chunked"][[-1]]; f["chunked"][np.array([1, 5]), 2:4]; f["chunked"][np.arange(20) > 15]
f["chunked"][:, np.arange(30) % 7 == 0]; f["chunked"][f["chunked"][...] > 550]; f["chunked"][np.zeros((20, 30), bool)]
f["chunked"][np.zeros(7, bool)]; f["chunked"][np.zeros((3, 3), bool)]; f["chunked"][[True] * 20]
f["chunked"][range(2, 5)]; f["chunked"][slice(2, 5)]; f["chunked"][(2, slice(1, 3))]; f["chunked"][[[1, 2]]]
f["chunked"][np.array(3)]; f["chunked"][True]; f["chunked"][np.bool_(True)]; f["chunked"][{1}]; f["chunked"]["1"]
f["chunked"][b"1"]; f["chunked"][range(2, 2)]; f["chunked"][(), 1]; f["chunked"][1, ()]; f["chunked"][((),)]
f["chunked"][(), ()]; f["chunked"][set()]; f["chunked"][np.array([])]; f["chunked"][""]; f["chunked"][2:5, [1, 2], ...]; f["cube"][1, ..., 2]; f["cube"][..., 0, 0]; f["cube"][1, 2, 3]
f["cube"][[0, 2], 1:3, -1]; f["cube"][:, [True, False, True, False]]; f["cube"][..., [1, 4]]; f["cube"][0, [1, 2]]
f["cube"][[0, 1], :, [1, 2]]; f["cube"][1, 2, 3, ...]; f["cube"][..., 1, 2, 3]; f["line"][...]; f["line"][7:]
f["line"][[2, 3, 9]]; f["line"][L.MultiBlockSlice()]; f["line"][L.MultiBlockSlice(1, 5, 2, 4)]
f["line"][L.MultiBlockSlice(stride=3, block=2)]; f["line"][L.MultiBlockSlice(stride=2, block=2)]
f["chunked"][L.MultiBlockSlice(2, 5, block=3), 4]; f["cube"][:, L.MultiBlockSlice(1, 2, 2), [0, 2]]
f["line"][L.MultiBlockSlice(8, 4, block=3)]; L.MultiBlockSlice(block=3); L.MultiBlockSlice(stride=0)
L.MultiBlockSlice(start=-1); L.MultiBlockSlice(count=11).indices(10); L.MultiBlockSlice(1, 3).indices(10)
f["number"][()]; f["number"][...]; f["number"][0]; f["number"][:]; float(f["number"][()]); f["plain"][3:5, 2]
f["flags"][:]; f["flags"][1]; f["complex"][:]; f["complex"][1]; f["fixed"][:]; f["fixed"][1]; f["text"][:]
f["text"][1]; f["text"].asstr()[:]; f["text"].asstr()[2]; f["ascii"][:]; f["ascii"].asstr()[0]
f["fixed"].asstr("utf-8")[1]; f["fixed"].asstr()[1]; f["fixed"].asstr(errors="ignore")[1]; f["line"].asstr()
f["text"].dtype; f["text"].asstr().dtype; f["fixed"].dtype; f["ascii"].dtype; f["ragged"][:]; f["ragged"][2]
f["ragged"][1].size; f["ragged"].dtype; f["colours"][:]; f["colours"].dtype; L.check_enum_dtype(f["colours"].dtype)
L.check_vlen_dtype(f["ragged"].dtype); L.check_string_dtype(f["text"].dtype); L.check_string_dtype(f["fixed"].dtype)
L.check_string_dtype(f["line"].dtype); L.check_dtype(vlen=f["text"].dtype); L.check_dtype(enum=f["colours"].dtype)
L.check_dtype(ref=f["links"].dtype); L.check_ref_dtype(f["regions"].dtype); L.check_dtype()
L.check_opaque_dtype(f["opaque"].dtype); f["opaque"].dtype; f["opaque"][:]; L.string_dtype()
L.string_dtype("ascii", 7); L.string_dtype("latin-1"); L.vlen_dtype("i4"); L.enum_dtype({"a": 1})
L.enum_dtype({"a": 1}, "i2"); L.enum_dtype({"a": 1}, "f4"); L.opaque_dtype("M8[s]"); L.ref_dtype; L.regionref_dtype
L.opaque_dtype("O"); f["points"][:]; f["points"]["x"]; f["points"]["x", 1]; f["points"][1, "x"]; f["points"]["x", "n"]
f["points"][0, 0]; f["points"]["v"]; f["points"]["no"]; f["points"].dtype; f["points"].fields("n")[:]
f["points"].fields(["n", "x"])[0]; f["points"].fields("no"); f["line"].fields("x"); f["points"].fields(["x"]).dtype
len(f["points"].fields("x")); f["points"]["name"]; f["points"][0]["v"]; f["points"][:, 1]["n"]; f["line"]["x"]

f["line"].astype("f8")[:]; f["line"].astype("f8")[3]; f["chunked"].astype("i1")[-1]; f["plain"].astype("u1")[...]
f["plain"].astype("i2").dtype; f["text"].astype("S3")[:]; f["fixed"].astype("S2")[:]; f["text"].astype("i4")[:]
f["line"].astype("T"); np.asarray(f["line"].astype("f4")); len(f["line"].astype("f4"))
f["text"].astype("T")[:].tolist(); f["fixed"].astype("S9")[:]; f["points"].astype([("x", "f8")])[0, 0]
f["flags"].astype("i4")[:]; f["colours"].astype("i8")[:]; np.asarray(f["chunked"]); np.asarray(f["line"], "f4")
np.array(f["number"]); np.sum(f["line"]); f["line"].__array__(copy=False); np.asarray(f["nothing"]); list(f["line"])
[row.sum() for row in f["cube"]]; list(f["number"]); [row.shape for row in f["points"]]; list(f["text"])
list(f["chunked"].iter_chunks()); list(f["chunked"].iter_chunks(np.s_[5:9, 3:12]))
list(f["chunked"].iter_chunks(np.s_[30:, :])); list(f["line"].iter_chunks()); next(f["lzf"].iter_chunks())
into(f["cube"], np.zeros((3, 4, 5), "i8")); into(f["cube"], np.zeros((4, 5), "f4"), np.s_[1])
into(f["line"], np.zeros((2, 10), "i4"), None, np.s_[1]); into(f["cube"], np.zeros((9, 9)), np.s_[0], np.s_[:4, :5])
into(f["line"], np.zeros(3)); into(f["cube"], np.zeros((2, 4), "i2"), np.s_[0, :2, :4], np.s_[...])

f[f["links"][0]]; bool(f["links"][1]); f["links"][:]; f["links"].dtype; f[f["line"].ref]; f[f["group"].ref]
f[f["links"][1]]; repr(f["line"].ref); f[f["regions"][0]]; f["cube"][f["regions"][0]]; f["line"][f["regions"][0]]
bool(f["regions"][1]); f["regions"].dtype; f["scaled"] == f["group/inner/data"]; f["line"] == f["cube"]
f["line"] == 5; f["scaled"] != f["group/soft"]; hash(f["scaled"]) == hash(f["group/soft"])
{f["scaled"], f["group/soft"]} == {f["scaled"]}; f["chunked"].attrs["ref"]

list(f["chunked"].attrs); len(f["chunked"].attrs); dict(f["chunked"].attrs.items()).keys() == set(f["chunked"].attrs)
f["chunked"].attrs["int"]; f["chunked"].attrs["float"]; f["chunked"].attrs["array"]; f["chunked"].attrs["text"]
f["chunked"].attrs["bytes"]; f["chunked"].attrs["empty"]; f["chunked"].attrs["list"]; f["chunked"].attrs["bool"]
f["chunked"].attrs["matrix"]; f["chunked"].attrs["fixed"]; f["chunked"].attrs["point"]; f["chunked"].attrs["complex"]
f["chunked"].attrs["enum"]; f["chunked"].attrs["no"]; f["chunked"].attrs.get("no"); f["chunked"].attrs.get("no", 3)
f["chunked"].attrs.get("int"); "int" in f["chunked"].attrs; "no" in f["chunked"].attrs; f["chunked"].attrs[b"int"]
f["chunked"].attrs[5]; 5 in f["chunked"].attrs; list(f["tracked"].attrs.values())
f["chunked"].attrs.get_id("int").dtype; f["chunked"].attrs.get_id("matrix").shape; f["chunked"].attrs.get_id("no")
f["chunked"].attrs.get_id("text").dtype; f["chunked"].attrs.get_id("int").shape; f["chunked"].attrs.get_id("empty").shape
repr(f["chunked"].attrs.keys())[:14]; f["line"].attrs["CLASS"]; f["virtual"].attrs["DIMENSION_LIST"].shape

len(f["virtual"].dims); f["virtual"].dims[1].label; f["virtual"].dims[0].label; len(f["virtual"].dims[1])
f["virtual"].dims[1][0]; f["virtual"].dims[1]["a scale"]; f["virtual"].dims[1].keys(); f["virtual"].dims[1].items()
f["virtual"].dims[1].values(); f["virtual"].dims[1]["no"]; [d.label for d in f["virtual"].dims]; f["line"].is_scale
f["virtual"].is_scale; len(f["virtual"].dims[0]); list(f["virtual"].dims[1]); f["virtual"].dims[5]; f["virtual"][...]
f["virtual"][1]; f["virtual"][0, 3:]; f["virtual"].fillvalue

L.File(path, "w5"); L.File(path + "no"); L.File(path, locking="no"); L.File(path, nonsense=1)
L.File(path, driver="no"); L.is_hdf5(path); L.is_hdf5(__file__); L.is_hdf5(path + "no"); L.File(__file__)
L.File(path, rdcc_nbytes=1 << 20, rdcc_w0=0.5)["line"][3]; L.File(open(path, "rb"))["line"][:]; L.File(5)
L.File(path, libver="latest").filename == path; L.File(path.encode()).filename == path
L.File(pathlib.Path(path)).filename == path; L.Empty("f4"); L.Empty("f4") == L.Empty("f8")
"""

#: The intended differences, which docs/h5py-differences.md explains.
DIFFERENT = [
    'np.asarray(f["points"].fields("v"))',
    'f["line"].astype("c8")[:]',
    'f["line"].ref == f["line"].ref',
    'f["virtual"].dims[0][0]',
    'f["line"].virtual_sources()',
    'into(f["line"], np.zeros(20)[::2])',
    'f["line"].id.get_type()',
    'f["line"].regionref',
]


def visited(walk):
    """What a walk calls its function with."""
    found = []
    walk(lambda *given: found.append([part if isinstance(part, str) else type(part).__name__ for part in given]))
    return found


def into(dataset, target, *selections):
    dataset.read_direct(target, *selections)
    return target


def evaluate(library, path, file, expression):
    import collections.abc
    import pathlib

    names = {"L": library, "f": file, "np": np, "path": path, "visited": visited, "into": into, "pathlib": pathlib}
    try:
        return eval(expression, {**names, "collections": collections, "__file__": __file__}), None
    except Exception as error:
        return None, error


KINDS = ("File", "Group", "Dataset", "Datatype")


def alike(ours, theirs) -> bool:
    """The same to whoever uses it: objects of a file by class and name, all else by value."""
    kind = type(theirs).__name__
    if kind in KINDS:
        return type(ours).__name__ == kind and ours.name == theirs.name
    if isinstance(theirs, type):
        return isinstance(ours, type) and ours.__name__ == theirs.__name__
    if isinstance(theirs, (h5py.SoftLink, h5py.HardLink, h5py.ExternalLink)):
        return type(ours).__name__ == kind and getattr(ours, "path", "") == getattr(theirs, "path", "")
    if isinstance(theirs, h5py.AttributeManager):
        return isinstance(ours, hyperslab.AttributeManager)
    if isinstance(theirs, np.dtype):
        return same(np.zeros(1, ours), np.zeros(1, theirs))
    if isinstance(theirs, (list, tuple)):
        same_length = isinstance(ours, (list, tuple)) and len(ours) == len(theirs)
        return same_length and all(alike(a, b) for a, b in zip(ours, theirs, strict=True))
    return same(ours, theirs)


def difference(expression, path, ours, theirs) -> str | None:
    """The difference between the two libraries; None if there is none."""
    mine, my_error = evaluate(hyperslab, path, ours, expression)
    other, their_error = evaluate(h5py, path, theirs, expression)
    if their_error is not None:
        if my_error is None:
            return f"ours {mine!r}, theirs raise {their_error!r}"
        kinds = [kind for kind in type(their_error).__mro__ if kind.__module__ == "builtins"]
        return None if isinstance(my_error, kinds[0]) else f"ours raise {my_error!r}, theirs {their_error!r}"
    if my_error is not None:
        return f"ours raise {my_error!r}, theirs {other!r}"
    return None if alike(mine, other) else f"ours {mine!r}, theirs {other!r}"


def listed(text):
    return [part.strip() for line in text.splitlines() for part in line.split("; ") if part.strip()]


@pytest.fixture(scope="module", params=["earliest", "latest"])
def files(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("like") / "file.h5"
    with h5py.File(path, "w", libver=request.param) as file:
        write(file)
    with h5py.File(path) as theirs, hyperslab.File(path) as ours:
        yield str(path), ours, theirs


def test_expressions_give_what_they_give_in_h5py(files):
    found = {expression: difference(expression, *files) for expression in listed(EXPRESSIONS)}
    assert len(found) > 300
    differences = [f"{expression}: {what}" for expression, what in found.items() if what]
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize("expression", DIFFERENT)
def test_what_differs_is_documented_and_differs(files, expression):
    page = (ROOT / "docs" / "h5py-differences.md").read_text()
    assert f"`{expression}`" in page
    assert difference(expression, *files)


CLOSED = """
bool(o["f"]); o["f"].name; o["f"]["line"]; o["f"].attrs; list(o["f"]); len(o["f"]); "line" in o["f"]; repr(o["f"])
bool(o["d"]); o["d"].name; o["d"][:]; repr(o["d"]); bool(o["g"]); o["g"].name; o["g"]["inner"]; repr(o["g"]);
o["a"]["int"]; list(o["a"]); repr(o["a"]); o["f"].mode; o["f"].filename; o["f"].close(); o["d"].parent; o["d"].file
"""


@pytest.mark.parametrize("expression", listed(CLOSED))
def test_after_the_file_was_closed(files, expression):
    path, _, _ = files
    answers = []
    for library in (hyperslab, h5py):
        file = library.File(path)
        objects = {"f": file, "d": file["line"], "g": file["group"], "a": file["chunked"].attrs}
        file.close()
        try:
            answers.append((eval(expression, {"o": objects}), None))
        except Exception as error:
            answers.append((None, error))
    (mine, my_error), (other, their_error) = answers
    if their_error is None:
        assert my_error is None and mine == other, (mine, my_error, other)
    else:
        kinds = [kind for kind in type(their_error).__mro__ if kind.__module__ == "builtins"]
        assert isinstance(my_error, kinds[0]), (mine, my_error, their_error)
