"""The stubs say what is there, and nothing else."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import hyperslab
from hyperslab import _hyperslab

ROOT = Path(__file__).parents[2]
STUB = ROOT / "python" / "hyperslab" / "_hyperslab.pyi"


def public(names):
    return {name for name in names if not name.startswith("_")}


def stub_classes():
    return {node.name: node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ClassDef)}


def members(name, classes):
    node = classes.get(name)
    if node is None:
        return set()
    own = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    return own.union(*(members(ast.unparse(base), classes) for base in node.bases))


def test_every_public_name_is_in_the_stub():
    nodes = ast.parse(STUB.read_text()).body
    stubbed = {node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert public(dir(_hyperslab)) == public(stubbed)
    assert set(hyperslab.__all__) <= set(dir(hyperslab))


@pytest.mark.parametrize("name", sorted(public(dir(_hyperslab))))
def test_every_member_is_in_the_stub(name):
    thing = getattr(_hyperslab, name)
    assert thing.__doc__
    if not inspect.isclass(thing):
        return
    classes = stub_classes()
    assert public(dir(thing)) == public(members(name, classes)), name
    for member in public(dir(thing)):
        assert getattr(thing, member).__doc__, f"{name}.{member} has no doc string"


def test_documents_agree():
    """What `help()` shows is what an editor shows."""
    for name, node in stub_classes().items():
        thing = getattr(_hyperslab, name, None)
        if thing is None:
            continue
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and ast.get_docstring(part) and not part.name.startswith("_"):
                assert ast.get_docstring(part) == inspect.getdoc(getattr(thing, part.name)), (name, part.name)


def test_mypy_agrees():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "hyperslab", "--ignore-disjoint-bases"]
    help_text = subprocess.run([*command, "--help"], capture_output=True, text=True).stdout
    if "--ignore-disjoint-bases" not in help_text:
        command.remove("--ignore-disjoint-bases")
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
