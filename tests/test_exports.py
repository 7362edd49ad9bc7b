"""The public names: these, and no others."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import streamsave
from streamsave._build import is_compiled

NAMES = """
BlobSkip Checkpoint ChunkStart Damage DamagedSave Event EventStream Field LimitExceeded Limits ObjectEnd ObjectHeader PropertyTag
SaveEnd SaveError SaveStart SelectError SelectedObject Selection StaleEvent StructEnter StructExit TruncatedSave UnsupportedSave
objects open parse_selection to_arrow
"""
PUBLIC = NAMES.split()


def test_public_names():
    assert sorted(streamsave.__all__) == sorted(PUBLIC)
    assert streamsave.__all__ == sorted(streamsave.__all__)


def test_nothing_public_beside_them():
    """Modules are reachable, but no other name is."""
    names = {name for name, value in vars(streamsave).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert names - set(PUBLIC) <= {"annotations"}


def test_all_are_documented():
    for name in PUBLIC:
        thing = getattr(streamsave, name)
        is_event = isinstance(thing, type) and issubclass(thing, streamsave.Event)
        if (name in ("EventStream", "open") or is_event) and is_compiled():
            continue  # compiled code keeps no docstrings
        assert inspect.getdoc(thing), name


#: The packages that extras install.
EXTRAS = {"dask", "fsspec", "matplotlib", "mpl_toolkits", "ooz", "pandas", "pyarrow"}
MODULES = [found.name for found in pkgutil.walk_packages(streamsave.__path__, "streamsave.")]
MODULES.remove("streamsave.__main__")  # importing it runs the command


def load(name):
    """Import a module; skip the test when the extra that the module needs is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] not in EXTRAS:
            raise
        pytest.skip(f"{missing.name}, which comes with an extra, is not installed")


@pytest.mark.parametrize("module", MODULES)
def test_exported_names_exist(module):
    loaded = load(module)
    for name in getattr(loaded, "__all__", ()):
        assert hasattr(loaded, name), f"{module}.{name}"


@pytest.mark.parametrize("name", ["check", "dask", "errors", "events", "grammar", "limits", "paths", "selection", "values"])
def test_documented_modules_keep_their_public_path(name):
    assert load(f"streamsave.{name}").__all__
