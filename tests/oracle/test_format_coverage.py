"""The files that `docs/format-coverage.md` names exist."""

from __future__ import annotations

import re

import pytest
from kit import CORPUS, ROOT, missing_corpus

TEXT = (ROOT / "docs" / "format-coverage.md").read_text()
RECIPES = ROOT / "corpus" / "recipes"
#: Paths in this repository: tests and sources.
OWN = re.compile(r"`((?:crates|tests)/[^`]+)`")
#: `name.py` after "recipe" or "recipes", also the later ones of a list.
RECIPE = re.compile(r"`(\w+\.py)`")
FILE = re.compile(r"`([\w.+-]+\+[\w.+-]+/[^`]+|debian-[^`]+)`")


def test_what_is_named_is_there():
    own, recipes = set(OWN.findall(TEXT)), set(RECIPE.findall(TEXT))
    assert len(own) > 10 and len(recipes) > 10
    assert [path for path in own if not (ROOT / path).exists()] == []
    assert [name for name in recipes if not (RECIPES / name).exists()] == []


def test_every_file_of_the_corpus_is_there():
    if why := missing_corpus():
        pytest.skip(why)
    files = set(FILE.findall(TEXT))
    assert len(files) > 20
    assert [path for path in files if not (CORPUS / path).exists()] == []
