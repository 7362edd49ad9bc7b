"""What the wheel holds. tox says in STREAMSAVE_EXPECT which build it has installed."""

import importlib.metadata
import importlib.resources
import importlib.util
import os
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import compile as compiling
import pytest
from compile import EXCLUDED, LEVELS, compiled_modules, is_gcc, reads_packed_places

import streamsave
from streamsave.decode.known_bytes import COMPILED

ROOT = Path(__file__).resolve().parent.parent
EXPECT = os.environ.get("STREAMSAVE_EXPECT", "")

needs_wheel = pytest.mark.skipif(not EXPECT, reason="STREAMSAVE_EXPECT is not set: this is no build made by tox")


@needs_wheel
def test_is_the_build_that_was_asked_for():
    assert (EXPECT == "compiled") == COMPILED


@needs_wheel
def test_the_installed_package_is_tested():
    assert ROOT / "streamsave" not in Path(streamsave.__file__).parents


@needs_wheel
def test_each_hot_module_is_of_that_build():
    for path in compiled_modules():
        # It is found, not imported: a module that needs an extra cannot be imported without it.
        spec = importlib.util.find_spec(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        assert spec.origin.endswith(tuple(EXTENSION_SUFFIXES)) == (EXPECT == "compiled"), path


@needs_wheel
def test_sources_are_beside_the_compiled_modules_and_pages_on_formats_are_shipped():
    for path in (*compiled_modules(), *(path.relative_to(ROOT) for path in ROOT.glob("streamsave/formats/*/FORMAT.md"))):
        assert (Path(streamsave.__file__).parent.parent / path).read_bytes() == (ROOT / path).read_bytes(), path


def test_hot_modules_are_compiled():
    assert set(LEVELS) <= set(compiled_modules())


@pytest.mark.parametrize("pattern", EXCLUDED)
def test_each_pattern_excludes_a_module(pattern):
    assert list(ROOT.glob(pattern))


@pytest.mark.parametrize(("macros", "expected"), [("__GNUC__", True), ("__GNUC__ __clang__", False), ("", False)])
def test_only_gcc_gets_options_that_others_refuse(macros, expected):
    assert is_gcc([sys.executable, "-c", f"print({macros!r})"]) == expected


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("glibc", "2.36", True),
        ("glibc", "3.0", True),
        ("glibc", "2.5", False),
        ("glibc", "2.35", False),
        ("musl", "1.2.5", False),
        ("libc", "", False),
        ("", "", False),
    ],
)
def test_tables_are_packed_only_where_all_can_read_them(name, version, expected):
    assert reads_packed_places(name, version) == expected


@pytest.fixture
def compile_or_copy(tmp_path, monkeypatch):
    """Return what compiles, or copies, two modules below a folder; and the folders that were compiled into. No compiler runs."""
    compiled = []

    def modules(library):
        return [library / "all.so", library / "streamsave" / "one.so"]

    def compile_into(library, _work, level):
        compiled.append(library.name)
        (library / "streamsave").mkdir(parents=True)
        for path in modules(library):
            path.write_text(level)
        return modules(library)

    def run(name, level="2"):
        library = tmp_path / name
        assert sorted(compiling.compile_or_copy(library, tmp_path, level, tmp_path / "cache")) == modules(library)
        assert {path.read_text() for path in modules(library)} == {level}

    monkeypatch.setattr(compiling, "compile_into", compile_into)
    return run, compiled


def test_of_the_same_inputs_it_is_compiled_once(compile_or_copy):
    run, compiled = compile_or_copy
    for name in ("first", "second", "third"):
        run(name)
    assert compiled == ["first"]


@pytest.mark.parametrize("change", ["level", "flags", "package", "source"])
def test_of_other_inputs_it_is_compiled_again(compile_or_copy, monkeypatch, change):
    run, compiled = compile_or_copy
    run("first")
    if change == "flags":
        monkeypatch.setenv("CFLAGS", "-g")
    elif change == "package":
        monkeypatch.setattr(compiling.importlib.metadata, "distributions", list)
    elif change == "source":
        monkeypatch.setattr(compiling, "PACKAGE", ROOT / "tests")
    run("second", "3" if change == "level" else "2")
    assert compiled == ["first", "second"]


def test_a_copy_that_was_broken_off_is_none(compile_or_copy, tmp_path):
    run, compiled = compile_or_copy
    run("first")
    for label in (tmp_path / "cache").glob("*.txt"):
        label.unlink()
    run("second")
    assert compiled == ["first", "second"]


def test_types_are_shipped():
    assert importlib.resources.files("streamsave").joinpath("py.typed").is_file()


@needs_wheel
def test_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert importlib.metadata.version("streamsave") == project["version"]
