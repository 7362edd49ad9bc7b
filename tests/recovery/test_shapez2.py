"""With resync, nothing in a member is given that only its end shows to be wrong."""

import base64
import gzip
import io
import struct
import zipfile

import pytest
from damage import losses, survived
from writer.shapez2 import Building, Island
from writer.shapez2_faults import changed
from writer.shapez2_samples import save_bytes, small_save

from streamsave import Event, Field, ObjectHeader, StructEnter

BUNDLE = "maps/main/islands/0.bin"
STATES = "maps/main/buildings/0.bin"
#: The names of three islands with three buildings each.
ISLANDS = [f"({number}, 7, 0)" for number in (1, 2, 3)]
ALL = [name for island in ISLANDS for name in (island, *(f"{island}:({at}, 9, 0)" for at in range(3)))]


def save(*, checkpoints: bool = False) -> bytes:
    """Three islands; the building in the middle of each has a configuration."""
    islands = [
        Island(
            "Foundation_1x1",
            (number, 7, 0),
            buildings=[
                Building("ButtonDefaultInternalVariant", (at, 9, 0), 1, ("ButtonConfig", True) if at == 1 else None)
                for at in range(3)
            ],
        )
        for number in (1, 2, 3)
    ]
    return save_bytes(small_save(islands=[(3, islands)], states=[([], 0, [])], checkpoints=checkpoints))


def place(x: int, y: int) -> bytes:
    """How a building starts, up to its id."""
    return struct.pack("<hhBB", x, y, 0, 1)


def member(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as made:
        return made.read(name)


def names(events: list[Event]) -> list[str]:
    return [event.instance_name for event in events if isinstance(event, ObjectHeader)]


def flipped(data: bytes, island: int, *, to: int) -> bytes:
    """The save with another value in `has_configuration` of the first building of an island."""
    raw = member(data, BUNDLE)
    at = [at for at in range(len(raw)) if raw.startswith(place(0, 9), at)][island] + 10
    return changed(data, BUNDLE, raw, raw[:at] + bytes([to]) + raw[at + 1 :])


def test_buildings_that_do_not_end_with_their_blob_are_lost():
    """The second building would be given with the bytes of a configuration before it."""
    seen = survived(flipped(save(), 1, to=1))
    assert losses(seen) == [("object", ISLANDS[1])]
    assert names(seen) == [name for name in ALL if not name.startswith(f"{ISLANDS[1]}:")]


def test_a_configuration_that_is_hidden_is_no_building():
    raw = member(save(), BUNDLE)
    at = raw.index(place(1, 9)) + 10
    assert raw[at] == 1
    seen = survived(changed(save(), BUNDLE, raw, raw[:at] + b"\0" + raw[at + 1 :]))
    assert losses(seen) == [("object", ISLANDS[0])]
    assert names(seen) == [name for name in ALL if not name.startswith(f"{ISLANDS[0]}:")]


def test_a_newer_save_may_have_more_after_its_buildings():
    """Bytes after a known layout are passed over."""
    data = save()
    raw = member(data, BUNDLE)
    start = raw.index(place(0, 9)) - 8
    size = int.from_bytes(raw[start : start + 4], "little")
    at, outer = start + 4 + size, start - 5
    outer_size = int.from_bytes(raw[outer : outer + 4], "little")
    longer = raw[:outer] + struct.pack("<i?i", outer_size + 2, False, size + 2) + raw[start + 4 : at] + b"\7\7" + raw[at:]
    data = changed(data, BUNDLE, raw, longer)
    assert losses(survived(data)) == [("object", ISLANDS[0])]
    newer = changed(data, "savegame.json", b"1138", b"2000")
    assert (losses(survived(newer)), names(survived(newer))) == ([], ALL)


def test_checkpoints_that_the_save_denies_are_no_islands():
    said = b'"BinaryDataCheckpoints": '
    seen = survived(changed(save(checkpoints=True), "savegame.json", said + b"true", said + b"null"))
    assert names(seen) == []
    assert ("member", BUNDLE) in losses(seen)


@pytest.mark.parametrize("kind", ["island", "building"])
def test_padding_is_no_state(kind):
    """A count of 1 before zeros."""
    data = save()
    raw = member(data, STATES)
    assert not raw.strip(b"\0")
    seen = survived(changed(data, STATES, raw, struct.pack("<ii", kind == "island", kind == "building") + raw[8:]))
    assert names(seen) == ALL
    assert losses(seen) == [("member", STATES)]
    assert [event for event in seen if isinstance(event, Field) and event.name.endswith("_count")][-1].name == "building_count"


def test_islands_before_the_place_where_a_chain_leads_nowhere_are_given():
    """The count of islands is too high, and the buildings of the second one are damaged."""
    raw = member(save(), BUNDLE)
    data = changed(flipped(save(), 1, to=1), BUNDLE, struct.pack("<i", 3) + raw[4:8], struct.pack("<i", 4) + raw[4:8])
    seen = survived(data)
    assert names(seen) == [name for name in ALL if not name.startswith(f"{ISLANDS[1]}:")]
    assert losses(seen) == [("object", ISLANDS[1]), ("member", BUNDLE)]


def test_nothing_is_given_of_another_member_before_its_fault():
    """A bracket too many would give all that follows another place."""
    data = save_bytes(small_save(research={"first": {"one": 1}, "second": {"two": 2}}))
    seen = survived(changed(data, "research.json", b"}", b"}}"))
    assert losses(seen) == [("member", "research.json")]
    assert not {"first", "one", "second", "two"} & {event.name for event in seen if isinstance(event, (StructEnter, Field))}


def code(entries: bytes) -> bytes:
    text = b'{"V":1138,"BP":{"$type":"Building","Entries":[' + entries + b"]}}"
    return b"SHAPEZ2-4-" + base64.b64encode(gzip.compress(text, mtime=0)) + b"$"


def test_an_entry_of_a_blueprint_ends_where_the_next_one_starts():
    """A bracket too many would make an entry without a name."""
    one = b'{"T":"TrashDefaultInternalVariant","X":%d}'
    sound = b",".join([one % 1, one % 2, one % 3])
    assert names(survived(code(sound))) == ["(1, 0, 0)", "(2, 0, 0)", "(3, 0, 0)"]
    at = sound.index(b'{"T"', 1) + 1
    seen = survived(code(sound[:at] + b"}" + sound[at:]))
    assert names(seen) == ["(1, 0, 0)"]
    assert losses(seen) == [("rest of the save", "")]


def test_a_member_whose_header_is_damaged_is_lost_alone():
    data = save()
    at = data.index(STATES.encode())
    seen = survived(data[:at] + b"k" + data[at + 1 :])
    assert losses(seen) == [("member", STATES)]
    assert names(seen) == ALL
