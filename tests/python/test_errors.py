"""The classes of errors, and damaged files."""

from __future__ import annotations

import io
import pickle

import h5py
import numpy as np
import pytest

import hyperslab
from hyperslab import errors
from hyperslab._hyperslab import error_classes

KINDS = dict(error_classes())
"""The kinds of errors of the engine, with the names of their classes."""


def test_one_tree():
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert issubclass(kind, hyperslab.HyperslabError)
        assert kind.kind in KINDS
        assert kind.__doc__


def test_the_engine_s_kinds_have_classes_of_their_own():
    assert len(set(KINDS.values())) == len(KINDS)
    for kind, name in KINDS.items():
        assert name in errors.__all__ and name != "HyperslabError"
        assert getattr(errors, name).kind == kind
        assert f"``{kind}``" in errors.__doc__


def test_an_exception_of_a_file_object_is_the_cause(tmp_path):
    class Forbidding(io.BytesIO):
        def read(self, size=-1):
            raise PermissionError("403 Forbidden")

    with pytest.raises(errors.ReadError, match="403 Forbidden") as caught:
        hyperslab.File(Forbidding(bytes(4096)))
    assert type(caught.value.__cause__) is PermissionError


def test_errors_are_also_those_of_h5py(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        hyperslab.File(tmp_path / "nope.h5")
    assert missing.value.kind == "not-found" and missing.value.errno == 2
    assert missing.value.filename == str(tmp_path / "nope.h5")
    with pytest.raises(IsADirectoryError):
        hyperslab.File(tmp_path)
    (tmp_path / "text").write_text("this is no HDF5 file, but long enough to be looked at" * 100)
    with pytest.raises(OSError, match="not an HDF5 file") as other:
        hyperslab.File(tmp_path / "text")
    assert other.value.kind == "not-hdf5" and other.value.hint
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(OSError):
        hyperslab.File(tmp_path / "empty")


def test_errors_say_where_and_what_to_do(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["temperature"] = [1]
    with hyperslab.File(tmp_path / "a.h5") as file, pytest.raises(KeyError) as error:
        file["temprature"]
    assert error.value.kind == "not-found"
    assert error.value.file == str(tmp_path / "a.h5")
    assert error.value.object == "/temprature"
    assert "did you mean /temperature" in error.value.hint
    text = str(error.value)
    assert text.startswith(str(tmp_path)) and error.value.hint in text and "\n" not in text


def test_errors_can_be_pickled(tmp_path):
    with pytest.raises(hyperslab.HyperslabError) as error:
        hyperslab.File(tmp_path / "nope.h5")
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is type(error.value)
    assert (str(again), again.hint, again.errno) == (str(error.value), error.value.hint, 2)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_every_truncation_is_an_error_or_the_truth(tmp_path, libver):
    path = tmp_path / "whole.h5"
    values = np.arange(200)
    with h5py.File(path, "w", libver=libver) as file:
        file.create_dataset("d", data=values, chunks=(50,), compression="gzip")
        file["text"] = ["some", "text"]
        file.attrs["a"] = "b"
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        try:
            with hyperslab.File.in_memory(whole[:length]) as file:
                if "d" in file:
                    np.testing.assert_array_equal(file["d"][:], values)
                assert file["text"][:].tolist() == [b"some", b"text"]
                assert dict(file.attrs) == {"a": "b"}
        except hyperslab.HyperslabError as error:
            assert error.kind in KINDS


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_changed_bytes_never_crash(tmp_path):
    path = tmp_path / "whole.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset("d", data=np.arange(60), chunks=(20,), compression="gzip")
        file.create_dataset("v", (3,), h5py.vlen_dtype("i4"))[0] = [1, 2]
        mixed = [("s", h5py.string_dtype()), ("x", "f2"), ("e", h5py.enum_dtype({"A": 1}))]
        file.create_dataset("m", (2,), mixed)
        file["text"] = ["some", "text"]
        file.attrs["a"] = ["b", "c"]
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for _ in range(1500):
        damaged = bytearray(whole)
        for _ in range(random.integers(1, 4)):
            damaged[random.integers(len(whole))] = random.choice([0, 1, 2, 7, 8, 127, 128, 255, random.integers(256)])
        try:
            with hyperslab.File.in_memory(damaged) as file:
                look(file)
        except hyperslab.HyperslabError:
            pass


def look(file):
    for name in file:
        try:
            item = file[name]
            repr(item)
            if isinstance(item, hyperslab.Dataset) and (item.size or 0) < 100_000:
                item.dtype, item.fillvalue, item.compression_opts  # noqa: B018
                item[...]
        except (hyperslab.HyperslabError, MemoryError):
            pass
    try:
        dict(file.attrs)
    except hyperslab.HyperslabError:
        pass


def test_variable_length_data_that_refers_in_circles_ends(tmp_path):
    # Every element of a sequence of sequences refers to the sequence itself.
    path = tmp_path / "a.h5"
    inner = h5py.vlen_dtype(h5py.vlen_dtype(h5py.vlen_dtype("i4")))
    with h5py.File(path, "w", libver="earliest") as file:
        dataset = file.create_dataset("d", (1,), inner)
        rows = np.empty(200, object)
        for row in range(200):
            rows[row] = np.empty(1, object)
            rows[row][0] = np.arange(2, dtype="i4")
        dataset[0] = rows
    whole = bytearray(path.read_bytes())
    at = whole.find(b"GCOL")
    collections = []
    while at >= 0:
        collections.append(at)
        at = whole.find(b"GCOL", at + 4)
    with h5py.File(path) as file:
        base = file["d"].id.get_offset()
    reference = bytes(whole[base : base + 16])
    for start in range(collections[0], len(whole) - 16):
        # Sequences of one element become the outermost sequence.
        if whole[start : start + 4] == b"\x01\0\0\0" and whole[start + 4 : start + 12] == reference[4:12]:
            whole[start : start + 16] = reference
    with hyperslab.File.in_memory(whole) as file:
        try:
            file["d"][:]
        except hyperslab.HyperslabError as error:
            assert error.kind == "damaged"


@pytest.mark.parametrize(
    "read",
    [
        lambda file: file["g/text"][:],
        lambda file: file["g/text"].asstr()[:],
        lambda file: file["g/sequences"][0],
        lambda file: file["g/records"][:],
        lambda file: file["g/records"]["s"],
        lambda file: file["g/regions"][:],
        lambda file: file["g/filled"][:],
        lambda file: file["g/filled"].fillvalue,
        lambda file: file["g"].attrs["text"],
        lambda file: dict(file["g"].attrs),
    ],
)
def test_what_is_wrong_in_a_heap_is_told_of_the_object_that_refers_to_it(tmp_path, read):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver="earliest") as file:
        group = file.create_group("g")
        group["text"] = ["some", "text"]
        group.create_dataset("sequences", (2,), h5py.vlen_dtype("i4"))[0] = [1, 2]
        group.create_dataset("records", (2,), [("s", h5py.string_dtype()), ("x", "i2")])[0] = ("in a record", 1)
        group.create_dataset("regions", data=[group["text"].regionref[:1]], dtype=h5py.regionref_dtype)
        group.create_dataset("filled", (3,), h5py.string_dtype(), fillvalue="nothing")
        group.attrs["text"] = ["of", "an attribute"]
    whole = path.read_bytes()
    with hyperslab.File.in_memory(whole.replace(b"GCOL", b"gCOL")) as file:
        with pytest.raises(errors.DamagedError, match="global heap") as error:
            read(file)
        assert error.value.file == file.filename
        assert error.value.object.startswith("/g")
        assert f"{file.filename}: {error.value.object}: " in str(error.value)
        if error.value.object == "/g":
            assert 'attribute "text": ' in str(error.value)
        else:
            assert error.value.object in ("/g/text", "/g/sequences", "/g/records", "/g/regions", "/g/filled")


@pytest.mark.parametrize("libver", ["earliest", "v110"])
def test_a_damaged_member_hides_no_other(tmp_path, libver):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w", libver=(libver, "latest")) as file:
        for name in ("a", "b", "g/c", "z"):
            file[name] = np.arange(3)
        damaged = [h5py.h5o.get_info(file[name].id).addr for name in ("b", "g")]
    for addresses in (damaged[:1], damaged):
        whole = bytearray(path.read_bytes())
        for address in addresses:
            whole[address : address + 16] = b"\xff" * 16
        with hyperslab.File.in_memory(whole) as file:
            assert list(file.keys()) == ["a", "b", "g", "z"]
            seen = {}
            with pytest.warns(RuntimeWarning, match="/b: .*object header"):
                file.visititems(lambda name, item: seen.__setitem__(name, item))
            assert sorted(seen) == (["a", "g", "g/c", "z"] if len(addresses) == 1 else ["a", "z"])
            names = []
            file.visit(names.append)
            assert [name for name in names if "/" not in name] == ["a", "b", "g", "z"]
            with pytest.raises(errors.UnsupportedError, match="object header"):
                file["b"]
            assert file["z"][2] == 2
