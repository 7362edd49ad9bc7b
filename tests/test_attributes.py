"""The `Attributes:` of each public class are exactly its fields, with their types: docstrings and code agree."""

import ast
import importlib
import inspect
import re
import textwrap
from pathlib import Path

import attrs
import pytest

import streamsave
from streamsave._fields import names_of_fields
from streamsave.formats.arx.header import ArxEntry
from streamsave.formats.gvas.header import CustomVersion

MODULES = ("check", "events", "headers", "limits", "values")
#: All public classes with fields, and those of the values in them.
CLASSES = {
    f"{kind.__module__}.{kind.__name__}": kind
    for module in (streamsave, *(importlib.import_module(f"streamsave.{name}") for name in MODULES))
    for kind in (getattr(module, name) for name in module.__all__)
    if isinstance(kind, type) and attrs.has(kind)
} | {f"{kind.__module__}.{kind.__name__}": kind for kind in (ArxEntry, CustomVersion)}


def documented(kind: type) -> dict[str, str]:
    """The fields of the section, with what it says of their types."""
    text = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^    (\w+) \((.+?)\): \S", text, re.MULTILINE))


def annotated(kind: type) -> dict[str, str]:
    """The types of the fields, from the source: compiled code has no annotations."""
    root = Path(streamsave.__file__).parent.parent
    tree = ast.parse((root / f"{kind.__module__.replace('.', '/')}.py").read_text(encoding="utf-8"))
    (node,) = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == kind.__name__)
    types = {}
    for member in node.body:
        if isinstance(member, ast.AnnAssign):
            types[ast.unparse(member.target)] = ast.unparse(member.annotation)
        elif isinstance(member, ast.FunctionDef) and member.name == "__init__":
            types |= {each.arg: ast.unparse(each.annotation) for each in member.args.args[1:] if each.annotation is not None}
    return types


def test_there_are_classes():
    assert len(CLASSES) >= 50
    assert sum(issubclass(kind, streamsave.Event) for kind in CLASSES.values()) == 13


@pytest.mark.parametrize("name", CLASSES)
def test_the_attributes_are_the_fields(name):
    kind = CLASSES[name]
    above = {field for base in kind.__mro__[1:] if base is not streamsave.Event for field in documented(base)}
    assert list(documented(kind)) == [field for field in names_of_fields(kind) or () if field not in above]


@pytest.mark.parametrize("name", CLASSES)
def test_the_types_are_those_of_the_code(name):
    kind = CLASSES[name]
    types = {"offset": "int", **annotated(kind)}
    said = {field: types[field] for field in documented(kind)}
    if kind is streamsave.SaveStart:
        said["header"] = "Header"  # for type checkers it is anything: of which class it is depends on the save
    assert documented(kind) == said


def test_dask_says_the_same():
    """Without its extra, the module cannot be imported."""
    tree = ast.parse((Path(streamsave.__file__).parent / "dask.py").read_text(encoding="utf-8"))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Found")
    text = textwrap.dedent(ast.get_docstring(found) or "").partition("Attributes:\n")[2]
    fields = [ast.unparse(node.target) for node in found.body if isinstance(node, ast.AnnAssign)]
    assert re.findall(r"^    (\w+) \(", text, re.MULTILINE) == fields
