"""What all Python tests share: where files are, how much a long test does, and which skips CI accepts.

The Rust tests have the same in `crates/hyperslab-testkit`.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = Path(os.environ.get("HYPERSLAB_FIXTURES", ROOT / "fixtures"))
CORPUS = Path(os.environ.get("HYPERSLAB_CORPUS", ROOT.parent / "shared" / "corpus"))

#: Said where the corpus was left out on request.
ON_REQUEST = "HYPERSLAB_CORPUS=none"
#: Continuous integration: the variable is set, and neither empty nor "false".
IS_CI = os.environ.get("CI", "") not in ("", "false")
#: Skips that are no failure under CI, by how their reason begins, and why.
ACCEPTED = {
    ON_REQUEST: "the tests over real files were left out on request",
    "libhdf5 leaves what is not a number to the processor": "what is compared with is different on other processors",
    "no fork here": "systems without fork have nothing to test",
}


def missing_corpus() -> str | None:
    """Why there is no corpus, or `None` where it is there."""
    if str(CORPUS) == "none":
        return ON_REQUEST
    if not (CORPUS / "MANIFEST.tsv").exists():
        return f"no corpus at {CORPUS} (HYPERSLAB_CORPUS names another place, or is none to test without it)"
    return None


def scaled(count: int) -> int:
    """So many at scale 1, and at least one; `scripts/test --full` sets HYPERSLAB_TEST_SCALE above 1."""
    return max(1, round(count * float(os.environ.get("HYPERSLAB_TEST_SCALE", "1"))))


def is_accepted(reason: str) -> bool:
    """Whether a test may be skipped for this reason under CI."""
    return reason.removeprefix("Skipped: ").startswith(tuple(ACCEPTED))
