"""Containers of damaged saves: their elements have no sizes, so all are looked at before one is given."""

from __future__ import annotations

from contextlib import suppress

import pytest
from damage import survived
from proofs import AFTER, BEFORE, COUNT, ITEMS, LABEL, given_and_lost, save, with_size
from saves import VALID, read
from writer.primitives import fstring, i32
from writer.structs import GUID
from writer.tags import INT, NAME, STR, Array, Fields, Map, Prop

import streamsave
from streamsave import Damage, DamagedSave, Field, PropertyTag, SaveError, StructEnter


def test_elements_that_do_not_have_the_size_of_all_are_lost_from_the_fault_on():
    """A list ends with its terminator: those before the fault are certain."""
    data = save(BEFORE, ITEMS, AFTER)
    at = data.rindex(fstring("Name"))
    assert given_and_lost(data[:at] + b"\xff" + data[at + 1 :]) == (["Before", "Items", "Name", "After"], ["Items"])
    data = save(BEFORE, Prop("Texts", Array(STR), ["one", "two"]), AFTER)
    first = data.index(fstring("one"))
    assert given_and_lost(data[:first] + b"\5" + data[first + 1 :]) == (["Before", "After"], ["Texts"])


def test_an_element_does_not_go_on_at_the_inner_tag_of_what_it_has_lost():
    """What comes after that tag leads to the end of the array around it, too."""
    first = Prop("First", INT, 4)
    data = save(BEFORE, Prop("Outer", Array(Fields("Item", "/Script/Game")), [[first], [first, ITEMS], [first]]), AFTER)
    sizes = {event.name: event for event in read(data) if isinstance(event, PropertyTag) and event.inner_type}
    outer, inner = sizes["Outer"], sizes["Items"]
    last = data.rindex(fstring("Name"))
    put_in = inner.value_offset + inner.size - last
    broken = bytearray(data[:last] + b"\xff" * put_in + data[inner.value_offset + 4 :])
    grown = len(broken) - len(data)
    header = len(fstring("Outer") + fstring("StructProperty"))
    for at in (data.index(fstring("ArrayProperty")) + len(fstring("ArrayProperty")), outer.value_offset + 4 + header):
        broken[at : at + 4] = i32(int.from_bytes(data[at : at + 4], "little") + grown)
    assert given_and_lost(bytes(broken)) == (["Before", "Outer", "First", "First", "Items", "Name", "First", "After"], ["Items"])


def test_a_key_of_another_size_costs_its_pair_and_those_after_it():
    """Nothing shows where a text ends but its length."""
    by_name = Prop("ByName", Map(STR, Fields("Item", "/Script/Game")), [("key", [COUNT]), ("other", [LABEL])])
    data = save(BEFORE, by_name, AFTER)
    assert given_and_lost(data)[0] == ["Before", "ByName", "Count", "Label", "After"]
    at = data.index(fstring("key"))
    assert given_and_lost(data[:at] + i32(5) + data[at + 4 :]) == (["Before", "After"], ["ByName"])
    at = data.index(fstring("other"))
    assert given_and_lost(data[:at] + i32(5) + data[at + 4 :]) == (["Before", "ByName", "Count", "After"], ["ByName"])


@pytest.mark.parametrize("cut", [4, 8, 12])
def test_a_map_of_values_of_one_size_that_has_swallowed_the_next_tag_is_lost(cut):
    """Its size is right for any bytes; no tag follows it."""
    data = save(BEFORE, Prop("Owners", Map(INT, GUID), [(1, bytes(range(16)))]), AFTER)
    at = data.index(bytes(range(16)))
    given = survived(data[:at] + data[at + cut :])
    assert [event.name for event in given if isinstance(event, (PropertyTag, Field)) and event.offset > 0] == ["Before", "After"]
    assert any(isinstance(event, Damage) for event in given)


@pytest.mark.parametrize("feed", [bytes, lambda data: iter([data])], ids=["bytes", "pipe"])
def test_large_values_are_measured_before_they_are_given(feed):
    """A cursor of its own goes ahead, so that a pipe is kept: an element may be far from the fault."""
    items = [[Prop("Name", STR, "x" * 1000), Prop("Number", INT, number)] for number in range(300)]
    texts = Prop("Texts", Array(STR), ["y" * 1000] * 300)
    large = Prop("Large", STR, "z" * 300_000)
    data = save(BEFORE, texts, large, Prop("Items", Array(Fields("Item", "/Script/Game")), items), AFTER)
    given, lost = given_and_lost(feed(data))
    assert (given[:3], given[-1], len(given), lost) == (["Before", "Texts", "Large"], "After", 605, [])
    assert given_and_lost(feed(with_size(data, "Large", 300_000)))[1] == ["Large"]
    at = data.index(b"y" * 1000) - 4
    assert given_and_lost(feed(data[:at] + i32(900) + data[at + 4 :]))[1] == ["Texts"]
    at = data.rindex(fstring("Number"))
    given, lost = given_and_lost(feed(data[:at] + b"\xff" + data[at + 1 :]))
    assert (len(given), given[-1], lost) == (604, "After", ["Items"])


@pytest.mark.parametrize("size", [10, 300_000])
@pytest.mark.parametrize("lost", ["Before", "Count"])
def test_a_large_value_in_the_first_nesting_after_a_fault_is_measured_where_it_is(lost, size):
    """The reader that looks ahead is in more nestings than the one that has met the fault."""
    inner = Prop("Inner", Fields("Inner", "/Script/Game"), [Prop("Large", STR, "z" * size), LABEL])
    outer = Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, inner, Prop("Last", INT, 3)])
    names = ["Before", "Outer", "Count", "Inner", "Large", "Label", "Last", "After"]
    data = with_size(save(BEFORE, outer, AFTER), lost, 9)
    assert given_and_lost(data) == ([name for name in names if name != lost], [lost])


def test_elements_of_a_set_that_removes_some_are_lost_with_it():
    """The number of those that it adds is wrong: what it removes may be misread, too."""
    data = (VALID / "gvas" / "deltas.sav").read_bytes()
    (tag,) = [event for event in read(data) if isinstance(event, PropertyTag) and event.name == "GuidSet"]
    at = tag.value_offset + 20
    given, lost = given_and_lost(data[:at] + i32(0) + data[at + 4 :])
    assert ("GuidSet" in given, lost) == (False, ["GuidSet"])


@pytest.mark.parametrize("guid", [bytes(16), bytes(range(16))], ids=["of-the-game", "made-in-the-editor"])
def test_a_struct_with_a_guid_is_a_property_list(guid):
    """Its bytes may have any layout only if nothing in them looks like a property."""
    data = save(BEFORE, Prop("Item", Fields("Item", "/Script/Game", guid), [COUNT, LABEL]), AFTER)
    at = data.index(fstring("Count"))
    assert given_and_lost(data) == (["Before", "Item", "Count", "Label", "After"], [])
    assert given_and_lost(data[:at] + bytes(20) + data[at + 20 :]) == (["Before", "After"], ["Item"])


def test_an_empty_name_in_a_map_is_a_name():
    """It is stored as a length of 0, without a NUL."""
    by_name = Prop("ByName", Map(NAME, Fields("Item", "/Script/Game")), [("", [COUNT]), ("other", [LABEL])])
    assert given_and_lost(save(BEFORE, by_name, AFTER)) == (["Before", "ByName", "Count", "Label", "After"], [])


@pytest.mark.parametrize("kind", ["array", "text-keys", "number-keys"])
@pytest.mark.parametrize("change", [b"\xff", b""], ids=["a-name", "bytes-missing"])
def test_elements_go_on_after_the_one_that_is_damaged(kind, change):
    """The next one begins with the name that the first one begins with; before it is the key, which is a text or a number."""
    count, values = 6, [[Prop("First", INT, at), Prop("Last", STR, str(at))] for at in range(6)]
    made = {
        "array": Prop("Items", Array(Fields("Item", "/Script/Game")), values),
        "text-keys": Prop(
            "Items", Map(STR, Fields("Item", "/Script/Game")), [(f"key{at}", one) for at, one in enumerate(values)]
        ),
        "number-keys": Prop("Items", Map(INT, Fields("Item", "/Script/Game")), list(enumerate(values))),
    }[kind]
    data = save(BEFORE, made, AFTER)
    starts = [event.offset for event in read(data) if isinstance(event, PropertyTag) and event.name == "First"]
    bad = data[: starts[2]] + change + data[starts[2] + (len(change) or 3) :]
    given, lost = given_and_lost(bad)
    assert (given[:2], given[-1], len(lost)) == (["Before", "Items"], "After", 1)
    assert given.count("First") == count - 1
    with streamsave.open(bad, on_damage="resync") as events:
        places = [events.path[1] for event in events if isinstance(event, PropertyTag) and event.name == "First"]
    assert places == [0, 1, 3, 4, 5]


def test_many_elements_show_that_they_go_on_whatever_comes_after_them():
    """Some are missing, so the list around them looks like more of them, up to the end of the save."""
    item, model = Fields("Item", "/Script/Game"), Fields("Model", "/Script/Game")
    values = [[Prop("First", INT, at), Prop("Model", model, [LABEL, Prop("Last", STR, str(at))])] for at in range(300)]
    data = save(BEFORE, Prop("World", Fields("World", "/Script/Game"), [Prop("Items", Array(item), values), COUNT]), AFTER)
    at, other = (data.index(fstring(number)) for number in ("1", "40"))
    firsts, lost = [], []
    with streamsave.open(data[: at - 30] + data[other - 10 :], on_damage="resync") as events:
        for event in events:
            if isinstance(event, PropertyTag) and event.name == "First":
                firsts.append(events.build())
            elif isinstance(event, StructEnter) and event.name == "Model":
                with suppress(SaveError):
                    events.build()
            elif isinstance(event, Damage):
                lost.append(event.lost.name)
    assert (firsts, lost[0]) == ([0, 1, *range(41, 300)], "Model")


@pytest.mark.parametrize("inside", [[], [[Prop("First", INT, 4)]]], ids=["empty", "one"])
def test_no_element_starts_with_the_inner_tag_of_an_array(inside):
    """It has the name that all elements begin with, but another type."""
    item = Fields("Item", "/Script/Game")
    arrays = [Prop("Perks", Array(item), each) for each in ([[COUNT]] * 2, inside, [], [])]
    data = save(BEFORE, Prop("Loadouts", Array(item), [[each] for each in arrays]), AFTER)
    tag = [event for event in read(data) if isinstance(event, PropertyTag) and event.name == "Perks"][1]
    at = data.index(fstring("ArrayProperty"), tag.offset) + len(fstring("ArrayProperty"))
    assert data[at : at + 4] == i32(tag.size)
    given, lost = given_and_lost(data[:at] + i32(tag.size + 300) + data[at + 4 :])
    assert given == ["Before", "Loadouts", "Perks", "Count", "Count", *["Perks"] * 2, "After"]
    assert lost == ["Loadouts"]


def test_a_tag_after_a_map_is_no_key():
    """A pair is missing, so the count is too large: the name of the tag that follows would be a key."""
    pairs = [(f"key{at}", [COUNT]) for at in range(3)]
    data = save(BEFORE, Prop("ByName", Map(STR, Fields("Item", "/Script/Game")), pairs), LABEL, AFTER)
    at = data.index(fstring("key1"))
    with streamsave.open(data[:at] + data[data.index(fstring("key2")) :], on_damage="resync") as events:
        keys = [events.build() for event in events if isinstance(event, Field) and event.name == "key"]
        assert keys == ["key0", "key2"]


def test_elements_before_the_cut_are_given_after_one_that_is_damaged():
    values = [[Prop("First", INT, at), Prop("Last", STR, str(at))] for at in range(12)]
    data = save(BEFORE, Prop("Items", Array(Fields("Item", "/Script/Game")), values), AFTER)
    starts = [event.offset for event in read(data) if isinstance(event, PropertyTag) and event.name == "First"]
    given, lost = given_and_lost(data[: starts[2]] + b"\xff" + data[starts[2] + 1 : starts[10]])
    assert given.count("First") == 9
    assert lost == ["Items[2]", "rest of the save"]


def test_the_key_of_a_pair_is_built_while_damage_is_survived():
    by_number = Prop("ByNumber", Map(INT, Fields("Item", "/Script/Game")), [(1, [COUNT]), (2, [LABEL])])
    with streamsave.open(save(by_number), on_damage="resync") as events:
        made = [(event.name, events.build()) for event in events if isinstance(event, Field)]
    assert made == [("key", 1), ("key", 2)]


def test_the_ends_of_lists_around_a_map_are_no_pair():
    """A pair is missing, with its number still counted: two lists end after the map, as a key `None` and no value would."""
    pairs = [(name, [Prop("First", INT, 1), Prop("Last", STR, name)]) for name in ("one", "two", "three", "four")]
    model = Prop("Model", Fields("Model", "/Script/Game"), [Prop("ByName", Map(NAME, Fields("Item", "/Script/Game")), pairs)])
    data = save(Prop("Items", Array(Fields("Item", "/Script/Game")), [[LABEL, model]] * 3), AFTER)
    start, end = (data.index(fstring("Last"), data.index(fstring(name))) for name in ("one", "two"))
    with streamsave.open(data[: start + 20] + data[end + 25 :], on_damage="resync") as events:
        keys = [events.build() for event in events if isinstance(event, Field) and event.name == "key"]
    assert ("four" in keys, "None" in keys) == (True, False)


def test_the_ends_of_the_last_two_lists_of_a_save_are_no_pair():
    """A pair is missing from a map that nothing follows: no size around it is met, and no list goes on after the ends."""
    pairs = [(name, [Prop("First", INT, 1)]) for name in ("one", "two", "three")]
    model = Prop("Model", Fields("Model", "/Script/Game"), [Prop("ByName", Map(NAME, Fields("Item", "/Script/Game")), pairs)])
    data = save(BEFORE, model)
    damaged = data[: data.index(fstring("two"))] + data[data.index(fstring("three")) :]
    with streamsave.open(damaged, on_damage="resync") as events:
        keys = [events.build() for event in events if isinstance(event, Field) and event.name == "key"]
    assert keys == ["one", "three"]


def test_what_follows_a_map_that_lacks_a_pair_is_no_key():
    """Its keys are property lists, so the next property of the list around it looks like one."""
    keys = Map(Fields("Thing", "/Script/Game"), INT)
    data = save(BEFORE, Prop("ByThing", keys, [([COUNT, LABEL], 1), ([COUNT, LABEL], 2)]), AFTER)
    names = []
    for source in (data, data[: data.rindex(fstring("Count"))] + data[data.index(fstring("After")) :]):
        with streamsave.open(source, on_damage="resync") as events:
            names.append([(len(events.path), event.name) for event in events if isinstance(event, PropertyTag)])
    sound, found = names
    assert set(found) <= set(sound)
    assert (1, "After") in found


@pytest.mark.parametrize("verb", ["", "skip", "build"])
@pytest.mark.parametrize("around", ["save", "struct", "element"])
def test_an_element_more_than_an_array_has_is_lost(around, verb):
    """It is a list like the one in which it comes, and would end that: both have sound properties only."""
    item = Fields("Item", "/Script/Game")
    items = Prop("Items", Array(item), [[COUNT, AFTER], [COUNT, AFTER]])
    outer = {
        "save": [items],
        "struct": [Prop("Outer", item, [items, LABEL])],
        "element": [Prop("Outer", Array(item), [[items, LABEL]] * 3)],
    }[around]
    data = save(BEFORE, *outer, Prop("Last", INT, 5))
    start = data.index(fstring("Count"))
    size = (data.index(fstring("Count"), start + 1)) - start
    end = start + 2 * size
    names = []
    with streamsave.open(data[:end] + data[start : start + size] + data[end:], on_damage="resync") as events:
        for event in events:
            if isinstance(event, PropertyTag):
                names.append((len(events.path), event.name))
                if verb == "skip" and event.name == "Items":
                    events.skip()
            elif verb == "build" and isinstance(event, StructEnter) and event.name == "Outer" and event.index == 0:
                with pytest.raises(DamagedSave):
                    events.build()
    with streamsave.open(data) as events:
        sound = {(len(events.path), event.name) for event in events if isinstance(event, PropertyTag)}
    assert set(names) <= sound
    assert (1, "Last") in names


def test_a_property_named_like_the_first_of_the_elements_before_it_is_given():
    items = Prop("Items", Array(Fields("Item", "/Script/Game")), [[COUNT, AFTER], [COUNT]])
    data = save(items, Prop("Outer", Array(Fields("Item", "/Script/Game")), [[items, COUNT, LABEL]] * 3), COUNT, AFTER)
    given = [event.name for event in read(data) if isinstance(event, PropertyTag)]
    assert given_and_lost(data) == (given, [])
    at = data.rindex(fstring("After"))
    assert given_and_lost(data[:at] + b"\xff" + data[at + 1 :]) == (given[:-1], ["property"])


@pytest.mark.parametrize("around", ["save", "struct"])
def test_the_list_around_is_no_element_if_one_is_missing(around):
    """Its next properties and its end are a list, too, where the array has one element less than it says."""
    item = Fields("Item", "/Script/Game")
    items = Prop("Items", Array(item), [[COUNT, AFTER]] * 6)
    data = save(BEFORE, *([items, LABEL] if around == "save" else [Prop("Outer", item, [items, LABEL])]))
    given = [event.name for event in read(data) if isinstance(event, PropertyTag)]
    start = data.index(fstring("Count"))
    end = data.index(fstring("Count"), start + 1)
    assert given_and_lost(data[:start] + data[end:]) == ([*given[:-3], "Label"], ["Items"])


def test_elements_may_begin_in_another_way_than_the_first_one():
    items = Prop("Items", Array(Fields("Item", "/Script/Game")), [[COUNT, AFTER], [AFTER], [COUNT], [], [LABEL]])
    data = save(items, Prop("Outer", Array(Fields("Item", "/Script/Game")), [[items, LABEL], [LABEL], [items]]), AFTER)
    assert given_and_lost(data) == ([event.name for event in read(data) if isinstance(event, PropertyTag)], [])
