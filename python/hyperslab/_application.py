"""Runs the applications: a request goes in as data, an answer comes out as data, so that an executor can carry both."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple, TypeAlias, TypeVar

from hyperslab import _hyperslab

StrPath: TypeAlias = str | os.PathLike[str]
#: Called with the name of a file, the bytes of it that are done, and its bytes.
Progress: TypeAlias = Callable[[str, int, int], Any]

Result = TypeVar("Result")
#: Seconds between two looks for an interrupt while a call of an executor is waited for.
INTERVAL = 0.2


class Answer(NamedTuple):
    """What an application answers."""

    #: Its text: lines of JSON, or an index.
    text: str
    #: What is worth a warning.
    notes: list[str]

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The lines of JSON."""
        return [json.loads(line) for line in self.text.splitlines()]


def run(
    name: str,
    paths: Iterable[StrPath],
    request: dict[str, Any],
    *,
    output: StrPath | None = None,
    jobs: int = 1,
    shard: str | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Run an application. Members of the request that are `None` are left out. Ctrl-C ends it, and what it wrote goes.

    Raises:
        HyperslabError: what it could not do, by its kind.
    """
    # Libraries are loaded and measured by this interpreter, in processes of their own.
    os.environ.setdefault("HYPERSLAB_INTERPRETER", sys.executable)
    given = {key: value for key, value in request.items() if value is not None}
    files = [os.fspath(path) for path in paths]
    place = None if output is None else os.fspath(output)
    return Answer(*_hyperslab.run_application(name, files, place, json.dumps(given, default=_path), jobs, shard, progress))


def _path(value: Any) -> Any:
    """What JSON has no word for: paths, and integers of NumPy."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value.item()


def results(executor: Executor, function: Callable[..., Result], calls: Iterable[tuple[Any, ...]]) -> list[Result]:
    """What an executor returns for these calls, which are given to it all at once, in order. If this process is interrupted, no
    call is begun any more, and applications that threads of this process run are ended."""
    futures: list[Future[Result]] = []
    try:
        for call in calls:
            futures.append(executor.submit(function, *call))
        return [_result(future) for future in futures]
    except KeyboardInterrupt:
        for future in futures:
            future.cancel()
        _hyperslab.cancel_applications()
        raise


def _result(future: Future[Result]) -> Result:
    """What a call returns. An interrupt that arrives just before this thread waits would wait with it to the end of the call: it is
    looked for now and then."""
    while True:
        try:
            return future.result(INTERVAL)
        except TimeoutError:
            # The call itself may have ended with one.
            if future.done():
                return future.result()
