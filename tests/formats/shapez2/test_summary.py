"""What is read of the JSON before the first event."""

import json
from typing import Any

import pytest
from cursors import cursor_over

from streamsave import Limits, UnsupportedSave
from streamsave.decode.cursor import Cursor
from streamsave.formats.shapez2.code import read_blueprint_summary, read_strings
from streamsave.formats.shapez2.header import BlueprintHeader, SaveHeader
from streamsave.formats.shapez2.reader import read_summary
from streamsave.input.windows import BytesWindows


def save(content: Any) -> SaveHeader:
    text = json.dumps(content).encode()
    return read_summary(cursor_over(text), len(text), Limits())


def blueprint(content: Any) -> BlueprintHeader:
    text = json.dumps(content).encode()
    return read_blueprint_summary(Cursor(BytesWindows(text), Limits()), len(text), 4, Limits())


@pytest.mark.parametrize("version", [1, (1 << 31) - 1])
def test_versions(version):
    assert save({"Version": version}).version == version
    assert blueprint({"V": version}).version == version


@pytest.mark.parametrize("version", [0, 1 << 31, -1, "1138", 1138.0, True, None, [1138]])
def test_versions_that_are_none(version):
    with pytest.raises(UnsupportedSave, match="version Version"):
        save({"Version": version})
    with pytest.raises(UnsupportedSave, match="version V"):
        blueprint({"V": version})


FIELDS = [
    # place in the JSON, field, value in the JSON, value
    ("BinaryDataCheckpoints", "binary_data_checkpoints", True, True),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", False, False),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", 1, True),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", 0.5, True),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", 0, False),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", 0.0, False),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", "1", False),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", None, False),
    ("BinaryDataCheckpoints", "binary_data_checkpoints", [True], False),
    ("SavegameName", "savegame_name", "x", "x"),
    ("SavegameName", "savegame_name", 5, None),
    ("Parameters/GameModeId", "game_mode_id", "x", "x"),
    ("Parameters/ScenarioParameters/ScenarioId", "scenario_id", "x", "x"),
    ("Parameters/Seed", "seed", 42, 42),
    ("Parameters/Seed", "seed", True, None),
    ("TotalPlaytime", "total_playtime", 1.5, 1.5),
    ("TotalPlaytime", "total_playtime", 2, 2.0),
    ("TotalPlaytime", "total_playtime", 1 << 999, float(1 << 999)),
    ("TotalPlaytime", "total_playtime", 1 << 1000, None),
    ("StructureCount", "structure_count", 17, 17),
    ("ResearchProgress", "research_progress", 0.25, 0.25),
    ("LastSaved", "last_saved", "2026", "2026"),
    ("InternalUuid", "internal_uuid", "x", "x"),
]


@pytest.mark.parametrize(("place", "field", "stored", "value"), FIELDS)
def test_fields_of_a_save(place, field, stored, value):
    for key in reversed(place.split("/")):
        stored = {key: stored}
    assert getattr(save({"Version": 1138} | stored), field) == value
    assert getattr(save(stored | {"Version": 1138}), field) == value


def test_what_stops_before_the_entries():
    assert blueprint({"V": 1, "BP": {"$type": "Island", "Entries": [], "BinaryVersion": 7}}).binary_version is None
    assert blueprint({"V": 1, "BP": {"$type": "Island", "BinaryVersion": 7, "Entries": []}}).binary_version == 7
    # The version comes after the entries: all is read.
    assert blueprint({"BP": {"$type": "Island", "Entries": [], "BinaryVersion": 7}, "V": 1}).binary_version == 7


def test_icons():
    icons = ["icon:A", None, None, "shape:B"]
    assert blueprint({"V": 1, "BP": {"Icon": {"Data": icons}}}).icons == tuple(icons)
    assert blueprint({"V": 1, "BP": {"Icon": {"Data": [None] * 4}}}).icons == ()
    text = json.dumps({"Data": icons}).encode()
    assert read_strings(text, Limits(), [f"Data/{place}" for place in range(4)]) == icons
