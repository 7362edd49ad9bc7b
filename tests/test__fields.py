"""The names of fields that attrs knows, of all public classes; what a notebook shows of it."""

import inspect

import attrs
import pytest
from saves import SATISFACTORY, start_of

import streamsave
from streamsave import Limits, events, headers, values
from streamsave._fields import html_table, names_of_fields

KINDS = [Limits, *(getattr(module, name) for module in (events, values, headers) for name in module.__all__)]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if isinstance(kind, type)])
def test_they_are_those_of_attrs_of_patterns_and_of_the_constructor(kind):
    names = tuple(field.name for field in attrs.fields(kind))
    assert names_of_fields(kind) == names
    assert kind.__match_args__ == (() if kind is Limits else names)  # a limit is set by its name
    assert tuple(inspect.signature(kind.__init__).parameters)[1 : len(names) + 1] == names


def test_other_classes_have_none():
    assert names_of_fields(int) is None


def test_everything_is_escaped():
    shown = html_table("<b>", [("<i>", "<script>alert(1)</script>"), ("long", "x" * 501), ("whole", "y" * 500), ("number", 3)])
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert "<caption>&lt;b&gt;</caption>" in shown
    assert f"<td>{'x' * 500}...</td>" in shown
    assert f"<td>{'y' * 500}</td>" in shown
    assert "<td>3</td>" in shown


def test_headers_and_objects():
    save = SATISFACTORY / "sv58.sav"
    header = start_of(save).header
    shown = header._repr_html_()
    assert "session_name" in shown
    assert header.session_name in shown
    found = next(streamsave.objects(save, "class_name = *CreatureSpawner*", ["mSpawnData[0].NumTimesKilled"]))
    shown = found._repr_html_()
    assert found.instance_name in shown
    assert "mSpawnData[0].NumTimesKilled" in shown
