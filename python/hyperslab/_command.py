"""The `hyperslab` command, as installed with the package."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from hyperslab import _hyperslab


def main() -> int:
    """Run the command with this process's arguments and return its exit code."""
    # The work is done in Rust, where Python's signal handler would never run; with this, Ctrl-C ends the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # If the reader of the output exits (`hyperslab ls FILE | head`), the command ends without an error message.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # The interpreter that the command starts for work in a separate process.
    os.environ.setdefault("HYPERSLAB_INTERPRETER", sys.executable)
    # What `trace` and `run` preload into programs.
    preload = Path(__file__).parent / "_preload" / "libhyperslab_preload.so"
    if preload.is_file():
        os.environ.setdefault("HYPERSLAB_PRELOAD", str(preload))
    return _hyperslab.run_command(["hyperslab", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
