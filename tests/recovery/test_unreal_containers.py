"""Containers of damaged saves: their elements have no sizes, so all are looked at before one is given."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from damage import survived
from proofs import AFTER, BEFORE, COUNT, ITEMS, LABEL, Case, assert_given, given_and_lost, place, put, save, with_size
from saves import VALID, read
from writer.primitives import fstring, i32
from writer.structs import GUID
from writer.tags import INT, NAME, STR, Array, Fields, Map, Prop

import streamsave
from streamsave import Damage, DamagedSave, Field, PropertyTag, SaveError, StructEnter

ITEM = Fields("Item", "/Script/Game")


def tags_of(data: bytes, name: str = "") -> list[PropertyTag]:
    return [event for event in read(data) if isinstance(event, PropertyTag) and name in {event.name, ""}]


def names_of(data: bytes) -> str:
    return " ".join(tag.name for tag in tags_of(data))


def lists() -> Iterator[Case]:
    # Elements that do not have the size of all are lost from the fault on; those before it end with their terminators.
    data = save(BEFORE, ITEMS, AFTER)
    yield "the last element", put(data, place(data, "Name", -1), b"\xff"), "Before Items Name After", "Items"
    data = save(BEFORE, Prop("Texts", Array(STR), ["one", "two"]), AFTER)
    yield "the first text", put(data, place(data, "one"), b"\5"), "Before After", "Texts"
    # An element does not go on at the inner tag of what it has lost: what comes after that leads to the end of the array, too.
    first = Prop("First", INT, 4)
    data = save(BEFORE, Prop("Outer", Array(ITEM), [[first], [first, ITEMS], [first]]), AFTER)
    outer, inner = (tags_of(data, name)[0] for name in ("Outer", "Items"))
    last = place(data, "Name", -1)
    moved = b"\xff" * (inner.value_offset + inner.size - last)
    broken = data[:last] + moved + data[inner.value_offset + 4 :]
    header = len(fstring("Outer") + fstring("StructProperty"))
    for at in (place(data, "ArrayProperty") + len(fstring("ArrayProperty")), outer.value_offset + 4 + header):
        broken = put(broken, at, i32(int.from_bytes(data[at : at + 4], "little") + len(broken) - len(data)))
    yield "an inner tag", broken, "Before Outer First First Items Name First After", "Items"
    # A large value in the first nesting after a fault: the reader that looks ahead is in more nestings than the one that met it.
    for size in (10, 300_000):
        nested = Prop("Inner", Fields("Inner", "/Script/Game"), [Prop("Large", STR, "z" * size), LABEL])
        data = save(BEFORE, Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, nested, Prop("Last", INT, 3)]), AFTER)
        for lost in ("Before", "Count"):
            given = " ".join(name for name in names_of(data).split() if name != lost)
            yield f"{lost} before {size} bytes", with_size(data, lost, 9), given, lost
    # Bytes of a struct with a GUID may have any layout only if nothing in them looks like a property.
    for guid in (bytes(16), bytes(range(16))):
        data = save(BEFORE, Prop("Item", Fields("Item", "/Script/Game", guid), [COUNT, LABEL]), AFTER)
        yield f"a struct with the GUID {guid[-1]}", data, "Before Item Count Label After", ""
        yield f"its bytes, {guid[-1]}", put(data, place(data, "Count"), bytes(20)), "Before After", "Item"
    # No element starts with the inner tag of an array: it has the name that all elements begin with, but another type.
    for inside in ([], [[Prop("First", INT, 4)]]):
        arrays = [[Prop("Perks", Array(ITEM), each)] for each in ([[COUNT]] * 2, inside, [], [])]
        data = save(BEFORE, Prop("Loadouts", Array(ITEM), arrays), AFTER)
        tag = tags_of(data, "Perks")[1]
        at = place(data, "ArrayProperty", tag.offset) + len(fstring("ArrayProperty"))
        given = "Before Loadouts Perks Count Count Perks Perks After"
        yield f"arrays of {len(inside)}", put(data, at, i32(tag.size + 300)), given, "Loadouts"
    # Elements before the cut are given after one that is damaged.
    values = [[Prop("First", INT, at), Prop("Last", STR, str(at))] for at in range(12)]
    data = save(BEFORE, Prop("Items", Array(ITEM), values), AFTER)
    starts = [tag.offset for tag in tags_of(data, "First")]
    given = "Before Items" + " First Last" * 2 + " First Last" * 7
    yield "one before a cut", put(data[: starts[10]], starts[2], b"\xff"), given, "Items[2], rest of the save"
    # A property that is named like the first of the elements before it is given.
    items = Prop("Items", Array(ITEM), [[COUNT, AFTER], [COUNT]])
    data = save(items, Prop("Outer", Array(ITEM), [[items, COUNT, LABEL]] * 3), COUNT, AFTER)
    yield "a name twice", data, names_of(data), ""
    damaged = put(data, place(data, "After", -1), b"\xff")
    yield "after a name twice", damaged, names_of(data).rpartition(" ")[0], "property"
    # The next properties of the list around an array and its end are a list, too, where it has one element less than it says.
    items = Prop("Items", Array(ITEM), [[COUNT, AFTER]] * 6)
    for props in ([items, LABEL], [Prop("Outer", ITEM, [items, LABEL])]):
        data = save(BEFORE, *props)
        start = place(data, "Count")
        given = " ".join([*names_of(data).split()[:-3], "Label"])
        yield f"one less in {props[0].name}", put(data, start, b"", place(data, "Count", start + 1) - start), given, "Items"
    # Elements may begin in another way than the first one.
    items = Prop("Items", Array(ITEM), [[COUNT, AFTER], [AFTER], [COUNT], [], [LABEL]])
    data = save(items, Prop("Outer", Array(ITEM), [[items, LABEL], [LABEL], [items]]), AFTER)
    yield "other beginnings", data, names_of(data), ""


def maps() -> Iterator[Case]:
    # A key of another size costs its pair and those after it: nothing shows where a text ends but its length.
    data = save(BEFORE, Prop("ByName", Map(STR, ITEM), [("key", [COUNT]), ("other", [LABEL])]), AFTER)
    yield "two pairs", data, "Before ByName Count Label After", ""
    yield "the first key", put(data, place(data, "key"), i32(5)), "Before After", "ByName"
    yield "the last key", put(data, place(data, "other"), i32(5)), "Before ByName Count After", "ByName"
    # An empty name is stored as a length of 0, without a NUL.
    by_name = Prop("ByName", Map(NAME, ITEM), [("", [COUNT]), ("other", [LABEL])])
    yield "an empty name", save(BEFORE, by_name, AFTER), "Before ByName Count Label After", ""


CASES = [*lists(), *maps()]


@pytest.mark.parametrize("feed", [bytes, lambda data: iter([data])], ids=["bytes", "pipe"])
@pytest.mark.parametrize(("data", "given", "lost"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_given_and_lost(data, given, lost, feed):
    assert_given(feed(data), given, lost)


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


def test_elements_of_a_set_that_removes_some_are_lost_with_it():
    """The number of those that it adds is wrong: what it removes may be misread, too."""
    data = (VALID / "gvas" / "deltas.sav").read_bytes()
    (tag,) = [event for event in read(data) if isinstance(event, PropertyTag) and event.name == "GuidSet"]
    at = tag.value_offset + 20
    given, lost = given_and_lost(data[:at] + i32(0) + data[at + 4 :])
    assert ("GuidSet" in given, lost) == (False, ["GuidSet"])


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


def lost_pairs() -> Iterator[tuple[str, bytes, list[object]]]:
    """Maps, and the keys that are given."""
    yield "none", save(Prop("ByNumber", Map(INT, ITEM), [(1, [COUNT]), (2, [LABEL])])), [1, 2]
    # A pair is missing, so the count is too large: the name of the tag that follows would be a key.
    pairs = [(f"key{at}", [COUNT]) for at in range(3)]
    data = save(BEFORE, Prop("ByName", Map(STR, ITEM), pairs), LABEL, AFTER)
    yield "before a tag", data[: place(data, "key1")] + data[place(data, "key2") :], ["key0", "key2"]
    # Two lists end after the map, as a key `None` and no value would.
    names = ["one", "two", "three", "four"]
    pairs = [(name, [Prop("First", INT, 1), Prop("Last", STR, name)]) for name in names]
    model = Prop("Model", Fields("Model", "/Script/Game"), [Prop("ByName", Map(NAME, ITEM), pairs)])
    data = save(Prop("Items", Array(ITEM), [[LABEL, model]] * 3), AFTER)
    start, end = (place(data, "Last", place(data, name)) for name in ("one", "two"))
    yield "before two ends", data[: start + 20] + data[end + 25 :], ["one", "three", "four", *names, *names]
    # The map is the last of the save: no size around it is met, and no list goes on after the ends.
    pairs = [(name, [Prop("First", INT, 1)]) for name in ("one", "two", "three")]
    data = save(BEFORE, Prop("Model", Fields("Model", "/Script/Game"), [Prop("ByName", Map(NAME, ITEM), pairs)]))
    yield "before the last ends", data[: place(data, "two")] + data[place(data, "three") :], ["one", "three"]


LOST_PAIRS = list(lost_pairs())


@pytest.mark.parametrize(("data", "keys"), [case[1:] for case in LOST_PAIRS], ids=[case[0] for case in LOST_PAIRS])
def test_what_follows_a_map_is_no_key(data, keys):
    """A pair is missing, with its number still counted."""
    with streamsave.open(data, on_damage="resync") as events:
        assert [events.build() for event in events if isinstance(event, Field) and event.name == "key"] == keys


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


def places_of(data: bytes) -> set[tuple[int, tuple[str | int, ...]]]:
    with streamsave.open(data, on_damage="resync") as events:
        return {(event.offset, events.path) for event in events if isinstance(event, (PropertyTag, Field))}


@pytest.mark.parametrize(
    ("name", "cuts"),
    [
        ("deltas", [566]),  # where a value ends that has elements in it: their list would be that of the save
        ("deltas-new-tags", [662]),
        # All cuts, but for those 16 bytes after the end of a list and a 1, as a GUID would follow the outermost one.
        pytest.param("deltas", {*range(300, 1748)} - {834}, marks=pytest.mark.slow),
        pytest.param("deltas-new-tags", {*range(300, 2049)} - {968}, marks=pytest.mark.slow),
    ],
    ids=["old", "new", "old-all", "new-all"],
)
def test_a_save_that_is_cut_off_has_nothing_but_what_the_whole_one_has(name, cuts):
    data = (VALID / "gvas" / f"{name}.sav").read_bytes()
    whole = places_of(data)
    for cut in cuts:
        assert places_of(data[:cut]) <= whole
