"""Tests of this folder import `records` beside them, and run the `hyperslab` command."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_collection_finish(session):
    from records import COMMAND

    if session.items and not shutil.which(COMMAND):
        pytest.exit(f"{COMMAND} is missing: pip install . (or HYPERSLAB_COMMAND names another)", returncode=2)
