"""What slows reads of a file, as data: `hyperslab doctor` from Python."""

from __future__ import annotations

import html
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from hyperslab.errors import HyperslabError

_SEVERITIES = ("high", "medium", "low")


class Diagnosis(Mapping[str, Any]):
    """The report of `hyperslab doctor --json` as a mapping; a table of findings in a notebook.

    Members are those of the schema `hyperslab.doctor`: `file`, `findings` (about the file as a whole) and `datasets`, each
    with its simulated `reads` and its `findings`.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def __getitem__(self, key: str) -> Any:
        return self._report[key]

    def __iter__(self):
        return iter(self._report)

    def __len__(self) -> int:
        return len(self._report)

    def __repr__(self) -> str:
        found = [f"{finding['severity']} {finding['code']} ({path})" for path, finding in self.findings]
        return f"<Diagnosis of {self['file']}: {', '.join(found) or 'no problems found'}>"

    @property
    def findings(self) -> list[tuple[str, dict[str, Any]]]:
        """All findings, the most severe first, each with the path of its dataset (`/` for the file as a whole)."""
        found = [("/", finding) for finding in self["findings"]]
        found += [(dataset["path"], finding) for dataset in self["datasets"] for finding in dataset["findings"]]
        return sorted(found, key=lambda one: _SEVERITIES.index(one[1]["severity"]))

    def _repr_html_(self) -> str:
        if not self.findings:
            return f"<p>{html.escape(self['file'])}: no problems found</p>"
        rows = []
        for path, finding in self.findings:
            fixes = [f"{html.escape(fix['effect'])}<br><code>{html.escape(fix['line'])}</code>" for fix in finding["fixes"][:1]]
            cells = [finding["severity"], path, finding["code"], finding["message"]]
            cells = [html.escape(cell) for cell in cells] + ["".join(fixes)]
            rows.append("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("severity", "dataset", "finding", "what it costs", "first fix"))
        caption = html.escape(self["file"])
        return f"<table><caption>{caption}</caption><tr>{head}</tr>{''.join(rows)}</table>"


def doctor(
    path: str | os.PathLike[str],
    dataset: str | None = None,
    *,
    reads: Iterable[str | tuple[int | None, ...]] = (),
    order: Iterable[int] | None = None,
    cache: str | None = None,
    all: bool = False,
) -> Diagnosis:
    """Diagnose which reads of a file are slow, why, and how to fix them.

    A read is the shape of a block that is swept over the dataset: `"1x361x720"`, or `(1, 361, 720)`, in which `None` stands
    for the whole extent; `"1x361x720@10"` counts ten times. Without reads, the usual ones are tried.

    The work is done in a process of its own.

    Raises:
        HyperslabError: the file or the dataset cannot be read, or a read does not fit; the message says what to do.
    """
    command = [sys.executable, "-m", "hyperslab", "doctor", "--json", os.fspath(path)]
    command += [] if dataset is None else [dataset]
    for read in reads:
        command += ["--read", read if isinstance(read, str) else "x".join(":" if n is None else str(n) for n in read)]
    command += [] if order is None else ["--order", ",".join(map(str, order))]
    command += [] if cache is None else ["--cache", cache]
    command += ["--all"] if all else []
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if not ended.stdout:
        lines = ended.stderr.splitlines() or [f"the command ended with {ended.returncode}"]
        raise HyperslabError(" ".join(line.removeprefix("error: ") for line in lines if line))
    return Diagnosis(json.loads(ended.stdout))
