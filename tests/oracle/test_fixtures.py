"""The digest of every fixture (corpus/recipes) equals that of libhdf5, without exceptions."""

from __future__ import annotations

import pytest
from kit import FIXTURES
from records import differences, digest, oracle

TOPICS = sorted(path.parent for path in FIXTURES.glob("*/ORACLE.jsonl"))
FILES = [(topic, file, records) for topic in TOPICS for file, records in oracle(topic / "ORACLE.jsonl").items()]


def test_there_are_fixtures():
    assert FILES, "no fixtures: run corpus/recipes/make.py"


@pytest.mark.parametrize(("topic", "file", "theirs"), FILES, ids=[f"{topic.name}/{file}" for topic, file, _ in FILES])
def test_digest_equals_libhdf5(topic, file, theirs):
    ours = digest(topic / file)
    expected = {path: record for path, record in theirs.items() if path}
    assert ours.records.keys() == expected.keys()
    found = {}
    for path, record in expected.items():
        # hyperslab may read what libhdf5 cannot (storage that was never allocated, without a fill value).
        if "error" not in record and (what := differences(ours.records[path], record)):
            found[path] = what, ours.records[path].get("error")
    assert not found
