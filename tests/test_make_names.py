"""The table of names of games, and the tool that makes it of a game's own list."""

import json

import pytest
from click.testing import CliRunner
from make_names import listed, main, updated

from streamsave.report import names
from streamsave.report.names import TABLE, readable

DOCS = [
    {
        "NativeClass": "/Script/CoreUObject.Class'/Script/FactoryGame.FGItemDescriptor'",
        "Classes": [
            {"ClassName": "Desc_Cement_C", "mDisplayName": "Concrete 2", "mForm": "RF_SOLID"},
            {"ClassName": "Desc_Honey_C", "mDisplayName": "Honey", "mForm": "RF_LIQUID"},
            {"ClassName": "Desc_Plain_Thing_C", "mDisplayName": "Plain Thing", "mForm": "RF_SOLID"},
            {"ClassName": "Schematic_1-1_C", "mDisplayName": "Base Building"},
        ],
    }
]


def rows_of(text):
    return {line.split("\t")[0]: line.split("\t")[1:] for line in text.splitlines() if not line.startswith("#")}


def test_the_table():
    text = TABLE.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(text.encode()) < 150_000
    assert all(len(line.split("\t")) == 2 or line.endswith("\tfluid") for line in lines)
    assert len({line.split("\t")[0].lower() for line in lines}) == len(lines)
    for part in text.split("\n# "):
        _, *rows = part.splitlines()
        assert rows == sorted(rows, key=str.lower)
    assert [name for name, row in rows_of(text).items() if row == [readable(name)]] == []


def test_the_tool(tmp_path, monkeypatch):
    docs, table = tmp_path / "en-US.json", tmp_path / "names.tsv"
    docs.write_text(json.dumps(DOCS), encoding="utf-16")
    table.write_bytes(TABLE.read_bytes())
    monkeypatch.setattr("make_names.TABLE", table)
    ran = CliRunner().invoke(main, [str(docs), "Satisfactory 9.9"])
    assert ran.exit_code == 0, ran.output
    before, after = rows_of(TABLE.read_text(encoding="utf-8")), rows_of(table.read_text(encoding="utf-8"))
    assert after == before | {"Desc_Cement_C": ["Concrete 2"], "Desc_Honey_C": ["Honey", "fluid"]}
    text = table.read_text(encoding="utf-8")
    assert "# Satisfactory 9.9.\n" in text
    assert text.index("Build_AssemblerMk1_C") < text.index("# Palworld") < text.index("ChickenPal")
    assert updated(text, listed(docs), "Satisfactory 9.9") == text
    monkeypatch.setattr(names, "TABLE", table)
    names._table.cache_clear()
    try:
        assert (names.is_fluid("Desc_Honey_C"), names.Names()("Desc_Cement_C")) == (True, "Concrete 2")
    finally:
        names._table.cache_clear()


@pytest.mark.parametrize("name", ["Satisfactory", "Palworld"])
def test_the_table_says_of_which_version_its_names_are(name):
    assert f"\n# {name} " in TABLE.read_text(encoding="utf-8")


def test_a_list_of_names_only(tmp_path):
    path = tmp_path / "items.json"
    items = {
        "money": {"localized_name": "Gold  Coin", "description": "Of gold."},
        "Altar": "Tomb",
        "X": "en_text",
        "Y": None,
        "Torch": "A",
    }
    path.write_text(json.dumps(items), encoding="utf-8")
    assert listed(path) == [("money", "Gold Coin", False), ("Altar", "Tomb", False)]
    rows = rows_of(updated("# Satisfactory 1.\n# Palworld 1.0.\nAltar\tA\nMoney\tB\n", listed(path), "Palworld 2"))
    assert rows == {"Altar": ["Tomb"], "money": ["Gold Coin"]}
