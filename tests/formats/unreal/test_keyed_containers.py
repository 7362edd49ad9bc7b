"""Sets and maps with structs inside: what they remove, what they add, and counts that cannot be."""

from __future__ import annotations

import pytest
from one_object import NEW, OLD, built, encoded, list_fault, property_save, rows_of
from saves import ROOT
from tag_bytes import new_tag, tag, tree
from unreal_walks import NONE, build, dialect, reader_over, walk
from writer.primitives import fstring, i32
from writer.tags import INT, STR, Array, Fields, Map, Prop, Set

import streamsave
from streamsave import BlobSkip, DamagedSave, StructEnter, StructExit, TruncatedSave
from streamsave._build import is_compiled
from streamsave.decode.build import CONTAINER_DELTA
from streamsave.decode.codecs import I32, Struct
from streamsave.decode.cursor import Cursor
from streamsave.formats.unreal.keyed_containers import count_distinct
from streamsave.formats.unreal.struct_guesses import FITTING_SIZE
from streamsave.values import ContainerDelta, Guid

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


def test_the_events_of_a_delta():
    value = i32(1) + ITEM + i32(2) + ITEM + ITEM
    events = walk(struct_set(value))
    enters = [(event.name, event.type_name, event.count) for event in events if isinstance(event, StructEnter) and event.count]
    assert enters[0] == ("m", CONTAINER_DELTA, -1)
    assert ("removed", "Removed", 1) in enters
    assert ("added", "SetProperty", 2) in enters
    assert sum(isinstance(event, StructEnter) for event in events) == sum(isinstance(event, StructExit) for event in events)


@pytest.mark.parametrize("data", [struct_set(i32(0) + i32(1) + ITEM + b"rest"), struct_map(i32(0) + i32(1) + ITEM * 2 + b"rest")])
def test_bytes_after_the_last_element(data):
    [blob] = [event for event in walk(data) if isinstance(event, BlobSkip)]
    assert (blob.size, blob.reason) == (4, "bytes after the last element")


def test_what_is_removed_may_be_more_than_is_tried():
    """The count of what is added is not known before the walk comes there."""
    count = FITTING_SIZE // len(ITEM) + 2
    value = i32(count) + ITEM * count + i32(1) + ITEM
    enters = [event for event in walk(struct_set(value)) if isinstance(event, StructEnter)]
    assert [event.count for event in enters if event.name == "added" and event.index < 0] == [1]
    unknown = i32(count) + ITEM * count + i32(1) + b"odd"
    [blob] = [event for event in walk(struct_set(unknown)) if isinstance(event, BlobSkip)]
    assert (blob.size, blob.reason) == (3, "unknown structs")


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
        with pytest.raises(DamagedSave) as caught:
            reader.walker.keyed._pass_removed(reader, FIXED, peeks=False)
        assert caught.value.offset == 4 + here // 12 * 12
        return
    assert reader.walker.keyed._pass_removed(reader, FIXED, peeks=False) == count
    assert reader.cursor.tell() == 4 + fits * 12


@pytest.mark.skipif(is_compiled(), reason="compiled code does not look methods up")
def test_a_count_of_removed_elements_that_lies_costs_no_step_for_each(monkeypatch):
    """Not even where the size of the container lies with it, so that only the end of the stream contradicts."""
    skips: list[int] = []
    skip = Cursor.skip
    monkeypatch.setattr(Cursor, "skip", lambda cursor, size: (skips.append(size), skip(cursor, size))[1])
    data = (ROOT / "corpora" / "invalid" / "gvas" / "removed-keys-past-end.sav").read_bytes()
    with pytest.raises(TruncatedSave), streamsave.open(data) as events:
        list(events)
    assert 0 < len(skips) < 100


# --- counts ---

NOTHING = Struct("Nothing", None)


@pytest.mark.parametrize(("count", "is_sound"), [(-1, False), (0, True), (1, True), (2, False)])
def test_keys_without_bytes_are_distinct(count, is_sound):
    reader = reader_over(i32(count))
    if is_sound:
        assert count_distinct(reader.cursor, NOTHING) == count
        return
    with pytest.raises(DamagedSave, match="more than one Nothing") as caught:
        count_distinct(reader.cursor, NOTHING)
    assert caught.value.offset == 0


@pytest.mark.parametrize(("count", "is_sound"), [(-1, False), (0, True), (2, True), (9, False)])
@pytest.mark.parametrize("codec", [I32, None])
def test_counts_fit_the_bytes(count, is_sound, codec):
    reader = reader_over(i32(count) + bytes(8))
    if is_sound:
        assert count_distinct(reader.cursor, codec) == count
        return
    with pytest.raises(DamagedSave):
        count_distinct(reader.cursor, codec)


def test_a_later_key_that_is_no_list():
    """Only the first pair is looked at where keys are lists and nothing says what else they may be."""
    spoken = dialect(structs={})
    with pytest.raises(DamagedSave, match="key of a map is no property list"):
        walk(struct_map(i32(0) + i32(2) + ITEM * 2 + KEY + ITEM), spoken)


# --- in saves ---


@pytest.mark.parametrize("version", [OLD, NEW])
def test_removed_elements_are_kept_apart(version):
    """A set or map may say which elements to take away from what a new object has; what it adds is its value."""
    number = tree("IntProperty")
    added = i32(1) + i32(6)
    rows = [
        ("SetProperty", fstring("IntProperty"), [number], i32(2) + i32(4) + i32(5) + added, ContainerDelta([4, 5], [6])),
        (
            "MapProperty",
            fstring("IntProperty") * 2,
            [number] * 2,
            i32(1) + i32(5) + added + i32(7),
            ContainerDelta([5], [(6, 7)]),
        ),
    ]
    for kind, extras, children, data, value in rows:
        raw = tag("m", kind, data, extras=extras) if version == OLD else new_tag("m", tree(kind, *children), data)
        assert built(property_save(raw, version)) == {"m": value}


def test_removed_property_lists_nest():
    one = encoded(Prop("a", INT, 1)) + NONE
    data = i32(1) + one + i32(1) + one
    save = property_save(tag("m", "SetProperty", data, extras=fstring("StructProperty")))
    assert built(save) == {"m": ContainerDelta([{"a": 1}], [{"a": 1}])}
    assert rows_of(save)[1:8] == [
        ("enter", "m", "ContainerDelta", 2 * len(one) + 4, -1, -1),
        ("enter", "removed", "Removed", -1, -1, 1),
        ("enter", "removed", "", -1, 0, -1),
        ("tag", "a", "IntProperty", 4),
        ("exit", "removed", 9),
        ("exit", "removed", 0),
        ("enter", "added", "SetProperty", len(one), -1, 1),
    ]
    pairs = i32(1) + one + i32(1) + one + i32(7)
    save = property_save(tag("m", "MapProperty", pairs, extras=fstring("StructProperty") + fstring("IntProperty")))
    assert built(save) == {"m": ContainerDelta([{"a": 1}], [({"a": 1}, 7)])}


def test_bytes_after_the_last_element_are_passed_over():
    body = i32(0) + i32(1) + NONE + b"stray"
    data = tag("m", "SetProperty", body, extras=fstring("StructProperty")) + encoded(Prop("z", INT, 1))
    rows = rows_of(property_save(data))
    assert rows[4] == ("blob", 5, "bytes after the last element")
    assert rows[-1][:2] == ("tag", "z")


STACK = Fields("InventoryStack")


@pytest.mark.parametrize("count", [-1, -(1 << 31)])
@pytest.mark.parametrize(
    "prop",
    [
        Prop("m", Array(STACK), [[], []]),
        Prop("m", Set(STACK), [[], []]),
        Prop("m", Map(INT, STACK), [(1, []), (2, [])]),
    ],
    ids=lambda prop: prop.type.name,
)
def test_negative_counts(prop, count):
    """An array of structs has its count first, the others after the number of removed elements."""
    raw = encoded(prop)
    start = raw.index(i32(2), raw.index(fstring("StructProperty")))
    error, _, base = list_fault(raw[:start] + i32(count) + raw[start + 4 :])
    assert type(error) is DamagedSave
    assert error.offset == base + start
    assert error.actual == count


@pytest.mark.parametrize("count", [3, 1000])
@pytest.mark.parametrize(
    "prop",
    [Prop("m", Array(STACK), [[], []]), Prop("m", Set(STACK), [[], []]), Prop("m", Map(INT, STACK), [(1, []), (2, [])])],
    ids=lambda prop: prop.type.name,
)
def test_counts_that_lie(prop, count):
    """More elements than there are bytes for end at the value's size."""
    raw = encoded(prop)
    start = raw.index(i32(2), raw.index(fstring("StructProperty")))
    error, _, base = list_fault(raw[:start] + i32(count) + raw[start + 4 :] + encoded(Prop("z", STR, "x" * 100)))
    assert type(error) is DamagedSave
    assert error.offset <= base + len(raw)


def test_a_later_pair_of_a_map_that_is_no_list():
    """The first pair shows what the pairs are."""
    pairs = i32(0) + i32(2) + i32(1) + NONE + i32(2) + b"\xff" * 9
    kind = tree("MapProperty", tree("IntProperty"), tree("StructProperty", tree("Other", tree("/Script/X"))))
    error, events, _ = list_fault(new_tag("m", kind, pairs), NEW)
    assert type(error) is DamagedSave
    assert error.message == "value of a map is no property list"
    assert len(events) > 5
    assert error.path == ("Persistent_Level", "Hand", "m", 1)
