"""The page of `hyperslab doctor --html` in a real browser: findings first, the file as a map of its bytes, what reads cost."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import h5py
import numpy
import pytest
from selenium.webdriver.common.by import By

#: Rows of chunks of 2 MiB, which do not fit into the cache of 1 MiB of old libraries.
SHAPE, CHUNKS = (64, 1024, 512), (1, 1024, 512)


@pytest.fixture(scope="module")
def examined(tmp_path_factory):
    """The page of a file with one bad dataset, one fine one and lost space, and the report as JSON."""
    folder = tmp_path_factory.mktemp("doctor")
    file, page = folder / "a file.h5", folder / "page.html"
    values = numpy.random.default_rng(5).integers(0, 99, SHAPE).astype("<f4")
    with h5py.File(file, "w") as made:
        made.create_dataset("lost", data=values[:20])
        made.create_dataset("bad <b>", data=values, chunks=CHUNKS, compression="gzip", compression_opts=1)
        made.create_dataset("fine", data=values[:4], chunks=(1, 256, 512), compression="gzip", shuffle=True)
        del made["lost"]
    question = ["doctor", str(file), "--json", "--html", str(page)]
    command = [sys.executable, "-m", "hyperslab", *question]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return page, json.loads(done.stdout)


@pytest.fixture
def page(chromium, examined):
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.get_log("browser"), chromium.get_log("performance")
    chromium.get(examined[0].as_uri())
    return chromium


def found(report):
    """All findings of a report, those of the file first."""
    return report["findings"] + [finding for dataset in report["datasets"] for finding in dataset["findings"]]


def notices(page):
    return page.find_elements(By.CSS_SELECTOR, "main section:first-of-type figure.notice")


def test_findings_come_first_and_are_those_of_the_report(page, examined):
    headings = [heading.text for heading in page.find_elements(By.CSS_SELECTOR, "section h2")]
    assert headings == ["Findings", "The file, byte by byte", "What each read costs", "How it was predicted"]
    titles = [notice.find_element(By.CSS_SELECTOR, ".title").text for notice in notices(page)]
    assert titles == [finding["code"] for finding in found(examined[1])]
    assert "cache-smaller-than-chunk" in titles
    levels = [notice.get_attribute("class").split()[-1] for notice in notices(page)]
    assert levels == [finding["severity"] for finding in found(examined[1])]
    told = page.find_elements(By.CSS_SELECTOR, "header .findings p")
    assert re.match(r"\d+ (high|medium|low)", told[0].text) and len(told) > 1


def test_each_fix_says_what_becomes_of_every_read(page, examined):
    bad = next(finding for finding in found(examined[1]) if finding["code"] == "cache-smaller-than-chunk")
    notice = next(notice for notice in notices(page) if bad["code"] in notice.text)
    rows = notice.find_elements(By.CSS_SELECTOR, ".changes tbody tr")
    distinct = {(fix["kind"], fix["effect"]) for fix in bad["fixes"]}
    assert len(rows) == len(distinct)
    columns = [cell.text for cell in notice.find_elements(By.CSS_SELECTOR, ".changes thead th")][1:]
    first = bad["fixes"][0]
    assert columns[0] == first["serves"]["read"]
    assert set(columns) == {first["serves"]["read"], *(other["read"] for other in first["others"])}
    gained = rows[0].find_element(By.CSS_SELECTOR, "td")
    assert "→" in gained.text and gained.get_attribute("class") == "much-better"
    page.execute_script("arguments[0].open = true", notice.find_element(By.CSS_SELECTOR, "details.choices"))
    lines = [line.get_attribute("textContent") for line in notice.find_elements(By.CSS_SELECTOR, ".choices code")]
    assert lines and set(lines) >= {fix["line"] for fix in bad["fixes"]}


def cells(page, number):
    """The area of each kind of cells of a map, by the name in its legend."""
    figure = page.find_elements(By.CSS_SELECTOR, "figure.cells")[number]
    areas = page.execute_script(
        """
        return [...arguments[0].querySelectorAll(":scope > svg > path")].map((path) => [
            path.dataset.tip,
            [...path.getAttribute("d").matchAll(/h([\\d.]+)v/g)].reduce((sum, [, width]) => sum + Math.round(Number(width) + .14), 0),
        ]);
        """,
        figure,
    )
    return figure, dict(areas)


def test_the_map_of_bytes_has_every_byte(page):
    figure, areas = cells(page, 0)
    unit = float(re.search(r"a cell is ([\d.]+) KiB", figure.text)[1])
    names = " ".join(areas)
    for owner in ("metadata", "/bad <b>", "/fine", "belongs to nothing"):
        assert owner in names, areas
    for tip, area in areas.items():
        size, name = re.search(r": ([\d.]+) (B|KiB|MiB), ", tip).groups()
        size = float(size) * {"B": 1 / 1024, "KiB": 1, "MiB": 1024}[name]
        assert abs(area - size / unit) <= 2 + 0.01 * area, (tip, area, unit)


def test_chunks_are_coloured_by_how_often_they_are_decoded(page, examined):
    figure, areas = cells(page, 1)
    title = figure.find_element(By.CSS_SELECTOR, "figcaption").text
    assert title.startswith("/bad <b>: how often each chunk is decoded by reading "), title
    dataset = next(dataset for dataset in examined[1]["datasets"] if dataset["path"] == "/bad <b>")
    read = next(read for read in dataset["reads"] if f" {read['name']} " in title)
    profile = next(profile for profile in read["profiles"] if title.endswith(f" in {profile['name']}"))
    # Every chunk is decoded as often as the others: in all, as often as was simulated.
    times = profile["decodes"] // profile["chunks_touched"]
    assert any(tip == f"decoded {times:,} times" for tip in areas), (areas, times)


def test_nothing_is_fetched_and_nothing_goes_wrong(page):
    requested = [
        message["params"]["request"]["url"]
        for message in (json.loads(entry["message"])["message"] for entry in page.get_log("performance"))
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requested if not url.startswith("data:")] == [page.current_url]
    assert page.get_log("browser") == []


@pytest.mark.parametrize("width", [360, 420, 768])
def test_a_narrow_screen_scrolls_only_downwards(page, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page.refresh()
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    maps = page.find_elements(By.CSS_SELECTOR, "figure.cells > svg")
    assert maps and all(0 < drawn.size["width"] <= width for drawn in maps)


@pytest.mark.parametrize("width", [1200, 768, 480])
def test_what_fixes_change_is_not_cut(page, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page.refresh()
    widths = page.execute_script(
        "return [...document.querySelectorAll('.changes .scroll')].map((one) => [one.scrollWidth, one.clientWidth])"
    )
    assert widths and all(inner <= outer for inner, outer in widths), widths
    for cell in page.find_elements(By.CSS_SELECTOR, ".changes td:not(.none)"):
        assert cell.is_displayed() and cell.text


def test_dark_is_dark(page):
    def lightness():
        colour = page.execute_script("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
        return sum(map(int, colour[:3])) / 3

    assert lightness() > 200
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    assert lightness() < 60
