"""Each module has a test file of its name, in the same folder: `streamsave/input/source.py` and `tests/input/test_source.py`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

#: Modules without a test file, and where they are tested.
ELSEWHERE = {
    "_build.py": "tests/test_wheel.py compares it with the wheel",
    "_log.py": "tests/formats/satisfactory/test_reader.py reads a save that gives a warning",
}


def has_code(path):
    """Whether a module defines a function: constants, and names from elsewhere, are tested where they are used."""
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def file_of(module):
    """The test file of a module; both below their folders."""
    path = Path(module)
    return ROOT / "tests" / path.parent / f"test_{path.stem}.py"


MODULES = [
    path.relative_to(ROOT / "streamsave").as_posix()
    for path in sorted((ROOT / "streamsave").rglob("*.py"))
    if path.name != "__init__.py" and has_code(path)
]


@pytest.mark.parametrize("module", [module for module in MODULES if module not in ELSEWHERE])
def test_each_module_has_its_test_file(module):
    assert file_of(module).is_file()


@pytest.mark.parametrize("module", ELSEWHERE)
def test_the_exceptions_are_modules_without_test_file(module):
    assert module in MODULES
    assert not file_of(module).exists(), "it has its test file: take it off the list"


TOX = (ROOT / "tox.ini").read_text(encoding="utf-8")


LEFT_OUT = (ROOT / "tests" / "left_out_of_coverage.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("option", LEFT_OUT)
def test_what_coverage_leaves_out_exists(option):
    path, test = re.fullmatch(r"--(?:ignore|deselect)=([^:]+)(?:::(\w+))?", option).groups()
    assert test is None or f"\ndef {test}(" in (ROOT / path).read_text(encoding="utf-8")
    assert (ROOT / path).is_file()


@pytest.mark.parametrize("part", re.findall(r"not (\w+)", re.search(r'-k "([^"]+)"', TOX)[1]))
def test_what_coverage_leaves_out_by_name_exists(part):
    definition = re.compile(rf"^def test_\w*{part}", re.MULTILINE)
    assert any(definition.search(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("test_*.py"))
