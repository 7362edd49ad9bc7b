"""What properties of Palworld mean to a player."""

from collections import Counter
from types import SimpleNamespace

import pytest
from palworld_blobs import OLD, world_of
from writer import palworld as raw
from writer.palworld import Blob
from writer.palworld_worlds import entries, group, with_id
from writer.primitives import counted

import streamsave
from streamsave.formats.palworld.game import (
    BASE_NAME,
    OWNER,
    SLOT_CONTAINERS,
    WORKERS,
    WORLD_FIELDS,
    WORLD_OBJECTS,
    clock_of,
    guild_of,
    inventories_of,
    items_of,
    members_of,
    pal_of,
    player_file,
    read_world,
)


@pytest.mark.parametrize(
    ("slot", "found"),
    [
        ({"RawData": {"item_id": {"static_id": "Wood"}, "stack_count": 4, "slot_index": 1}}, [("Wood", 4, 1)]),
        ({"RawData": {"item_id": 7}}, []),
        ({"RawData": {"item_id": {"static_id": "None"}}}, []),
        ({"ItemId": {"StaticId": "Stone"}, "StackCount": 9, "SlotIndex": 2}, [("Stone", 9, 2)]),
        ({"RawData": {"permission": 1}, "ItemId": {"StaticId": "Stone"}}, [("Stone", None, None)]),
        ({}, []),
        (5, []),
    ],
)
def test_items(slot, found):
    assert list(items_of([slot])) == found


def test_pals():
    world = "value.RawData.object.SaveParameter"
    assert pal_of({}) == ("", 1, "", "", "", 1, "", (0, 0, 0), "", "")
    wild = {f"{world}.OwnerPlayerUId": "00000000-00000000-00000000-00000000", f"{world}.Level": 7, "key.InstanceId": "B"}
    assert pal_of(wild)[:5] == ("", 7, "", "", "B")
    stored = {"SaveParameter.NickName": "Bo", "SaveParameter.OwnerPlayerUId": "A", "InstanceId.InstanceId": "B"}
    assert pal_of(stored)[:5] == ("Bo", 1, "A", "", "B")


def test_what_pals_can_do():
    """Before game 0.5 all ranks, since then those that were added."""
    mining = [{"WorkSuitability": "EPalWorkSuitability::Mining", "Rank": 2}, {"WorkSuitability": "EPalWorkSuitability::Cool"}]
    assert pal_of({"value.RawData.object.SaveParameter.CraftSpeeds": mining}).work == "Mining 2"
    assert pal_of({"value.RawData.object.SaveParameter.GotWorkSuitabilityAddRankList": mining}).work == "Mining +2"


def test_what_a_player_carries():
    file = {"SaveData.inventoryInfo": {"CommonContainerId": {"ID": "A"}, "DropSlotContainerId": {"ID": "B"}, "Other": 5}}
    assert inventories_of(file) == ["A", "B"]
    assert player_file("0000ABCD-00000000-00000000-0000000f") == "Players/0000ABCD00000000000000000000000F.sav"


@pytest.mark.parametrize(("ticks", "day"), [(0, 1), (864_000_000_000 - 1, 1), (864_000_000_000, 2), (None, 1)])
def test_the_first_day_is_1(ticks, day):
    assert clock_of({"GameDateTimeTicks": ticks, "RealDateTimeTicks": 5}) == (day, 5)


def test_a_world_without_a_clock():
    assert clock_of(None) is None


def test_guilds():
    players = [{"player_uid": "A", "player_name": "Anna"}, {"player_uid": "B", "player_name": "Bert"}, 5]
    values = {"value.RawData.players": players, "value.RawData.admin_player_uid": "B", "value.RawData.base_ids": [1, 2]}
    assert members_of(players) == [("A", "Anna"), ("B", "Bert")]
    assert guild_of(values) == ("", 2, ["Bert", "Anna"], "")


def test_a_guild_of_many_pals():
    """Its name comes after the ids of all of them: 92 KB after its start in a real world."""
    blob = raw.groups(OLD)["Guild"]
    few, many = (counted(range(7, 7 + count), raw.instance) for count in (2, 4000))
    assert blob.data.count(few) == 1
    large = group(OLD, "Guild", Blob(blob.data.replace(few, many), blob.keys))
    guilds = world(world_of([entries("GroupSaveDataMap", with_id("Id"), [large])])).guilds
    assert [guild.name for guild in guilds.values()] == ["Gilde \u00e9"]


def world(save):
    with streamsave.open(save) as events:
        return read_world(events.select(*WORLD_OBJECTS, fields=WORLD_FIELDS, sizes=False))


def test_an_empty_world():
    assert read_world([]) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize(
    ("stored", "name"),
    [("Home", "Home"), ("新規生成拠点テンプレート名12(仮)", ""), ("新規生成拠点テンプレート名x", "新規生成拠点テンプレート名x")],
)
def test_a_base_that_nobody_has_named(stored, name):
    base = SimpleNamespace(fields={BASE_NAME: stored}, instance_name="B", position=None)
    _, _, bases, *_ = read_world([(WORLD_OBJECTS.index("kind = base"), base)])
    assert bases["B"].name == name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plz-280k", "plz-1.5m", "plz-0.5", "plm-oodle", "plm-1.0"])
def test_a_real_world(real_save, name):
    """Each pal has an owner, or works at a base; a guild has the pals of both. Before game 0.5, workers have owners, too."""
    save = real_save(f"gvas/palworld-level-{name}.sav")
    players, guilds, bases, others, _ = world(save)
    with streamsave.open(save) as events:
        owners = Counter(str(found.fields.get(OWNER)) for _, found in events.select("kind = pal", fields=[OWNER], sizes=False))
    workers = sum(base.workers for base in bases.values())
    if not name.startswith("plz-") or name == "plz-0.5":
        assert workers == owners.pop("None", 0)
    for guild in guilds.values():
        assert all(bases[base].guild == guild.id for base in guild.bases)
        owned = sum(owners[member] for member in guild.members)
        at_bases = sum(bases[base].workers for base in guild.bases)
        assert guild.pals == owned + (at_bases if guild.chest else 0)
    assert {player.id: player.pals for player in players.values()} == {player: owners[player] for player in players}
    assert not players.keys() & others.keys()
    assert sum(len(guild.bases) for guild in guilds.values()) == len(bases)
    assert all(player.guild in guilds for player in players.values())


def test_workers_of_a_base_are_the_pals_in_its_container():
    pals = [SimpleNamespace(fields={SLOT_CONTAINERS[0]: container}, class_name="Lamball") for container in ("W", "W", "P")]
    base = SimpleNamespace(fields={WORKERS: "W"}, instance_name="B", position=None)
    _, _, bases, *_ = read_world([*((1, pal) for pal in pals), (WORLD_OBJECTS.index("kind = base"), base)])
    assert bases["B"].workers == 2
