"""`hyperslab.doctor`: the report of the command as data."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import hyperslab


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "series.h5"
    with h5py.File(path, "w") as file:
        data = np.random.default_rng(0).normal(size=(400, 60, 60)).astype("f4")
        file.create_dataset("t2m", data=data, chunks=(100, 60, 60), compression="gzip")
        file["x"] = np.arange(10.0)
    return path


def test_the_report_is_data(path):
    diagnosis = hyperslab.doctor(path, "/t2m", reads=["1x60x60@10", (None, 1, 1)])
    assert diagnosis["schema"]["name"] == "hyperslab.doctor"
    (dataset,) = diagnosis["datasets"]
    assert [read["shape"] for read in dataset["reads"]] == [[1, 60, 60], [400, 1, 1]]
    assert dict(diagnosis).keys() == set(diagnosis)
    codes = [finding["code"] for _, finding in diagnosis.findings]
    assert codes and all(path == "/t2m" for path, _ in diagnosis.findings)
    assert codes[0] in repr(diagnosis)


def test_a_notebook_shows_a_table(path):
    html = hyperslab.doctor(path, "/t2m", reads=["1x60x60"])._repr_html_()
    assert html.startswith("<table>") and "/t2m" in html and "<code>" in html
    assert "no problems found" in hyperslab.doctor(path, "/x")._repr_html_()


def test_what_a_file_takes_in_an_object_store(path):
    assert "forecast" not in hyperslab.doctor(path, "/x")
    diagnosis = hyperslab.doctor(path, "/t2m", reads=["1x60x60"], cloud=True, place="gs")
    forecast = diagnosis["forecast"]
    assert forecast["place"] == "gs"
    assert [step["name"] for step in forecast["steps"]] == ["opening", "listing", "1x60x60"]
    assert {"ros3-2.0", "fsspec-readahead", "hyperslab"} <= {reader["reader"] for reader in forecast["steps"][0]["readers"]}
    assert "fsspec-readahead" in diagnosis._repr_html_()


def test_writes_strides_and_random_places(path):
    diagnosis = hyperslab.doctor(path, "/t2m", reads=["1x60x60"], writes=[(1, 60, 60)], stride=(1, 2, 2), cache="1MiB")
    (dataset,) = diagnosis["datasets"]
    assert dataset["reads"][0]["step"] == [1, 2, 2]
    (write,) = dataset["writes"]
    # Four chunks of 100 steps, each 1.4 MiB: the cache holds none.
    assert (write["writes"], write["profiles"][0]["chunks"], write["profiles"][0]["encodes"]) == (400, 4, 400)
    random = hyperslab.doctor(path, "/t2m", reads=["1x60x60"], random=20)
    assert random["datasets"][0]["reads"][0]["reads"] == 20


def test_what_is_wrong_is_said(path):
    with pytest.raises(hyperslab.HyperslabError, match="2 dimensions"):
        hyperslab.doctor(path, "/t2m", reads=["1x1"])
    with pytest.raises(hyperslab.HyperslabError, match="no such"):
        hyperslab.doctor(path.with_name("none.h5"))
