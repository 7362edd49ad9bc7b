"""Data flows one way: from earlier rooms to later ones, and never in a circle; what `import streamsave` does not import."""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from cli_runs import python
from saves import ROOT

PACKAGE = ROOT / "streamsave"
#: Module name -> its file.
MODULES = {
    ".".join(("streamsave", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}

#: The public face, which imports from all rooms.
FACE = {"__init__", "__main__"}


def rooms() -> dict[str, int]:
    """Return each room and its place in the table of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("\n## The rooms\n")[1].split("\n| room |")[1].split("\n\n")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name.strip("`/").removesuffix(".py"): place for place, row in enumerate(rows) for name in re.findall(r"`[^`]+`", row)}


ROOMS = rooms()


def room_of(module: str) -> str:
    """The room of a module: the first folder below the package, or its own name."""
    return module.split(".")[1] if "." in module else "__init__"


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, wherever in it: in a function, or for type checkers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in MODULES else node.module for name in inner}
    return {name for name in names if name in MODULES}


@cache
def imports() -> dict[str, set[str]]:
    return {module: imported(path) for module, path in MODULES.items()}


INSIDE = [module for module in MODULES if room_of(module) not in FACE]


def test_every_room_is_on_the_map():
    assert {room_of(module) for module in INSIDE} == set(ROOMS)


def is_forward(module: str, name: str) -> bool:
    """Whether a module may import another one: of its room or of an earlier one; the public face if it comes after `check`."""
    place = ROOMS[room_of(module)]
    return place > ROOMS["check"] if name == "streamsave" else room_of(name) == room_of(module) or ROOMS[room_of(name)] < place


def test_imports_go_one_way():
    back = [f"{module} imports {name}" for module in INSIDE for name in imports()[module] if not is_forward(module, name)]
    assert back == []


def test_no_files_import_each_other_in_a_circle():
    # A package imports its modules to hand their names on; that is no way of the data.
    graph = {
        module: {name for name in names if MODULES[name].name != "__init__.py"}
        for module, names in imports().items()
        if MODULES[module].name != "__init__.py"
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


#: The families of formats know nothing of each other, but for what they are made of.
MADE_OF = {"satisfactory": {"unreal"}, "gvas": {"unreal", "palworld"}, "palworld": {"unreal"}, "astroneer": {"unreal", "gvas"}}
FAMILIES = sorted(path.name for path in (PACKAGE / "formats").iterdir() if (path / "__init__.py").is_file())


@pytest.mark.parametrize("family", FAMILIES)
def test_formats_do_not_know_each_other(family):
    for module in MODULES:
        if not module.startswith(f"streamsave.formats.{family}."):
            continue
        for name in imports()[module]:
            parts = name.split(".")
            if parts[1:2] == ["formats"]:
                assert len(parts) > 2, f"{module} imports the registry"
                assert parts[2] in {family} | MADE_OF.get(family, set()), f"{module} imports {name}"


LAZY = ["asyncio", "click", "json", "logging", "orjson", "rich", "structlog", "tempfile", "urllib", "zipfile"]


SAVES = [str(path) for path in sorted((ROOT / "corpora/valid").glob("[sgp]*/*")) if path.suffix in {".sav", ".sbp"}]
READ = f"""
for name in {SAVES!r}:
    for event in streamsave.open(name):
        event.offset
list(streamsave.objects({SAVES[0]!r}, "class_name = *Build*"))
"""


@pytest.mark.parametrize(("read", "lazy"), [("", LAZY), (READ, ["click", "rich", "structlog"])], ids=["import", "read"])
def test_import_is_cheap(read, lazy):
    """`import streamsave`, and reading a save, imports nothing that costs more than it has to."""
    code = f"""
import sys
before = set(sys.modules)
import streamsave
{read}
loaded = set(sys.modules) - before
print([name for name in {lazy!r} if name in loaded])
"""
    done = python(code)
    assert done.stderr == ""
    assert done.stdout.strip() == "[]"
