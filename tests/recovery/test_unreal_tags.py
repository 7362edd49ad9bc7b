"""Properties of damaged saves: each that is given is one that was there, the others are told as lost.

The file is long because each part of a tag can be damaged.
"""

from __future__ import annotations

import pytest
from damage import survived
from proofs import AFTER, BEFORE, COUNT, ITEMS, LABEL, given_and_lost, lies_after, save, with_size
from saves import VALID, read
from writer.primitives import fstring, i32
from writer.structs import GUID, VECTOR
from writer.tags import BOOL, FLOAT, INT, STR, Array, Encoded, Fields, Map, Prop

from streamsave import Damage, DamagedSave, PropertyTag
from streamsave.recovery.unreal_tags import starts_in, tags_in

SOUND = save(BEFORE, COUNT, LABEL, AFTER)


@pytest.mark.parametrize(
    ("data", "given", "lost"),
    [
        pytest.param(SOUND, ["Before", "Count", "Label", "After"], [], id="sound"),
        pytest.param(with_size(SOUND, "Count", 3), ["Before", "Label", "After"], ["Count"], id="number-less"),
        pytest.param(with_size(SOUND, "Count", 5), ["Before", "Label", "After"], ["Count"], id="number-more"),
        pytest.param(with_size(SOUND, "Label", 10), ["Before", "Count", "After"], ["Label"], id="text-less"),
        pytest.param(with_size(SOUND, "Label", 30), ["Before", "Count", "After"], ["Label"], id="text-more"),
        pytest.param(with_size(SOUND, "Before", 0x7FFFFFF), ["Count", "Label", "After"], ["Before"], id="number-huge"),
        pytest.param(with_size(SOUND, "Before", 5), ["Count", "Label", "After"], ["Before"], id="first"),
    ],
)
def test_a_value_that_does_not_have_its_size_is_lost(data, given, lost):
    assert given_and_lost(data) == (given, lost)


def test_properties_in_a_size_that_is_too_large_are_given():
    """A property starts where the value itself ends. What looks like one at the size may be inside of another value."""
    size = SOUND.index(fstring("After")) - SOUND.index(i32(770_077))
    assert given_and_lost(with_size(SOUND, "Count", size)) == (["Before", "Label", "After"], ["Count"])


def test_the_inner_tag_of_an_array_is_no_property():
    """The size of a property before it, or its own, ends where the inner tag starts."""
    data = save(BEFORE, COUNT, ITEMS, AFTER)
    size = data.index(fstring("Items"), data.index(fstring("Items")) + 1) - data.index(i32(770_077))
    given, lost = given_and_lost(with_size(data, "Count", size))
    assert (given, lost) == (["Before", "Items", "Name", "Name", "After"], ["Count"])
    given, lost = given_and_lost(with_size(data, "Items", 4))
    assert (given, lost) == (["Before", "Count", "After"], ["Items"])
    given, lost = given_and_lost(with_size(with_size(data, "Items", 4), "Count", size))
    assert (given, lost) == (["Before", "After"], ["Count"])


VECTORS = Prop("Vectors", Array(VECTOR), [(1.0, 2.0, 3.0)])


@pytest.mark.parametrize("left", [0, 4, 33])
def test_the_inner_tag_of_an_array_whose_start_is_gone_is_no_property(left):
    """Little or nothing is in its place, so the number 1 before the inner tag is not that of a property which is lost."""
    data = save(BEFORE, VECTORS, AFTER)
    start, inner = data.index(fstring("Vectors")), data.rindex(fstring("Vectors"))
    given, _ = given_and_lost(data[:start] + b"\xff" * left + data[inner - 4 :])
    assert given == ["Before", "After"]


@pytest.mark.parametrize("gap", [b"", b"\xff", b"\xff\0\0\0"], ids=["nothing", "a-byte", "half-a-number"])
def test_the_inner_tag_after_the_name_of_its_array_is_no_property(gap):
    """All of the array's tag is gone but for its name, and the number 1 as well."""
    data = save(BEFORE, VECTORS, AFTER)
    name = fstring("Vectors")
    start, inner = data.index(name), data.rindex(name)
    given, _ = given_and_lost(data[: start + len(name)] + gap + data[inner:])
    assert given == ["Before", "After"]


@pytest.mark.parametrize("array", [ITEMS, VECTORS], ids=["lists", "leaf"])
def test_the_inner_tag_of_a_lost_array_is_no_property_wherever_it_is(array):
    """Bytes that were put in move it to where the array has to end."""
    data = save(BEFORE, array, AFTER)
    tag = next(event for event in read(data) if isinstance(event, PropertyTag) and event.name == array.name)
    inner = tag.value_offset + 4
    end = tag.value_offset + tag.size
    broken = data[: tag.value_offset] + b"\xff" * (tag.size - 4) + data[tag.value_offset :]
    assert given_and_lost(broken) == (["Before", "After"], [array.name])
    assert given_and_lost(data[:inner] + b"\xff" * (end - inner) + data[inner:]) == (["Before", "After"], [array.name])


def test_the_inner_tag_of_an_array_some_of_whose_elements_are_given_is_no_property():
    data = save(BEFORE, ITEMS, AFTER)
    tag = next(event for event in read(data) if isinstance(event, PropertyTag) and event.name == "Items")
    second = data.rindex(fstring("Name"))
    broken = data[:second] + b"\xff" * (tag.value_offset + tag.size - second) + data[tag.value_offset + 4 :]
    assert given_and_lost(broken) == (["Before", "Items", "Name", "After"], ["Items"])


def test_a_value_that_has_swallowed_the_next_tag_is_lost():
    """Bytes are missing in it, so it ends in the tag after it. A tag that is damaged itself costs nothing before it."""
    data = save(BEFORE, LABEL, COUNT, AFTER)
    at = data.index(b"needle")
    assert given_and_lost(data[:at] + data[at + 3 :]) == (["Before", "Count", "After"], ["Label"])
    name = data.index(fstring("Count"))
    assert given_and_lost(data[:name] + b"\xff" + data[name + 1 :]) == (["Before", "Label", "After"], ["property"])


@pytest.mark.parametrize(
    ("old", "new", "given", "lost"),
    [
        pytest.param(fstring("IntProperty"), fstring("IntPr\x81perty"), ["Before", "Label", "After"], ["Count"], id="a-letter"),
        pytest.param(fstring("IntProperty"), fstring("Int/Propert"), ["Before", "Label", "After"], ["Count"], id="no-type"),
        pytest.param(fstring("Count"), i32(6) + b"Co\0nt\0", ["Before", "Label", "After"], ["property"], id="nul-in-name"),
        pytest.param(fstring("IntProperty"), fstring("NewProperty"), ["Before", "Count", "Label", "After"], [], id="new-type"),
    ],
)
def test_what_is_no_tag_is_no_property(old, new, given, lost):
    at = SOUND.index(fstring("Count"))
    assert given_and_lost(SOUND[:at] + SOUND[at:].replace(old, new, 1)) == (given, lost)


LIST = Prop("List", Array(INT), [1, 2])
TABLE = Prop("Table", Map(STR, FLOAT), [("key", 1.5)])


@pytest.mark.parametrize(
    ("prop", "old", "new", "lost"),
    [
        pytest.param(LIST, "IntProperty", "I\x81tProperty", ["List"], id="a-letter"),
        pytest.param(LIST, "IntProperty", "List", ["List"], id="no-type"),
        pytest.param(LIST, "IntProperty", "", ["List"], id="empty"),
        pytest.param(TABLE, "FloatProperty", "Fl\x81atProperty", ["Table"], id="a-letter-of-the-second"),
        pytest.param(TABLE, "FloatProperty", "key", ["Table"], id="no-second-type"),
    ],
)
def test_a_type_inside_of_one_has_a_name_like_one(prop, old, new, lost):
    """With one that is no type, all that follows in the tag may be read from the wrong place: the next tag is searched."""
    data = save(BEFORE, prop, AFTER)
    at = data.index(fstring(prop.name))
    data = data[:at] + data[at:].replace(fstring(old), i32(len(new) + 1) + new.encode("latin-1") + b"\0", 1)
    assert given_and_lost(data) == (["Before", "After"], lost)


def test_an_array_whose_elements_have_no_type_does_not_end_at_an_inner_tag():
    """Bytes of another save may be there instead of the type and the flag: the size may be right, and lead there."""
    data = save(BEFORE, ITEMS, AFTER)
    at = data.index(fstring("StructProperty"))
    broken = with_size(data[:at] + fstring("Items") + data[at + len(fstring("StructProperty")) :], "Items", 4)
    assert given_and_lost(broken) == (["Before", "After"], ["Items"])
    for letter in (b"s", b"\x81"):
        nearly = with_size(data[: at + 4] + letter + data[at + 5 :], "Items", 4)
        assert given_and_lost(nearly) == (["Before", "After"], ["Items"])


def test_bytes_between_two_properties_are_not_read_as_one():
    """The tag that starts in a value has a type that is none."""
    at = SOUND.index(i32(770_077))
    data = SOUND[: at + 4] + b"\0" + SOUND[at + 4 :]
    assert given_and_lost(data) == (["Before", "Count", "Label", "After"], ["property"])


def test_a_damaged_member_costs_itself():
    struct = Prop("Item", Fields("Item", "/Script/Game"), [Prop("Inner", INT, 5), Prop("Last", INT, 6)])
    data = save(BEFORE, struct, AFTER)
    at = data.index(fstring("Last"))
    given, lost = given_and_lost(data[:at] + data[at:].replace(fstring("IntProperty"), fstring("Int/Propert"), 1))
    assert (given, lost) == (["Before", "Item", "Inner", "After"], ["Last"])


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


def test_a_struct_of_known_size_that_has_swallowed_a_terminator():
    """The lists around it would seem to be one: what is in the next one would be given as what is in this one."""
    pair = [Prop("Id", GUID, bytes(range(16)))]
    by_id = Prop("ById", Map(Fields("Key", "/Script/Game"), Fields("Value", "/Script/Game")), [(pair, [COUNT]), (pair, [LABEL])])
    data = save(BEFORE, by_id, Prop("Id", GUID, bytes(range(16))), AFTER)
    given, lost = given_and_lost(with_size(data, "Id", 25))
    assert (given, lost) == (["Before", "ById", "Count", "Id", "Label", "Id", "After"], ["Id"])
    at = data.rindex(fstring("Id"))
    given, lost = given_and_lost(data[:at] + with_size(data[at:], "Id", 25))
    assert (given, lost) == (["Before", "ById", "Id", "Count", "Id", "Label", "After"], ["Id"])


def test_what_is_sound_is_read_as_ever():
    with_guid = Prop("Item", Fields("Item", "/Script/Game"), [COUNT], guid=bytes(range(16)))
    for data in (save(BEFORE, VECTORS, AFTER), save(), SOUND, save(with_guid, AFTER)):
        assert repr(survived(data)) == repr(read(data))


def test_types_in_a_tag_are_no_name_and_type():
    """Bytes are missing, and what comes next are the types of keys and values of a map; the value would have no bytes."""
    data = save(BEFORE, COUNT, Prop("Table", Map(STR, INT), [("key", 1)]), AFTER)
    inside = data.index(fstring("StrProperty"), data.index(fstring("MapProperty")))
    assert given_and_lost(data[: data.index(fstring("Count"))] + data[inside:]) == (["Before", "After"], ["StrProperty"])
    named = save(BEFORE, Prop("ObjectProperty", Encoded("ObjectProperty", fstring), "/Game/A"), AFTER)
    assert given_and_lost(named) == (["Before", "ObjectProperty", "After"], [])


@pytest.mark.parametrize(("prop", "is_lost"), [(COUNT, True), (Prop("On", BOOL, True), False)], ids=["number", "bool"])
def test_a_number_has_bytes(prop, is_lost):
    changed = with_size(save(BEFORE, prop, LABEL), prop.name, 0)
    assert given_and_lost(changed) == ((["Before", "Label"], [prop.name]) if is_lost else (["Before", prop.name, "Label"], []))


@pytest.mark.parametrize("items", [ITEMS, Prop("NoItems", Array(Fields("Item", "/Script/Game")), [])], ids=["some", "none"])
def test_the_inner_tag_of_the_next_array_is_no_property(items):
    """Bytes are missing in a value, so its size leads to where the elements of the array after it start."""
    data = save(BEFORE, LABEL, items, AFTER)
    label = data.index(b"needle")
    inner = data.index(fstring(items.name), data.index(fstring(items.name)) + 1)
    longer = save(BEFORE, Prop("Label", STR, "x" * (inner - label - 1)), items, AFTER)
    text = longer.index(b"x" * 10)
    given, lost = given_and_lost(longer[:text] + longer[text + inner - label :])
    assert (given, lost) == (["Before", items.name, *(["Name"] * len(items.value)), "After"], ["Label"])


@pytest.mark.parametrize(
    "stored", [i32(6) + b"Count\xff", i32(-1) + b"\xfc\0", i32(1) + b"C"], ids=["latin-1", "utf-16", "short"]
)
def test_a_name_without_its_nul_is_no_tag(stored):
    given, lost = given_and_lost(SOUND.replace(fstring("Count"), stored))
    assert given == ["Before", "Label", "After"]
    assert len(lost) == 1


@pytest.mark.parametrize("index", [0x10000, -1])
def test_no_static_array_is_that_long(index):
    at = SOUND.index(i32(770_077)) - 5
    assert given_and_lost(SOUND[:at] + i32(index) + SOUND[at + 4 :]) == (["Before", "Label", "After"], ["Count"])
    assert given_and_lost(SOUND[:at] + i32(0xFFFF) + SOUND[at + 4 :])[1] == []


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


INNER = Prop("Inner", Fields("Inner", "/Script/Game"), [COUNT, LABEL])
OUTER = Prop("Outer", Fields("Outer", "/Script/Game"), [INNER, Prop("Last", INT, 3)])
NESTED = save(OUTER, AFTER)


@pytest.mark.parametrize("feed", [bytes, lambda data: iter([data])], ids=["bytes", "pipe"])
def test_a_size_that_leads_into_another_list(feed):
    """The list there ends before that of the property does."""
    data = save(Prop("First", INT, 1), OUTER, AFTER)
    value = data.index(fstring("IntProperty")) + len(fstring("IntProperty")) + 9
    size = data.index(fstring("Label")) - value
    given, lost = given_and_lost(feed(with_size(data, "First", size)))
    assert (given, lost) == (["Outer", "Inner", "Count", "Label", "Last", "After"], ["First"])
    at = data.index(fstring("IntProperty"))
    unknown = with_size(data[:at] + fstring("NewProperty") + data[at + 16 :], "First", size)
    assert given_and_lost(feed(unknown)) == (given, lost)


def test_a_length_beyond_the_end_is_told_alike_from_a_pipe():
    """No limit would help, though the source cannot say where it ends."""
    data = SOUND.replace(fstring("needle"), i32(0x41414141) + b"needle\0")
    seen = survived(iter([data]))
    (damage,) = [event for event in seen if isinstance(event, Damage)]
    assert isinstance(damage.error, DamagedSave)
    assert repr(seen) == repr(survived(data))


def test_a_size_that_swallows_the_end_of_a_lost_list():
    """After its last property would come the next one of the list around it: they would seem to be one list."""
    struct = Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, Prop("Last", INT, 3)])
    data = with_size(save(struct, AFTER), "Outer", 4).replace(fstring("StructProperty"), fstring("StrangeProperty"))
    assert given_and_lost(data) == (["After"], ["Outer"])
    assert given_and_lost(with_size(data, "Last", 4 + len(fstring("None")))) == (["After"], ["Outer"])


def test_bytes_too_many_in_a_value_cost_what_has_a_wrong_size():
    """All sizes around them are too small by as many, so the lists end later."""
    at = NESTED.index(b"needle")
    given, lost = given_and_lost(NESTED[:at] + b"123" + NESTED[at:])
    assert (given, lost) == (["Outer", "Inner", "Count", "Label", "Last", "After"], ["Inner"])
    assert given_and_lost(with_size(save(LABEL, COUNT, AFTER), "Label", 8)) == (["Count", "After"], ["Label"])


def test_a_property_that_goes_on_after_the_size_of_what_is_lost():
    """As bytes came in, a struct ends before its last property: the one before that ends there, and no terminator follows."""
    item = [Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, INNER, Prop("Last", INT, 3)]), AFTER]
    data = save(Prop("Items", Array(Fields("Item", "/Script/Game")), [item, item]), AFTER)
    inner = data.index(fstring("Inner"))
    size = data.index(fstring("After")) - data.index(fstring("Last"))
    cut = data[: data.rindex(fstring("Last")) + size]
    inside = ["Outer", "Count", "Inner", "Count", "Label"]
    given, lost = given_and_lost(cut[:inner] + b"\xff" * size + cut[inner:])
    assert (given, lost) == (["Items", "Outer", "Count", *inside, "Last"], ["Items[0]", "rest of the save"])
    last = data.index(fstring("Last"))
    whole = given_and_lost(cut[: last + 1] + b"\xff" + cut[last + 2 :])
    assert whole == (["Items", *inside, *inside, "Last"], ["Items[0]", "rest of the save"])


def test_pairs_whose_values_are_no_lists_are_certain_if_a_pair_follows():
    scores = Prop("Scores", Map(Fields("Key", "/Script/Game"), INT), [([COUNT], 1), ([COUNT], 2), ([LABEL], 3)])
    data = save(scores, AFTER)
    assert given_and_lost(data) == (["Scores", "Count", "Count", "Label", "After"], [])
    at = data.index(fstring("Label"))
    assert given_and_lost(data[:at] + b"\xff" + data[at + 1 :]) == (["Scores", "Count", "Count", "After"], ["Scores"])
