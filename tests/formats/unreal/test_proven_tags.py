"""Properties of damaged saves: each that is given is one that was there, the others are told as lost."""

from __future__ import annotations

import pytest
from saves import VALID, read
from writer.gvas import SaveGame
from writer.primitives import fstring, i32
from writer.structs import VECTOR
from writer.tags import INT, STR, Array, Fields, Prop

import streamsave
from streamsave import Damage, PropertyTag, SaveEnd, StructEnter

BEFORE = Prop("Before", INT, 1)
COUNT = Prop("Count", INT, 770_077)
LABEL = Prop("Label", STR, "needle")
AFTER = Prop("After", INT, 2)


def save(*properties: Prop[object]) -> bytes:
    return SaveGame(list(properties)).encode()


def with_size(data: bytes, name: str, size: int) -> bytes:
    """Let the size of a property be another: `i32` after its name and type."""
    at = data.index(fstring(name)) + len(fstring(name))
    at += 4 + int.from_bytes(data[at : at + 4], "little")
    return data[:at] + i32(size) + data[at + 4 :]


def survived(data: bytes) -> tuple[list[str], list[str]]:
    """Return the names of the properties that are given with their values, and of those that are lost."""
    given: list[str] = []
    lost: list[str] = []
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            if isinstance(event, PropertyTag):
                given.append(event.name)
            elif isinstance(event, Damage):
                if event.error.offset >= 0 and given and event.lost.name == given[-1]:
                    given.pop()
                lost.append(event.lost.name or event.lost.kind)
        assert isinstance(event, SaveEnd)
    return given, lost


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
    assert survived(data) == (given, lost)


def test_properties_in_a_size_that_is_too_large_are_lost_with_it():
    """Both the value itself and its size end where a property starts: which of the two is wrong does not show."""
    tag_of_label = fstring("Label") + fstring("StrProperty")
    size = SOUND.index(fstring("After")) - SOUND.index(i32(770_077))
    data = with_size(SOUND, "Count", size)
    assert survived(data) == (["Before", "After"], ["Count"])
    (damage,) = [event for event in streamsave.open(data, on_damage="resync") if isinstance(event, Damage)]
    assert damage.offset <= data.index(tag_of_label) < damage.offset + damage.size


@pytest.mark.parametrize(
    ("old", "new", "given", "lost"),
    [
        pytest.param(fstring("IntProperty"), fstring("IntPr\x81perty"), ["Before", "Label", "After"], ["Count"], id="a-letter"),
        pytest.param(fstring("IntProperty"), fstring("Int/Propert"), ["Before"], ["rest of the save"], id="no-type"),
        pytest.param(fstring("Count"), i32(6) + b"Co\0nt\0", ["Before"], ["rest of the save"], id="nul-in-name"),
        pytest.param(fstring("IntProperty"), fstring("NewProperty"), ["Before", "Count", "Label", "After"], [], id="new-type"),
    ],
)
def test_what_is_no_tag_is_no_property(old, new, given, lost):
    at = SOUND.index(fstring("Count"))
    data = SOUND[:at] + SOUND[at:].replace(old, new, 1)
    assert survived(data) == (given, lost)


def test_bytes_between_two_properties_are_not_read_as_one():
    """The tag that starts in a value has a type that is none."""
    at = SOUND.index(i32(770_077))
    data = SOUND[: at + 4] + b"\0" + SOUND[at + 4 :]
    assert survived(data) == (["Before", "Count"], ["rest of the save"])


def test_a_damaged_member_costs_the_struct_around_it():
    struct = Prop("Item", Fields("Item", "/Script/Game"), [Prop("Inner", INT, 5), Prop("Last", INT, 6)])
    data = save(BEFORE, struct, AFTER)
    at = data.index(fstring("Last"))
    broken = data[:at] + data[at:].replace(fstring("IntProperty"), fstring("Int/Propert"), 1)
    given, lost = survived(broken)
    assert (given[0], given[-1], lost) == ("Before", "After", ["Item"])
    assert "Inner" in given
    assert "Last" not in given


def test_a_struct_of_any_size_is_proven_when_it_turns_out_to_be_a_leaf():
    """A GUID that is none takes 16 bytes of the value; its size is right no more."""
    data = (VALID / "gvas" / "ue4-508.sav").read_bytes()
    with streamsave.open(data) as events:
        (tag,) = [event for event in events if isinstance(event, PropertyTag) and event.name == "PerPlatformFloat"]
    broken = data[: tag.value_offset - 1] + b"\xff" + data[tag.value_offset :]
    kept = [event for event in streamsave.open(broken, on_damage="resync") if isinstance(event, (PropertyTag, Damage))]
    at = next(at for at, event in enumerate(kept) if isinstance(event, PropertyTag) and event.name == "PerPlatformFloat")
    assert isinstance(kept[at + 1], Damage)


def test_what_is_sound_is_read_as_ever():
    vectors = Prop("Vectors", Array(VECTOR), [(1.0, 2.0, 3.0)])
    for data in (save(BEFORE, vectors, AFTER), save(), SOUND):
        assert [repr(event) for event in streamsave.open(data, on_damage="resync")] == [repr(event) for event in read(data)]


def test_large_values_are_passed_over_unseen():
    """They are not read twice; that they have not their size shows behind them."""
    large = Prop("Large", STR, "x" * 300_000)
    data = save(BEFORE, large, AFTER)
    assert survived(data) == (["Before", "Large", "After"], [])
    assert survived(with_size(data, "Large", 300_000))[1] == ["rest of the save"]
    assert not any(isinstance(event, StructEnter) for event in read(data))
