"""What `hyperslab.advise`, `doctor`, `repack` and `archive_summary` share: reports as data."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from typing import Any


class Report(Mapping[str, Any]):
    """A document that the command prints with `--json`, as a mapping."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def __getitem__(self, key: str) -> Any:
        return self._report[key]

    def __iter__(self):
        return iter(self._report)

    def __len__(self) -> int:
        return len(self._report)


def block_text(block: str | tuple[int | None, ...]) -> str:
    """A block in words: `(1, None)` is `1x:`."""
    return block if isinstance(block, str) else "x".join(":" if size is None else str(size) for size in block)


def places(stride: Iterable[int] | None, random: int | None) -> dict[str, Any]:
    """Where blocks lie, and which of their elements are wanted."""
    return {"stride": None if stride is None else block_text(tuple(stride)), "random": random, "seed": 1}


def table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """An HTML table for a notebook. The cells of `rows` are HTML already."""
    lines = ("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    names = "".join(f"<th>{name}</th>" for name in head)
    return f"<table><caption>{html.escape(caption)}</caption><tr>{names}</tr>{''.join(lines)}</table>"
