"""Every version gate, at the version before it and at its own: the same value from the bytes of both layouts."""

import struct
from typing import Any

import pytest
from cursors import cursor_over
from unreal_walks import reader_over
from writer.primitives import fstring, i32, i64

from streamsave import UnsupportedSave
from streamsave.formats.gvas import versions
from streamsave.formats.gvas.header import CustomVersion, GvasHeader, read_header
from streamsave.formats.gvas.structs import make_dialect
from streamsave.formats.unreal.tags import UE5_SERIALIZATION_CONTROL, UE5_TYPE_TREES
from streamsave.values import Guid, Text, Vector

UE4 = "package_version_ue4"
UE5 = "package_version_ue5"


def header(ue4: int = 522, ue5: int | None = None, parts: dict[bytes, int] | None = None) -> GvasHeader:
    """The header of a save game of these versions; the parts that are not named have none."""
    entries = [CustomVersion(Guid(key), version) for key, version in (parts or {}).items()]
    return GvasHeader(3, ue4, ue5, (4, 27, 2), 0, "branch", 3, entries, "Class")


def at(gate: str | bytes, version: int) -> GvasHeader:
    """A header in which that version is the given one."""
    if isinstance(gate, bytes):
        ue5 = 1008 if gate == versions.FORTNITE_MAIN else None
        return header(ue5=ue5, parts={versions.EDITOR_OBJECT: 40, versions.CORE_OBJECT: 4} | {gate: version})
    if gate == UE5:
        return header(ue5=version)
    return header(ue4=version, parts={versions.EDITOR_OBJECT: 40})


def text(history: int, *parts: bytes) -> bytes:
    return struct.pack("<Ib", 8, history) + b"".join(parts)


BASE = text(0, fstring("ns"), fstring("key"), fstring("words"))
WORDS = Text(8, "base", "words", {"namespace": "ns", "key": "key", "source": "words"})
NUMBER = b"\0" + i64(5)
OPTIONS = i32(1) + b"\1" + struct.pack("<4i", 1, 2, 3, 4)
NO_OPTIONS = i32(0)
UTF8_PATH = i32(2) + "ä".encode()

#: Where the version is, the gate, a type, its bytes before and from the gate on, and what the value must have in both.
VALUES: list[tuple[str | bytes, int, str, bytes, bytes, dict[str, Any]]] = [
    (
        UE4,
        versions.UE4_TEXT_HISTORY,
        "TextProperty",
        fstring("words") + fstring("ns") + fstring("key") + i32(8),
        BASE,
        {"history": "base", "flags": 8, "fields": {"namespace": "ns", "key": "key", "source": "words"}},
    ),
    (
        UE4,
        versions.UE4_CURRENCY_CODE,
        "TextProperty",
        text(6, NUMBER, NO_OPTIONS, fstring("en")),
        text(6, fstring("EUR"), NUMBER, NO_OPTIONS, fstring("en")),
        {"history": "currency", "source": "5"},
    ),
    (
        UE4,
        versions.UE4_TIME_ZONE,
        "TextProperty",
        text(7, i64(0), b"\1", fstring("en")),
        text(7, i64(0), b"\1", fstring("UTC"), fstring("en")),
        {"history": "date", "source": "0001-01-01 00:00:00"},
    ),
    (
        versions.EDITOR_OBJECT,
        versions.EDITOR_ALWAYS_SIGN,
        "TextProperty",
        text(4, NUMBER, i32(1), OPTIONS, fstring("en")),
        text(4, NUMBER, i32(1), i32(1), OPTIONS, fstring("en")),
        {"history": "number", "source": "5"},
    ),
    (
        versions.EDITOR_OBJECT,
        versions.EDITOR_CULTURE_INVARIANT,
        "TextProperty",
        text(-1),
        text(-1, i32(0)),
        {"history": "none", "source": ""},
    ),
    (
        versions.UE5_RELEASE,
        versions.UE5_RELEASE_WIDE_ARGUMENTS,
        "TextProperty",
        text(3, BASE, i32(2), fstring("a"), b"\0", i32(-3), fstring("b"), b"\1", i32(-1)),
        text(3, BASE, i32(2), fstring("a"), b"\0", i64(-3), fstring("b"), b"\1", i64((1 << 32) - 1)),
        {"history": "argument_format", "fields": {"format": WORDS, "arguments": [("a", -3), ("b", (1 << 32) - 1)]}},
    ),
    (
        UE4,
        versions.UE4_SOFT_PATH,
        "SoftObjectProperty",
        fstring("a"),
        fstring("a") + fstring(""),
        {"package_name": "", "asset_name": "a", "sub_path": ""},
    ),
    (
        UE5,
        versions.UE5_ASSET_PATHS,
        "SoftObjectProperty",
        fstring("a") + fstring("s"),
        fstring("") + fstring("a") + fstring("s"),
        {"package_name": "", "asset_name": "a", "sub_path": "s"},
    ),
    (
        versions.FORTNITE_MAIN,
        versions.FORTNITE_UTF8_SUB_PATH,
        "SoftObjectProperty",
        fstring("p") + fstring("a") + fstring("ä"),
        fstring("p") + fstring("a") + UTF8_PATH,
        {"package_name": "p", "asset_name": "a", "sub_path": "ä"},
    ),
    (
        versions.CORE_OBJECT,
        versions.CORE_FIELD_OWNER,
        "FieldPathProperty",
        i32(1) + fstring("f"),
        i32(1) + fstring("f") + fstring(""),
        {"names": ["f"], "owner": ""},
    ),
]


def assert_value(codec: Any, data: bytes, said: dict[str, Any]) -> None:
    reader = reader_over(data)
    value = codec.decode(reader.cursor, reader)
    assert reader.cursor.remaining() == 0
    assert {name: getattr(value, name) for name in said} == said


@pytest.mark.parametrize(("gate", "version", "kind", "before", "after", "said"), VALUES)
def test_values(gate, version, kind, before, after, said):
    for number, data in ((version - 1, before), (version, after), (version + 1, after)):
        codec = make_dialect(at(gate, number)).scalar(kind)
        assert_value(codec, data, said)


@pytest.mark.parametrize(("version", "size"), [(versions.UE5_LARGE_WORLD - 1, 12), (versions.UE5_LARGE_WORLD, 24)])
def test_large_worlds(version, size):
    spoken = make_dialect(header(ue5=version))
    assert spoken.structs["Vector"].size == size
    assert spoken.other_structs["Vector"].size == 36 - size
    reader = reader_over(struct.pack("<3f" if size == 12 else "<3d", 1, 2, 3))
    assert spoken.structs["Vector"].decode(reader.cursor, reader) == Vector(1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("version", "data", "value"),
    [
        (versions.UE4_NET_ID_TYPE - 1, i32(5) + fstring("id"), {"contents": "id"}),
        (versions.UE4_NET_ID_TYPE, i32(5) + fstring("Steam") + fstring("id"), {"type": "Steam", "contents": "id"}),
        (versions.UE4_NET_ID_TYPE, i32(0), None),
    ],
)
def test_net_ids(version, data, value):
    reader = reader_over(data)
    assert make_dialect(header(version)).structs["UniqueNetIdRepl"].decode(reader.cursor, reader) == value
    assert reader.cursor.remaining() == 0


#: Which attribute of a dialect a version turns on, and at which version another one turns it off again.
TAGS = [
    (UE4, versions.UE4_STRUCT_GUID, "struct_guids", None),
    (UE4, versions.UE4_INNER_ARRAY_TAG, "inner_tags", None),
    (UE4, versions.UE4_PROPERTY_GUID, "property_guids", None),
    (UE4, versions.UE4_CONTAINER_TYPES, "container_types", None),
    (UE5, UE5_SERIALIZATION_CONTROL, "extensions", UE5_TYPE_TREES),
    (UE5, UE5_TYPE_TREES, "new_tags", None),
]


@pytest.mark.parametrize(("gate", "version", "name", "until"), TAGS)
def test_tags(gate, version, name, until):
    assert getattr(make_dialect(at(gate, version - 1)), name) is False
    assert getattr(make_dialect(at(gate, version)), name) is True
    if until is not None:
        assert getattr(make_dialect(at(gate, until - 1)), name) is True
        assert getattr(make_dialect(at(gate, until)), name) is False


def header_bytes(save_game_version: int, ue5: bytes, custom: bytes, control: bytes = b"", name: str = "Class") -> bytes:
    fixed = struct.pack("<3HI", 4, 27, 2, 7) + fstring("branch")
    return b"GVAS" + i32(save_game_version) + i32(522) + ue5 + fixed + custom + fstring(name) + control + fstring("None")


CUSTOM = i32(3) + i32(0)


@pytest.mark.parametrize(
    ("version", "is_ue5"),
    [(versions.UE5_LEAST - 1, False), (versions.UE5_LEAST, True), (versions.UE5_MOST, True), (versions.UE5_MOST + 1, False)],
)
def test_the_range_of_versions_of_ue5(version, is_ue5):
    from streamsave.formats.gvas.header import _is_ue5_next

    assert _is_ue5_next(cursor_over(i32(version))) is is_ue5


def test_the_control_of_an_overridable_class_has_a_second_byte():
    """The class has a header that is known; of others, the bytes up to the first property show it."""
    known = i32(1) + i32(9)
    data = header_bytes(3, i32(UE5_SERIALIZATION_CONTROL), CUSTOM, known + b"\2\1", "Abiotic_CharacterSave_C")
    reader = reader_over(data)
    read = read_header(reader.cursor, reader)
    assert (read.class_header, read.serialization_control) == ({"version": 1, "size": 9}, 2)
    assert read.size == len(data) - len(fstring("None"))


KEY = bytes(range(16))


@pytest.mark.parametrize(
    ("custom", "entry"),
    [
        (i32(1) + i32(1) + KEY + i32(9) + fstring("Part"), CustomVersion(Guid(KEY), 9, "Part")),
        (i32(2) + i32(1) + i32(7) + i32(9), CustomVersion(7, 9)),
        (i32(3) + i32(1) + KEY + i32(9), CustomVersion(Guid(KEY), 9)),
    ],
)
def test_formats_of_custom_versions(custom, entry):
    reader = reader_over(header_bytes(2, b"", custom))
    read = read_header(reader.cursor, reader)
    assert read.custom_versions == [entry]
    assert read.custom_version(KEY) == (9 if isinstance(entry.key, Guid) else -1)


@pytest.mark.parametrize("number", [0, 4])
def test_unknown_formats_of_custom_versions(number):
    reader = reader_over(header_bytes(2, b"", i32(number) + i32(0)))
    with pytest.raises(UnsupportedSave):
        read_header(reader.cursor, reader)
