"""`streamsave palworld`: what the owner of a server asks; `printed/palworld.txt` has what it prints of each."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from cli_runs import json_lines, lines, run, terminal
from palworld_worlds import worlds


@pytest.fixture
def path(tmp_path):
    target = tmp_path / "Level.sav"
    target.write_bytes(worlds()["palworld/Level.sav"])
    return target


@pytest.mark.slow
def test_two_players_of_one_name(real_save):
    """They are told apart by their ids."""
    save = real_save("gvas/palworld-level-plz-0.5.sav")
    result = run("palworld", "pals", save, "--player", "LATROMMI")
    ids = ["00000000-00000000-00000000-00000001", "AA6A8891-00000000-00000000-00000000"]
    assert (result.exit_code, result.stdout, all(each in result.stderr for each in ids)) == (2, "", True)
    counts = Counter(row["owner_id"] for row in json_lines("palworld", "pals", save) if row["owner"] == "LATROMMI")
    assert [len(lines("palworld", "pals", save, "--player", each)) for each in ids] == [counts[each] for each in ids] == [80, 189]


@pytest.mark.slow
def test_what_a_real_player_carries(real_save, tmp_path):
    """The containers that the player's file names, in the world."""
    world, file = (real_save(f"gvas/palworld-{name}-plm-1.0.sav") for name in ("level", "player"))
    (tmp_path / "Players").mkdir()
    (tmp_path / "Level.sav").symlink_to(world)
    (tmp_path / "Players" / "E1530496000000000000000000000000.sav").symlink_to(file)
    (document,) = json.loads(run("json", file).stdout)["objects"]
    inventory = document["properties"]["SaveData"]["InventoryInfo"]
    wanted = {container["ID"] for container in inventory.values()}
    slots = json_lines("palworld", "items", tmp_path / "Level.sav", "--slots", "--player", "espat")
    assert {row["container"] for row in slots} <= wanted
    every = [row for row in json_lines("palworld", "items", world, "--slots") if row["container"] in wanted]
    sums = {row["item"]: row["count"] for row in json_lines("palworld", "items", tmp_path / "Level.sav", "--player", "espat")}
    assert sums == sum((Counter({row["item"]: row["count"]}) for row in every), Counter())
    assert sums["Money"] == 650_507


def test_a_terminal_gets_a_table(path):
    code, text = terminal("palworld", "players", path, NO_COLOR="1")
    assert code == 0
    assert "│ Anna" in text


PALS = {"more/palworld-GlobalPalStorage.sav": 6, "gvas/palworld-dps-plm-1.0.sav": 9}


@pytest.mark.slow
@pytest.mark.parametrize("name", PALS)
def test_pals_in_real_storages(real_save, name):
    """They are those of `json --ndjson`: every slot with a species, its level and its id."""
    save = real_save(name)
    found = []
    for line in run("json", "--ndjson", save, "--where", "kind = pal").stdout.splitlines():
        slot = json.loads(line)
        if "properties" in slot:
            values = slot["properties"]
            pal = values["SaveParameter"]
            found.append((pal["CharacterID"], pal.get("Level", 1), values["InstanceId"]["InstanceId"]))
    rows = json_lines("palworld", "pals", save)
    assert [(row["species"], row["level"], row["id"]) for row in rows] == found
    assert len(found) == PALS[name]
    assert "None" not in {species for species, _, _ in found}
