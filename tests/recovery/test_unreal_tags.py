"""Properties of damaged saves: each that is given is one that was there, the others are told as lost."""

from collections.abc import Iterator

import pytest
from damage import survived
from proofs import AFTER, BEFORE, COUNT, ITEMS, LABEL, Case, assert_given, given_and_lost, lies_after, place, put, save, with_size
from saves import VALID, read
from writer.primitives import fstring, i32
from writer.structs import GUID, VECTOR
from writer.tags import BOOL, FLOAT, INT, STR, Array, Encoded, Fields, Map, Prop

from streamsave import Damage, DamagedSave, PropertyTag
from streamsave.recovery.unreal_tags import starts_in, tags_in

ITEM = Fields("Item", "/Script/Game")
SOUND = save(BEFORE, COUNT, LABEL, AFTER)
NUMBER = SOUND.index(i32(770_077))
VECTORS = Prop("Vectors", Array(VECTOR), [(1.0, 2.0, 3.0)])
INNER = Prop("Inner", Fields("Inner", "/Script/Game"), [COUNT, LABEL])
OUTER = Prop("Outer", Fields("Outer", "/Script/Game"), [INNER, Prop("Last", INT, 3)])


def tag_of_event(data: bytes, name: str) -> PropertyTag:
    return next(event for event in read(data) if isinstance(event, PropertyTag) and event.name == name)


def values() -> Iterator[Case]:
    yield "sound", SOUND, "Before Count Label After", ""
    # A value that does not have its size is lost.
    yield "a number of less", with_size(SOUND, "Count", 3), "Before Label After", "Count"
    yield "a number of more", with_size(SOUND, "Count", 5), "Before Label After", "Count"
    yield "a text of less", with_size(SOUND, "Label", 10), "Before Count After", "Label"
    yield "a text of more", with_size(SOUND, "Label", 30), "Before Count After", "Label"
    yield "a huge number", with_size(SOUND, "Before", 0x7FFFFFF), "Count Label After", "Before"
    yield "the first", with_size(SOUND, "Before", 5), "Count Label After", "Before"
    # A property starts where the value itself ends. What looks like one at the size may be inside of another value.
    yield "a size up to another", with_size(SOUND, "Count", place(SOUND, "After") - NUMBER), "Before Label After", "Count"
    # The tag that starts in a value has a type that is none.
    yield "a byte between two", put(SOUND, NUMBER + 4, b"\0", 0), "Before Count Label After", "property"
    # Bytes are missing in a value, so it ends in the tag after it. A tag that is damaged itself costs nothing before it.
    data = save(BEFORE, LABEL, COUNT, AFTER)
    yield "a value has swallowed a tag", put(data, data.index(b"needle"), b"", 3), "Before Count After", "Label"
    yield "a length of a name", put(data, place(data, "Count"), b"\xff"), "Before Label After", "property"
    data = save(BEFORE, Prop("Item", ITEM, [Prop("Inner", INT, 5), Prop("Last", INT, 6)]), AFTER)
    at = place(data, "IntProperty", place(data, "Last"))
    yield "a member", put(data, at, fstring("Int/Propert")), "Before Item Inner After", "Last"
    for prop, given, lost in ((COUNT, "Before Label", "Count"), (Prop("On", BOOL, True), "Before On Label", "")):
        yield f"{prop.name} without bytes", with_size(save(BEFORE, prop, LABEL), prop.name, 0), given, lost
    # Bytes too many: all sizes around them are too small by as many, so the lists end later.
    data = save(OUTER, AFTER)
    at = data.index(b"needle")
    yield "more in lists", put(data, at, b"123", 0), "Outer Inner Count Label Last After", "Inner"
    yield "more than its size", with_size(save(LABEL, COUNT, AFTER), "Label", 8), "Count After", "Label"


def types() -> Iterator[Case]:
    """What is no tag is no property. With a type that is none, all that follows in the tag may be read from the wrong place."""
    at, kind = place(SOUND, "Count"), place(SOUND, "IntProperty", place(SOUND, "Count"))
    wide = fstring("IntPr\x81perty")
    yield "a letter of a type", put(SOUND, kind, wide, len(fstring("IntProperty"))), "Before Label After", "Count"
    yield "no type", put(SOUND, kind, fstring("Int/Propert")), "Before Label After", "Count"
    yield "a new type", put(SOUND, kind, fstring("NewProperty")), "Before Count Label After", ""
    yield "a NUL in a name", put(SOUND, at, i32(6) + b"Co\0nt\0"), "Before Label After", "property"
    for lost, stored in {"Count\xff": i32(6) + b"Count\xff", "\xfc": i32(-1) + b"\xfc\0", "C": i32(1) + b"C"}.items():
        yield f"{lost} without a NUL", put(SOUND, at, stored, len(fstring("Count"))), "Before Label After", lost
    numbers, table = Prop("List", Array(INT), [1, 2]), Prop("Table", Map(STR, FLOAT), [("key", 1.5)])
    for prop, old, new in (
        *((numbers, "IntProperty", new) for new in ("I\x81tProperty", "List", "")),
        *((table, "FloatProperty", new) for new in ("Fl\x81atProperty", "key")),
    ):
        data = save(BEFORE, prop, AFTER)
        stored = i32(len(new) + 1) + new.encode("latin-1") + b"\0"
        damaged = put(data, place(data, old, place(data, prop.name)), stored, len(fstring(old)))
        yield f"{old} inside is {new!r}", damaged, "Before After", prop.name
    for index, given, lost in (
        (0x10000, "Before Label After", "Count"),
        (-1, "Before Label After", "Count"),
        (0xFFFF, "Before Count Label After", ""),
    ):
        yield f"index {index} of a static array", put(SOUND, NUMBER - 5, i32(index)), given, lost
    # Bytes are missing, and what comes next are the types of keys and values of a map; the value would have no bytes.
    data = save(BEFORE, COUNT, Prop("Table", Map(STR, INT), [("key", 1)]), AFTER)
    start, end = place(data, "Count"), place(data, "StrProperty", place(data, "MapProperty"))
    yield "types of a map are no tag", put(data, start, b"", end - start), "Before After", "StrProperty"
    named = save(BEFORE, Prop("ObjectProperty", Encoded("ObjectProperty", fstring), "/Game/A"), AFTER)
    yield "a name like a type", named, "Before ObjectProperty After", ""


def inner_tags() -> Iterator[Case]:
    """The inner tag of an array is no property: the size of a property before it, or its own, ends where that starts."""
    data = save(BEFORE, COUNT, ITEMS, AFTER)
    size = place(data, "Items", -1) - data.index(i32(770_077))
    yield "a size up to it", with_size(data, "Count", size), "Before Items Name Name After", "Count"
    yield "its own size", with_size(data, "Items", 4), "Before Count After", "Items"
    yield "both sizes", with_size(with_size(data, "Items", 4), "Count", size), "Before After", "Count"
    data = save(BEFORE, VECTORS, AFTER)
    name = fstring("Vectors")
    start, inner = place(data, "Vectors"), place(data, "Vectors", -1)
    for left in (0, 4, 33):  # so the number 1 before the inner tag is not that of a property which is lost
        yield f"{left} bytes for the array's start", put(data, start, b"\xff" * left, inner - 4 - start), "Before After", None
    for gap in (b"", b"\xff", b"\xff\0\0\0"):  # all of the array's tag is gone but for its name, and the number 1 as well
        yield f"{len(gap)} bytes after its name", data[: start + len(name)] + gap + data[inner:], "Before After", None
    for array in (ITEMS, VECTORS):  # bytes that were put in move it to where the array has to end
        data = save(BEFORE, array, AFTER)
        tag = tag_of_event(data, array.name)
        start, end = tag.value_offset + 4, tag.value_offset + tag.size
        yield f"{array.name} moved", put(data, start - 4, b"\xff" * (tag.size - 4), 0), "Before After", array.name
        yield f"{array.name} moved on", put(data, start, b"\xff" * (end - start), 0), "Before After", array.name
    data = save(BEFORE, ITEMS, AFTER)
    tag, second = tag_of_event(data, "Items"), place(data, "Name", -1)
    moved = b"\xff" * (tag.value_offset + tag.size - second)
    yield "some elements given", data[:second] + moved + data[tag.value_offset + 4 :], "Before Items Name After", "Items"
    # Bytes of another save may be there instead of the type and the flag: the size may be right, and lead there.
    at = place(data, "StructProperty")
    no_type = with_size(put(data, at, fstring("Items"), len(fstring("StructProperty"))), "Items", 4)
    yield "elements without a type", no_type, "Before After", "Items"
    for letter in (b"s", b"\x81"):
        yield f"a type with {letter!r}", with_size(put(data, at + 4, letter), "Items", 4), "Before After", "Items"
    for items in (ITEMS, Prop("NoItems", Array(ITEM), [])):  # bytes are missing in a value, so its size leads there
        data = save(BEFORE, LABEL, items, AFTER)
        gone = place(data, items.name, place(data, items.name) + 1) - data.index(b"needle")
        longer = save(BEFORE, Prop("Label", STR, "x" * (gone - 1)), items, AFTER)
        given = " ".join(["Before", items.name, *(["Name"] * len(items.value)), "After"])
        yield f"of the next array, {items.name}", put(longer, longer.index(b"x" * 10), b"", gone), given, "Label"


def other_lists() -> Iterator[Case]:
    # A size that leads into another list, which ends before that of the property does.
    data = save(Prop("First", INT, 1), OUTER, AFTER)
    at = place(data, "IntProperty")
    longer = with_size(data, "First", place(data, "Label") - (at + len(fstring("IntProperty")) + 9))
    given = "Outer Inner Count Label Last After"
    yield "a size into another list", longer, given, "First"
    yield "a size of unknown type into another list", put(longer, at, fstring("NewProperty")), given, "First"
    # A struct of known size that has swallowed a terminator: what is in the next list would be given as what is in this one.
    pair = [Prop("Id", GUID, bytes(range(16)))]
    by_id = Prop("ById", Map(Fields("Key", "/Script/Game"), Fields("Value", "/Script/Game")), [(pair, [COUNT]), (pair, [LABEL])])
    data = save(BEFORE, by_id, *pair, AFTER)
    yield "a terminator of a key", with_size(data, "Id", 25), "Before ById Count Id Label Id After", "Id"
    at = place(data, "Id", -1)
    yield "that of the last", data[:at] + with_size(data[at:], "Id", 25), "Before ById Id Count Id Label After", "Id"
    # After the last property of a lost list would come the next one of the list around it: they would seem to be one list.
    data = save(Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, Prop("Last", INT, 3)]), AFTER)
    data = with_size(data, "Outer", 4).replace(fstring("StructProperty"), fstring("StrangeProperty"))
    yield "a lost list", data, "After", "Outer"
    yield "a lost list without its end", with_size(data, "Last", 4 + len(fstring("None"))), "After", "Outer"
    # As bytes came in, a struct ends before its last property: the one before that ends there, and no terminator follows.
    item = [Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, INNER, Prop("Last", INT, 3)]), AFTER]
    data = save(Prop("Items", Array(ITEM), [item, item]), AFTER)
    size = place(data, "After") - place(data, "Last")
    cut = data[: place(data, "Last", -1) + size]
    inside, lost = "Outer Count Inner Count Label", "Items[0], rest of the save"
    yield "bytes before a struct", put(cut, place(data, "Inner"), b"\xff" * size, 0), f"Items Outer Count {inside} Last", lost
    yield "a name in a struct", put(cut, place(data, "Last") + 1, b"\xff"), f"Items {inside} {inside} Last", lost
    # Pairs whose values are no lists are certain if a pair follows.
    scores = Prop("Scores", Map(Fields("Key", "/Script/Game"), INT), [([COUNT], 1), ([COUNT], 2), ([LABEL], 3)])
    data = save(scores, AFTER)
    yield "pairs", data, "Scores Count Count Label After", ""
    yield "a key of the last pair", put(data, place(data, "Label"), b"\xff"), "Scores Count Count After", "Scores"


def ends() -> Iterator[Case]:
    """Properties go on after a fault if they lead to an end of the save: a flag, a GUID if that is 1, and fewer than 64 zeros."""
    guid = bytes(range(1, 17))
    data = put(SOUND, place(SOUND, "Count"), b"\xff")
    data = data[: place(data, "None", -1) + len(fstring("None"))]
    for flag, after in ((0, b""), (0, bytes(63)), (1, guid), (1, guid + bytes(63))):
        yield f"flag {flag} and {len(after)} bytes", data + i32(flag) + after, "Before Label After", "property"
    for flag, after in ((0, bytes(64)), (0, guid), (1, guid[1:]), (1, guid + bytes(64)), (2, 2 * guid)):
        yield f"flag {flag}, but {len(after)} bytes", data + i32(flag) + after, "Before", "rest of the save"


def names() -> Iterator[Case]:
    """Only a longer name than 64 letters is not said: it may be one that a wrong length has made."""
    for name, lost in (("N" * 64, "N" * 64), ("N" * 65, "property")):
        yield f"{len(name)} letters", with_size(save(BEFORE, Prop(name, INT, 1), AFTER), name, 3), "Before After", lost


CASES = [case for cases in (values, types, inner_tags, other_lists, ends, names) for case in cases()]


@pytest.mark.parametrize("feed", [bytes, lambda data: iter([data])], ids=["bytes", "pipe"])
@pytest.mark.parametrize(("data", "given", "lost"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_given_and_lost(data, given, lost, feed):
    assert_given(feed(data), given, lost)


UE4 = (VALID / "gvas" / "ue4-508.sav").read_bytes()


def kept_of(data: bytes) -> list[PropertyTag | Damage]:
    return [event for event in survived(data) if isinstance(event, (PropertyTag, Damage))]


def tag_of(name: str) -> PropertyTag:
    (tag,) = [event for event in kept_of(UE4) if isinstance(event, PropertyTag) and event.name == name]
    return tag


def test_a_struct_of_any_size_is_proven_before_it_is_given():
    """Who builds its value does not walk over it."""
    tag = tag_of("PerPlatformFloat")
    kept = kept_of(with_size(UE4, tag.name, tag.size + 1))
    assert not [event for event in kept if isinstance(event, PropertyTag) and event.name == tag.name]
    (damage,) = [event for event in kept if isinstance(event, Damage)]
    assert damage.offset == tag.offset


@pytest.mark.parametrize("flag", [b"\1", b"\xff"])
def test_a_guid_that_is_the_value_of_a_property(flag):
    """The flag before the value is set: the next tags would start 16 bytes later, in the value or after it."""
    tag = tag_of("PerPlatformFloat")
    kept = kept_of(UE4[: tag.value_offset - 1] + flag + UE4[tag.value_offset :])
    (damage,) = [event for event in kept if isinstance(event, Damage)]
    assert damage.lost.name == tag.name
    sound = [event for event in kept_of(UE4) if isinstance(event, PropertyTag) and event != tag]
    assert [event for event in kept if isinstance(event, PropertyTag)] == sound


def test_a_guid_that_is_the_end_of_the_list():
    """The flags of the last tag say that a position and a GUID come before its value."""
    data = (VALID / "gvas" / "key-profiles-new-tags.sav").read_bytes()
    at = data.index(fstring("IntProperty")) + len(fstring("IntProperty")) + 8
    changed = data[:at] + b"\x4b" + data[at + 1 :]
    given, _ = given_and_lost(data)
    given.remove("Count")
    assert given_and_lost(changed) == (given, ["Count"])


def test_what_is_sound_is_read_as_ever():
    with_guid = Prop("Item", Fields("Item", "/Script/Game"), [COUNT], guid=bytes(range(16)))
    for data in (save(BEFORE, VECTORS, AFTER), save(), SOUND, save(with_guid, AFTER)):
        assert repr(survived(data)) == repr(read(data))


def test_where_tags_may_start():
    """At the first and the last byte; names have letters from the blank to the tilde; half a name before the bytes hides none."""
    kind, none = fstring("IntProperty"), fstring("None")
    for name, found in ((" a~", True), ("\x1fa", False), ("a\x7f", False)):
        assert [*tags_in(b"Property\0" + fstring(name) + kind)] == [9] * found
    assert [*tags_in(fstring("A") + kind)] == [0]
    assert [*starts_in(none + fstring("A") + kind + none)] == [0, len(none), len(none) + 6 + len(kind)]
    assert [*starts_in(none)] == [0]
    assert [*tags_in(none)] == [*tags_in(kind)] == [*tags_in(fstring("A") + kind[:-1])] == []


# --- where a list may go on: what looks like its next tag, but is one of another list, is not given as its own ---

NAME_TAG = "0d0000004e616d6550726f7065727479000b0000000000000000070000004974656d5f3100"
COUNT_TAG = "06000000436f756e74000c000000496e7450726f7065727479000400000000000000000100000005"


@pytest.mark.parametrize(
    ("sample", "edits"),
    [
        pytest.param(
            "palworld-1.0", [(0x36C8, 0x36CC, "40000000"), (0x36DF, 0x36DF, "050000004e616d6500")], id="a-terminator-more"
        ),
        pytest.param(
            "palworld-1.0", [(0x5CEF, 0x5CEF, f"{NAME_TAG}{COUNT_TAG}0000004e6f6e6500")], id="a-terminator-before-the-end"
        ),
        pytest.param("palworld-0.3", [(0x538F, 0x53A0, "feffffff3dd800de")], id="the-terminator-of-the-save"),
        pytest.param("deltas", [(0x150, 0x154, "68000000")], id="a-value-of-unknown-layout"),
        pytest.param("deltas", [(0x334, 0x3C6, "00" * 0x92)], id="zeros-that-are-no-end-of-a-save"),
        pytest.param("ue4-502", [(0x1351, 0x13BF, "00" * 0x6E)], id="in-the-value-of-a-tag-after-it"),
        pytest.param("ue5-1011", [(0x14E9, 0x14ED, "01000000")], id="the-inner-tag-after-two-flags"),
        pytest.param("palworld-0.5", [(0x2A00, 0x2AA1, "")], id="a-terminator-that-is-no-key"),
        pytest.param("palworld-0.6", [(0x4DE8, 0x4E20, f"{NAME_TAG}{COUNT_TAG[:20]}")], id="before-a-value-with-the-fault-in-it"),
    ],
)
def test_a_tag_of_another_list_is_not_given(sample, edits):
    findings, lost = lies_after(f"valid/gvas/{sample}.sav", edits)
    assert findings == []
    assert lost > 0


def test_a_length_beyond_the_end_is_told_alike_from_a_pipe():
    """No limit would help, though the source cannot say where it ends."""
    data = SOUND.replace(fstring("needle"), i32(0x41414141) + b"needle\0")
    seen = survived(iter([data]))
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert isinstance(damage.error, DamagedSave)
    assert repr(seen) == repr(survived(data))
