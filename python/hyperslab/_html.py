"""Groups and datasets as tables in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

#: Members of a group and attributes that a table shows.
ROWS_MAX = 200


def dataset_table(dataset: Any) -> str:
    """Shape, type, storage and attributes of a dataset."""
    if not dataset:
        return escape(repr(dataset))
    rows = [
        ("shape", dataset.shape),
        ("dtype", dataset.dtype),
        ("layout", dataset.layout),
        ("chunks", dataset.chunks),
        ("filters", ", ".join(dataset.filters)),
        ("fill value", dataset.fillvalue),
    ]
    # A fill value may be a record or a void, which NumPy does not compare with text.
    texts = [(name, str(value)) for name, value in rows if value is not None]
    shown = [(name, text) for name, text in texts if text] if dataset.shape is not None else []
    return _table(f"Dataset {dataset.name}", shown + _attributes(dataset))


def group_table(group: Any) -> str:
    """The members and attributes of a group."""
    if not group:
        return escape(repr(group))
    rows = []
    for number, name in enumerate(group):
        if number == ROWS_MAX:
            rows.append(("…", f"{len(group) - ROWS_MAX} more"))
            break
        rows.append((name, _summary(group.get(name))))
    return _table(f"{type(group).__name__} {group.name}", rows + _attributes(group))


def _summary(member: Any) -> str:
    if member is None:
        return "link that leads nowhere"
    shape = getattr(member, "shape", None)
    if shape is None:
        return type(member).__name__.lower()
    return f"{'×'.join(map(str, shape)) or 'scalar'} {member.dtype}"


def _attributes(thing: Any) -> list[tuple[str, str]]:
    names = list(thing.attrs)[:ROWS_MAX]
    return [(f"@{name}", _short(str(thing.attrs.get(name)))) for name in names]


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"


def _table(caption: str, rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><td style='text-align:left'>{escape(name)}</td><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{escape(caption)}</caption>{cells}</table>"
