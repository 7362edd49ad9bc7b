"""Names that people know, and the game's own list of names."""

import json
from pathlib import Path

import pytest
from saves import file_with

from streamsave.report import names as names_module
from streamsave.report.names import Names, NamesFault, read_docs, readable

DOCS = [
    {"NativeClass": "FGBuildable", "Classes": [{"ClassName": "Build_ConstructorMk1_C", "mDisplayName": "Konstruktor"}]},
    {
        "NativeClass": "FGItem",
        "Classes": [{"ClassName": "Desc_Wire_C", "mDisplayName": "Draht  \n"}, {"ClassName": "Desc_No_C"}, 7],
    },
    "nonsense",
]


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("Build_ConstructorMk1_C", "Constructor Mk1"),
        ("/Game/A/Build_Foundation_8x4_01.Build_Foundation_8x4_01_C", "Foundation 8x4 01"),
        ("/Script/FactoryGame.FGInventoryComponent", "Inventory Component"),
        ("BP_PlayerState_C", "Player State"),
        ("Desc_IronPlate_C", "Iron Plate"),
        ("BeltDefaultForwardInternalVariant", "Belt Forward"),
        ("CutterDefaultInternalVariant", "Cutter"),
        ("PickupItem_Log", "Pickup Item Log"),
        ("[-1_1_0]_tree_Spruce_1", "tree Spruce 1"),
        ("Foundation_1x1", "Foundation 1x1"),
        ("IceHorse", "Ice Horse"),
        ("FGA", "A"),
        ("_C", "C"),
        ("Build__C", "Build__C"),
        ("", ""),
        ("___", "___"),
    ],
)
def test_readable(class_name, name):
    assert readable(class_name) == name


@pytest.mark.parametrize(
    ("class_name", "name"),
    [
        ("/Game/X/Desc_Cement.Desc_Cement_C", "Concrete"),
        ("Desc_HighSpeedWire_C", "Quickwire"),
        ("ChickenPal", "Chikipi"),
        ("Boss_Chickenpal", "Chikipi"),
        ("PAL_ALLAttack_up3", "Demon God"),
        ("Desc_OfAMod_C", "Of A Mod"),
    ],
)
def test_the_table(class_name, name):
    assert Names()(class_name) == name
    assert Names({"Desc_Cement_C": "Beton"})(class_name) == name.replace("Concrete", "Beton")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-8-sig"])
def test_the_list_of_the_game(tmp_path, encoding):
    names = Names(read_docs(file_with(tmp_path / "de-DE.json", json.dumps(DOCS).encode(encoding))))
    assert names("/Game/X.Build_ConstructorMk1_C") == "Konstruktor"
    assert names("Desc_Wire_C") == "Draht"
    assert names("Desc_No_C") == "No"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "no JSON"),
        (b"\xff\xfe{", "no JSON"),
        (b"\x80", "no JSON"),
        (b"[]", "no classes"),
        (b"7", "no classes"),
        (b"[" * 9999, "no JSON"),
    ],
)
def test_other_files(tmp_path, data, message):
    path = file_with(tmp_path / "x.json", data)
    with pytest.raises(NamesFault, match=message):
        read_docs(path)


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(DOCS))
    monkeypatch.setattr(names_module, "LARGEST_DOCS", path.stat().st_size - 1)
    with pytest.raises(NamesFault, match="more than"):
        read_docs(path)
    monkeypatch.setattr(names_module, "LARGEST_DOCS", path.stat().st_size)
    assert read_docs(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_without_end():
    with pytest.raises(NamesFault, match="more than"):
        read_docs("/dev/zero")
