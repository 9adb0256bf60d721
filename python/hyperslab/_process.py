"""Runs the command in a process of its own, as `index`, `advise`, `doctor`, `repack` and `check` do."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import Future
from typing import NamedTuple, TypeVar

from hyperslab.errors import HyperslabError

#: In messages about what an index does not have.
LEFT_OUT = "left out: "
_HINT = "hint: "
#: Seconds in which an interrupted command removes what it has written.
_END_SECONDS = 30

Result = TypeVar("Result")

#: Commands that threads of this process have started.
_running: set[subprocess.Popen[bytes]] = set()


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
        lines = [line for line in self.messages if line and LEFT_OUT not in line and not line.startswith((_HINT, "note: "))]
        return " ".join(line.removeprefix("error: ") for line in lines) or f"the command ended with {self.code}"

    @property
    def hint(self) -> str | None:
        """What to do next, if it says so."""
        return next((line.removeprefix(_HINT) for line in self.messages if line.startswith(_HINT)), None)

    def failure(self, file: str | None = None) -> HyperslabError:
        """Its errors as an exception."""
        return HyperslabError(self.error, hint=self.hint, file=file)


def run(arguments: list[str]) -> Done:
    """Run `hyperslab` with these arguments. If this process is interrupted, the command is, too, and removes what it wrote."""
    command = [sys.executable, "-m", "hyperslab", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        _running.add(process)
        try:
            out, messages = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
        finally:
            _running.discard(process)
    return Done(process.returncode, out, messages.decode(errors="replace").splitlines())


def results(futures: list[Future[Result]]) -> list[Result]:
    """What an executor has done, in order. If this process is interrupted, no call is begun any more, and commands that
    threads of this process have started are ended."""
    try:
        return [future.result() for future in futures]
    except KeyboardInterrupt:
        for future in futures:
            future.cancel()
        for process in list(_running):
            process.send_signal(signal.SIGTERM)
        raise
