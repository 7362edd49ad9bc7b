"""Unreal save games: hints, skipping, structs in sets and maps, and what is wrong with a file."""

from uuid import UUID

import pytest
from gvas_saves import build, save
from saves import read, read_to_error
from tiling import assert_tiled
from writer.gvas import SaveGame
from writer.gvas_samples import KEY_HANDLE_MAP, invalid, item
from writer.primitives import fstring, i32
from writer.structs import GUID, VECTOR
from writer.tags import BYTE, INT, NAME, Array, Delta, Fields, Map, Prop, Set, byte_enum

import streamsave
from streamsave import Damage, DamagedSave, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveEnd, StructEnter, TruncatedSave
from streamsave.values import Vector

ITEM = Fields("Item", "/Script/Game")


KEY = UUID(int=7)


def test_skipping_what_the_wrapper_cannot_hold():
    with streamsave.open(invalid()["plz-size"]) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                events.skip()
                break
        assert isinstance(next(events), ObjectEnd)
        with pytest.raises(DamagedSave, match="inflates to less"):
            next(events)


#: Longer than a window of the stream.
MANY = 20_000


@pytest.mark.parametrize("path", ["Points", "Outer.Points", "Outer.Points.Value", "Points.Value"])
def test_hints(path):
    points = Prop("Points", Map(NAME, VECTOR), [("a", (1.0, 2.0, 3.0)), ("bc", (0.5, 0.5, 0.5))])
    data = save(Prop("Outer", ITEM, [points]), Prop("After", INT, 3))
    assert build(data)["Outer"]["Points"].reason == "map of unknown structs"
    built = build(data, **{path: "Vector"})
    assert built["Outer"]["Points"] == [("a", Vector(1.0, 2.0, 3.0)), ("bc", Vector(0.5, 0.5, 0.5))]
    assert built["After"] == 3
    assert build(data, **{"Other." + path: "Vector"})["Outer"]["Points"].reason == "map of unknown structs"


@pytest.mark.parametrize("version", [1008, 1012])
@pytest.mark.parametrize("values", [[""], ["EKind::B"], ["EKind::B", "", "EKind::A"], [7], [7, 0, 255]])
def test_bytes_after_property_lists_are_numbers_or_names(version, values):
    """In old tags only the size of the map shows it; that a key is a property list does not."""
    byte = BYTE if isinstance(values[0], int) else byte_enum("EKind")
    pairs = [(item(at), value) for at, value in enumerate(values)]
    data = save(Prop("ByItem", Map(Fields("Item"), byte), pairs), Prop("Behind", INT, 1), ue5=version)
    assert build(data) == {"ByItem": [({"Name": f"Item_{at}", "Count": at}, one) for at, one in enumerate(values)], "Behind": 1}
    assert_tiled(read(data), len(data))


@pytest.mark.parametrize("value", [KEY_HANDLE_MAP, INT])
@pytest.mark.parametrize("change", [Delta([None] * 2, []), Delta([None], [(None, 1)] * 2), Delta([], [(None, 1)] * 2)])
@pytest.mark.parametrize("size", [None, (1 << 31) - 1])
def test_keys_of_no_bytes_are_not_many(value, change, size):
    """They would all be the same, and each is an event: a small file must not give a million, whatever it says of its sizes."""
    data = save(Prop("Map", Map(KEY_HANDLE_MAP, value), change), ue5=1012)
    if size is not None:
        size_at = data.index(i32(8 + 4 * len(change.added) * (value is INT)), data.index(fstring("Map")))
        data = data[:size_at] + i32(size) + data[size_at + 4 :]
    for look in (build, read):
        with pytest.raises(DamagedSave, match="more than one KeyHandleMap, which takes no bytes"):
            look(data)


NUMBERS = list(range(70_000))
GUIDS = [at.to_bytes(16) for at in range(20_000)]


@pytest.mark.parametrize(
    ("kind", "change", "part"),
    [
        (Set(GUID), Delta(GUIDS, GUIDS), "added"),
        (Map(INT, GUID), Delta(NUMBERS, []), "removed"),
        (Map(INT, GUID), Delta([1], list(enumerate(GUIDS))), "added"),
        (Map(GUID, INT), Delta(GUIDS, list(zip(GUIDS, NUMBERS, strict=False))), "added"),
    ],
)
def test_no_element_comes_after_the_end(kind, change, part):
    """Those of one size need not be read to go on, and each is an event: a count of millions has to end where the file does."""
    data = save(Prop("Of", kind, change), ue5=1012)
    enter = next(event for event in read(data) if isinstance(event, StructEnter) and event.name == part)
    end = enter.offset + enter.header_size + 203
    seen, error = read_to_error(data[:end])
    assert isinstance(error, TruncatedSave)
    assert max(event.offset for event in seen) < end
    fields = [event for event in seen if isinstance(event, Field) and event.offset > enter.offset]
    assert all(event.offset + event.size <= end for event in fields)
    assert len(fields) >= 203 // 16 - 2


def test_new_tags_distinguish_a_number_from_an_empty_name():
    kind = byte_enum("EKind")
    props = [Prop("Kinds", Map(BYTE, kind), [(0, "")]), Prop("Bytes", Map(kind, BYTE), [("", 0)])]
    assert build(save(*props, ue5=1012)) == {"Kinds": [(0, "")], "Bytes": [("", 0)]}


@pytest.mark.slow
def test_a_large_array_is_not_held():
    """Windows are let go: what is far back cannot be read again without inflating anew, and is read all the same."""
    points = [(float(at), 0.0, 0.0) for at in range(MANY)]
    data = save(Prop("Points", Array(VECTOR), points), Prop("Items", Array(ITEM), [item(at) for at in range(MANY)]))
    from writer.gvas import plz

    for stored in (data, plz(data, 0x32), plz(data, 0x30)):
        with streamsave.open(stored) as events:
            for event in events:
                if isinstance(event, PropertyTag) and event.name == "Points":
                    assert len(events.build()) == MANY
                elif isinstance(event, PropertyTag) and event.name == "Items":
                    assert events.raw()[:4] == i32(MANY)
            assert isinstance(event, SaveEnd)


@pytest.mark.parametrize("version", [0, 1 << 28])
def test_the_least_and_the_most_custom_version(version):
    with streamsave.open(
        SaveGame([Prop("Here", INT, 1)], custom_versions=[(KEY, version)]).encode(), on_damage="resync"
    ) as events:
        assert [event.name for event in events if isinstance(event, PropertyTag)] == ["Here"]


@pytest.mark.parametrize("versions", [[(KEY, (1 << 28) + 1)], [(KEY, -1)], [(KEY, 1), (KEY, 1)]])
def test_custom_versions_that_have_taken_along_what_follows_are_reported(versions):
    given = read(SaveGame([Prop("Before", INT, 1)], custom_versions=versions).encode(), on_damage="resync")
    assert not any(isinstance(event, (ObjectHeader, PropertyTag)) for event in given)
    (damage,) = [event for event in given if isinstance(event, Damage)]
    assert damage.error.message == "custom versions in the header"
