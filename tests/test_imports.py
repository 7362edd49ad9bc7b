"""Data flows one way: a module imports only from the rooms above it. And what `import streamsave` does not import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from saves import ROOT

import streamsave

PACKAGE = ROOT / "streamsave"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

#: Rooms that stand beside each other, in the order of the map in `streamsave/__init__.py`.
FIRST = {"events", "errors", "limits", "values"}
#: Without data of their own: everybody may import them.
HELPERS = {"native", "log"}
#: Modules of the package that are no room of the data's way.
OUTSIDE = {"__init__", "__main__", "_build"}


def rooms() -> dict[str, int]:
    """Each room and its place in the map."""
    assert streamsave.__doc__ is not None
    listed = re.findall(r"^    ([a-z][a-z_]*(?:, [a-z_]+)*)(?: +\S|$)", streamsave.__doc__, re.MULTILINE)
    places: dict[str, int] = {}
    for place, line in enumerate(listed):
        for name in line.split(", "):
            places[name] = place
    assert set(places) >= FIRST
    return places


ROOMS = rooms()


def room_of(path: Path) -> str:
    """The room of a module: its name, or that of its folder."""
    return path.parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The modules of ours that a module imports, wherever in it, but not those for type checkers only."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for part in node.body
        for inner in ast.walk(part)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "streamsave":
                names |= {f"streamsave.{alias.name}" for alias in node.names}
            elif node.module is not None:
                names.add(node.module)
    return {name for name in names if name.startswith("streamsave.")}


@pytest.mark.parametrize("path", [path for path in MODULES if room_of(path) not in OUTSIDE], ids=str)
def test_imports_go_one_way(path):
    room = room_of(path)
    assert room in ROOMS or room in HELPERS, f"{room} is not on the map in streamsave/__init__.py"
    for name in imported(path):
        other = name.split(".")[1]
        if other in HELPERS or other == room:
            continue
        if room == "cli" and (other in streamsave.__all__ or other == "_build"):
            continue  # the commands may use the public names, and say which build it is
        assert other in ROOMS, f"{path} imports {name}"
        assert room not in HELPERS, f"{path} imports {name}: a helper imports nothing of ours"
        assert ROOMS[other] < ROOMS[room], f"{path} imports {name}: a back edge"
        assert room not in FIRST, f"{path} imports {name}: a noun imports nothing of ours"


#: The families of formats know nothing of each other, but for what they are made of.
MADE_OF = {"satisfactory": {"unreal"}, "gvas": {"unreal"}, "astroneer": {"unreal", "gvas"}}
FAMILIES = sorted(path.name for path in (PACKAGE / "formats").iterdir() if (path / "__init__.py").is_file())


@pytest.mark.parametrize("family", FAMILIES)
def test_formats_do_not_know_each_other(family):
    for path in (PACKAGE / "formats" / family).rglob("*.py"):
        for name in imported(path.relative_to(PACKAGE)):
            parts = name.split(".")
            if parts[1] == "formats":
                assert len(parts) > 2, f"{path} imports the registry"
                assert parts[2] in {family} | MADE_OF.get(family, set()), f"{path} imports {name}"


LAZY = ["asyncio", "click", "json", "logging", "orjson", "rich", "structlog", "tempfile", "urllib", "zipfile"]


def test_import_is_cheap():
    """`import streamsave`, and reading a save, imports nothing that costs more than it has to."""
    code = f"""
import sys
before = set(sys.modules)
import streamsave
loaded = set(sys.modules) - before
print([name for name in {LAZY!r} if name in loaded])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"


def test_the_map_has_all_rooms():
    assert {room_of(path) for path in MODULES} - OUTSIDE - HELPERS <= set(ROOMS)
