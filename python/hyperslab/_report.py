"""What `hyperslab.advise`, `doctor`, `repack` and `check` share: the report of the command as data."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping
from typing import Any

from hyperslab._process import run


class Report(Mapping[str, Any]):
    """A document that a command prints with `--json`, as a mapping."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def __getitem__(self, key: str) -> Any:
        return self._report[key]

    def __iter__(self):
        return iter(self._report)

    def __len__(self) -> int:
        return len(self._report)


def block_text(block: str | tuple[int | None, ...]) -> str:
    """A block as the command line takes it: `(1, None)` is `1x:`."""
    return block if isinstance(block, str) else "x".join(":" if size is None else str(size) for size in block)


def pattern_arguments(stride: Iterable[int] | None, random: int | None) -> list[str]:
    """Where blocks lie, and which of their elements are wanted, as the command line takes it."""
    arguments = [] if stride is None else ["--stride", block_text(tuple(stride))]
    return arguments + ([] if random is None else ["--random", str(random)])


def document(name: str, arguments: list[str]) -> dict[str, Any]:
    """Run a command with `--json`, and parse what it prints.

    Raises:
        HyperslabError: it printed no document; the message is that of the command.
    """
    (parsed,) = documents(name, arguments)
    return parsed


def documents(name: str, arguments: list[str]) -> list[dict[str, Any]]:
    """Run a command with `--json`, and parse the lines that it prints.

    Raises:
        HyperslabError: it printed none; the message is that of the command.
    """
    done = run([name, "--json", *arguments])
    if not done.out:
        raise done.failure()
    return [json.loads(line) for line in done.out.splitlines()]


def table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """An HTML table for a notebook. The cells of `rows` are HTML already."""
    lines = ("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    names = "".join(f"<th>{name}</th>" for name in head)
    return f"<table><caption>{html.escape(caption)}</caption><tr>{names}</tr>{''.join(lines)}</table>"
