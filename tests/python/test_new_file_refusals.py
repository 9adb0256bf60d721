"""`hyperslab.NewFile`: what cannot be written is refused when it is given, by an error that names it; names and links."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab


@pytest.fixture
def file(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as new:
        yield new
        new.discard()


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"libver": "v99"}, ValueError, "v99"),
        ({"libver": 5}, ValueError, "libver"),
        ({"libver": ()}, ValueError, "libver"),
        ({"page_size": 300}, ValueError, "512 bytes"),
        ({"page_size": 2**40}, ValueError, "1 GiB"),
        ({"page_size": "1 mile"}, ValueError, "1 mile"),
        ({"page_size": "2GiB"}, ValueError, "1 GiB"),
        ({"userblock_size": 1000}, ValueError, "power of two"),
        ({"userblock_size": -1}, ValueError, "power of two"),
        ({"userblock_size": True}, TypeError, "userblock_size"),
        ({"threads": -1}, ValueError, "threads"),
        ({"threads": 0}, ValueError, "threads"),
        ({"threads": 1.5}, TypeError, "threads"),
    ],
)
def test_options_that_are_not_possible_are_refused_at_once(options, error, says, tmp_path):
    with pytest.raises(error, match=says):
        hyperslab.NewFile(tmp_path / "x.h5", **options)


@pytest.mark.parametrize(("size", "count"), [("64KiB", 65536), ("1MiB", 2**20), ("1 mb", 10**6), ("1.5K", 1536), (4096, 4096)])
def test_page_sizes_have_units(size, count, tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5", page_size=size) as file:
        file["x"] = 1
    with h5py.File(tmp_path / "x.h5") as file:
        assert file.id.get_create_plist().get_file_space_page_size() == count


def test_a_folder_without_permission_is_refused_at_once(tmp_path, monkeypatch):
    # The system lets its administrator write everywhere.
    monkeypatch.setattr("os.access", lambda path, mode: str(path) != str(tmp_path))
    with pytest.raises(PermissionError, match="no file can be created in this folder") as error:
        hyperslab.NewFile(tmp_path / "x.h5")
    assert error.value.errno == 13 and error.value.filename == str(tmp_path / "x.h5")


def test_a_folder_is_no_file(tmp_path):
    for overwrite in (False, True):
        for path in (tmp_path, f"{tmp_path}/new/"):
            with pytest.raises(IsADirectoryError, match="is a folder"):
                hyperslab.NewFile(path, overwrite=overwrite)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("a", np.datetime64("2020-01-01"), TypeError),
        ("a", np.longdouble(1), TypeError),
        ("a", "x\0y", ValueError),
        ("a", ["x", b"x\0y"], ValueError),
        ("a", "\ud800", ValueError),
        ("", 1, ValueError),
        ("a\0b", 1, ValueError),
        ("\udcff", 1, ValueError),
        (5, 1, TypeError),
        (None, 1, TypeError),
        ("a", np.ma.array([1, 2], mask=[0, 1]), TypeError),
    ],
)
def test_attributes_that_cannot_be_written_are_refused_at_once(file, name, value, error):
    file["x"] = 1
    for owner in (file, file["x"]):
        with pytest.raises(error) as refused:
            owner.attrs[name] = value
        assert str(refused.value).startswith(f"{owner.name}: attribute {name!r}: ")
        assert len(owner.attrs) == 0
    # What was there stays.
    file.attrs["a"] = 3
    if name == "a":
        with pytest.raises(error):
            file.attrs["a"] = value
    assert file.attrs["a"] == 3


def test_references_to_other_files_are_refused_at_once(file, tmp_path):
    other = hyperslab.NewFile(tmp_path / "y.h5")
    other["x"] = file["x"] = [1, 2]
    empty = file.create_dataset("r", (2,), hyperslab.ref_dtype)
    for write in (
        lambda: file.attrs.__setitem__("a", other["x"].ref),
        lambda: file.create_dataset("y", data=[other["x"].ref]),
        lambda: file.create_dataset("y", data=[other["x"].regionref[0]]),
        lambda: empty.__setitem__(0, other["x"].ref),
    ):
        with pytest.raises(TypeError, match="same new file"):
            write()
    assert "y" not in file and len(file.attrs) == 0
    other.discard()


def test_texts_with_a_nul_are_refused_at_once(file):
    texts = file.create_dataset("texts", (2,), hyperslab.string_dtype())
    for write in (
        lambda: file.create_dataset("/texts2", data=["a", "b\0c"]),
        lambda: texts.__setitem__(1, "b\0c"),
        lambda: texts.__setitem__(slice(None), ["a", b"b\0c"]),
    ):
        with pytest.raises(ValueError, match="^/texts.*NUL"):
            write()
    assert texts[:].tolist() == [b"", b""]


@pytest.mark.parametrize(
    "write",
    [
        lambda file: file.create_dataset("group/x", data=[300], dtype="u1"),
        lambda file: file["group"].create_dataset("values", data=[300], dtype="u1"),
        lambda file: file["group"].create_dataset("x", data=[object()]),
        lambda file: file["group"].create_dataset("x", data=np.arange(3), compression="snappy"),
        lambda file: file["group"].create_dataset("x", data=np.arange(3), shape=(2,)),
        lambda file: file["group"].__setitem__("x", np.arange(3).astype("M8[s]")),
        lambda file: file["group"].__setitem__("x", np.dtype("M8[s]")),
        lambda file: file["group/y"].__setitem__(slice(None), [300, 1]),
        lambda file: file["group/y"].__setitem__(slice(None), [1, 2, 3]),
        lambda file: file["group/y"].__setitem__(7, 1),
        lambda file: file["group/y"].__setitem__("field", 1),
    ],
)
def test_errors_name_the_object(file, write):
    file.create_dataset("group/y", (2,), "u1")
    with pytest.raises((TypeError, ValueError, IndexError), match="^(/?group/|x: )"):
        write(file)


def test_names_are_texts(file):
    group = file.create_group(b"g")
    assert file[b"g"] == file["g"] == group and b"g" in file and file.get(b"g") == group
    group[b"x"] = 1
    group.attrs[b"a"] = 2
    assert group.attrs["a"] == group.attrs[b"a"] == 2 and b"a" in group.attrs
    del group.attrs[b"a"]
    for use in (
        lambda: file.create_group(5),
        lambda: file.create_dataset(5, data=1),
        lambda: file.create_dataset(None, data=1),
        lambda: file.__setitem__((1,), 1),
        lambda: file[5],
        lambda: file.move(5, "a"),
        lambda: file.attrs[5],
    ):
        with pytest.raises(TypeError, match="a name is a str or bytes, not"):
            use()
    with pytest.raises(ValueError, match="UTF-8"):
        file.create_group(b"\xff")


def test_links_of_h5py_are_links(tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5") as file:
        file["y"] = [1, 2]
        file["soft"] = h5py.SoftLink("/y")
        file["out"] = h5py.ExternalLink("other.h5", "/y")
        assert file["soft"] == file["y"]
        with pytest.raises(TypeError, match="HardLink"):
            file["hard"] = h5py.HardLink()
        for path in ("", "a\0b"):
            with pytest.raises(ValueError, match="s: the soft link: "):
                file["s"] = hyperslab.SoftLink(path)
    with h5py.File(tmp_path / "x.h5") as file:
        assert file.get("soft", getlink=True).path == "/y" and sorted(file) == ["out", "soft", "y"]
        link = file.get("out", getlink=True)
        assert (link.filename, link.path) == ("other.h5", "/y")


def test_masked_arrays_are_refused(file):
    compound = np.ma.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])
    for number, array in enumerate([np.ma.array([1, 2]), compound]):
        file[f"{number}"] = array
        masked = array.copy()
        masked[0] = np.ma.masked
        with pytest.raises(TypeError, match="mask .* lost"):
            file["x"] = masked
        with pytest.raises(TypeError, match=f"^/{number}: .*mask"):
            file[f"{number}"][:] = masked


@pytest.mark.parametrize("track_order", [False, True])
def test_the_order_is_tracked_in_the_whole_file(track_order, tmp_path):
    with hyperslab.NewFile(tmp_path / "x.h5", track_order=track_order) as file:
        file.create_group("g", track_order=track_order).create_dataset("x", data=1, track_order=track_order)
        with pytest.raises(ValueError, match=f"h: .*track_order={not track_order}"):
            file.create_group("h", track_order=not track_order)
        with pytest.raises(ValueError, match="y: .*NewFile"):
            file.create_dataset("y", data=1, track_order=not track_order)
        assert list(file) == ["g"]
