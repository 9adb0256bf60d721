"""Files of several members: h5py writes families and split files, both libraries read them."""

from __future__ import annotations

import shutil

import h5py
import numpy as np
import pytest
from comparing import assert_same

import hyperslab

NOISE = np.random.default_rng(8).integers(0, 1 << 30, (300, 40), "<i4")


def write(path, libver, **driver):
    with h5py.File(path, "w", libver=libver, **driver) as file:
        file["contiguous"] = NOISE
        file.create_dataset("chunked", data=NOISE, chunks=(70, 13), compression="gzip", shuffle=True)
        file["group/text"] = ["one", "two", ""]
        file["group"].attrs["ref"] = file["chunked"].ref
        file["nothing"] = h5py.Empty("f4")


def compare(ours, theirs):
    names = []
    theirs.visit(names.append)
    found = []
    ours.visit(found.append)
    assert found == names and len(names) == 5
    for name in names:
        if isinstance(theirs[name], h5py.Dataset):
            assert_same(ours[name][()], theirs[name][()])
    assert_same(ours["chunked"][13::31, 5], theirs["chunked"][13::31, 5])
    assert ours[ours["group"].attrs["ref"]] == ours["chunked"]


@pytest.mark.parametrize("member_bytes", [1 << 10, 10_000, 1 << 20])
@pytest.mark.parametrize("pattern", ["f%05d.h5", "run0-%d.nc", "%03d-of-many"])
def test_families(tmp_path, libver, pattern, member_bytes):
    family = {"driver": "family", "memb_size": member_bytes}
    path = tmp_path / pattern
    write(path, libver, **family)
    with h5py.File(path, "r", **family) as theirs:
        # The first member has all that a reader needs to know; a pattern needs no member's size.
        for name in {path, tmp_path / (pattern % 0)}:
            with hyperslab.File(name) as ours:
                compare(ours, theirs)
                several = member_bytes < NOISE.nbytes
                assert ours.driver == ("family" if several else "sec2")
        with hyperslab.File(path, driver="family", memb_size=member_bytes) as ours:
            compare(ours, theirs)


def test_a_family_that_lacks_a_member_names_it(tmp_path, libver):
    path = tmp_path / "f%02d.h5"
    write(path, libver, driver="family", memb_size=10_000)
    (tmp_path / "f03.h5").unlink()
    with pytest.raises(FileNotFoundError, match=r"f03\.h5 of the family driver does not exist"):
        hyperslab.File(tmp_path / "f00.h5")
    with pytest.raises(FileNotFoundError, match=r"f00\.h5.*no such file"):
        hyperslab.File(tmp_path / "nowhere" / "f%02d.h5")
    with pytest.raises(OSError, match="not an HDF5 file"):
        hyperslab.File(tmp_path / "f01.h5")


@pytest.mark.parametrize("endings", [{}, {"meta_ext": b".meta", "raw_ext": b".raw"}, {"meta_ext": b"_a", "raw_ext": b"_b"}])
def test_split_files(tmp_path, libver, endings):
    path = tmp_path / "data"
    write(path, libver, driver="split", **endings)
    first = f"{path}{endings.get('meta_ext', b'-m.h5').decode()}"
    with h5py.File(path, "r", driver="split", **endings) as theirs:
        for name in [first] if endings.get("meta_ext") == b"_a" else [first, path]:
            with hyperslab.File(name) as ours:
                assert ours.driver == "split"
                compare(ours, theirs)


def test_a_split_file_without_its_raw_data_can_be_listed(tmp_path, libver):
    write(tmp_path / "data", libver, driver="split")
    (tmp_path / "data-r.h5").unlink()
    with hyperslab.File(tmp_path / "data-m.h5") as ours:
        assert ours["chunked"].shape == NOISE.shape
        for name in ("contiguous", "chunked"):
            with pytest.raises(OSError, match=r"data-r\.h5 of the split driver does not exist; .* in one folder"):
                ours[name][()]
        assert list(ours) == ["chunked", "contiguous", "group", "nothing"]


def test_a_renamed_split_file_says_how_it_was_named(tmp_path):
    write(tmp_path / "data", "earliest", driver="split")
    shutil.copy(tmp_path / "data-m.h5", tmp_path / "other.h5")
    with pytest.raises(hyperslab.HyperslabError, match="%s-m.h5"):
        hyperslab.File(tmp_path / "other.h5")


def test_others_lead_into_files_that_are_several(tmp_path):
    write(tmp_path / "f%d.h5", "latest", driver="family", memb_size=10_000)
    write(tmp_path / "s", "latest", driver="split")
    with h5py.File(tmp_path / "leads.h5", "w", libver="latest") as file:
        layout = h5py.VirtualLayout((600, 40), "<i4")
        for i, name in enumerate(["f0.h5", "s-m.h5"]):
            file[name] = h5py.ExternalLink(name, "/chunked")
            layout[300 * i : 300 * i + 300] = h5py.VirtualSource(name, "chunked", NOISE.shape)
        file.create_virtual_dataset("virtual", layout)
    with hyperslab.File(tmp_path / "leads.h5") as file:
        for name in ["f0.h5", "s-m.h5"]:
            assert_same(file[name][...], NOISE)
        assert_same(file["virtual"][...], np.concatenate([NOISE, NOISE]))


def test_subfiling_and_onion_files_are_named(corpus):
    folder = corpus / "debian-hdf5-1.14.6/tools/test/h5dump/testfiles"
    with pytest.raises(hyperslab.errors.UnsupportedError, match="subfiling driver.*h5fuse"):
        hyperslab.File(folder / "test_subfiling_precreate_rank_0.h5")
    with pytest.raises(hyperslab.errors.NotHdf5Error, match="onion driver.*the first revision"):
        hyperslab.File(folder / "tst_onion_objs.h5.onion")
    with h5py.File(folder / "tst_onion_objs.h5") as theirs, hyperslab.File(folder / "tst_onion_objs.h5") as ours:
        assert list(ours) == list(theirs)


def test_multi_files_of_the_corpus(corpus):
    """h5py has no multi driver, so values are compared with the expected output of h5dump."""
    folder = corpus / "debian-hdf5-1.14.6/tools/test/h5dump/testfiles"
    expected = np.add.outer(np.arange(10), np.arange(15)).astype(">i4")
    for name, driver in [("tmulti-s.h5", "multi"), ("tsplit_file-m.h5", "split"), ("tfamily00000.h5", "family")]:
        with hyperslab.File(folder / name) as file:
            assert file.driver == driver
            assert_same(file["dset1"][...], expected)
