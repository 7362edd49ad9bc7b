"""Any sequence of calls on a stream of any format, against a model: the list of all events, made once.

`HYPOTHESIS_PROFILE=thorough` takes twenty times as many (see `profiles`).
"""

from functools import cache
from typing import Any

import pytest
from contract import INSIDES, SAMPLES, SHAPES, assert_tells
from feeding import FEEDS
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from profiles import scaled
from stream_model import OPENING, Model, content_start, next_of_content

import streamsave
from streamsave import BlobSkip, Event, ObjectEnd, ObjectHeader, PropertyTag, SaveError, StaleEvent, StructEnter, StructExit

VERBS = ("skip", "build", "raw")
verbs = st.sampled_from(VERBS)
MODELS = cache(Model)


class SoundStream(RuleBasedStateMachine):
    """A sound save: whatever was asked for, the other events are those of the model, and each verb gives what it says."""

    @initialize(name=st.sampled_from(SHAPES), feed=st.sampled_from(sorted(FEEDS)))
    def open(self, name, feed):
        self.model = MODELS(name)
        self.events = streamsave.open(FEEDS[feed](SAMPLES[name]))
        #: The position of the last event, and whether a verb can act on it.
        self.at = -1
        self.event: Event | None = None
        self.usable = False
        #: Position of the exit event that follows a verb; it may claim less than where its nesting was walked.
        self.exit = -1
        self.closed = False

    @property
    def last(self) -> Event | None:
        return self.model.events[self.at] if 0 <= self.at < len(self.model.events) else None

    @rule(count=st.sampled_from([1, 1, 1, 2, 5, 40, 400]))
    def go_on(self, count):
        for _ in range(count):
            if self.closed:
                with pytest.raises(StaleEvent, match="closed"):
                    next(self.events)
                return
            self.take_one()

    def take_one(self) -> None:
        self.event = event = next_of_content(self.events)
        self.at = min(self.at + 1, len(self.model.events))
        expected = self.last
        self.usable = isinstance(expected, OPENING)
        if event is not None and self.at == self.exit:
            assert isinstance(event, (StructExit, ObjectEnd))
            assert type(event) is type(expected)
            assert event.offset + event.size == expected.offset + expected.size
        else:
            assert event == expected
            if event is not None:
                assert (self.events.path, self.events.depth, self.events.location(event)) == self.model.places[self.at]
        self.exit = -1

    @rule(verb=verbs)
    def use(self, verb):
        if not self.usable or self.closed:
            with pytest.raises(StaleEvent):
                getattr(self.events, verb)()
            return
        event, start = self.last, content_start(self.last)
        if isinstance(event, ObjectHeader) and event.size < 0 and verb == "skip":
            return  # an entry of Arx of unknown size is not inflated to be skipped: all after it has other offsets
        given = getattr(self.events, verb)()
        self.usable, self.event = False, None
        position, self.at = self.at, self.model.last_inside[self.at]
        if isinstance(event, (StructEnter, ObjectHeader)):
            self.exit = self.at + 1
            # What is claimed by the exit where its nesting was walked is passed over with the rest, or not.
            leave = self.model.events[self.exit]
            ends = range(leave.offset, leave.offset + leave.size + 1)
        else:
            ends = range(start + event.size, start + event.size + 1)
        if verb == "skip":
            assert given == BlobSkip(start, given.size, "skipped")
            assert start + given.size in ends
        elif verb == "raw":
            assert start + len(given) in ends
            assert given == self.model.body[start : start + len(given)]
        else:
            assert repr(given) == self.model.built(position)

    @rule()
    def look(self):
        if not self.usable or self.closed:
            with pytest.raises(StaleEvent):
                self.events.is_leaf()
            return
        is_leaf = self.model.last_inside[self.at] == self.at and isinstance(self.last, (streamsave.Field, PropertyTag))
        assert self.events.is_leaf() == is_leaf
        # What the value of a tag opens comes next, and the verbs wait for that.
        self.event = None
        self.usable = is_leaf or not isinstance(self.last, PropertyTag)

    @rule()
    def look_at_what_was_passed_over(self):
        blobs = [event for event in self.model.events if isinstance(event, BlobSkip)]
        blob = self.event
        if isinstance(blob, BlobSkip) and not self.closed:
            assert self.events.opaque(blob).data == self.model.body[blob.offset : blob.offset + blob.size]
        elif blobs:
            with pytest.raises(StaleEvent):
                self.events.opaque(blobs[0])

    @rule(really=st.integers(0, 9))
    def close(self, really):
        if not really:
            self.events.close()
            self.closed = True

    def teardown(self):
        """The rest is as it would have been."""
        if hasattr(self, "events") and not self.closed:
            while self.at < len(self.model.events):
                self.take_one()
            self.events.close()


class DamagedStream(RuleBasedStateMachine):
    """A damaged save: nesting stays strict, nothing but errors of ours, and the same again from everything once there was one."""

    @initialize(
        name=st.sampled_from(list(INSIDES)),
        at=st.floats(0, 1, exclude_max=True),
        value=st.integers(0, 255),
        feed=st.sampled_from(sorted(FEEDS)),
    )
    def open(self, name, at, value, feed):
        inside = INSIDES[name]
        damaged = bytearray(inside.data)
        if damaged:
            damaged[int(at * len(damaged))] = value
        self.seen: list[Event] = []
        self.opened: list[Event] = []
        #: An exit must come next.
        self.leaves = False
        self.error: SaveError | None = None
        self.events = None
        try:
            self.events = streamsave.open(FEEDS[feed](inside.wrap(bytes(damaged))))
        except SaveError as error:
            assert_tells(error, [])

    @rule(count=st.sampled_from([1, 1, 5, 50]))
    def go_on(self, count):
        for _ in range(count if self.events is not None else 0):
            event = self.asked(lambda: next_of_content(self.events))
            if event is None:
                return
            self.seen.append(event)
            if isinstance(event, (StructEnter, ObjectHeader)):
                assert not self.leaves
                self.opened.append(event)
            elif isinstance(event, StructExit):
                assert self.opened.pop().name == event.name
            elif isinstance(event, ObjectEnd):
                assert self.opened.pop().instance_name == event.instance_name
            else:
                assert not self.leaves
            self.leaves = False
            assert self.events.depth == len(self.opened)

    @rule(verb=st.sampled_from([*VERBS, "is_leaf"]))
    def use(self, verb):
        if self.events is None:
            return
        try:
            self.asked(getattr(self.events, verb))
        except StaleEvent:
            assert self.error is None
        else:
            self.leaves = verb != "is_leaf" and self.error is None and isinstance(self.seen[-1], (StructEnter, ObjectHeader))

    def asked(self, ask):
        """Call, and remember the first error; from then on, it is always that one."""
        error: SaveError | None = None
        given: Any = None
        try:
            given = ask()
        except SaveError as raised:
            error = raised
        if self.error is None and error is not None:
            assert_tells(error, self.seen)
            self.error = error
        assert error is self.error
        return given

    def teardown(self):
        if getattr(self, "events", None) is not None:
            self.events.close()
            with pytest.raises(StaleEvent if self.error is None else SaveError) as raised:
                next(self.events)
            assert self.error is None or raised.value is self.error


TestSoundStream = SoundStream.TestCase
TestSoundStream.settings = settings(max_examples=scaled(60), stateful_step_count=25)
TestDamagedStream = DamagedStream.TestCase
TestDamagedStream.settings = settings(max_examples=scaled(60), stateful_step_count=15)
