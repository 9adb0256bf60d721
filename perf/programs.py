"""The programs that are measured: those of the profile `dist`, unless the variable PROFILE names another."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / os.environ.get("PROFILE", "dist")
COMMAND = BUILT / "hyperslab"
FLOOR = BUILT / "hyperslab-floor"
ACCURACY = BUILT / "hyperslab-accuracy"
SERVER = BUILT / "examples" / "serve"
