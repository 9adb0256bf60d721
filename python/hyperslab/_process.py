"""Runs the command in a process of its own, as `index`, `advise`, `doctor`, `repack` and `check` do."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

#: In messages about what an index does not have.
LEFT_OUT = "left out: "


class Done(NamedTuple):
    """What the command did: as data, so that it can come from another machine."""

    #: The exit code.
    code: int
    #: Its standard output.
    out: bytes
    #: The lines of its standard error.
    messages: list[str]

    @property
    def left_out(self) -> list[str]:
        """What an index does not have, each with the reason."""
        return [line.replace(LEFT_OUT, "", 1) for line in self.messages if LEFT_OUT in line]

    @property
    def error(self) -> str:
        """Its errors as one line."""
        lines = [line.removeprefix("error: ") for line in self.messages if line and LEFT_OUT not in line]
        return " ".join(lines) or f"the command ended with {self.code}"


def run(arguments: list[str]) -> Done:
    """Run `hyperslab` with these arguments."""
    ended = subprocess.run([sys.executable, "-m", "hyperslab", *arguments], capture_output=True, check=False)
    return Done(ended.returncode, ended.stdout, ended.stderr.decode(errors="replace").splitlines())
