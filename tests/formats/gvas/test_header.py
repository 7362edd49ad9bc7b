"""The header of a save game from bytes made by hand. The gates of its versions are in `test_versions.py`."""

import struct

import pytest
from attrs import evolve
from gvas_saves import build
from saves import start_of
from tag_bytes import tag
from unreal_walks import reader_over
from writer.gvas import SaveGame, archive
from writer.gvas_samples import plain, valid
from writer.primitives import fstring, i32, u32
from writer.tags import INT, Prop

import streamsave
from streamsave import BlobSkip, DamagedSave, Limits, ObjectHeader, SaveEnd, TruncatedSave, UnsupportedSave
from streamsave.formats.gvas.header import CLASS_HEADER_SIZE, MARKER, GvasHeader, read_header
from streamsave.formats.unreal.tags import UE5_SERIALIZATION_CONTROL

NONE = fstring("None")
PROPERTY = fstring("Health") + fstring("IntProperty") + i32(4) + i32(0) + b"\0" + i32(7) + NONE


def start(version: int = 2, ue5: bytes = b"") -> bytes:
    engine = struct.pack("<HHHI", 4, 27, 2, 0x8000_0005)
    return b"GVAS" + i32(version) + i32(522) + ue5 + engine + fstring("branch")


def header_bytes(class_name: str = "C", *, customs: bytes = i32(3) + i32(0), ue5: bytes = b"") -> bytes:
    return start(3 if ue5 else 2, ue5) + customs + fstring(class_name)


def new_header_bytes(class_name: str = "C") -> bytes:
    """Up to the control of the serialization."""
    return header_bytes(class_name, ue5=i32(UE5_SERIALIZATION_CONTROL))


def read(data: bytes, limits: Limits | None = None) -> GvasHeader:
    reader = reader_over(data, limits=limits)
    header = read_header(reader.cursor, reader)
    assert header.size == reader.cursor.tell()
    return header


@pytest.mark.parametrize("data", [b"GVAT", b"gvas", b"\0" * 4])
def test_another_magic(data):
    with pytest.raises(UnsupportedSave, match="no save game starts here"):
        read(data + start()[4:])


@pytest.mark.parametrize("size", [1, CLASS_HEADER_SIZE - 1])
def test_a_save_that_ends_while_its_properties_are_searched(size):
    with pytest.raises(DamagedSave):
        read(header_bytes() + b"\xfe" * size)


@pytest.mark.parametrize(
    ("before", "header", "control"),
    [
        (b"\0", None, 0),
        (b"\1", None, 1),
        (b"\2\0", None, 2),
        (b"\2\1", None, 2),
        (b"\2\2", None, 2),
        (b"\3\5", None, 3),
        (b"\7\0", b"\7", 0),
        (b"\2\0\0", b"\2\0", 0),
        (b"\7\2\0", b"\7\2", 0),
        (b"\7\2\1", b"\7", 2),
        (b"\7\7\2\2", b"\7\7", 2),
        (b"\7\7\2", b"\7\7", 2),
        (b"\6", None, 6),
        (b"\0" * 8 + b"\3\3", b"\0" * 8, 3),
    ],
)
def test_a_class_header_and_the_control_after_it(before, header, control):
    """Whatever is taken for what: the properties start where they do."""
    data = new_header_bytes()
    found = read(data + before + PROPERTY)
    assert (found.class_header, found.serialization_control) == (header, control)
    assert found.size == len(data) + len(before)


@pytest.mark.parametrize("at", range(len(PROPERTY)))
def test_a_damaged_first_property_is_no_class_header(at):
    """Another one follows it, and could be taken for the first."""
    for head in (header_bytes(), new_header_bytes() + b"\0"):
        found = read(head + (PROPERTY[:at] + bytes([PROPERTY[at] ^ 0x15]) + PROPERTY[at + 1 :]) + PROPERTY)
        assert (found.class_header, found.size) == (None, len(head))


@pytest.mark.parametrize("size", [2, 4, 8, 12])
@pytest.mark.parametrize("byte", [b"\0", b"\xa5"])
def test_a_first_property_with_bytes_overwritten_is_no_class_header(size, byte):
    """Not even where its type cannot be seen any more: its name, or its index, is left."""
    first = tag("Experience", "IntProperty", i32(5))
    for at in range(len(first) - size):
        damaged = first[:at] + byte * size + first[at + size :]
        found = read(header_bytes() + damaged + PROPERTY)
        assert (found.class_header, found.size) == (None, len(header_bytes())), at


@pytest.mark.parametrize("name", ["Abiotic_WorldSave_C", "Abiotic_Other_C", "New_C"])
def test_a_marker_is_enough(name):
    """Whatever the class, and though the first property is damaged."""
    data = header_bytes(name) + MARKER + i32(3) + i32(1) + i32(9)
    for first in (PROPERTY, b"\xff" * 5 + PROPERTY[5:] + PROPERTY):
        found = read(data + first)
        assert found.class_header == {"marker": "ABF_SAVE_VERSION", "version": 3, "kind": 1, "size": 9}
        assert found.size == len(data)


ODD = b"\xfe" * 9
#: With a type of two bytes a letter, as the length of its name is wrong.
WIDE = fstring("Health") + i32(-13) + "IntProperty\0".encode("utf-16-le") + i32(4) + i32(0) + b"\0" + i32(7)


@pytest.mark.parametrize(
    ("data", "is_header"),
    [
        (b"\xfe", True),
        (b"\xfe" * CLASS_HEADER_SIZE, True),
        (b"\xfe" * (CLASS_HEADER_SIZE + 1), False),  # the fault is found where the header should have ended
        (fstring("OTHER_MARK_2") + i32(3) + i32(1), True),
        (ODD + b"IntPxopxxty" + ODD, False),  # a first property is known by five letters of its type
        (ODD + b"IntPxxpxxty" + ODD, True),
        (WIDE, False),
    ],
)
def test_what_a_class_header_is(data, is_header):
    """Bytes up to the first property, but not a damaged one: another one follows it, and could be taken for the first."""
    for head in [header_bytes()] if is_header else [header_bytes(), new_header_bytes() + b"\0"]:
        found = read(head + data + PROPERTY)
        assert (found.class_header, found.size) == ((data, len(head + data)) if is_header else (None, len(head)))


def test_numbers_of_the_engine_have_no_sign():
    header = read(evolve(plain(), engine=(4, 0xFFFF, 0x8000), changelist=0xFFFF_FFFF).encode())
    assert (header.engine_version, header.changelist) == ((4, 0xFFFF, 0x8000), 0xFFFF_FFFF)


def test_what_a_class_writes_first_is_no_length_of_a_name():
    """Its last byte may be one with those of the first name's length, so that it leads from there to the type of another."""
    props = [Prop("m", INT, at) for at in range(30)]
    found = 0
    for last in range(1, 256):
        header = bytes([0xFF, 0xFF, last])
        data = SaveGame(props, class_header=header).encode()
        start = data.index(header) + 2
        size = int.from_bytes(data[start : start + 4], "little")
        found += data[start + 4 + size :].startswith(fstring("IntProperty"))
        assert len(build(data)) == len(props)
    assert found > 0


# --- the settings of a server, and the size before the magic ---


def test_the_size_before_the_magic():
    """Only in an archive: elsewhere no save game starts with a number."""
    data = valid()["wrapper-archive-size"]
    header = start_of(data).header
    game = evolve(plain(), ue5=1017, engine=(5, 6, 1)).encode()
    assert (header.stated_size, header.wrapper) == (len(game), "archive")
    assert header.size == 4 + len(evolve(plain(), ue5=1017, engine=(5, 6, 1)).header())
    assert build(data) == build(game)
    assert start_of(valid()["wrapper-archive"]).header.stated_size is None
    with pytest.raises(UnsupportedSave):
        start_of(u32(len(game)) + game)


@pytest.mark.parametrize(("more", "is_cut"), [(0, False), (1, True), (1 << 30, True), (-1, False)])
@pytest.mark.parametrize("skips", [True, False])
def test_a_size_before_the_magic_that_lies(more, is_cut, skips):
    """A stream that ends before it is cut off; what follows it is passed over."""
    game = plain().encode()
    data = archive(u32(len(game) + more) + game, block_size=64)
    events = []
    with streamsave.open(data) as stream:
        try:
            for event in stream:
                events.append(event)
                if skips and isinstance(event, ObjectHeader):
                    stream.skip()
        except TruncatedSave:
            assert is_cut
            return
    assert not is_cut
    assert sum(event.size for event in events if isinstance(event, BlobSkip)) == (1 if skips and more < 0 else 0)
    assert events[-1] == SaveEnd(4 + len(game))
