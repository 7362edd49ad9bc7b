"""How the commands of a game write rows."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import orjson
import palworld_worlds
import pytest
import satisfactory_worlds
from attrs import evolve
from cli_runs import SAMPLES, json_lines, lines, run
from writer.satisfactory import World, release_header, save_bytes

import streamsave
from streamsave.cli.answers import Answer, Where, read_answers
from streamsave.cli.save import Save
from streamsave.consume.parser import parse_selection

ROWS = [("Zug\tA", 3), ("B\x1b", 12.5)]


@pytest.fixture
def save():
    with streamsave.open(SAMPLES[0]) as events:
        yield Save("a.sav", 3, events)


def test_rows_in_a_pipe_and_as_json(save, capsys):
    where = Where((), ("name", "count"))
    for several, as_json in (False, False), (True, False), (True, True):
        where.write(save, ROWS, several=several, as_json=as_json)
    *lines, first, second = capsys.readouterr().out.splitlines()
    assert lines == ["Zug\\tA\t3", "B\\x1b\t12.5", "a.sav\tZug\\tA\t3", "a.sav\tB\\x1b\t12.5"]
    assert orjson.loads(first) == {"file": "a.sav", "name": "Zug\tA", "count": 3}
    assert orjson.loads(second) == {"file": "a.sav", "name": "B\x1b", "count": 12.5}


def taken(selections, fields=()):
    """An answer whose rows are what each selection has given: the name, and those of the fields that are there."""

    def keep(found):
        values = {name: value for name, value in found.fields.items() if name in fields}
        return None if found.instance_name.endswith("7") else (found.instance_name, values)

    def rows(context, *lists):
        assert context == "context"
        yield from lists

    return Answer(("kept",), dict.fromkeys(selections, keep), fields, rows)


@pytest.mark.parametrize(("text", "shared"), [(None, {"A", "B"}), ("size > 0", set())])
def test_what_several_answers_take_is_held_once(save, text, shared):
    """What only the first selection of one answer is about is not shared; a large world has 60,000 rows in one list."""
    letters = {"A": "kind = actor", "B": "kind = object"}

    def answer(order):
        takes = dict.fromkeys((letters[each] for each in order), str)
        return Answer((), takes, (), lambda *lists: [id(each) for each in lists])

    where = None if text is None else parse_selection(text)
    first, second, third = read_answers(save, [answer("AB"), answer("BA"), answer("BA")], where)
    assert second == third
    assert {letter for letter, one, other in zip("AB", first, reversed(second), strict=True) if one == other} == shared


@pytest.mark.parametrize("text", [None, "class_name = *Spawner*", "class_name = Nothing"])
def test_answers_of_one_walk_are_those_of_a_walk_each(text):
    """What the user wants is about the first selection of each answer, also where another answer has the same one."""
    where = None if text is None else parse_selection(text)

    answers = [
        taken(("kind = actor", "kind = object")),
        taken(("kind = object", "kind = actor", "class_name = *Spawner*"), ("mCount", "mNumItems")),
        taken(("has(mSpawnData)", "kind = actor"), ("mSpawnData",)),
    ]

    def read(*some):
        with streamsave.open(SAMPLES[2]) as events:
            return [[*rows] for rows in read_answers(Save("a.sav", 3, events), some, where, "context")]

    together = read(*answers)
    assert together == [read(answer)[0] for answer in answers]
    with streamsave.open(SAMPLES[2]) as events:
        selections = ["kind = actor" if text is None else f"kind = actor and {text}", "kind = object"]
        expected = [[], []]
        for number, found in events.select(*selections):
            if not found.instance_name.endswith("7"):
                expected[number].append((found.instance_name, {}))
    assert together[0] == expected
    assert expected[1]


# --- tests of columns in `--where`: the commands of a game take the rows that Python takes of all ---

#: Command, test, the same in Python.
COLUMNS = [
    ("satisfactory inventory", "count > 1000 and item ~ Iron", lambda row: row["count"] > 1000 and "Iron" in row["item"]),
    ("satisfactory inventory", "stacks = 1 or stores >= 3", lambda row: row["stacks"] == 1 or row["stores"] >= 3),
    ("satisfactory machines", "clock = 1 and recipe = ''", lambda row: row["clock"] == 1 and row["recipe"] == ""),
    (
        "satisfactory machines",
        "class = Build_Con* and producing > 0",
        lambda row: row["class"].startswith("Build_Con") and row["producing"],
    ),
    ("satisfactory power", "not connections < 50", lambda row: row["connections"] >= 50),
    ("satisfactory power --unconnected", "class ~ Mk1", lambda row: "Mk1" in row["class"]),
    ("satisfactory power --unconnected", "name ~ '[02468]$'", lambda row: row["name"][-1] in "02468"),
    ("satisfactory power", "capacity > 0 and grid < 12", lambda row: row["capacity"] > 0 and row["grid"] < 12),
    ("satisfactory machines --idle", "why ~ '^no' and class = *C*", lambda row: row["why"].startswith("no")),
    ("satisfactory find wire", "count >= 100 and store ~ Storage", lambda row: row["count"] >= 100 and "Storage" in row["store"]),
    ("satisfactory mods", "objects > 5 and version != ''", lambda row: row["objects"] > 5 and row["version"]),
    ("satisfactory trains", "stops >= 2 and train = *B*", lambda row: row["stops"] >= 2 and "B" in row["train"]),
    ("palworld pals", "level > 12", lambda row: row["level"] > 12),
    ("palworld pals", "owner ~ '^[A-Za-z]' and level = 1", lambda row: row["owner"][:1].isalpha() and row["level"] == 1),
    ("palworld pals", "owner = LATROMMI or level <= 2", lambda row: row["owner"] == "LATROMMI" or row["level"] <= 2),
    ("palworld pals", "kind = pal and not species = *a*", lambda row: "a" not in row["species"]),
    ("palworld pals", "name = ''", lambda row: row["name"] == ""),
    ("palworld players", "level >= 2", lambda row: row["level"] >= 2),
    ("palworld guilds", "bases = 1", lambda row: row["bases"] == 1),
    ("palworld items", "count > 4 and guild = ''", lambda row: row["count"] > 4 and row["guild"] == ""),
    ("palworld items --slots", "slot = 2 and item = *o*", lambda row: row["slot"] == 2 and "o" in row["item"]),
]
#: Command or game -> a real world.
REAL = {
    "satisfactory mods": "satisfactory/v11-hv14-sv52-mods-3m.sav",
    "satisfactory": "satisfactory/u5-hv9-sv28-2.6m.sav",
    "palworld": "gvas/palworld-level-plz-1.5m.sav",
}
by_column = pytest.mark.parametrize(("command", "where", "test"), COLUMNS, ids=lambda each: each if isinstance(each, str) else "")


@cache
def all_rows(command: str, save: Path) -> list[dict[str, object]]:
    """The rows that a command gives of a save, asked once."""
    return [json.loads(line) for line in run(*command.split(), save, "--json").stdout.splitlines()]


def rows_taken(command: str, save: Path, where: str, test) -> tuple[int, int]:
    """Return how many rows a test takes, and of how many."""
    every = all_rows(command, save)
    some = [json.loads(line) for line in run(*command.split(), save, "--json", "--where", where).stdout.splitlines()]
    assert some == [row for row in every if test(row)]
    return len(some), len(every)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A world of each game."""
    folder = tmp_path_factory.mktemp("columns")
    worlds = {"satisfactory": satisfactory_worlds.worlds()["factory.sav"], "palworld": palworld_worlds.level()}
    for name, data in worlds.items():
        (folder / name).write_bytes(data)
    return folder


@by_column
def test_columns_in_where(made, command, where, test):
    rows_taken(command, made / command.split()[0], where, test)


@pytest.mark.parametrize(
    ("command", "name", "column"),
    [("palworld bases", "place", 2), ("palworld players", "base", 7), ("satisfactory machines", "productivity", 5)],
)
def test_what_is_printed_is_a_test(made, command, name, column):
    """Places and numbers, and what is printed of those that are not there."""
    save = made / command.split()[0]
    rows = lines(*command.split(), save)
    cells = {row[column] for row in rows}
    assert cells
    for cell in cells:
        some = [row for row in rows if row[column] == cell]
        assert lines(*command.split(), save, "--where", f'{name} = "{cell}"') == some
        others = run(*command.split(), save, "--where", f'{name} != "{cell}"').stdout
        assert [line.split("\t") for line in others.splitlines()] == [row for row in rows if row not in some]
    assert run(*command.split(), save, "--where", f'{name} = "1 2 3 m"').stdout == ""


@pytest.mark.slow
@by_column
def test_columns_of_a_real_world(real_save, command, where, test):
    some, every = rows_taken(command, real_save(REAL.get(command) or REAL[command.split()[0]]), where, test)
    assert some > 0
    assert some < every or command.startswith("palworld")


# --- `streamsave satisfactory`: what players ask; `printed/satisfactory.txt` has what it prints of each ---


@pytest.mark.parametrize("metadata", ["", "no JSON", "[]", '{"Mods": 3}', '{"Mods": [3]}'])
def test_mods_of_other_headers(tmp_path, metadata):
    target = tmp_path / "world.sav"
    target.write_bytes(save_bytes(World(evolve(release_header(46), mod_metadata=metadata), (), satisfactory_worlds.OBJECTS)))
    assert [row[0] for row in lines("satisfactory", "mods", target)] == ["BigMod", "RemovedMod"]


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


# --- `streamsave palworld`: what the owner of a server asks; `printed/palworld.txt` has what it prints of each ---


@pytest.mark.slow
def test_two_players_of_one_name(real_save):
    """They are told apart by their ids."""
    save = real_save("gvas/palworld-level-plz-0.5.sav")
    result = run("palworld", "pals", save, "--player", "LATROMMI")
    ids = ["00000000-00000000-00000000-00000001", "AA6A8891-00000000-00000000-00000000"]
    renamed = run("edit", save, "--dry-run", "--player", "LATROMMI", "--name", "Ann")  # the other has no character any more
    for each in (result, renamed):
        assert (each.exit_code, each.stdout, all(number in each.stderr for number in ids)) == (2, "", True)
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
    wanted = {container["ID"] for container in document["properties"]["SaveData"]["InventoryInfo"].values()}
    slots = json_lines("palworld", "items", tmp_path / "Level.sav", "--slots", "--player", "espat")
    assert {row["container"] for row in slots} <= wanted
    every = [row for row in json_lines("palworld", "items", world, "--slots") if row["container"] in wanted]
    sums = {row["item"]: row["count"] for row in json_lines("palworld", "items", tmp_path / "Level.sav", "--player", "espat")}
    assert sums == sum((Counter({row["item"]: row["count"]}) for row in every), Counter())
    assert sums["Money"] == 650_507


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
    assert [(row["species"], row["level"], row["id"]) for row in json_lines("palworld", "pals", save)] == found
    assert len(found) == PALS[name]
    assert "None" not in {species for species, _, _ in found}
