"""`streamsave palworld`: what the owner of a server asks."""

from __future__ import annotations

import json

import pytest
from cli_runs import json_lines, lines, run, small_world, terminal
from palworld_blobs import CHAINED, DIALECT, OLD, world_of
from writer import palworld as raw
from writer.gvas import SaveGame
from writer.palworld import Age, Blob, guid
from writer.palworld_worlds import array, entries, fields, group, nested, with_id
from writer.primitives import i32
from writer.structs import GUID
from writer.tags import BOOL, BYTE, INT, NAME, STR, Array, Enum, Map, Prop, property_list

SPECIES = "Anubis"
TALENTS = [
    Prop("Rank", BYTE, 3),
    Prop("Gender", Enum("EPalGenderType"), "EPalGenderType::Female"),
    Prop("Talent_HP", INT, 50),
    Prop("Talent_Defense", INT, 100),
    Prop("PassiveSkillList", Array(NAME), ["Legend", "Swift"]),
]
OWNER, GUILD, CHEST = 13, 6, 40


def guid_text(number: int) -> str:
    return f"{number:08X}-00000000-0000ABCD-00001234"


def character(key: int, *props: Prop) -> tuple[list[Prop], list[Prop]]:
    """An entry of the map of characters."""
    listed = property_list([Prop("SaveParameter", fields("PalIndividualCharacterSaveParameter"), list(props))], DIALECT)
    blob = Blob(listed + i32(0) + guid(1) + CHAINED.end, ["6cf6fc0f"])
    return [Prop("PlayerUId", GUID, guid(key)), Prop("InstanceId", GUID, guid(key + 1))], blob.props(CHAINED)


def container(number: int, slots: list[list[Prop]]) -> tuple[list[Prop], list[Prop]]:
    return [Prop("ID", GUID, guid(number))], [array("Slots", slots)]


def old_slot(name: str, count: int) -> list[Prop]:
    """A slot of the worlds before game 0.4."""
    return [Prop("SlotIndex", INT, 2), nested("ItemId", [Prop("StaticId", NAME, name)]), Prop("StackCount", INT, count)]


def pairs(name: str, made: list[tuple[list[Prop], list[Prop]]]) -> Prop:
    return Prop(name, Map(fields("Key"), fields("Value")), made)


def guild(age: Age) -> Prop:
    return entries("GroupSaveDataMap", with_id("Id"), [group(age, "Guild", raw.groups(age)["Guild"])])


@pytest.fixture
def path(tmp_path):
    """A world with a player, the player's pal, a guild, its chest and another container."""
    storage = nested("GuildItemStorage", Blob(guid(CHEST) + CHAINED.end).props(CHAINED))
    player = [Prop("NickName", STR, "Anna"), Prop("IsPlayer", BOOL, True), Prop("Level", INT, 30)]
    pal = [Prop("CharacterID", NAME, SPECIES), Prop("OwnerPlayerUId", GUID, guid(OWNER)), *TALENTS]
    world = world_of(
        [
            pairs("CharacterSaveParameterMap", [character(OWNER, *player), character(50, *pal)]),
            pairs(
                "ItemContainerSaveData",
                [container(CHEST, [raw.item_slot(CHAINED).props(CHAINED)]), container(41, [old_slot("Stone", 9)])],
            ),
            guild(CHAINED),
            Prop("GuildExtraSaveDataMap", Map(GUID, fields("Extra")), [(guid(GUILD), [storage])]),
        ]
    )
    target = tmp_path / "Level.sav"
    target.write_bytes(world)
    return target


def test_players(path):
    assert lines("palworld", "players", path) == [["Anna", "30", "Gilde é", guid_text(OWNER)]]
    nobody = run("palworld", "players", path, "--where", "instance_name = Bert")
    assert (nobody.exit_code, nobody.stdout) == (0, "")
    assert nobody.stderr == f"streamsave: {path}: no object matches --where: no instance_name is 'Bert'\n"


def test_pals(path):
    about = ["3", "Female", "50", "0", "100", "Legend, Swift"]
    assert lines("palworld", "pals", path) == [[SPECIES, "", "1", "Player", "Gilde é", guid_text(51), *about]]
    for owner in ("Player", guid_text(OWNER)):
        assert len(lines("palworld", "pals", path, "--player", owner)) == 1
    assert lines("palworld", "pals", path, "--player", "Anna") == []
    assert json_lines("palworld", "pals", path, "--where", f"class_name = {SPECIES}") == [
        {
            "file": str(path),
            "species": SPECIES,
            "name": "",
            "level": 1,
            "owner": "Player",
            "guild": "Gilde é",
            "id": guid_text(51),
            "rank": 3,
            "gender": "Female",
            "hp": 50,
            "attack": 0,
            "defense": 100,
            "passives": "Legend, Swift",
        }
    ]


def test_guilds(path):
    assert lines("palworld", "guilds", path) == [["Gilde é", "3", "1", "Player", guid_text(GUILD)]]


def test_items(path):
    chest = ["Wood", "5", "Gilde é", guid_text(CHEST), "4"]
    other = ["Stone", "9", "", guid_text(41), "2"]
    assert lines("palworld", "items", "--slots", path) == [chest, other]
    assert lines("palworld", "items", "--slots", path, "--guild-chests") == [chest]
    assert lines("palworld", "items", path) == [["Stone", "9", ""], ["Wood", "5", "Gilde é"]]
    assert run("palworld", "items", path, "--guild-chests", "--where", f'instance_name = "{guid_text(41)}"').stdout == ""


def test_a_world_without_guild_chests(tmp_path):
    target = tmp_path / "Level.sav"
    target.write_bytes(world_of([guild(OLD)]))
    assert lines("palworld", "items", target, "--guild-chests") == []


def test_several_worlds_have_their_name_first(path):
    assert [row[:2] for row in lines("palworld", "players", path, path)] == [[str(path), "Anna"]] * 2


def test_a_terminal_gets_a_table(path):
    code, text = terminal("palworld", "players", path, NO_COLOR="1")
    assert code == 0
    assert "│ Anna" in text


COMMANDS = ("players", "pals", "guilds", "items")


COLUMN_TESTS = [
    ("pals", "level > 12", lambda row: row["level"] > 12),
    ("pals", "owner ~ '^[A-Za-z]' and level = 1", lambda row: row["owner"][:1].isalpha() and row["level"] == 1),
    ("pals", "owner = LATROMMI or level <= 2", lambda row: row["owner"] == "LATROMMI" or row["level"] <= 2),
    ("pals", "kind = pal and not species = *a*", lambda row: "a" not in row["species"]),
    ("pals", "name = ''", lambda row: row["name"] == ""),
    ("players", "level >= 2", lambda row: row["level"] >= 2),
    ("guilds", "bases = 1", lambda row: row["bases"] == 1),
    ("items", "count > 4 and guild = ''", lambda row: row["count"] > 4 and row["guild"] == ""),
    ("items --slots", "slot = 2 and item = *o*", lambda row: row["slot"] == 2 and "o" in row["item"]),
]
by_column = pytest.mark.parametrize(
    ("name", "where", "test"), COLUMN_TESTS, ids=lambda each: each if isinstance(each, str) else ""
)


def assert_columns_are_tested(name, where, test, save):
    """A test of a column takes the rows that Python takes of all; return how many there are, and of how many."""
    every = json_lines("palworld", *name.split(), save)
    some = [json.loads(line) for line in run("palworld", *name.split(), save, "--json", "--where", where).stdout.splitlines()]
    assert some == [row for row in every if test(row)]
    return len(some), len(every)


@by_column
def test_columns_in_where(path, name, where, test):
    assert_columns_are_tested(name, where, test, path)


@by_column
def test_columns_of_a_real_world(corpus, name, where, test):
    save = corpus / "gvas" / "palworld-level-plz-1.5m.sav"
    if not save.is_file():
        pytest.skip(f"not in this corpus: {save.name}")
    some, _ = assert_columns_are_tested(name, where, test, save)
    assert some > 0


def test_a_dot_begins_a_property(path):
    """The level of a character is in a struct: it is no property of that name."""
    result = run("palworld", "players", path, "--where", ".level > 15")
    assert (result.stdout, "no object has 'level'" in result.stderr) == ("", True)


def test_names_are_those_of_objects(path):
    """A pal without a name is found by its id."""
    assert len(lines("palworld", "pals", path, "--where", f'instance_name = "{guid_text(51)}" and level = 1')) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_other_saves_are_refused(tmp_path, name):
    """What has no rows is named; the next save is read."""
    other = small_world(tmp_path)
    result = run("palworld", name, other)
    wanted = ", or a storage of pals" if name == "pals" else ""
    text = f"this is no world of Palworld: Satisfactory save; the world, Level.sav, is wanted{wanted}"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"streamsave: {other}: {text}\n")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("PalWorldPlayerSaveGame", "a player's file (Players/ID.sav)"),
        ("PalWorldBaseInfoSaveGame", "the description of a world (LevelMeta.sav)"),
        ("PalWorldOptionSaveGame", "the settings of a world (WorldOption.sav)"),
        ("PalLocalWorldSaveGame", "the map of one player (LocalData.sav)"),
        ("PalOfTomorrow", "no world of Palworld: Unreal save game /Script/Pal.PalOfTomorrow"),
    ],
)
def test_other_files_of_the_game_are_refused(path, tmp_path, kind, text):
    other = tmp_path / "other.sav"
    other.write_bytes(SaveGame([Prop("Version", INT, 100)], class_name=f"/Script/Pal.{kind}").encode())
    result = run("palworld", "players", other, path)
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {other}: this is {text}; the world, Level.sav, is wanted\n")
    assert "Anna" in result.stdout


STORAGES = ("PalDimensionPalStorageSaveGame", "PalGlobalPalStorageSaveGame")


def stored(species: str, number: int, *props: Prop) -> list[Prop]:
    """A slot of a storage."""
    instance = [Prop("PlayerUId", GUID, guid(0)), Prop("InstanceId", GUID, guid(number))]
    return [nested("SaveParameter", [Prop("CharacterID", NAME, species), *props]), nested("InstanceId", instance)]


@pytest.mark.parametrize("kind", STORAGES)
def test_pals_in_storages(tmp_path, kind):
    owner = Prop("OwnerPlayerUId", GUID, guid(OWNER))
    slots = [
        stored(SPECIES, 51, Prop("Level", INT, 30), Prop("NickName", STR, "Bo"), owner),
        stored("None", 0),
        stored("Boar", 52),
    ]
    storage = tmp_path / "storage.sav"
    storage.write_bytes(SaveGame([array("SaveParameterArray", slots)], class_name=f"/Script/Pal.{kind}").encode())
    rows = [[SPECIES, "Bo", "30", guid_text(OWNER), "", guid_text(51)], ["Boar", "", "1", "", "", guid_text(52)]]
    assert [row[:6] for row in lines("palworld", "pals", storage)] == rows
    for name in set(COMMANDS) - {"pals"}:
        assert run("palworld", name, storage).exit_code == 2


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


def test_standard_input_cannot_be_read_twice():
    result = run("palworld", "players", "-")
    assert (result.exit_code, "read twice" in result.stderr) == (2, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_has_help(name):
    result = run("palworld", name, "--help")
    assert result.exit_code == 0
    assert "SAVE..." in result.stdout
    assert "--json" in result.stdout


def test_a_missing_file_is_reported_and_the_next_one_read(path, tmp_path):
    missing = tmp_path / "missing.sav"
    result = run("palworld", "players", missing, path)
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {missing}: No such file or directory\n")
    assert "Anna" in result.stdout
