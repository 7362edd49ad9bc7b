"""What is left out of a damaged save game, and the sizes and counts around it."""

from __future__ import annotations

import pytest
from gvas_saves import build, save
from writer.primitives import fstring
from writer.tags import INT, STR, Array, Fields, Map, Prop

from streamsave import SaveError
from streamsave.check import check
from streamsave.check.finding import NOTE
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
    "an array": ([ONE, Prop("List", Array(STR), ["x", TEXT, "y"]), TWO], {"One": 1, "Two": 2}),
}


@pytest.mark.parametrize("ue5", [1008, 1012])
@pytest.mark.parametrize("where", INNER)
def test_a_value_that_cannot_be_decoded_goes_with_its_tag(tmp_path, where, ue5):
    props, expected = INNER[where]
    assert salvaged(tmp_path, broken(save(*props, ue5=ue5))) == (expected, 1)


def test_a_struct_that_has_lost_all_goes_with_its_tag(tmp_path):
    """A struct of no bytes would not say that its list of properties ends: other readers refuse it."""
    inner = Prop("In", ITEM, [Prop(TEXT, INT, 1), TWO])
    data = broken(save(ONE, inner, TWO, ue5=1012))
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
        assert salvaged(tmp_path, part) == ({"List": [sound] * (5 - last), "Two": 2}, 1)


def test_an_element_that_was_lost_counts_where_the_list_ends_early(tmp_path):
    data = save(Prop("List", Array(ITEM), [[ONE, TWO]] * 7 + [[ONE, BAD]]), TWO)
    second, third = [at for at in range(len(data)) if data.startswith(fstring("One"), at)][1:3]
    expected = [{"One": 1, "Two": 2}] * 6 + [{"One": 1}]
    for start in (second + 2, second + 45):  # without an event, or with one
        bad = data[:start] + b"\xff" * (third - start) + data[third:]
        cut = bad[: bad.index(TEXT.encode()) + 3]
        assert salvaged(tmp_path, cut) == ({"List": expected}, 2)
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
        {"One": 1, "Map": [(5, {"One": 1})]},
    ),
}


@pytest.mark.parametrize("ue5", [1008, 1012])
@pytest.mark.parametrize("where", CUTS)
def test_of_a_save_that_is_cut_off_what_is_open_ends_there(tmp_path, where, ue5):
    """An element, too, ends after its last property that is whole, as a struct does; a pair of a map has no end of its own."""
    props, expected = CUTS[where]
    data = save(*props, ue5=ue5)
    cut = data[: data.index(TEXT.encode()) + 3]
    assert salvaged(tmp_path, cut) == (expected, 1)


def test_earlier_losses_count_in_what_is_cut_off(tmp_path):
    data = broken(save(Prop("In", ITEM, [BAD, ONE, Prop("Long", STR, "0123456789"), TWO])))
    cut = data[: data.index(b"56789")]
    assert salvaged(tmp_path, cut) == ({"In": {"One": 1}}, 2)


def test_without_any_property_there_is_no_save(tmp_path):
    data = save(BAD)
    with pytest.raises(SaveError):
        list(SaveSalvage(data[: data.index(b"Bad\0") + 2]).write(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []
