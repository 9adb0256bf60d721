"""A real browser without a screen, and a page written by the installed command."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import h5py
import numpy
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--window-size=1280,1000",
)  # fmt: skip

#: Arguments that lead to every kind of figure: several chunk shapes, filters, caches and access patterns.
QUESTION = [
    "--synthetic", "60x48x40", "--ratio", "3",
    "--chunks", "60x6x5", "--chunks", "6x48x40", "--filter", "none", "--filter", "shuffle+gzip=1",
    "--read", "1x48x40", "--read", ":x1x1", "--reads", "60",
    "--cache", "10KiB", "--cache", "64KiB", "--cache", "1MiB",
    "--repeats", "1", "--write-repeats", "1", "--engine", "libhdf5", "--engine", "hyperslab", "--engine", "null",
]  # fmt: skip


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """The page, and the JSON document from which it was written."""
    folder = tmp_path_factory.mktemp("bench")
    page = folder / "a page.html"
    command = [sys.executable, "-m", "hyperslab", "bench", *QUESTION, "--json", "--html", str(page)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    return page, json.loads(done.stdout)


@pytest.fixture(scope="session")
def rewritten(tmp_path_factory):
    """The page of a file of the user's that is rewritten in two ways, and its document."""
    folder = tmp_path_factory.mktemp("rewritten")
    file, page = folder / "input.h5", folder / "page.html"
    with h5py.File(file, "w") as made:
        values = numpy.arange(60 * 48 * 40, dtype="<f4").reshape(60, 48, 40)
        made.create_dataset("d", data=values, chunks=(60, 6, 5), compression="gzip", compression_opts=1)
    question = ["--chunks", "6x48x40", "--chunks", "60x48x1", "--read", "1x48x40", "--engine", "libhdf5"]
    question += ["--repeats", "1", "--write-repeats", "1", "--json", "--html", str(page)]
    command = [sys.executable, "-m", "hyperslab", "bench", str(file), "/d", *question]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    return page, json.loads(done.stdout)


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(chromium, results):
    """The page, opened as a file in a window of desktop width."""
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    # What earlier pages said is not this one's.
    chromium.get_log("browser"), chromium.get_log("performance")
    chromium.get(results[0].as_uri())
    return chromium
