"""The parts that all Python tests share: the paths of files, the scale of long tests, and the skips that CI accepts.

`crates/hyperslab-testkit` has the same for the Rust tests.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = Path(os.environ.get("HYPERSLAB_FIXTURES", ROOT / "fixtures"))
CORPUS = Path(os.environ.get("HYPERSLAB_CORPUS", ROOT.parent / "shared" / "corpus"))

#: How an HDF5 file without a user block begins.
SIGNATURE = b"\x89HDF\r\n\x1a\n"

#: The reason of a skip if the user asked to test without the corpus.
ON_REQUEST = "HYPERSLAB_CORPUS=none"
#: True in continuous integration: the variable `CI` is set, and neither empty nor "false".
IS_CI = os.environ.get("CI", "") not in ("", "false")
#: Skips that CI accepts: the beginning of the reason, and why it is accepted.
ACCEPTED = {
    ON_REQUEST: "the tests over real files were left out on request",
    "libhdf5 leaves what is not a number to the processor": "what is compared with is different on other processors",
    "the server hsds is missing": "it wants other versions of the tests' libraries, and much time to be installed",
    "no fork here": "systems without fork have nothing to test",
}


def missing_corpus() -> str | None:
    """The reason why there is no corpus, or `None` if there is one."""
    if str(CORPUS) == "none":
        return ON_REQUEST
    if not (CORPUS / "MANIFEST.tsv").exists():
        return f"no corpus at {CORPUS} (HYPERSLAB_CORPUS names another place, or is none to test without it)"
    return None


#: HYPERSLAB_TEST_SCALE sets the scale.
SCALE = float(os.environ.get("HYPERSLAB_TEST_SCALE", "1"))
IS_FULL = SCALE >= 10


def scaled(count: int, full: int | None = None) -> int:
    """The number of repetitions that is `count` at scale 1, and `full` in the full run, if that is not ten times as many. At
    least 1."""
    return full if full is not None and IS_FULL else max(1, round(count * SCALE))


#: Files for which other readers take minutes, because they have a thousand variables or chunks. `scripts/test --full` compares
#: them.
SLOW = ("/nc_test4/ref_hdf5_compat1.nc", "/groups/members_2000_latest.h5", "/fixtures/chunk_indexes/")


def is_slow(path: Path) -> bool:
    """True if a file is compared at scale 10 only."""
    return scaled(10) < 100 and any(slow in path.as_posix() for slow in SLOW)


def hdf5_files(bytes_max: int) -> list[Path]:
    """The fixtures and, where there is one, the files of the corpus that begin with the signature of HDF5, are not larger, and
    not too slow at this scale."""
    folders = [FIXTURES] if missing_corpus() else [FIXTURES, CORPUS]
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    paths = [path for path in paths if path.is_file() and path.stat().st_size <= bytes_max]
    return [path for path in paths if path.open("rb").read(8) == SIGNATURE and not is_slow(path)]


def is_accepted(reason: str) -> bool:
    """True if a test may be skipped for this reason in CI."""
    return reason.removeprefix("Skipped: ").startswith(tuple(ACCEPTED))
