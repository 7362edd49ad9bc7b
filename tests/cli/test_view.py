"""How the commands show a format: the words of its row, and a view of a plugin."""

from __future__ import annotations

import attrs
import pytest
from attrs import frozen
from cli_runs import SAMPLES

import streamsave
from streamsave import headers
from streamsave.cli.view import View, header_fields, make_view
from streamsave.cli.view_arx import ArxView
from streamsave.cli.view_blueprint import BlueprintView
from streamsave.cli.view_shapez2 import CodeView, Shapez2View
from streamsave.events import SaveStart
from streamsave.formats import FORMATS, Format, Label, PlaceUnit
from streamsave.values import DateTime, Transform

VIEWS = {
    "Arx save": ArxView,
    "Satisfactory blueprint": BlueprintView,
    "shapez 2 save": Shapez2View,
    "shapez 2 blueprint code": CodeView,
}


def row(**words) -> Format:
    return Format("Toy save", lambda *_: True, "toy:Reader", **words)


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_each_format_has_its_view(each):
    assert type(make_view(each)) is VIEWS.get(each.name, View)


@frozen
class Header:
    seconds: object = 61
    moment: object = DateTime(637_000_000_000_000_000)
    hash: object = b"\x01\xff"
    size: object = 9
    mods: object = '{"Mods": [1, 2]}'
    plain_text: object = "text"
    left_out: object = None


LABELS = {
    "seconds": Label("play time", "seconds"),
    "moment": Label("saved", "moment"),
    "hash": Label("MD5", "hex"),
    "size": Label("header size", "bytes"),
    "mods": Label("mods", "mods"),
}


def test_the_words_of_a_row():
    start = SaveStart(0, "toy", 1, Header())
    view = View(row(labels=LABELS))
    assert list(view.info_rows(None, start)) == [
        ("play time", "0:01:01"),
        ("saved", "2019-07-29 12:26:40"),
        ("MD5", "01ff"),
        ("header size", "9 B"),
        ("mods", "2"),
        ("plain text", "text"),
    ]
    found = view.info_json(None, start)
    assert (found["hash"], found["mods"], found["plain_text"]) == ("01ff", {"Mods": [1, 2]}, "text")
    assert "left_out" not in found


def test_values_that_do_not_fit_their_label():
    odd = Header(seconds="soon", moment="now", hash="none", mods=3)
    rows = dict(View(row(labels=LABELS)).info_rows(None, SaveStart(0, "toy", 1, odd)))
    assert (rows["play time"], rows["saved"], rows["MD5"], rows["mods"]) == ("soon", "now", "none", "(none)")


@pytest.mark.parametrize("header", [None, "text", 3])
def test_a_header_that_is_no_attrs_class_has_no_fields(header):
    assert list(header_fields(header)) == []


def test_places():
    transform = Transform((0.0, 0.0, 0.0, 1.0), (100.0, -250.0, 1.0), (1.0, 1.0, 1.0))
    assert View(row()).place_text(None) == "-"
    assert View(row()).place_text(transform) == "1.00 -2.50 0.01 m"
    assert View(row(place_unit=PlaceUnit("bl", "blocks", 1))).place_text(transform) == "100.00 -250.00 1.00 bl"
    assert View(row(place_unit=PlaceUnit("bl", "blocks", 1))).position(None) is None


def test_objects_are_those_that_are_wanted():
    with streamsave.open(SAMPLES[0]) as events:
        events.only("kind = actor")
        headers = list(View(events.format).objects(events))
    assert {header.kind for header in headers} == {"actor"}


def test_a_view_of_a_plugin(tmp_path, monkeypatch):
    (tmp_path / "toy_view.py").write_text("from streamsave.cli.view import View\nclass ToyView(View): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert type(make_view(row(view="toy_view:ToyView"))).__name__ == "ToyView"


@pytest.mark.parametrize("path", ["no_such_module:View", "toy_view_broken:View"])
def test_a_broken_view_of_a_plugin_is_named(tmp_path, monkeypatch, capsys, path):
    (tmp_path / "toy_view_broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    assert type(make_view(row(view=path))) is View
    warning = capsys.readouterr().err
    assert "Toy save" in warning
    assert path in warning


def test_our_own_views_are_not_forgiven():
    with pytest.raises(ModuleNotFoundError):
        make_view(row(view="streamsave.cli.view_nothing:View"))


@pytest.mark.parametrize("name", [name for name in headers.__all__ if name != "Header"])
def test_fields_of_our_headers_are_those_that_attrs_knows(name):
    """They are read where attrs has not been imported."""
    kind = getattr(headers, name)
    assert vars(kind)["__match_args__"] == tuple(field.name for field in attrs.fields(kind))
