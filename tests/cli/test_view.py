"""How the commands show a format: the words of its row, and a view of a plugin."""

from pathlib import Path

import orjson
import pytest
from attrs import frozen
from cli_runs import json_lines, lines, on_terminal, run
from lightweight_worlds import SUBSYSTEM, world
from saves import ROOT, file_with
from shapez2_worlds import SAMPLES as CODES
from writer.arx import NO_EXTENSION, STORED, Container, Entry
from writer.arx_samples import inner_files

from streamsave import ObjectHeader
from streamsave.cli.unreal_view import UnrealView
from streamsave.cli.view import ArxView, BlueprintView, CodeView, Shapez2View, View, header_fields, header_text, make_view
from streamsave.events import SaveStart
from streamsave.formats import FORMATS, Format, Label, PlaceUnit
from streamsave.values import DateTime, Transform

VIEWS = {
    "Unreal save game": UnrealView,
    "Unreal save game in zlib or gzip": UnrealView,
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


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("2026-01-01T02:03:04", "2026-01-01 02:03:04"),
        ("2024-08-15T10:11:12.1234567Z", "2024-08-15 10:11:12"),
        (DateTime(0), "0001-01-01 00:00:00"),  # glibc writes the year as 1
        ("yesterday", "yesterday"),
        ("", "(none)"),
    ],
)
def test_a_moment_that_is_a_text(stored, text):
    assert header_text("moment", stored) == text


@pytest.mark.parametrize("header", [None, "text", 3])
def test_a_header_that_is_no_attrs_class_has_no_fields(header):
    assert list(header_fields(header)) == []


def test_places():
    transform = Transform((0.0, 0.0, 0.0, 1.0), (100.0, -250.0, 1.0), (1.0, 1.0, 1.0))
    blocks = PlaceUnit("bl", "blocks", 1)
    for unit, at, text, key, shown in (
        ({}, None, "-", "metres", None),
        ({}, transform, "1.00 -2.50 0.01 m", "metres", [1.0, -2.5, 0.01]),
        ({"place_unit": blocks}, transform, "100.00 -250.00 1.00 bl", "blocks", [100.0, -250.0, 1.0]),
    ):
        header = ObjectHeader(0, "actor", "C", "N", "L", "", at, 0, 1, 0, 0, 0, 5)
        assert View(row(**unit)).cells(header, long=False) == ("C", "N", "L", "5", text)
        assert View(row(**unit)).place_json(header) == {f"position_{key}": shown}


def test_a_view_of_a_plugin(tmp_path, monkeypatch):
    (tmp_path / "toy_view.py").write_text("from streamsave.cli.view import View\nclass ToyView(View): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert type(make_view(row(view="toy_view:ToyView"))).__name__ == "ToyView"


@pytest.mark.parametrize("path", ["no_such_module:View", "toy_view_broken:View"])
def test_a_broken_view_of_a_plugin_is_named(tmp_path, monkeypatch, caplog, path):
    (tmp_path / "toy_view_broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    assert type(make_view(row(view=path))) is View
    warning = caplog.text
    assert "Toy save" in warning
    assert path in warning


def test_our_own_views_are_not_forgiven():
    with pytest.raises(ModuleNotFoundError):
        make_view(row(view="streamsave.cli.view_nothing:View"))


# --- what the commands say of Arx saves ---

ARX = ROOT / "corpora" / "valid" / "arx"
OLD, NEW, DUPLICATES = (ARX / f"{name}.sav" for name in ("v1.1", "v2.1", "v2.1-duplicates"))


def test_info_without_a_level(tmp_path):
    for entries in ([], [Entry(b"pld", b"short", STORED)]):
        (tmp_path / "x.sav").write_bytes(Container(NO_EXTENSION, entries).encode())
        assert "name" not in dict(lines("info", tmp_path / "x.sav"))
        json_lines("info", tmp_path / "x.sav")


def test_an_inventory_is_a_list_of_items_in_a_terminal():
    """A grid of 20 x 20 cells in the save, of which an item takes one or more."""
    shown = orjson.loads(on_terminal("get", OLD, "goblin_base_0007", NO_COLOR="1"))["inventory"]
    (whole,) = json_lines("get", OLD, "goblin_base_0007")
    cells = [name for column in whole["inventory"]["slot_io"] for name in column]
    assert shown["slot_io"] == sorted({name for name in cells if name}) == ["bread_0001"]
    assert "slot_show" not in shown
    assert len(cells) == 400
    assert {
        name: value for name, value in whole["inventory"].items() if name in {"io", "sizex", "sizey"}
    }.items() <= shown.items()


@pytest.mark.parametrize("options", [(), ("--sparse",)])
def test_json_is_what_get_gives(options):
    document = orjson.loads(run("json", *options, NEW).stdout)
    assert [entry["instance_name"] for entry in document["objects"]] == [*inner_files(), "empty"]
    for entry in document["objects"]:
        assert json_lines("get", *options, NEW, entry["instance_name"]) == [entry]


# --- the commands on saves and blueprint codes of shapez 2 ---

SMALL = str(CODES / "small.spz2")
CODE = (CODES / "no-icons.spz2bp").read_text(encoding="ascii")


def rows(*arguments: str) -> list[list[str]]:
    """A command's lines, cut at tabs."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return [line.split("\t") for line in result.stdout.splitlines()]


@pytest.mark.parametrize("code", [CODE, CODE.strip() + "\n", str(CODES / "no-icons.spz2bp")])
def test_info_of_a_code(code):
    told = dict(rows("info", code))
    assert (told["format"], told["envelope"], told["type"]) == ("shapez2-blueprint", "5", "Building")
    assert (told["islands"], told["buildings"]) == ("0", "1")
    assert (told["size"], told["cost"]) == ("1 x 1 tiles, 1 layer", "0 blueprint points")


def test_ls_of_several_has_the_file_first():
    assert {row[0] for row in rows("ls", SMALL, CODE)} == {SMALL, f"{CODE[:24]}..."}


def test_grep_finds_the_values_of_a_building_in_the_building():
    """Also those of the first building, and those of the island after its buildings."""
    code = str(CODES / "islands-4.spz2bp")
    island, building = "(-50, 50, 1)", "(-50, 50, 1):(-20, -20, 0)"
    arguments = ("--value", ".", "", code, "--where", 'instance_name = "(-50, 50, 1)*"')
    found = rows("grep", *arguments)
    assert [building, "T", "BeltDefaultForwardInternalVariant"] in found
    assert [island, "B/BinaryVersion", "1137"] in found
    assert {path.split("/")[0] for name, path, _ in found if name != island} <= {
        *"XYLRTC",
        '"configuration of unknown id FutureInternalVariant"',
    }
    assert rows("grep", "-c", *arguments) == [[str(len({name for name, _, _ in found}))]]


@pytest.mark.parametrize("command", [["info"], ["ls"], ["cat"], ["ls", "--by-class", "--full"], ["check"], ["grep", "x"]])
@pytest.mark.parametrize("name", ["checkpoints.spz2", "islands-5.spz2bp", "old.spz2"])
def test_every_command_reads_every_sample(command, name):
    assert run(*command, str(CODES / name)).exit_code in {0, 1}


# --- the commands on lightweight buildables: foundations and beams are objects like all others ---


@pytest.fixture
def save(tmp_path: Path) -> Path:
    return file_with(tmp_path / "world.sav", world(58))


def test_check_and_json(save):
    assert run("check", save).exit_code in {0, 1}
    assert "tiling" not in run("check", save).output
    objects = [orjson.loads(line) for line in run("json", "--ndjson", save).stdout.splitlines()]
    (one,) = [each for each in objects if each.get("class_name") == SUBSYSTEM]
    assert [len(row["instances"]) for row in one["trailer"]["buildables"]] == [4, 0, 3]
