"""What all readers share: leaves, paths, the budget, and what a fault costs."""

from collections.abc import Iterator

import pytest
from cursors import cursor_over
from feeding import OnlyRead
from gvas_saves import save
from saves import VALID, raises
from writer.palworld_worlds import array, nested
from writer.primitives import fstring, i32
from writer.tags import INT, Prop

import streamsave
from streamsave import (
    BlobSkip,
    DamagedSave,
    Event,
    Field,
    LimitExceeded,
    Limits,
    ObjectHeader,
    StaleEvent,
    StructEnter,
    StructExit,
    TruncatedSave,
)
from streamsave.decode.codecs import I32, STRING, Array
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import EventAllowance, Reader, Selecting
from streamsave.errors import UnsupportedOption
from streamsave.input.source import BytesSource, open_source
from streamsave.input.windows import BytesWindows

ACTOR = ObjectHeader(0, "actor", "A", "a", "L", "", None, 0, 52, 4, 0, 4, 6)


class Three(Reader):
    """A number, a text and a list of numbers."""

    def events(self) -> Iterator[Event]:
        yield self.field("count", I32)
        yield self.field("text", STRING, 5)
        yield self.field("numbers", Array(I32))


DATA = i32(7) + fstring("abc") + i32(2) + i32(1) + i32(2)


def reader(limits: Limits | None = None, data: bytes = DATA) -> Three:
    """A reader at the start of its save."""
    limits = Limits() if limits is None else limits
    return Three(cursor_over(data, 1000, limits))


def test_leaves_that_are_left_are_passed():
    events = list(iter(reader().next_event, None))
    assert events == [Field(0, "count", "i32", 4, -1), Field(4, "text", "str", 8, 5), Field(12, "numbers", "i32[]", 12, -1)]


def test_values_and_paths():
    made = reader()
    made.steps.append("Level")
    seen = []
    while (event := made.next_event()) is not None:
        seen.append((made.path(), made.value(event)))
        assert made.path() == ("Level",)
    assert seen == [(("Level", "count"), 7), (("Level", "text", 5), "abc"), (("Level", "numbers"), [1, 2])]


class Passing(Three):
    """A count with room for so many bytes, and bytes that are passed over."""

    def events(self) -> Iterator[Event]:
        count = yield from self.count_field("count", 4)
        assert count == 7
        yield from self.blob(self.cursor.tell(), "none")
        yield from self.blob(12, "text")


def test_counts_and_what_is_passed_over():
    made = Passing(cursor_over(DATA + bytes(12), 1000))
    made.drive(made.events())
    assert list(iter(made.next_event, None)) == [Field(0, "count", "i32", 4, -1), BlobSkip(4, 8, "text")]
    assert made.cursor.tell() == 12
    with pytest.raises(DamagedSave, match="count 7 does not fit"):
        Passing(cursor_over(DATA[:20], 1000)).next_event()
    short = Passing(cursor_over(i32(0) + bytes(4), limit=100))
    with pytest.raises(TruncatedSave):
        list(short.blob(9, "more than there is"))


def test_a_value_is_that_of_a_field():
    with pytest.raises(TypeError, match="StructExit has no value"):
        reader().value(StructExit(0, "a", 0))


def test_skipping():
    made = reader()
    event = made.next_event()
    assert event is not None
    assert made.skip(event)
    assert (made.cursor.tell(), made.is_pending) == (4, False)
    assert made.skip(ACTOR)
    assert made.cursor.tell() == 10
    assert made.skip(StructEnter(2, "a", "A", 3, 7, -1, -1))
    assert made.cursor.tell() == 12
    assert not made.skip(StructEnter(2, "a", "A", 3, -1, -1, -1))
    assert not made.skip(StructExit(2, "a", 3))


@pytest.mark.parametrize(("name", "nodes", "size"), [("build_nodes", 3, 0), ("build_size", 0, 3)])
def test_the_budget_of_one_build(name, nodes, size):
    made = reader(Limits(**{name: 6}))
    for _ in range(2):
        made.build.reset()
        made.spend(nodes, size)
        made.spend(nodes, size)
        with raises(LimitExceeded, limit=name, value=7):
            made.spend(1, 1)


def test_a_reader_is_made_from_a_cursor_alone():
    """As plugins for an earlier version do not: the error says so."""
    with pytest.raises(TypeError, match="positional argument"):
        Three(cursor_over(DATA), Limits())


def test_as_many_values_as_the_limit_says_may_be_in_one_another():
    made = reader(Limits(depth=2))
    made.build.enter(made.cursor)
    made.build.enter(made.cursor)
    for _ in range(2):
        with raises(LimitExceeded, limit="depth", value=3, allowed=2):
            made.build.enter(made.cursor)
    made.build.leave()
    made.build.enter(made.cursor)


# --- what a selection is asked, and what is taken for granted ---


def test_everything_is_needed_and_may_match_unless_a_selection_says_otherwise():
    """A reader leaves out data, levels and objects only for a selection that allows it."""
    made = Selecting()
    assert (made.needs_data, made.needs_rest) == (True, True)
    assert made.wants_kind("actor")
    assert made.wants_class("C")
    assert made.wants_names("C", "A", "L")


@pytest.mark.parametrize("question", ["wants_header", "takes"])
def test_whether_an_object_matches_needs_an_answer(question):
    """No answer by default: "yes" would cost time, "no" would lose objects, both unseen."""
    with pytest.raises(NotImplementedError):
        getattr(Selecting(), question)(ACTOR)


# --- what a reader says of containers ---

THINGS = array("Things", [[Prop("Count", INT, 1)], [Prop("Count", INT, 2)]])


def test_the_stream_gives_them_once():
    with streamsave.open(save(nested("World", [THINGS]))) as events:
        assert [container.path for container in events.containers()] == ["World.Things[*]"]
        with pytest.raises(StaleEvent):
            events.containers()
        assert list(events) == []


def test_only_at_the_start():
    with streamsave.open(save(THINGS)) as events:
        next(events)
        with pytest.raises(StaleEvent, match="not at its start"):
            events.containers()


def test_other_formats_have_none():
    with (
        streamsave.open(VALID / "satisfactory" / "sv58.sav") as events,
        pytest.raises(UnsupportedOption, match="takes no objects_at"),
    ):
        events.containers()


def spend_all(source, most=1000, **limits):
    """Spend events up to the first that is refused; return how many there were, and the error."""
    made = Limits(**limits)
    cursor = Cursor(BytesWindows(b""), made)
    allowance = EventAllowance(made)
    allowance.source = source
    for count in range(most):
        try:
            allowance.spend(cursor)
        except LimitExceeded as error:
            with pytest.raises(LimitExceeded):
                allowance.spend(cursor)
            return count, error
    return most, None


@pytest.mark.parametrize(
    ("size", "ratio", "after", "count", "asked"),
    [
        (10, 3, 0, 30, 4),
        (10, 3, 29, 30, 4),
        (10, 3, 30, 30, 4),
        (10, 3, 31, 31, 4),
        (10, 0, 5, 5, 1),
        (10, 1, 0, 10, 2),
        (0, 3, 7, 7, 8),
    ],
)
@pytest.mark.parametrize("feed", [bytes, OnlyRead])
def test_as_many_as_the_file_is_large_enough_for(feed, size, ratio, after, count, asked):
    spent, error = spend_all(open_source(feed(bytes(size))), event_ratio=ratio, event_ratio_after=after)
    assert spent == count
    assert (error.limit, error.value, error.allowed) == ("event_ratio", asked, ratio)


def test_without_a_source():
    assert spend_all(None, event_ratio=3, event_ratio_after=7)[0] == 7


def test_large_numbers():
    assert spend_all(BytesSource(bytes(100)), event_ratio=1 << 60, event_ratio_after=0) == (1000, None)


def test_the_size_is_asked_only_above_the_first_so_many():
    class Asked(BytesSource):
        count = 0

        def size(self):
            Asked.count += 1
            return super().size()

    source = Asked(bytes(100))
    assert spend_all(source, most=10, event_ratio_after=10) == (10, None)
    assert Asked.count == 0
    assert spend_all(source, most=500, event_ratio=5, event_ratio_after=10) == (500, None)
    assert Asked.count == 1
