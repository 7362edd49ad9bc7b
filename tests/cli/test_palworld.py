"""`streamsave palworld`: what the owner of a server asks."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from cli_runs import assert_columns_are_tested, json_lines, lines, run, small_world, terminal
from palworld_blobs import CHAINED, DIALECT, OLD, world_of
from writer import palworld as raw
from writer.gvas import SaveGame
from writer.palworld import Age, Blob, guid
from writer.palworld_worlds import array, base_camp, entries, fields, group, map_objects, nested, with_id
from writer.primitives import i32
from writer.structs import GUID, VECTOR
from writer.tags import BOOL, BYTE, INT, INT64, NAME, STR, Array, Enum, Map, Prop, property_list

SPECIES = "Anubis"
TALENTS = [
    Prop("Rank", BYTE, 3),
    Prop("Gender", Enum("EPalGenderType"), "EPalGenderType::Female"),
    Prop("Talent_HP", INT, 50),
    Prop("Talent_Defense", INT, 100),
    Prop("PassiveSkillList", Array(NAME), ["Legend", "Swift"]),
    array(
        "GotWorkSuitabilityAddRankList",
        [[Prop("WorkSuitability", Enum("EPalWorkSuitability"), "EPalWorkSuitability::Mining"), Prop("Rank", INT, 2)]],
    ),
]
OWNER, GUILD, CHEST, BOX, BASE = 13, 6, 40, 75, 16


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
    """A world with a player, the player's pal, a guild, its base, its chest, another container, and one in a building of it."""
    storage = nested("GuildItemStorage", Blob(guid(CHEST) + CHAINED.end).props(CHAINED))
    jump = Prop("LastJumpedLocation", VECTOR, (100.0, 200.0, -300.0))
    player = [Prop("NickName", STR, "Anna"), Prop("IsPlayer", BOOL, True), Prop("Level", INT, 30), jump]
    pal = [Prop("CharacterID", NAME, SPECIES), Prop("OwnerPlayerUId", GUID, guid(OWNER)), *TALENTS]
    slots = [raw.item_slot(CHAINED).props(CHAINED)]
    boxes = [container(CHEST, slots), container(41, [old_slot("Stone", 9)]), container(BOX, [old_slot("Stone", 7)])]
    clock = [Prop("GameDateTimeTicks", INT64, 864_000_000_000), Prop("RealDateTimeTicks", INT64, 838_000_000)]
    world = world_of(
        [
            pairs("CharacterSaveParameterMap", [character(OWNER, *player), character(50, *pal)]),
            array("MapObjectSaveData", map_objects(CHAINED, DIALECT, [""])),
            entries("BaseCampSaveData", with_id("Id"), [base_camp(CHAINED)]),
            pairs("ItemContainerSaveData", boxes),
            guild(CHAINED),
            Prop("GuildExtraSaveDataMap", Map(GUID, fields("Extra")), [(guid(GUILD), [storage])]),
            nested("GameTimeSaveData", clock),
        ]
    )
    target = tmp_path / "Level.sav"
    target.write_bytes(world)
    return target


def test_players(path):
    about = ["Anna", "30", "Gilde é", guid_text(OWNER)]
    assert lines("palworld", "players", path) == [[*about, "20", "1", "1", "0.01 -0.02 0.03 m", "1.00 2.00 -3.00 m"]]
    (row,) = json_lines("palworld", "players", path)
    assert (row["base_metres"], row["position_metres"]) == ([0.01, -0.02, 0.03], [1.0, 2.0, -3.0])
    nobody = run("palworld", "players", path, "--where", "instance_name = Bert")
    assert (nobody.exit_code, nobody.stdout) == (0, "")
    assert nobody.stderr == f"streamsave: {path}: no object matches --where: no instance_name is 'Bert'\n"


def test_pals(path):
    about = ["3", "Female", "50", "0", "100", "Legend, Swift", "Mining +2", guid_text(OWNER)]
    assert lines("palworld", "pals", path) == [[SPECIES, "", "1", "Anna", "Gilde é", guid_text(51), *about]]
    for owner in ("Anna", "anna", guid_text(OWNER), guid_text(OWNER).replace("-", "").lower()):
        assert len(lines("palworld", "pals", path, "--player", owner)) == 1
    assert json_lines("palworld", "pals", path, "--where", f"class_name = {SPECIES}") == [
        {
            "file": str(path),
            "species": SPECIES,
            "species_label": "Anubis",
            "name": "",
            "level": 1,
            "owner": "Anna",
            "guild": "Gilde é",
            "id": guid_text(51),
            "rank": 3,
            "gender": "Female",
            "hp": 50,
            "attack": 0,
            "defense": 100,
            "passives": "Legend, Swift",
            "passives_label": "Legend, Swift",
            "work": "Mining +2",
            "owner_id": guid_text(OWNER),
        }
    ]


def test_a_pal_without_a_name_is_found_by_its_species(path):
    (pal,) = json_lines("get", path, SPECIES)
    assert pal["instance_name"] == guid_text(51)
    result = run("get", path, "container")
    assert (result.exit_code, "3 objects are of the class container" in result.stderr) == (1, True)


def test_guilds(path):
    assert lines("palworld", "guilds", path) == [["Gilde é", "3", "1", "Anna", guid_text(GUILD), "0", "5", "12"]]


def test_bases(path):
    about = ["Base", guid_text(BASE), guid_text(GUILD)]
    assert lines("palworld", "bases", path) == [["Gilde é", "0", "0.01 -0.02 0.03 m", *about]]


def test_items(path):
    own = ["Gilde é", guid_text(GUILD)]
    chest = ["Wood", "5", own[0], guid_text(CHEST), "4", own[1]]
    other = ["Stone", "9", "", guid_text(41), "2", ""]
    box = ["Stone", "7", own[0], guid_text(BOX), "2", own[1]]
    assert lines("palworld", "items", "--slots", path) == [chest, other, box]
    assert lines("palworld", "items", "--slots", path, "--guild-chests") == [chest]
    assert lines("palworld", "items", path) == [["Stone", "9", "", ""], ["Stone", "7", *own], ["Wood", "5", *own]]
    assert run("palworld", "items", path, "--guild-chests", "--where", f'instance_name = "{guid_text(41)}"').stdout == ""


def player_of(path, *carried: int):
    """The file of the player beside a world."""
    target = path.parent / "Players" / f"{guid_text(OWNER).replace('-', '')}.sav"
    target.parent.mkdir()
    inventory = [nested(f"Container{number}", [Prop("ID", GUID, guid(number))]) for number in carried]
    data = nested("SaveData", [nested("InventoryInfo", inventory), Prop("TechnologyPoint", INT, 21)])
    target.write_bytes(SaveGame([data], class_name="/Script/Pal.PalWorldPlayerSaveGame").encode())
    return target


def test_items_of_a_player(path):
    result = run("palworld", "items", path, "--player", "Anna")
    assert (result.exit_code, "Players" in result.stderr, "No such file" in result.stderr) == (2, True, True)
    player_of(path, 41, 99)
    assert lines("palworld", "items", path, "--player", "Anna") == [["Stone", "9", "", ""]]
    assert run("palworld", "items", path, "--player", "Anna", "--guild-chests").exit_code == 2


def test_a_player_who_is_not_there(path):
    result = run("palworld", "pals", path, "--player", "Bert")
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {path}: no player is called 'Bert': Anna\n")


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


COMMANDS = ("players", "pals", "guilds", "bases", "items")


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


@by_column
def test_columns_in_where(path, name, where, test):
    assert_columns_are_tested(f"palworld {name}", path, where, test)


@pytest.mark.slow
@by_column
def test_columns_of_a_real_world(corpus, name, where, test):
    save = corpus / "gvas" / "palworld-level-plz-1.5m.sav"
    if not save.is_file():
        pytest.skip(f"not in this corpus: {save.name}")
    some, _ = assert_columns_are_tested(f"palworld {name}", save, where, test)
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


def test_a_missing_file_is_reported_and_the_next_one_read(path, tmp_path):
    missing = tmp_path / "missing.sav"
    result = run("palworld", "players", missing, path)
    assert (result.exit_code, result.stderr) == (2, f"streamsave: {missing}: No such file or directory\n")
    assert "Anna" in result.stdout
