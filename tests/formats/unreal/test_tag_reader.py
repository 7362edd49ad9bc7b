"""Tags of each type, in each spelling: read, and inside of arrays."""

import struct
from itertools import product

import pytest
from edits import family_of
from one_object import NONE, encoded, list_fault
from saves import VALID
from tag_bytes import tag
from unreal_walks import dialect, reader_over, walk
from writer.primitives import fstring, i32
from writer.tags import Array, Fields, Prop

import streamsave
from streamsave import DamagedSave, PropertyTag
from streamsave.formats.unreal.dialect import BlobLayouts
from streamsave.formats.unreal.object_rows import MemberNode
from streamsave.formats.unreal.tag_reader import inner_size_offset
from streamsave.formats.unreal.tags import TAG_KINDS
from streamsave.values import LinearColor

GUID = bytes(range(16))
OTHER_GUID = bytes(range(16, 32))

#: Fields by type: always there, only with GUIDs of structs, only with types of containers; and what the event says of them.
FIELDS: dict[str, tuple[bytes, bytes, bytes, dict[str, object]]] = {
    "IntProperty": (b"", b"", b"", {}),
    "FloatProperty": (b"", b"", b"", {}),
    "ObjectProperty": (b"", b"", b"", {}),
    "StrProperty": (b"", b"", b"", {}),
    "NameProperty": (b"", b"", b"", {}),
    "UInt16Property": (b"", b"", b"", {}),
    "NewProperty": (b"", b"", b"", {}),
    "StructProperty": (fstring("S"), GUID, b"", {"type_name": "S", "struct_guid": GUID}),
    "BoolProperty": (b"\1", b"", b"", {"flag": True}),
    "ByteProperty": (fstring("E"), b"", b"", {"type_name": "E"}),
    "EnumProperty": (fstring("E"), b"", b"", {"type_name": "E"}),
    "ArrayProperty": (fstring("I"), b"", b"", {"inner_type": "I"}),
    "SetProperty": (b"", b"", fstring("I"), {"inner_type": "I"}),
    "OptionalProperty": (b"", b"", fstring("I"), {"inner_type": "I"}),
    "MapProperty": (b"", b"", fstring("I") + fstring("V"), {"inner_type": "I", "value_type": "V"}),
}
GATES = ("struct_guids", "container_types", "property_guids", "extensions")
SPELLINGS = [dict(zip(GATES, gates, strict=True)) for gates in product((False, True), repeat=4)]


def names_of(spelling: dict[str, bool]) -> str:
    return "-".join(name for name, is_on in spelling.items() if is_on) or "none"


def old_tag(kind: str, value: bytes, spelling: dict[str, bool], *, guid: bytes | None = None, name: str = "m") -> bytes:
    always, with_guids, with_types, _ = FIELDS[kind]
    extras = always + (with_guids if spelling["struct_guids"] else b"") + (with_types if spelling["container_types"] else b"")
    end = b"" if not spelling["property_guids"] else b"\0" if guid is None else b"\1" + guid
    if spelling["extensions"]:
        end += b"\2" + bytes(5)
    return tag(name, kind, value, extras=extras, index=3, guid=end)


def test_every_kind_has_a_row():
    assert set(TAG_KINDS) < set(FIELDS)


@pytest.mark.parametrize("spelling", SPELLINGS, ids=names_of)
@pytest.mark.parametrize("kind", FIELDS)
def test_old_tags(kind, spelling):
    """What a tag has is in the event; the second one comes out of the cache."""
    guid = OTHER_GUID if spelling["property_guids"] else None
    one = old_tag(kind, b"value", spelling, guid=guid)
    data = one + one + old_tag("IntProperty", i32(1), spelling, name="after")
    first, second, after = (event for event in walk(data, dialect(**spelling), skips=True))
    said = {"type_name": "", "inner_type": "", "value_type": "", "flag": False, "struct_guid": None} | FIELDS[kind][3]
    if not spelling["struct_guids"]:
        said["struct_guid"] = None
    if not spelling["container_types"] and kind != "ArrayProperty":
        said |= {"inner_type": "", "value_type": ""}
    assert {name: getattr(first, name) for name in said} == said
    assert (first.name, first.type, first.size, first.index, first.guid) == ("m", kind, 5, 3, guid)
    assert {name: getattr(second, name) for name in said} == said
    assert (second.offset, after.name, after.offset) == (len(one), "after", 2 * len(one))


STACK = Fields("InventoryStack")


@pytest.mark.parametrize(
    ("kind", "size", "message", "expected", "actual"),
    [
        ("StructProperty", 19, "size of the elements of an array", 18, 19),
        ("StrangProperty", 18, "type inside of an array of structs", "StructProperty", "StrangProperty"),
    ],
)
def test_an_inner_tag_that_lies(kind, size, message, expected, actual):
    raw = encoded(Prop("m", Array(STACK), [[], []]))
    at = raw.rindex(fstring("StructProperty"))
    error, _, base = list_fault(raw[:at] + fstring(kind) + i32(size) + raw[at + 23 :])
    assert type(error) is DamagedSave
    assert (error.message, error.offset, error.expected, error.actual) == (message, base + at, expected, actual)


# --- properties that come as they did last time ---

THREE = {name: tag(name, "IntProperty", i32(number)) for number, name in enumerate("abc")}


def passed(second: bytes, needed: str | None, *, first: bytes = b"".join(THREE.values()), **attributes: object) -> tuple:
    """How many bytes of a second list are passed over, after a first one was walked; and the names that come then."""
    data = first + NONE + second + NONE + bytes(50)
    reader = reader_over(data, dialect(**attributes))
    reader.properties(reader.cursor)
    start = reader.cursor.tell()
    reader.begin_list(len(data))
    node = None
    if needed is not None:
        node = MemberNode()
        node.add((needed,), 0)
    reader.top.pass_known(reader.cursor, node)
    return reader.cursor.tell() - start, [event.name for event in iter(reader.walk, None)]


SIZE = len(THREE["a"])


@pytest.mark.parametrize(
    ("names", "needed", "count"),
    [("abc", None, 3), ("abc", "b", 1), ("abc", "a", 0), ("abc", "d", 3), ("acb", None, 1), ("bc", None, 0), ("abcd", None, 3)],
)
def test_known_properties_are_passed(names, needed, count):
    """The walk goes on with the first that is needed, or that is another than last time."""
    tags = {**THREE, "d": tag("d", "IntProperty", i32(3))}
    assert passed(b"".join(tags[name] for name in names), needed) == (count * SIZE, list(names[count:]))


def test_what_says_what_a_blob_is_is_not_passed():
    blobs = BlobLayouts("RawData", "Versions", frozenset("b"))
    named = THREE["a"] + tag("b", "NameProperty", fstring("Kind")) + THREE["c"]
    assert passed(named, None, first=named, blobs=blobs) == (SIZE, ["b", "c"])


def test_a_size_that_does_not_fit_is_not_passed():
    """The walk says what is wrong with it."""
    wrong = fstring("b") + fstring("IntProperty") + struct.pack("<ii", 4000, 0) + b"\0" + bytes(4)
    with pytest.raises(DamagedSave, match="size of IntProperty b does not fit"):
        passed(THREE["a"] + wrong, None)


RED = LinearColor(1.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(("sample", "has_inner"), [("sv46.sav", True), ("sv60.sav", False)])
def test_an_array_of_structs_with_fewer_elements(sample, has_inner):
    with streamsave.open(VALID / "satisfactory" / sample) as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == "mColors":
                stored = events.raw()
                encoded = family_of(events).encode(event, [RED])
                start = event.value_offset
                content = start + len(encoded) - 16
                size_at = inner_size_offset(start, content, events._reader.cursor.fork())
                break
    assert stored[:4] > encoded[:4] == b"\1\0\0\0"
    assert encoded[-16:].hex() == "0000803f00000000000000000000803f"
    if has_inner:
        assert stored[4 : size_at - start] == encoded[4 : size_at - start]
        assert encoded[size_at - start : size_at - start + 4] == (16).to_bytes(4, "little")
        assert stored[size_at - start + 4 : content - start] == encoded[size_at - start + 4 : content - start]
    else:
        assert size_at == -1
        assert len(encoded) == 20
