"""The page of `hyperslab bench --html` in a real browser, opened from a file: it is drawn without fetching anything."""

from __future__ import annotations

import base64
import json

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

#: Counts the pixels of a canvas by colour, without transparent ones; the most frequent colour first.
COLOURS = """
    const canvas = arguments[0], counts = new Map();
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 200) {
            const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
            counts.set(colour, (counts.get(colour) ?? 0) + 1);
        }
    }
    return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 40);
"""


def canvases(page):
    return page.find_elements(By.CSS_SELECTOR, "figure.curves canvas")


def styled(page, name):
    """A colour of the page, as computed by the browser."""
    return page.execute_script(
        "const probe = document.body.appendChild(document.createElement('i'));"
        f"probe.style.color = 'var({name})';"
        "const found = getComputedStyle(probe).color.match(/\\d+/g).slice(0, 3).join(',');"
        "probe.remove(); return found;"
    )


def frames(page):
    """Waits until a change has been drawn."""
    page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def point_at(page, element):
    # A page that still scrolls takes its notes away.
    page.execute_script("arguments[0].scrollIntoView({ behavior: 'instant', block: 'center' })", element)
    frames(page)
    ActionChains(page).move_to_element(element).perform()


def headings(page):
    return [heading.text for heading in page.find_elements(By.CSS_SELECTOR, "section h2")]


def test_every_kind_of_figure_is_there(page):
    assert headings(page) == [
        "Storages", "Compression against speed", "Time against the chunk cache", "Time against the size of chunks",
        "Engines and caches", "Simulated against measured", "Writing", "All figures", "How it was measured",
    ]  # fmt: skip


def storages(page):
    """The rows of the first table of the page."""
    return page.find_elements(By.CSS_SELECTOR, "main section:first-of-type figure.heat tbody tr")


def test_the_page_begins_with_one_sentence_and_a_row_for_each_storage(page, results):
    findings = page.find_elements(By.CSS_SELECTOR, "header .findings p")
    assert len(findings) == 1 and " best, in " in findings[0].text
    stored = {row["stored_as"] for row in results[1]["rows"]}
    assert len(storages(page)) == len(stored) == 4
    best = results[1]["verdicts"][0]["choices"][0]
    assert storages(page)[0].get_attribute("class") == "best"
    assert storages(page)[0].find_element(By.CSS_SELECTOR, "th").text.startswith(best["stored_as"])
    assert best["stored_as"] in findings[0].text
    head = page.find_element(By.CSS_SELECTOR, "main section:first-of-type figure.heat thead")
    assert "read 1x48x40" in head.text and "size" in head.text and "write" in head.text
    # Each column has its own best, and says by how much the others are worse.
    for place in range(len(storages(page)[0].find_elements(By.CSS_SELECTOR, "td"))):
        column = [row.find_elements(By.CSS_SELECTOR, "td")[place] for row in storages(page)]
        assert sum("best" in cell.text for cell in column) == 1, place


def test_the_file_as_it_is_is_marked(chromium, page, rewritten):
    chromium.get(rewritten[0].as_uri())
    rows = storages(page)
    assert len(rows) == 1 + 2
    marked = [row for row in rows if row.get_attribute("class").split()[-1:] == ["base"]]
    assert len(marked) == 1 and "the file as it is" in marked[0].text
    assert "best" in rows[0].get_attribute("class")
    lines = [line.text for line in page.find_elements(By.CSS_SELECTOR, "td.command code")]
    if "base" not in rows[0].get_attribute("class"):
        assert any(line.startswith("h5repack ") for line in lines)


def test_figures_are_titled_by_what_they_show(page):
    titles = [title.text for title in page.find_elements(By.CSS_SELECTOR, "figure.curves figcaption")]
    assert titles and all("times as fast" in title or "no difference" in title for title in titles), titles
    labels = [
        [label.text for label in figure.find_elements(By.CSS_SELECTOR, "text.label")]
        for figure in page.find_elements(By.CSS_SELECTOR, "figure.scatter")
    ]
    assert any(labels)


def test_steps_fall_where_chunks_begin_to_fit(page):
    """The data of each curve: a bend between two measured caches lies at a dashed line, and has no mark."""
    figures = page.find_elements(By.CSS_SELECTOR, "figure.curves script.data")
    bends = 0
    for figure in figures:
        data = json.loads(figure.get_attribute("textContent"))
        marks = {mark["x"] for mark in data["marks"]}
        for line in data["lines"]:
            assert line["is_step"] != line["is_level"]
            places = [place for place, y in enumerate(line["y"]) if y is not None]
            if not line["is_level"]:
                unmarked = [data["x"][place] for place in places if place not in line["marked"]]
                assert set(unmarked) <= marks
                bends += len(unmarked)
    assert bends > 0


def test_legends_have_the_dashes_of_their_curves(page):
    for figure in page.find_elements(By.CSS_SELECTOR, "figure.curves"):
        markers = figure.find_elements(By.CSS_SELECTOR, ".u-series:not(:first-child) .u-marker")
        styles = [marker.value_of_css_property("border-bottom-style") for marker in markers]
        assert styles == ["solid", "dashed", "dotted"][: len(styles)] or len(styles) > 3, styles


def test_curves_are_painted(page):
    # Four files under two accesses.
    assert len(canvases(page)) >= 8
    for canvas in canvases(page):
        assert canvas.size["width"] > 200 and canvas.size["height"] > 100
        colours = dict(page.execute_script(COLOURS, canvas))
        assert colours.get(styled(page, "--style-0"), 0) > 50, "the first line"
        assert colours.get(styled(page, "--style-1"), 0) > 50, "the second line"


def test_points_and_bars_have_their_size(page):
    for selector, least in (("figure.scatter > svg", 4), ("figure.bars svg", 8)):
        found = page.find_elements(By.CSS_SELECTOR, selector)
        assert len(found) >= least, selector
        for svg in found:
            assert svg.size["width"] > 100 and svg.size["height"] >= 10, selector
    marks = page.find_elements(By.CSS_SELECTOR, "figure.scatter > svg .point > :is(circle, polygon)")
    assert len(marks) > 20
    assert all(mark.size["width"] > 3 and mark.size["height"] > 3 for mark in marks)
    bars = page.find_elements(By.CSS_SELECTOR, "figure.bars rect.bar")
    assert max(bar.size["width"] for bar in bars) > 100


def test_nothing_is_fetched_and_nothing_goes_wrong(page):
    requested = [
        message["params"]["request"]["url"]
        for message in (json.loads(entry["message"])["message"] for entry in page.get_log("performance"))
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requested if not url.startswith("data:")] == [page.current_url]
    assert page.current_url.startswith("file://")
    assert page.get_log("browser") == []


def test_every_cell_stands_in_a_table_with_its_command(page, results):
    page.execute_script("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tables = {
        table.find_element(By.XPATH, "./ancestor::section/h2").text: table
        for table in page.find_elements(By.CSS_SELECTOR, "details.numbers table")
    }
    assert set(tables) == set(headings(page)) - {"Storages", "How it was measured"}
    commands = [cell.text for cell in tables["All figures"].find_elements(By.CSS_SELECTOR, "td.command code")]
    assert commands == [row["command"] for row in results[1]["rows"]]
    # The engine that does nothing is in the table alone.
    heat = page.find_element(By.CSS_SELECTOR, "figure.heat")
    assert "null" not in heat.text and "null" in tables["All figures"].text
    best = heat.find_elements(By.CSS_SELECTOR, "td.heat-0")
    assert best and any("best" in cell.text for cell in best)


def test_pointing_at_a_cell_says_more(page):
    cell = page.find_element(By.XPATH, "//section[h2='Engines and caches']//td[@data-tip]")
    point_at(page, cell)
    tip = page.find_element(By.CSS_SELECTOR, ".tip")
    assert tip.is_displayed() and "request" in tip.text and "fetched" in tip.text
    canvas = page.find_element(By.CSS_SELECTOR, "figure.curves .u-over")
    point_at(page, canvas)
    values = page.find_elements(By.CSS_SELECTOR, "figure.curves .u-value")
    assert any(value.text.strip() for value in values), "the legend shows the values at the cursor"
    assert not tip.is_displayed()


def test_dark_is_dark_everywhere(page):
    def lightness():
        colour = page.execute_script("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g)")
        return sum(map(int, colour[:3])) / 3

    line = styled(page, "--style-0")
    assert lightness() > 200
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    assert lightness() < 60
    frames(page)
    assert styled(page, "--style-0") != line
    colours = dict(page.execute_script(COLOURS, canvases(page)[0]))
    assert colours.get(styled(page, "--style-0"), 0) > 50, "curves are painted again"


@pytest.mark.parametrize("width", [360, 420, 768])
def test_a_narrow_screen_scrolls_only_downwards(page, width):
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    page.refresh()
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    assert all(canvas.size["width"] <= width for canvas in canvases(page))


def test_on_paper_everything_is_unfolded_and_light(page):
    folded = "return [...document.querySelectorAll('details')].filter((one) => !one.open).length"
    assert page.execute_script(folded) > 3
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert page.execute_script(folded) == 0
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert page.execute_script(folded) > 3
    printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert printed.startswith(b"%PDF") and len(printed) > 50_000
    assert page.get_log("browser") == []
