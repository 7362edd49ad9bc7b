"""Where a property list may go on: what looks like its next tag, but is one of another list, is not given as its own."""

from __future__ import annotations

import pytest
from proofs import given_and_lost, lies_after, save, with_size
from writer.primitives import fstring
from writer.tags import INT, STR, Array, Fields, Map, Prop

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
        pytest.param("palworld-0.3", [(0x537F, 0x5390, "feffffff3dd800de")], id="the-terminator-of-the-save"),
        pytest.param("deltas", [(0x150, 0x154, "68000000")], id="a-value-of-unknown-layout"),
        pytest.param("deltas", [(0x334, 0x3C6, "00" * 0x92)], id="zeros-that-are-no-end-of-a-save"),
        pytest.param("ue4-502", [(0x1351, 0x13BF, "00" * 0x6E)], id="in-the-value-of-a-tag-after-it"),
        pytest.param("ue5-1011", [(0x14E9, 0x14ED, "01000000")], id="the-inner-tag-after-two-flags"),
        pytest.param("palworld-0.5", [(0x2A00, 0x2AA1, "")], id="a-terminator-that-is-no-key"),
    ],
)
def test_a_tag_of_another_list_is_not_given(sample, edits):
    findings, lost = lies_after(f"valid/gvas/{sample}.sav", edits)
    assert findings == []
    assert lost > 0


COUNT = Prop("Count", INT, 770_077)
LABEL = Prop("Label", STR, "needle")
INNER = Prop("Inner", Fields("Inner", "/Script/Game"), [COUNT, LABEL])
OUTER = Prop("Outer", Fields("Outer", "/Script/Game"), [INNER, Prop("Last", INT, 3)])
AFTER = Prop("After", INT, 2)
SOUND = save(OUTER, AFTER)


@pytest.mark.parametrize("feed", [bytes, lambda data: iter([data])], ids=["bytes", "pipe"])
def test_a_size_that_leads_into_another_list(feed):
    """The list there ends before that of the property does."""
    first = Prop("First", INT, 1)
    data = save(first, OUTER, AFTER)
    value = data.index(fstring("IntProperty")) + len(fstring("IntProperty")) + 9
    size = data.index(fstring("Label")) - value
    given, lost = given_and_lost(feed(with_size(data, "First", size)))
    assert (given, lost) == (["Outer", "Inner", "Count", "Label", "Last", "After"], ["First"])
    at = data.index(fstring("IntProperty"))
    unknown = with_size(data[:at] + fstring("NewProperty") + data[at + 16 :], "First", size)
    assert given_and_lost(feed(unknown)) == (given, lost)


def test_a_size_that_swallows_the_end_of_a_lost_list():
    """After its last property would come the next one of the list around it: they would seem to be one list."""
    struct = Prop("Outer", Fields("Outer", "/Script/Game"), [COUNT, Prop("Last", INT, 3)])
    data = with_size(save(struct, AFTER), "Outer", 4).replace(fstring("StructProperty"), fstring("StrangeProperty"))
    assert given_and_lost(data) == (["After"], ["Outer"])
    assert given_and_lost(with_size(data, "Last", 4 + len(fstring("None")))) == (["After"], ["Outer"])


def test_bytes_too_many_in_a_value_cost_what_has_a_wrong_size():
    """All sizes around them are too small by as many, so the lists end later."""
    at = SOUND.index(b"needle")
    given, lost = given_and_lost(SOUND[:at] + b"123" + SOUND[at:])
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
