"""`streamsave satisfactory`: what players ask; `printed/satisfactory.txt` has what it prints of each."""

from __future__ import annotations

import pytest
from attrs import evolve
from cli_runs import json_lines, lines, terminal
from satisfactory_worlds import OBJECTS, worlds
from writer.satisfactory import World, release_header, save_bytes

import streamsave


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "world.sav"
    target.write_bytes(worlds()["factory.sav"])
    return target


def test_names_of_the_game_on_a_terminal(tmp_path):
    """A fluid counts in cubic metres."""
    target = tmp_path / "world.sav"
    target.write_bytes(worlds()["tank.sav"])
    _, shown = terminal("satisfactory", "inventory", target, NO_COLOR="1")
    cells = [cell.strip() for row in shown.splitlines() if "│" in row for cell in row.split("│")[1:3]]
    assert cells == ["Concrete", "1,234", "Water", "6.0 m³"]
    _, raw = terminal("satisfactory", "inventory", "--raw-names", target)
    assert "Desc_Cement_C" in raw


@pytest.mark.parametrize("metadata", ["", "no JSON", "[]", '{"Mods": 3}', '{"Mods": [3]}'])
def test_mods_of_other_headers(tmp_path, metadata):
    target = tmp_path / "world.sav"
    target.write_bytes(save_bytes(World(evolve(release_header(46), mod_metadata=metadata), (), OBJECTS)))
    assert [row[0] for row in lines("satisfactory", "mods", target)] == ["BigMod", "RemovedMod"]


def test_on_a_terminal(path):
    code, shown = terminal("satisfactory", "trains", path)
    assert code == 0
    assert "stations" in shown
    assert "Nord -> Süd -> Nord" in shown


@pytest.mark.slow
@pytest.mark.parametrize("name", ["satisfactory/u6-hv9-sv29-3.4m.sav", "satisfactory/v11-hv14-sv52-mods-3m.sav"])
def test_places_of_real_circuits(real_save, name):
    """Each circuit has the place of an actor that it names, if one of them has a place."""
    save = real_save(name)
    places = {found.instance_name: found.position for found in streamsave.objects(save, "kind = actor")}
    rows = {row["circuit"]: row["position_metres"] for row in json_lines("satisfactory", "power", save)}
    assert len(rows) > 5
    for found in streamsave.objects(save, "class_name = FGPowerCircuit", fields=["mCircuitID", "mComponents"]):
        named = [part.path_name.rpartition(".")[0] for part in found.fields["mComponents"]]
        near = [[side / 100 for side in places[each]] for each in named if each in places]
        assert rows[found.fields["mCircuitID"]] in (near or [None])
