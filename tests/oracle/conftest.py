"""The tests in this folder import `records` from it, and run the `hyperslab` command."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_collection_finish(session):
    from records import COMMAND

    if session.items and not shutil.which(COMMAND):
        pytest.exit(f"{COMMAND} is missing: run pip install . (or set HYPERSLAB_COMMAND to another one)", returncode=2)
