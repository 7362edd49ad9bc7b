"""Which sections each kind of entry has, and sections one by one."""

import pytest
from arx_worlds import built, one
from saves import raises, read
from tiling import assert_tiled
from writer.arx import DEFLATED
from writer.arx_entries import VERSION
from writer.arx_structs import encode_struct

from streamsave import BlobSkip, DamagedSave, Limits, ObjectEnd, ObjectHeader, SaveEnd, SaveStart, StructExit
from streamsave.decode.reader import Length, Options
from streamsave.formats.arx.entity import KINDS
from streamsave.formats.arx.layout import VARIABLE, find_type, struct_of
from streamsave.formats.arx.reader import ArxReader
from streamsave.input.source import open_source


def test_entries_that_are_not_what_their_name_says():
    for name, data, reason in (
        (b"pld", bytes(395), "too short for a PLAYER_LEVEL_DATA of 396 bytes"),
        (b"bread_0001", b"note", "too short for a IO_SAVE of 55192 bytes"),
        (b"lvl003", bytes(1515), "too short for a INDEX of 1516 bytes"),
        (b"notes", b"abc", "entry of an unknown kind"),
    ):
        events = read(one(name, data))
        assert [event for event in events if isinstance(event, BlobSkip)] == [BlobSkip(0, len(data), reason)]
        assert_tiled(events, len(data))
    for name in (b"pld", b"bread_0001", b"notes"):
        assert [type(event) for event in read(one(name, b""))] == [SaveStart, ObjectHeader, ObjectEnd, SaveEnd]


def test_a_kind_of_entity_that_is_not_known():
    data = encode_struct("IO_SAVE", {"version": VERSION, "savesystem_type": 6}) + bytes(24) + b"whatever"
    blobs = [event for event in read(one(b"ghost_0001", data, DEFLATED)) if isinstance(event, BlobSkip)]
    assert blobs[-1] == BlobSkip(55192 + 24, 8, "unknown kind of entity 6")


def test_part_of_an_ambiance():
    data = encode_struct("INDEX", {"version": VERSION, "ambiances_data_size": 270, "nb_lights": 1}) + bytes(270 + 8)
    events = read(one(b"lvl001", data))
    assert_tiled(events, len(data))
    assert BlobSkip(1516 + 268, 2, "part of an ambiance") in events


def entity_of(kind: int, rest: bytes, **io: int) -> bytes:
    return encode_struct("IO_SAVE", {"version": VERSION, "savesystem_type": kind, **io}) + bytes(24) + rest


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_entity(kind):
    name, struct = KINDS[kind]
    values = built(one(b"thing_0001", entity_of(kind, bytes(struct_of(struct).size))))["thing_0001"]
    assert list(values) == [
        "io", "timers", "script", "script_variables", "override_script", "override_script_variables", name, "groups", "tweaks"
    ]  # fmt: skip


COUNTS = [
    # name of the entry, first struct, its field, bytes of an element
    (b"player", "PLAYER", "nb_player_quest", 80),
    (b"player", "PLAYER", "keyring_nb", 64),
    (b"player", "PLAYER", "nb_mapmarkers", 76),
    (b"globals", "SAVE_GLOBALS", "nb_globals", 72),
    (b"lvl001", "INDEX", "nb_inter", 1296),
    (b"lvl001", "INDEX", "nb_paths", 384),
    (b"lvl001", "INDEX", "nb_lights", 8),
]


@pytest.mark.parametrize(("name", "struct", "field", "size"), COUNTS)
def test_each_count_at_what_fits_and_one_above(name, struct, field, size):
    def entry(count: int) -> bytes:
        version = 0 if struct == "PLAYER" else VERSION
        return one(name, encode_struct(struct, {"version": version, field: count}) + bytes(3 * size))

    read(entry(3))
    with raises(DamagedSave, match="do not fit", expected="0 to 3", actual=4):
        read(entry(4))
    with pytest.raises(DamagedSave, match="count -1 is negative"):
        read(entry(-1))


def test_ambiances_at_what_fits_and_one_byte_above():
    def entry(size: int) -> bytes:
        return one(b"lvl001", encode_struct("INDEX", {"version": VERSION, "ambiances_data_size": size}) + bytes(2 * 268))

    read(entry(2 * 268))
    with pytest.raises(DamagedSave):
        read(entry(2 * 268 + 1))


ENTITY_COUNTS = [("nbtimers", 92), ("nb_iogroups", 64), ("tweak_nb", 516)]


@pytest.mark.parametrize(("field", "size"), ENTITY_COUNTS)
def test_each_count_of_an_entity(field, size):
    def read_with(count: int) -> None:
        read(one(b"mark_0001", entity_of(5, bytes(4 + 2 * size), **{field: count})))

    read_with(2)
    with pytest.raises(DamagedSave, match=r"do not fit|no room"):
        read_with(3)
    with pytest.raises(DamagedSave, match="count -1 is negative"):
        read_with(-1)


LIGHT = struct_of("LIGHT")
#: Where the number of an array is, in some struct before it.
COUNT = Length(0, 4, counts=True)


def sections_over(data: bytes, *, sparse: bool = False) -> ArxReader:
    reader = ArxReader(open_source(data), Limits())
    reader.cursor.set_limit(len(data))
    reader.options = Options(sparse=sparse)
    return reader


@pytest.mark.parametrize("size", [7, 0])
def test_struct_without_room(size):
    reader = sections_over(bytes(size))
    with raises(DamagedSave, match="no room for a LIGHT", expected="8 bytes", actual=size):
        list(reader.struct("light", LIGHT))


@pytest.mark.parametrize("count", [1, 2])
def test_room_at_what_fits_and_one_above(count):
    """One element fits, of any kind."""
    for element in (LIGHT, find_type("char[4]"), VARIABLE):
        reader = sections_over(bytes(element.least))
        if count == 1:
            assert isinstance(list(reader.array("some", element, count, COUNT))[-1], StructExit)
            continue
        with raises(DamagedSave, match="2 some do not fit", expected="0 to 1", actual=2):
            list(reader.array("some", element, count, COUNT))
