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


def test_modules_say_what_they_export():
    for found in pkgutil.walk_packages(streamsave.__path__, "streamsave."):
        if found.name != "streamsave.__main__":
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                assert hasattr(module, name), f"{found.name}.{name}"


@pytest.mark.parametrize("name", ["check", "dask", "errors", "events", "grammar", "limits", "paths", "selection", "values"])
def test_documented_modules_stay_where_they_were(name):
    """Whatever room they live in."""
    assert importlib.import_module(f"streamsave.{name}").__all__
