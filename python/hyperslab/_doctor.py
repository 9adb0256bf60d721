"""What slows reads of a file, as data: `hyperslab doctor` from Python."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from typing import Any

from hyperslab._application import run
from hyperslab._report import Report, block_text, places, table

_SEVERITIES = ("high", "medium", "low")


class Diagnosis(Report):
    """The report of `hyperslab doctor --json` as a mapping; a table of findings in a notebook.

    Members are those of the schema `hyperslab.doctor`: `file`, `findings` (about the file as a whole), `datasets`, each
    with its simulated `reads` and its `findings`, and `forecast` if that was asked for.
    """

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
        forecast = self._forecast_html()
        if not self.findings:
            return f"<p>{html.escape(self['file'])}: no problems found</p>{forecast}"
        rows = []
        for path, finding in self.findings:
            fixes = [f"{html.escape(fix['effect'])}<br><code>{html.escape(fix['line'])}</code>" for fix in finding["fixes"][:1]]
            cells = [finding["severity"], path, finding["code"], finding["message"]]
            rows.append([*map(html.escape, cells), "".join(fixes)])
        return table(self["file"], ("severity", "dataset", "finding", "what it costs", "first fix"), rows) + forecast

    def _forecast_html(self) -> str:
        """A table of the seconds that each reader waits for the object store."""
        forecast = self.get("forecast")
        if forecast is None:
            return ""
        steps = forecast["steps"]
        rows: dict[str, list[str]] = {}
        for number, step in enumerate(steps):
            for reader in step["readers"]:
                cells = rows.setdefault(reader["reader"], [""] * len(steps))
                cells[number] = f"{reader['seconds']:.3g} s, {reader['requests']} requests"
        title = f"{self['file']} at {forecast['place']}"
        heading = ("reader", *(html.escape(step["name"]) for step in steps))
        return table(title, heading, [list(map(html.escape, (reader, *cells))) for reader, cells in rows.items()])


def doctor(
    path: str | os.PathLike[str],
    dataset: str | None = None,
    *,
    reads: Iterable[str | tuple[int | None, ...]] = (),
    reads_from: str | os.PathLike[str] | None = None,
    writes: Iterable[str | tuple[int | None, ...]] = (),
    order: Iterable[int] | None = None,
    stride: Iterable[int] | None = None,
    random: int | None = None,
    cache: str | None = None,
    all: bool = False,
    cloud: bool = False,
    place: str | None = None,
) -> Diagnosis:
    """Diagnose which reads of a file are slow, why, and how to fix them.

    A read is the shape of a block that is swept over the dataset: `"1x361x720"`, or `(1, 361, 720)`, in which `None` stands
    for the whole extent; `"1x361x720@10"` counts ten times. Without reads, the usual ones are tried. `reads_from` is the
    folder of `hyperslab trace`, one of its files, or a file of JSON lines: the reads that a program made. `writes` are blocks in
    which a program would write a new dataset of this kind. `stride` keeps every n-th element of each block along each
    dimension, and `random` takes that many random places in place of a sweep.

    With `cloud`, the rules for files in object stores are checked, too, and the member `forecast` says what opening, listing
    and reading the file takes there, for each kind of reader: requests, rounds, bytes, seconds and dollars. `place` is the
    store: `"s3"` (if omitted), `"gs"`, `"az"`, or numbers such as `"latency=40ms,bandwidth=80MB/s,connections=8"`.

    Raises:
        FileNotFoundError: there is no such file.
        KeyError: there is no such dataset.
        HyperslabError: the file or the dataset cannot be read, or a read does not fit; the message says what to do.
    """
    request = {
        "dataset": dataset,
        "reads": [block_text(read) for read in reads],
        "reads_from": None if reads_from is None else os.fspath(reads_from),
        "writes": [block_text(write) for write in writes],
        "order": None if order is None else ",".join(map(str, order)),
        "places": places(stride, random),
        "cache": cache,
        "all": all,
        "cloud": cloud,
        "place": place,
    }
    (report,) = run("doctor", [path], request).documents
    return Diagnosis(report)
