"""Looks for phrases that are not plain technical English, in the files that git tracks.

scripts/words.toml lists them, with what to write instead, and the largest number of occurrences of some frequent words.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Files whose words are those of the time when they were written, of others, or of the list itself.
LEFT_OUT = re.compile(
    r"^(CHANGELOG\.md|LICENSE|docs/design/|docs/full-test-runs\.md|scripts/(words\.toml|check_words\.py)|.*/assets/|Cargo\.lock|fuzz/|corpus/)"
)
ENDINGS = {".rs", ".py", ".pyi", ".md", ".toml", ".sh", ".js", ".css", ".html", ".txt", ""}


def files() -> list[Path]:
    """The files whose words are checked."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if not LEFT_OUT.match(name) and Path(name).suffix in ENDINGS]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def main() -> int:
    """Print each place, and return 1 if there is one."""
    words = tomllib.loads((ROOT / "scripts" / "words.toml").read_text())
    phrases = [(re.compile(phrase["pattern"], re.IGNORECASE), phrase["write"]) for phrase in words["phrase"]]
    counts = dict.fromkeys(words["maximum"], 0)
    found = 0
    for path in files():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, write in phrases:
                if match := pattern.search(line):
                    print(f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: write {write!r}")
                    found += 1
        for word in counts:
            counts[word] += len(re.findall(rf"\b{word}\b", text, re.IGNORECASE))
    for word, count in counts.items():
        if count > words["maximum"][word]:
            print(f"{word!r} occurs {count} times, {words['maximum'][word]} at most; write the standard term instead")
            found += 1
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
