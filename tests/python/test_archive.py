"""`hyperslab.archive_summary`: the summary of the command as data, in shares that any executor runs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest

import hyperslab


@pytest.fixture
def archive(tmp_path):
    for day in range(3):
        with h5py.File(tmp_path / f"day{day}.h5", "w") as file:
            file.create_dataset("mask", data=np.full((200, 40, 60), day, "i4"))
    (tmp_path / "maps.nc").write_bytes(b"GRIB....")
    return tmp_path


def test_shares_of_an_executor_come_to_the_same(archive, tmp_path):
    alone = hyperslab.archive_summary(archive, readers=["h5py"], rank="bytes", page=tmp_path / "page.html")
    assert alone["schema"]["name"] == "hyperslab.archive.summary"
    assert (alone["files"], alone["total"]["rewritten"]) == (3, 3)
    assert [survey["file"] for survey in alone.surveys] == [str(archive / f"day{day}.h5") for day in range(3)]
    with ThreadPoolExecutor(2) as executor:
        # More shares than files: one is empty.
        shared = hyperslab.archive_summary(archive, readers=["h5py"], rank="bytes", executor=executor, shards=4)
    assert [(kind["kind"], kind["files"]) for kind in alone["passed_over"]] == [("GRIB", 1)]
    assert [kind for kind in shared["passed_over"] if kind["kind"] != "HTML"] == alone["passed_over"]
    assert shared["total"]["bytes_then"] == alone["total"]["bytes_then"] < alone["total"]["bytes"]
    assert "/mask" in alone._repr_html_() and "3 of 3 datasets" in repr(alone)
    assert "What repacking would save" in (tmp_path / "page.html").read_text()


def test_what_is_wrong_is_said(archive, tmp_path):
    with pytest.raises(hyperslab.HyperslabError, match="unknown reader"):
        hyperslab.archive_summary(archive, readers=["hdf4"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(hyperslab.HyperslabError, match="no file of HDF5"):
        hyperslab.archive_summary(tmp_path / "empty")
