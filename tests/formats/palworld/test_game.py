"""What properties of Palworld mean to a player."""

from __future__ import annotations

import pytest

from streamsave.formats.palworld.game import guild_of, items_of, members_of, pal_of


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
    assert pal_of({}) == ("", 1, "", "", "", 1, "", (0, 0, 0), "")
    wild = {f"{world}.OwnerPlayerUId": "00000000-00000000-00000000-00000000", f"{world}.Level": 7, "key.InstanceId": "B"}
    assert pal_of(wild)[:5] == ("", 7, "", "", "B")
    stored = {"SaveParameter.NickName": "Bo", "SaveParameter.OwnerPlayerUId": "A", "InstanceId.InstanceId": "B"}
    assert pal_of(stored)[:5] == ("Bo", 1, "A", "", "B")


def test_guilds():
    players = [{"player_uid": "A", "player_name": "Anna"}, {"player_uid": "B", "player_name": "Bert"}, 5]
    values = {"value.RawData.players": players, "value.RawData.admin_player_uid": "B", "value.RawData.base_ids": [1, 2]}
    assert members_of(players) == [("A", "Anna"), ("B", "Bert")]
    assert guild_of(values) == ("", 2, ["Bert", "Anna"], "")
