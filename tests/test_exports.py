"""The public names: these, and no others."""

import importlib
import inspect
import pkgutil
import pydoc
import re

import pytest
from cli_runs import python

import streamsave
from streamsave import formats

#: `public_api.txt` has each of them.
PUBLIC = streamsave.__all__


def test_public_names_are_sorted():
    assert sorted(PUBLIC) == PUBLIC


def test_nothing_public_beside_them():
    """Modules are reachable, but no other name is."""
    names = {name for name, value in vars(streamsave).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert names - set(PUBLIC) <= {"annotations"}


def test_all_are_documented():
    for name in PUBLIC:
        assert inspect.getdoc(getattr(streamsave, name)), name


def is_documented(value):
    """Whether a member of a class is one that has a text of its own: no field."""
    return inspect.isroutine(value) or isinstance(value, property) or inspect.isgetsetdescriptor(value)


#: Public class, name of a member. A field of an event has its text beside it in the source.
MEMBERS = [
    (name, member)
    for name in PUBLIC
    if isinstance(getattr(streamsave, name), type)
    for member, value in inspect.getmembers(getattr(streamsave, name), is_documented)
    if not member.startswith("_") and not hasattr(BaseException, member)
    if member not in getattr(getattr(streamsave, name), "__match_args__", ())
]


def test_the_verbs_are_among_the_members():
    verbs = {member for name, member in MEMBERS if name == "EventStream"}
    assert {"skip", "build", "raw", "select", "only", "path", "depth", "location", "close"} <= verbs


@pytest.mark.parametrize(("name", "member"), MEMBERS)
def test_each_member_is_documented(name, member):
    """In compiled code, tools/docstrings.py puts the texts there."""
    assert inspect.getdoc(getattr(getattr(streamsave, name), member))


def test_help_shows_texts_and_signatures():
    text = pydoc.plain(pydoc.render_doc(streamsave.open))
    assert "Open a save of any known format" in text
    for name, parameter in inspect.signature(streamsave.open).parameters.items():
        assert name in text
        assert (parameter.default is inspect.Parameter.empty) == (name == "source")
    assert inspect.signature(streamsave.open).parameters["on_damage"].default == "raise"
    assert "what the last event opened" in pydoc.plain(pydoc.render_doc(streamsave.EventStream.skip))
    assert list(inspect.signature(streamsave.EventStream.select).parameters) == ["self", "selections", "fields", "sizes"]


def test_modules_are_there_after_the_import_of_the_package():
    """They are imported when they are asked for; `dask` needs its extra."""
    code = (
        "import sys, streamsave; before = set(sys.modules)\n"
        "for name in 'check errors events formats headers limits values'.split(): assert getattr(streamsave, name).__all__\n"
        "print(sorted(name for name in ('check', 'headers', 'values') if f'streamsave.{name}' in before))"
    )
    assert python(code).stdout == "[]\n"
    assert streamsave.open.__name__ == "open"


def test_help_shows_what_constructors_take():
    """Compiled, too: `help(Reader)` says what a subclass passes to `Reader.__init__`."""
    kinds = [getattr(streamsave, name) for name in PUBLIC] + [formats.Reader, formats.Cursor, formats.FileWindows]
    own = [kind for kind in kinds if isinstance(kind, type) and "__init__" in vars(kind)]
    assert {formats.Reader, streamsave.ObjectHeader, streamsave.Limits} <= set(own)
    for kind in own:
        assert "kwargs" not in inspect.signature(kind.__init__).parameters, kind
    assert re.search(r"__init__\(self, (/, )?cursor", pydoc.plain(pydoc.render_doc(formats.Reader)))


#: The packages that extras install.
EXTRAS = {"dask", "fsspec", "matplotlib", "mpl_toolkits", "ooz", "pandas", "pyarrow"}
MODULES = [found.name for found in pkgutil.walk_packages(streamsave.__path__, "streamsave.")]


def test_exported_names_exist():
    missing = []
    for module in MODULES:
        try:
            loaded = importlib.import_module(module)
        except ModuleNotFoundError as absent:
            if (absent.name or "").split(".")[0] not in EXTRAS:
                raise
            continue
        missing += [f"{module}.{name}" for name in getattr(loaded, "__all__", ()) if not hasattr(loaded, name)]
    assert missing == []
