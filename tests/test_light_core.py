"""What `pip install streamsave` brings is enough for programs; what else is missing says which command brings it."""

import ast
import importlib.metadata
import re
import struct
import sys
import tomllib
from pathlib import Path

import orjson
import pytest
from cli_runs import python
from hypothesis import given
from hypothesis import strategies as st
from saves import ROOT

from streamsave.decode.json_values import number_text

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
#: Where the name to import is another one.
MODULES = {"google-re2": "re2", "mypy-extensions": "mypy_extensions", "pyooz": "ooz", "attrs": "attrs", "zlib-ng": "zlib_ng"}
#: Files that only what an extra is for imports.
OF_EXTRAS = {
    "cli": ("cli/", "report/", "compare/", "rewriting/", "output/", "__main__.py"),
    "arrow": ("output/",),
    "dask": ("dask.py",),
    "oodle": ("input/oodle.py",),
    "plot": ("cli/",),
    "remote": ("input/urls.py",),
    "sql": ("cli/",),
}
#: Imported by other packages, or with those that an extra names.
COME_WITH_OTHERS = {"numpy": "plot", "mpl_toolkits": "plot", "pandas": "dask", "aiohttp": "remote", "attr": ""}


def modules_of(requirements: list[str]) -> set[str]:
    found = set()
    for requirement in requirements:
        name = re.split(r"[\[><=;]", requirement)[0]
        extra = re.search(r"\[(.*)\]", requirement)
        found |= modules_of(EXTRAS[extra[1]]) if name == "streamsave" and extra else {MODULES.get(name, name)}
    return found


CORE = modules_of(PROJECT["dependencies"])


def test_the_core_is_light():
    assert {"attrs", "librt", "mypy_extensions", "structlog", "zlib_ng", "ijson", "re2"} == CORE
    assert modules_of(EXTRAS["cli"]) == {"click", "orjson", "rich"}


def imported(path: Path) -> set[str]:
    """The packages of others that a file imports, not for type checkers only."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"streamsave"}


def test_each_import_is_of_a_requirement():
    """Of the core, or of an extra whose files it is in."""
    missing = []
    for path in sorted((ROOT / "streamsave").rglob("*.py")):
        place = path.relative_to(ROOT / "streamsave").as_posix()
        extras = [extra for extra, places in OF_EXTRAS.items() if place.startswith(places)]
        allowed = CORE.union(*(modules_of(EXTRAS[extra]) for extra in extras))
        allowed |= {name for name, extra in COME_WITH_OTHERS.items() if not extra or extra in extras}
        missing += [f"{place}: {name}" for name in imported(path) - allowed]
    assert missing == ["input/source.py: fsspec", "rewriting/rewrite.py: fsspec"]  # for type checkers


WITHOUT = """
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])

sys.meta_path.insert(0, Without())
"""

PROGRAM = """
import pathlib, re, sys
import streamsave
from streamsave.check import check
import streamsave.headers, streamsave.values

folder = pathlib.Path(sys.argv[1])
count = 0
for path in sorted(folder.glob("*/*")):
    if "palworld-oodle" in path.name or path.suffix == ".md":
        continue
    try:
        with streamsave.open(path) as events:
            for event in events:
                if isinstance(event, streamsave.ObjectHeader):
                    streamsave.to_jsonable(event)
                elif isinstance(event, streamsave.PropertyTag):
                    streamsave.to_jsonable(events.build())
    except streamsave.SaveError:
        continue
    list(check(path))
    list(streamsave.objects(path, "instance_name ~ '[a-c]+.*x$' or size = 1e300 or X > 1e-5", ["mOwner"]))
    if path.suffix != ".sbpcfg":
        with streamsave.rewrite(path, None) as save:
            list(save)
    count += 1
world = folder / "satisfactory" / "sv46.sav"
with streamsave.rewrite(world, sys.argv[2]) as save:
    for event in save:
        if isinstance(event, streamsave.ObjectHeader) and "Spawner" in event.class_name:
            save.drop()
with streamsave.cut(world) as other:
    other.only("class_name ~ Spawner$")
    list(other)
for found in streamsave.objects(sys.argv[2]):
    found._repr_html_()
assert count > 40, count
"""


@pytest.mark.slow
def test_programs_need_no_extra(tmp_path):
    """All formats, verbs, selections, rewriting and `check`, where the packages of the extras cannot be imported."""
    names = set().union(*(modules_of(extra) for extra in EXTRAS.values())) - CORE
    code = WITHOUT.format(names=names) + PROGRAM
    done = python(code, ROOT / "corpora" / "valid", tmp_path / "new.sav", PYTHONWARNINGS="ignore")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", ["click", "orjson", "rich"])
def test_the_command_says_what_brings_it(name):
    code = f"{WITHOUT.format(names={name})}\nsys.argv = ['streamsave', 'info', 'x']\nfrom streamsave.__main__ import run\nrun()"
    done = python(code)
    if name == "click" or done.stderr.startswith(f"streamsave: {name} "):
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f'streamsave: {name} is not installed; all that commands need: pip install "streamsave[cli]"\n'


def test_a_table_says_what_brings_it():
    code = f"{WITHOUT.format(names={'orjson'})}\nimport streamsave\nstreamsave.to_arrow('x.sav')"
    done = python(code)
    assert done.stderr.endswith('of the extras `arrow`, `dask` and `cli`: pip install "streamsave[arrow]"\n')


def test_dask_says_what_brings_it():
    """Not what brings orjson, which is missing, too."""
    done = python(f"{WITHOUT.format(names={'dask', 'orjson'})}\nimport streamsave.dask")
    assert done.stderr.endswith('Dask needs the extra `dask`: pip install "streamsave[dask]"\n')


def test_another_missing_module_is_no_matter_of_the_extra():
    code = f"{WITHOUT.format(names={'librt'})}\nfrom streamsave.__main__ import run\nsys.argv = ['streamsave', 'ls']\nrun()"
    done = python(code)
    assert "ModuleNotFoundError" in done.stderr
    assert "pip install" not in done.stderr


def test_the_manual_page_is_once_in_the_installed_package():
    try:
        files = importlib.metadata.files("streamsave") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not installed")
    assert len([path for path in files if path.name == "streamsave.1"]) == 1


@given(st.floats() | st.floats(1e-7, 1e-3) | st.floats(1e14, 1e24))
def test_numbers_are_written_as_orjson_writes_them(number):
    assert number_text(number) in {orjson.dumps(number).decode(), "NaN", "Infinity", "-Infinity"}


def test_numbers_around_the_borders_of_exponents():
    for exponent in range(-10, 25):
        for digits in (1.0, 1.5, 9.999999999999999, struct.unpack("<f", b"\x01\x02\x03\x40")[0]):
            for number in (digits * 10.0**exponent, -digits * 10.0**exponent):
                assert number_text(number) == orjson.dumps(number).decode()
