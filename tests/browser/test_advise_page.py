"""The page of `hyperslab advise --html` in a real browser: nothing is cut, nothing covers a label, short reads can be seen."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import h5py
import numpy
import pytest
from selenium.webdriver.common.by import By

WIDTHS = [1200, 768, 480]


@pytest.fixture(scope="module")
def advised(tmp_path_factory):
    """The page of a file whose time series take very much longer than its maps, and the advice as JSON."""
    folder = tmp_path_factory.mktemp("advise")
    file, page = folder / "maps.h5", folder / "page.html"
    random = numpy.random.default_rng(5)
    t, y, x = numpy.ogrid[:240, :60, :80]
    values = (280 + 9 * numpy.sin(t / 40 + y / 9) + 5 * numpy.cos(x / 11) + random.normal(size=(240, 60, 80)) / 64).astype("<f4")
    with h5py.File(file, "w") as made:
        made.create_dataset("d", data=values, chunks=(1, 60, 80), compression="gzip", compression_opts=6)
    question = ["advise", str(file), "--read", "1x60x80", "--read", ":x1x1", "--read", ":x:x:", "--seconds", "5", "--json"]
    command = [sys.executable, "-m", "hyperslab", *question, "--html", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return page, json.loads(done.stdout)["datasets"][0]


@pytest.fixture(params=WIDTHS)
def page(chromium, advised, request):
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    metrics = {"width": request.param, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    chromium.get_log("browser"), chromium.get_log("performance")
    chromium.get(advised[0].as_uri())
    yield chromium
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_no_text_of_the_picture_covers_another(page):
    boxes = page.execute_script(
        """
        return [...document.querySelectorAll("figure.scatter text")].map((text) => {
            const { left, top, right, bottom } = text.getBoundingClientRect();
            return [text.textContent, left, top, right, bottom];
        });
        """
    )
    assert {"as it is", "recommended"} <= {box[0] for box in boxes}
    for one, other in itertools.combinations(boxes, 2):
        is_beside = one[3] <= other[1] or other[3] <= one[1] or one[4] <= other[2] or other[4] <= one[2]
        assert is_beside, (one, other)
    width = page.execute_script("return innerWidth")
    assert all(box[1] >= 0 and box[3] <= width for box in boxes), boxes


def test_what_is_recommended_is_not_covered(page):
    covering = page.execute_script(
        """
        return [...document.querySelectorAll("figure.scatter .point")]
            .filter((point) => ["style-0", "style-1"].includes(point.querySelector("circle, polygon").getAttribute("class")))
            .map((point) => {
                point.scrollIntoView({ block: "center", behavior: "instant" });
                const { left, top, width, height } = point.querySelector("circle, polygon").getBoundingClientRect();
                return point.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            });
        """
    )
    assert covering == [True, True]


def test_every_read_has_a_bar_that_can_be_seen(page, advised):
    figures = page.find_elements(By.CSS_SELECTOR, "figure.bars")
    assert len(figures) == len(advised[1]["readers"])
    for figure in figures:
        bars = figure.find_elements(By.CSS_SELECTOR, "dd rect.bar")
        assert len(bars) == len(advised[1]["reads"])
        assert all(bar.size["width"] >= 5 for bar in bars), [bar.size for bar in bars]
        drawn = {svg.size["width"] for svg in figure.find_elements(By.CSS_SELECTOR, "dd svg")}
        assert len(drawn) == 1, "bars of one figure have one scale"
        labels = [label.rect for label in figure.find_elements(By.CSS_SELECTOR, ".scale span")]
        for one, other in itertools.combinations(labels, 2):
            assert one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"], (one, other)


def test_lines_to_paste_are_not_cut(page):
    cut = page.execute_script(
        """
        return [...document.querySelectorAll("table.commands")]
            .filter((table) => table.scrollWidth > table.closest(".scroll").clientWidth + 1)
            .map((table) => [table.textContent, table.scrollWidth]);
        """
    )
    assert page.find_elements(By.CSS_SELECTOR, "table.commands") and cut == []
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
