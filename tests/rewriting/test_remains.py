"""What is left out of a damaged save game, and the sizes and counts around it."""

import pytest
from cursors import cursor_over
from gvas_saves import build, save
from writer.primitives import fstring
from writer.tags import BOOL, INT, STR, Array, Fields, Map, Prop

from streamsave import SaveError
from streamsave.check import check
from streamsave.check.finding import NOTE
from streamsave.rewriting.gone import LARGEST_SEARCHED, SHORTEST_START, Gone, common_start
from streamsave.rewriting.rows import EMPTY, FIRST_SIZE, NumberSet
from streamsave.rewriting.salvage import SaveSalvage

ITEM = Fields("Item", "/Script/Game")
#: A text whose length gets another number.
TEXT = "a text"
BAD = Prop("Bad", STR, TEXT)
ONE = Prop("One", INT, 1)
TWO = Prop("Two", INT, 2)


def salvaged(tmp_path, data):
    """The properties of what is made of a damaged save, and how many losses there were."""
    losses = list(SaveSalvage(data).write(tmp_path / "new"))
    made = (tmp_path / "new").read_bytes()
    assert [finding for finding in check(made) if finding.severity != NOTE] == []
    return build(made), len(losses)


def broken(data, at=-4, new=b"\xff\xff\xff\x7f"):
    """A save with other bytes somewhere around the text: its length, if nothing is said."""
    place = data.index(TEXT.encode()) + at
    return data[:place] + new + data[place + len(new) :]


INNER = {
    "a property": ([ONE, BAD, TWO], {"One": 1, "Two": 2}),
    "the first property": ([BAD, TWO], {"Two": 2}),
    "in a struct": ([ONE, Prop("In", ITEM, [ONE, BAD, TWO]), TWO], {"One": 1, "In": {"One": 1, "Two": 2}, "Two": 2}),
    "in two structs": (
        [Prop("Out", ITEM, [Prop("In", ITEM, [BAD, ONE]), TWO]), TWO],
        {"Out": {"In": {"One": 1}, "Two": 2}, "Two": 2},
    ),
    "in an element": (
        [Prop("List", Array(ITEM), [[ONE], [ONE, BAD], [TWO]]), TWO],
        {"List": [{"One": 1}, {"One": 1}, {"Two": 2}], "Two": 2},
    ),
    "in a value of a map": (
        [Prop("Map", Map(INT, ITEM), [(5, [ONE]), (6, [BAD, TWO])]), TWO],
        {"Map": [(5, {"One": 1}), (6, {"Two": 2})], "Two": 2},
    ),
    "a plain value of a map": (
        [Prop("Map", Map(ITEM, STR), [([ONE], "x"), ([TWO], TEXT), ([ONE, TWO], "z")]), TWO],
        {"Map": [({"One": 1}, "x"), ({"One": 1, "Two": 2}, "z")], "Two": 2},
    ),
    "an array": ([ONE, Prop("List", Array(STR), ["x", TEXT, "y"]), TWO], {"One": 1, "Two": 2}),
}


@pytest.mark.parametrize("ue5", [1008, 1012])
@pytest.mark.parametrize("where", INNER)
def test_a_value_that_cannot_be_decoded_goes_with_its_tag(tmp_path, where, ue5):
    props, expected = INNER[where]
    assert salvaged(tmp_path, broken(save(*props, ue5=ue5))) == (expected, 1)


@pytest.mark.parametrize("ue5", [1008, 1012])
@pytest.mark.parametrize("where", ["in a struct", "in two structs", "in a value of a map"])
def test_where_bytes_are_missing_the_sizes_around_become_right(tmp_path, where, ue5):
    """Each size around the value counts the bytes that are missing in it."""
    props, expected = INNER[where]
    data = save(*props, ue5=ue5)
    place = data.index(TEXT.encode())
    assert salvaged(tmp_path, data[:place] + data[place + 3 :]) == (expected, 1)


@pytest.mark.parametrize("ue5", [1008, 1012])
def test_a_pair_of_a_map_keeps_what_was_read_of_its_value(tmp_path, ue5):
    """The damage reaches past the end of the inner map, of the pair that it is in, or of the save."""
    inner = Prop("In", Map(INT, ITEM), [(1, [ONE]), (2, [ONE, BAD, TWO]), (3, [TWO])])
    data = save(ONE, Prop("Map", Map(INT, ITEM), [(5, [ONE]), (6, [ONE, inner, TWO]), (7, [ONE])]), TWO, ue5=ue5)
    start, last = data.index(TEXT.encode()) - 4, data.rindex(fstring("Two"))
    pairs = [(5, {"One": 1}), (6, {"One": 1, "In": [(1, {"One": 1}), (2, {"One": 1})]}), (7, {"One": 1})]
    assert salvaged(tmp_path, data[: start + 8] + data[start + 11 :]) == ({"One": 1, "Map": pairs, "Two": 2}, 1)
    lost = data[:start] + b"\xff" * (last - start) + data[last:]
    assert salvaged(tmp_path, lost) == ({"One": 1, "Map": pairs[:2], "Two": 2}, 1)
    assert salvaged(tmp_path, data[: start + 8]) == ({"One": 1, "Map": pairs[:2]}, 1)


@pytest.mark.parametrize("ue5", [1008, 1012])
def test_a_bool_before_a_damage_stays(tmp_path, ue5):
    """Its value is in its tag: the damage is where a value would be."""
    data = save(ONE, Prop("Flag", BOOL, True), BAD, TWO, ue5=ue5)
    place = data.index(b"Bad\0") - 4
    assert salvaged(tmp_path, data[:place] + b"\xff\xff\xff\x7f" + data[place + 4 :]) == ({"One": 1, "Flag": True, "Two": 2}, 1)
    assert salvaged(tmp_path, data[: place + 8]) == ({"One": 1, "Flag": True}, 1)


def test_a_struct_that_has_lost_all_goes_with_its_tag(tmp_path):
    """A struct of no bytes would not say that its list of properties ends: other readers refuse it."""
    data = broken(save(ONE, Prop("In", ITEM, [Prop(TEXT, INT, 1), TWO]), TWO, ue5=1012))
    assert salvaged(tmp_path, data) == ({"One": 1, "In": {"Two": 2}, "Two": 2}, 1)
    # Neither what comes after it in the struct, nor what ends that.
    at = data.index(fstring("Two"))
    end = data.rindex(fstring("Two"))
    assert salvaged(tmp_path, data[:at] + b"\xff" * (end - at) + data[end:]) == ({"One": 1, "Two": 2}, 1)


def test_several_elements_that_are_lost_count(tmp_path):
    """Nothing shows where one ends and the next starts; the last one starts as the first does."""
    data = save(Prop("List", Array(ITEM), [[ONE, TWO], [ONE, TWO], [ONE, TWO], [ONE, TWO]]), TWO)
    starts = [at for at in range(len(data)) if data.startswith(fstring("One"), at)]
    for last in (2, 3):
        bad = data[: starts[1] + 2] + b"\xff" * (starts[last] - starts[1] - 2) + data[starts[last] :]
        sound = {"One": 1, "Two": 2}
        assert salvaged(tmp_path, bad) == ({"List": [sound] * (5 - last), "Two": 2}, 1)
        part = data[: starts[1] + 45] + b"\xff" * (starts[last] - starts[1] - 45) + data[starts[last] :]
        assert salvaged(tmp_path, part) == ({"List": [sound, {"One": 1}, *[sound] * (4 - last)], "Two": 2}, 1)


def test_an_element_that_was_lost_counts_where_the_list_ends_early(tmp_path):
    data = save(Prop("List", Array(ITEM), [[ONE, TWO]] * 7 + [[ONE, BAD]]), TWO)
    second, third = [at for at in range(len(data)) if data.startswith(fstring("One"), at)][1:3]
    sound = {"One": 1, "Two": 2}
    for start, part in ((second + 2, []), (second + 45, [{"One": 1}])):  # of the second one, nothing or a property is left
        expected = [sound, *part, *[sound] * 5, {"One": 1}]
        bad = data[:start] + b"\xff" * (third - start) + data[third:]
        assert salvaged(tmp_path, bad[: bad.index(TEXT.encode()) + 3]) == ({"List": expected}, 2)
        tag = bad.index(b"Bad\0")
        end = bad.rindex(fstring("Two"))
        bad = bad[: tag - 4] + b"\xff" * (end - tag + 4) + bad[end:]
        assert salvaged(tmp_path, bad) == ({"List": expected, "Two": 2}, 2)


CUTS = {
    "in a property": ([ONE, BAD, TWO], {"One": 1}),
    "in a struct": ([ONE, Prop("In", ITEM, [TWO, BAD]), TWO], {"One": 1, "In": {"Two": 2}}),
    "in an element": ([Prop("List", Array(ITEM), [[ONE], [TWO, BAD], [TWO]])], {"List": [{"One": 1}, {"Two": 2}]}),
    "in a map": (
        [ONE, Prop("Map", Map(INT, ITEM), [(5, [ONE]), (6, [ONE, BAD]), (7, [])])],
        {"One": 1, "Map": [(5, {"One": 1}), (6, {"One": 1})]},
    ),
    "in a plain value of a map": ([Prop("Map", Map(ITEM, STR), [([ONE], "x"), ([TWO], TEXT)])], {"Map": [({"One": 1}, "x")]}),
}


@pytest.mark.parametrize("ue5", [1008, 1012])
@pytest.mark.parametrize("where", CUTS)
def test_of_a_save_that_is_cut_off_what_is_open_ends_there(tmp_path, where, ue5):
    """An element, and the value of a pair, end after their last property that is whole, as a struct does."""
    props, expected = CUTS[where]
    data = save(*props, ue5=ue5)
    assert salvaged(tmp_path, data[: data.index(TEXT.encode()) + 3]) == (expected, 1)


def test_earlier_losses_count_in_what_is_cut_off(tmp_path):
    data = broken(save(Prop("In", ITEM, [BAD, ONE, Prop("Long", STR, "0123456789"), TWO])))
    assert salvaged(tmp_path, data[: data.index(b"56789")]) == ({"In": {"One": 1}}, 2)


def test_without_any_property_there_is_no_save(tmp_path):
    data = save(BAD)
    with pytest.raises(SaveError):
        list(SaveSalvage(data[: data.index(b"Bad\0") + 2]).write(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


# --- names of dropped objects are found in the bytes of others ---

START = "Level:Persistent."


def gone_of(*names):
    gone = Gone()
    for number, name in enumerate(names):
        gone.add(number, hash(name))
        gone.add_start(name)
    return gone


def stored(*names):
    return b"\1\0\0\0".join(name.encode() + b"\0" for name in names)


@pytest.mark.parametrize("window", [1, 7, 1000])
@pytest.mark.parametrize(
    ("names", "gone"),
    [
        (("Belt_1",), ["Belt_1"]),
        (("Belt_22", "Pole", "Belt_2", "Belt_1.In", "Belt_22", "Belt_1"), ["Belt_22", "Belt_22", "Belt_1"]),
        (("Pole", "Belt_2", "Belt_1.In"), []),
        (("Belt_222", "Belt_"), []),
        ((), []),
    ],
)
def test_names_are_found_wherever_a_window_ends(window, names, gone):
    data = stored("Other:x", *(START + name for name in names), "End")
    cursor = cursor_over(b"abc" + data + stored(START + "Belt_1"), window)
    cursor.skip(3)
    assert gone_of(START + "Belt_1", START + "Belt_22").names_in(cursor, len(data)) == [START + name for name in gone]
    assert cursor.tell() == 3


@pytest.mark.parametrize(
    "names",
    [(START + "Belt", "Other:Persistent.Belt"), (START[: SHORTEST_START - 1],), (START + "Bélt",), (START + "a", START + "é")],
)
def test_names_that_cannot_be_searched_for_may_be_anywhere(names):
    gone = gone_of(*names)
    assert gone.names_in(cursor_over(bytes(10)), 10) is None
    assert gone.names_in(cursor_over(bytes(10)), 0) == []


def test_large_data_are_not_searched():
    cursor = cursor_over(bytes(LARGEST_SEARCHED + 1))
    gone = gone_of(START)
    assert gone.names_in(cursor, LARGEST_SEARCHED) == []
    assert gone.names_in(cursor, LARGEST_SEARCHED + 1) is None


def test_names_that_references_were_set_to_are_gone_but_not_searched_for():
    gone = Gone()
    assert not gone
    gone.set_names.add("x")
    assert gone
    assert gone.has("x")
    assert not gone.has("y")
    assert gone.names_in(cursor_over(stored("x")), 2) == []


@pytest.mark.parametrize(
    ("start", "name", "expected"), [(None, "abc", "abc"), ("abd", "abc", "ab"), ("a", "abc", "a"), ("", "a", "")]
)
def test_what_names_start_with(start, name, expected):
    assert common_start(start, name) == expected


# --- sets of numbers of 64 bits ---


LARGEST = (1 << 63) - 1
#: Numbers that are next to each other, that have their last bits in common, and any.
SERIES = {
    "near": range(1000),
    "negative": range(-1000, -1),
    "same last bits": range(0, 1000 << 40, 1 << 40),
    "any": [hash(str(number)) for number in range(1000)],
    "largest": [LARGEST, -LARGEST - 1, 0, 1],
}


@pytest.mark.parametrize("name", SERIES)
def test_what_was_added_is_there(name):
    numbers = list(SERIES[name])
    found = NumberSet()
    for count, number in enumerate(numbers):
        assert len(found) == count
        assert not found.has(number)
        found.add(number)
        found.add(number)
    assert all(found.has(number) for number in numbers)
    assert not any(found.has(number) for number in (7 << 50, -(7 << 50), 1 << 62))


def test_half_of_the_places_stay_free():
    found = NumberSet()
    for number in range(1, 10 * FIRST_SIZE):
        found.add(number)
        assert 2 * len(found) <= len(found._places)


def test_numbers_that_a_file_chooses_lie_apart():
    """The number that mixes them is another one in each process: with one in some 300, those of one step lie close together."""
    longest = []
    for step in (1, 512, 1 << 16, 1 << 21, 1 << 42):
        found = NumberSet()
        for number in range(0, 5000 * step, step):
            found.add(number)
        runs = "".join("." if number == EMPTY else "x" for number in found._places).split(".")
        longest.append(max(map(len, runs)))
    assert sorted(longest)[-2] < 250, longest
