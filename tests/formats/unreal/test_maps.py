"""Sets and maps with structs inside: what they remove, what they add, and counts that cannot be."""

import pytest
from saves import ROOT, raises
from tag_bytes import tag
from unreal_walks import NONE, build, dialect, reader_over, walk
from writer.primitives import fstring, i32

import streamsave
from streamsave import BlobSkip, DamagedSave, Event, Field, StructEnter, TruncatedSave
from streamsave.decode.codecs import I32, Codec, Struct
from streamsave.decode.codecs import Array as ArrayCodec
from streamsave.decode.cursor import Cursor
from streamsave.decode.known_bytes import COMPILED
from streamsave.errors import SaveError
from streamsave.formats.unreal.codecs import Dynamic
from streamsave.formats.unreal.containers import FITTING_SIZE
from streamsave.formats.unreal.maps import count_distinct, pass_removed
from streamsave.values import ContainerDelta, Guid, Opaque

KEY = bytes(range(16))
ITEM = tag("n", "IntProperty", i32(5)) + NONE
STRUCT = fstring("StructProperty")


def struct_set(value: bytes) -> bytes:
    return tag("m", "SetProperty", value, extras=STRUCT)


def struct_map(value: bytes) -> bytes:
    return tag("m", "MapProperty", value, extras=STRUCT * 2)


SETS = [
    # what is removed and added, and what is built
    (i32(0) + i32(0), []),
    (i32(0) + i32(1) + ITEM, [{"n": 5}]),
    (i32(1) + ITEM + i32(2) + ITEM + ITEM, ContainerDelta([{"n": 5}], [{"n": 5}, {"n": 5}])),
    (i32(2) + KEY + KEY + i32(1) + ITEM, ContainerDelta([Guid(KEY), Guid(KEY)], [{"n": 5}])),
    (i32(1) + ITEM + i32(0), ContainerDelta([{"n": 5}], [])),
    (i32(1) + KEY + i32(1) + KEY, ContainerDelta([Guid(KEY)], [Guid(KEY)])),
    (i32(1) + ITEM + i32(1) + KEY, ContainerDelta([{"n": 5}], [Guid(KEY)])),
]


@pytest.mark.parametrize(("value", "built"), SETS)
def test_sets(value, built):
    assert build(struct_set(value)) == {"m": built}


MAPS = [
    (i32(0) + i32(0), []),
    (i32(0) + i32(1) + KEY + ITEM, [(Guid(KEY), {"n": 5})]),
    (i32(1) + KEY + i32(1) + KEY + ITEM, ContainerDelta([Guid(KEY)], [(Guid(KEY), {"n": 5})])),
    (i32(1) + ITEM + i32(1) + ITEM + ITEM, ContainerDelta([{"n": 5}], [({"n": 5}, {"n": 5})])),
    (i32(1) + KEY + i32(0), ContainerDelta([Guid(KEY)], [])),
]


@pytest.mark.parametrize(("value", "built"), MAPS)
def test_maps(value, built):
    assert build(struct_map(value)) == {"m": built}


@pytest.mark.parametrize("data", [struct_set(i32(0) + i32(1) + ITEM + b"rest"), struct_map(i32(0) + i32(1) + ITEM * 2 + b"rest")])
def test_bytes_after_the_last_element(data):
    [blob] = [event for event in walk(data) if isinstance(event, BlobSkip)]
    assert (blob.size, blob.reason) == (4, "bytes after the last element")


NAMES, INTS = fstring("NameProperty"), fstring("IntProperty")


@pytest.mark.parametrize(
    ("types", "removed", "rest", "added"),
    [
        (STRUCT, ITEM, i32(1) + ITEM, [{"n": 5}]),
        (STRUCT, KEY, i32(1) + KEY, [Guid(KEY)]),
        (STRUCT, ITEM, i32(1) + b"odd", [Opaque(b"odd", "unknown structs")]),
        (NAMES + STRUCT, fstring("k"), i32(2) + (fstring("a") + ITEM) * 2, [("a", {"n": 5})] * 2),
        (STRUCT + INTS, ITEM, i32(1) + ITEM + i32(4), [({"n": 5}, 4)]),
        (NAMES + STRUCT, fstring("k"), i32(1) + fstring("a") + b"odd", [Opaque(fstring("a") + b"odd", "unknown structs")]),
        (NAMES + STRUCT, fstring("k"), i32(0), []),
    ],
)
def test_what_is_removed_may_be_more_than_is_tried(types, removed, rest, added):
    """The count of what is added is not known before the walk comes there."""
    count = FITTING_SIZE // len(removed) + 2
    data = tag("m", "SetProperty" if types == STRUCT else "MapProperty", i32(count) + removed * count + rest, extras=types)
    delta = build(data)["m"]
    assert (len(delta.removed), delta.added) == (count, added)
    enters = [event.count for event in walk(data) if isinstance(event, StructEnter) and event.name == "added" and event.index < 0]
    assert enters == [int.from_bytes(rest[:4], "little")]


FIXED = Struct("Fixed", None, n=I32, more=I32, last=I32)


@pytest.mark.parametrize(
    "count", [0, 1, 7, FITTING_SIZE // 12, FITTING_SIZE // 12 + 1, FITTING_SIZE // 12 + 2, FITTING_SIZE // 4]
)
@pytest.mark.parametrize("here", [0, 12, 40, FITTING_SIZE + 11, FITTING_SIZE + 12, FITTING_SIZE + 24])
def test_removed_elements_of_a_fixed_size_are_passed_as_one_by_one(count, here):
    """As many, and the first that does not fit is the place of the error."""
    if count > here:
        return  # refused before: each has a byte at least
    reader = reader_over(i32(count) + bytes(here))
    fits = min(count, FITTING_SIZE // 12 + 1)
    if fits * 12 > here:
        with raises(DamagedSave, offset=4 + here // 12 * 12):
            pass_removed(reader, FIXED, peeks=False)
        return
    assert pass_removed(reader, FIXED, peeks=False) == count
    assert reader.cursor.tell() == 4 + fits * 12


@pytest.mark.skipif(COMPILED, reason="compiled code does not look methods up")
def test_a_count_of_removed_elements_that_lies_costs_no_step_for_each(monkeypatch):
    """Not even where the size of the container lies with it, so that only the end of the stream contradicts."""
    skips: list[int] = []
    skip = Cursor.skip
    monkeypatch.setattr(Cursor, "skip", lambda cursor, size: (skips.append(size), skip(cursor, size))[1])
    data = (ROOT / "corpora" / "invalid" / "gvas" / "removed-keys-past-end.sav").read_bytes()
    with pytest.raises(TruncatedSave), streamsave.open(data) as events:
        list(events)
    assert 0 < len(skips) < 100


NOTHING = Struct("Nothing", None)


@pytest.mark.parametrize(("count", "is_sound"), [(-1, False), (0, True), (1, True), (2, False)])
def test_keys_without_bytes_are_distinct(count, is_sound):
    reader = reader_over(i32(count))
    if is_sound:
        assert count_distinct(reader.cursor, NOTHING) == count
        return
    with raises(DamagedSave, match="more than one Nothing", offset=0):
        count_distinct(reader.cursor, NOTHING)


def test_a_later_key_that_is_no_list():
    """Only the first pair is looked at where keys are lists and nothing says what else they may be."""
    spoken = dialect(structs={})
    with pytest.raises(DamagedSave, match="key of a map is no property list"):
        walk(struct_map(i32(0) + i32(2) + ITEM * 2 + KEY + ITEM), spoken)


STEP_ITEM = tag("n", "IntProperty", i32(5)) + NONE


def steps(codec: Codec, data: bytes) -> list[Event]:
    """The events of one member of a struct that is built."""
    reader = reader_over(data)
    reader.build.begin()
    reader.begin_members(Struct("", None, it=codec), len(data))
    events = list(iter(reader.walk, None))
    assert reader.cursor.tell() == len(data)
    return events


def test_while_building_a_struct_is_whole():
    """`build` decodes a struct that may have a list inside as one value."""
    data = i32(1) + fstring("L") + fstring("P") + i32(len(STEP_ITEM)) + STEP_ITEM
    assert [type(event) for event in steps(Dynamic(), data)] == [Field]
    assert [type(event) for event in steps(Struct("S", None, a=Dynamic()), data)] == [Field]


def test_the_type_before_a_struct():
    data = i32(1) + fstring("L") + fstring("P") + i32(len(STEP_ITEM)) + STEP_ITEM
    reader = reader_over(data)
    reader.begin_members(Struct("", None, it=Dynamic()), len(data))
    enter = reader.walk()
    assert isinstance(enter, StructEnter)
    reference = reader.script_struct(enter)
    assert (reference.level_name, reference.path_name) == ("L", "P")
    assert reader.script_struct(StructEnter(enter.offset + 1, "", "", 4, 0, -1, -1)) is None


@pytest.mark.parametrize("count", [1, 3])
def test_no_element_comes_from_beyond_the_end(count):
    """Elements of a fixed size are passed over unread; each is still asked for before it is announced."""
    data = i32(count) + i32(1) * count
    reader = reader_over(data[:-1])
    reader.cursor.set_limit(len(data))
    reader.begin_members(Struct("", None, it=ArrayCodec(I32, streams=True)), len(data))
    assert isinstance(reader.walk(), StructEnter)
    for _ in range(count - 1):
        assert isinstance(reader.walk(), Field)
    with raises(SaveError, offset=len(data) - 4):
        reader.walk()
