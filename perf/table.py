"""Tables of the results: as text for the terminal, a few rows for the README, all of them for docs/measured.md."""

from __future__ import annotations

from pathlib import Path

BEGIN = "<!-- begin: measured by scripts/bench --update-readme; do not edit -->"
END = "<!-- end: measured -->"

#: The columns of the README, in this order. Readers without any case are omitted.
COLUMNS = ["floor", "floor_new", "rust", "hyperslab", "h5py", "h5py tuned", "h5py 1 MiB", "hidefix"]
HEADINGS = {"floor_new": "floor, new memory", "rust": "hyperslab, Rust", "hyperslab": "hyperslab, Python"}
COUNTS = ("decodes", "chunks")
#: Kinds of cases that share the first table.
READS = ("read", "task")
#: The cases that the README shows.
HEADLINES = (
    "16,200 rows, gzip",
    "1.4 GiB, whole",
    "1.4 GiB, a time step",
    "1.4 GiB, a time series",
    "ten reads d[:, y, :] of the same 250 chunks",
    "contiguous, whole",
    "100,000 points by a boolean mask, gzip",
    "10^6 strings, variable length",
    "10^6 records, gzip, two fields",
    "names of 10^5 members, latest",
    "10^6 chunks, btree v1, 2,500 of them",
    "open and list, 1,460 chunks",
    "open one of 20,000 datasets, earliest",
)


def seconds(value: float) -> str:
    if value < 0.1:
        return f"{value * 1e3:.{2 if value < 0.01 else 1}f} ms"
    return f"{value:.{0 if value >= 100 else 2}f} s"


def machine_line(machine: dict) -> str:
    return (
        f"{machine['date']}; {machine['cpu']}, {machine['cores']} cores, {machine['system']}, load {machine['load']}; "
        f"hyperslab {machine['hyperslab']} ({machine['commit']}), h5py {machine['h5py']} (HDF5 {machine['hdf5']}), "
        f"hidefix {machine['hidefix']}, NumPy {machine['numpy']}, Python {machine['python']}"
    )


def as_text(report: dict) -> str:
    lines = [machine_line(report["machine"]), ""]
    missed = 0
    for result in report["results"]:
        lines.append(result["case"])
        medians = {name: value for name, value in result["medians"].items() if name not in COUNTS}
        floor = medians.get("floor")
        for reader, value in medians.items():
            spread = result["seconds"][reader]
            times = f"{value / floor:8.2f} x floor" if floor else ""
            sampled = f"   extrapolated from {result['sampled'][reader]} rows" if reader in result["sampled"] else ""
            lines.append(
                f"    {reader:14} {seconds(value):>10}   ({seconds(min(spread))} to {seconds(max(spread))}){times}{sampled}"
            )
        for verdict in result["verdicts"]:
            missed += not verdict["reached"]
            mark = "pass" if verdict["reached"] else "FAIL"
            unit = verdict["unit"]
            lines.append(f"  {mark}  {verdict['what']}: {verdict['value']:.2f}{unit}, at most {verdict['at_most']:g}{unit}")
        lines.append("")
    bounds = sum(len(result["verdicts"]) for result in report["results"])
    lines.append(f"{bounds - missed} of {bounds} bounds reached")
    return "\n".join(lines)


def as_markdown(report: dict) -> str:
    reads = [result for result in report["results"] if result["kind"] in READS]
    columns = [name for name in COLUMNS if any(name in result["medians"] for result in reads)]
    lines = ["| read | " + " | ".join(HEADINGS.get(name, name) for name in columns) + " |"]
    lines.append("|---|" + "---:|" * len(columns))
    for result in reads:
        medians, sampled = result["medians"], result["sampled"]
        fields = [seconds(medians[n]) + ("*" if n in sampled else "") if n in medians else "" for n in columns]
        lines.append(f"| {result['case']} | " + " | ".join(fields) + " |")
    others = [result for result in report["results"] if result["kind"] not in READS]
    if others:
        lines += ["", "| metadata | hyperslab, Rust | `hyperslab ls` as a process |", "|---|---:|---:|"]
        for result in others:
            medians = result["medians"]
            process = seconds(medians["hyperslab ls"]) if "hyperslab ls" in medians else ""
            lines.append(f"| {result['case']} | {seconds(medians['rust'])} | {process} |")
    note = "\\* extrapolated from the first rows. " if any(result["sampled"] for result in reads) else ""
    return "\n".join([*lines, "", f"{note}Measured {machine_line(report['machine'])}."])


def bounds_as_markdown(report: dict) -> str:
    lines = ["| | what must be reached | measured |", "|---|---|---:|"]
    for result in report["results"]:
        for verdict in result["verdicts"]:
            unit = verdict["unit"]
            mark = "" if verdict["reached"] else " **not reached**"
            must = f"{verdict['what']} at most {verdict['at_most']:g}{unit}"
            lines.append(f"| {result['case']} | {must} | {verdict['value']:.2f}{unit}{mark} |")
    return "\n".join(lines)


def headlines(report: dict) -> dict:
    found = {result["case"]: result for result in report["results"]}
    missing = [name for name in HEADLINES if name not in found]
    if missing:
        raise SystemExit(f"error: the README shows cases that were not measured: {', '.join(missing)}")
    return report | {"results": [found[name] for name in HEADLINES]}


def publish(report: dict, readme: Path, page: Path) -> None:
    """Writes a few rows into the README, and all of them into docs/measured.md."""
    put_into(readme, as_markdown(headlines(report)))
    put_into(page, f"{as_markdown(report)}\n\n{bounds_as_markdown(report)}")


def put_into(path: Path, table: str) -> None:
    """Replaces the text between the markers."""
    text = path.read_text()
    before, mark, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"error: {path} has no markers for the table")
    path.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")
