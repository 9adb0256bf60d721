"""What a read would do, as `Dataset.explain` returns it."""

from __future__ import annotations

from typing import Any


class Explanation(str):
    """The description of a read: a text for people, with the same facts as data.

    `data` has the members of `hyperslab explain --json`: the chunks and requests of the read, and what is decoded.
    """

    data: dict[str, Any]

    def __new__(cls, text: str, data: dict[str, Any]) -> Explanation:
        explanation = super().__new__(cls, text)
        explanation.data = data
        return explanation

    def __getnewargs__(self) -> tuple[str, dict[str, Any]]:  # type: ignore[override]
        return str(self), self.data
