"""A stream that two threads use: one at a time it may go from one to the other, at the same time is an error that says so."""

import io
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from attrs import evolve
from saves import SATISFACTORY, VALID, read
from writer.gvas_samples import plain
from writer.tags import STR, Prop

import streamsave
from streamsave import PropertyTag, StaleEvent
from streamsave.stream.iterator import IN_USE

SAMPLE = (SATISFACTORY / "sv58.sav").read_bytes()
LONG = 30
HAS_GIL = getattr(sys, "_is_gil_enabled", lambda: True)()


class Gate(io.BytesIO):
    """A file whose next read waits until it is open."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.open = threading.Event()
        self.open.set()
        self.waits = threading.Event()

    def seekable(self) -> bool:
        return False

    def read1(self, size: int | None = -1, /) -> bytes:
        if not self.open.is_set():
            self.waits.set()
            assert self.open.wait(LONG)
        return super().read(10_000)


def in_use(verb) -> None:
    with pytest.raises(StaleEvent) as caught:
        verb()
    assert str(caught.value) == IN_USE


VERBS = ["__next__", "skip", "build", "raw", "references", "slices", "is_leaf", "close"]


def tags(events):
    return (event for event in events if isinstance(event, PropertyTag))


@pytest.mark.parametrize("waiting", VERBS[:5])
def test_a_second_thread_is_refused(waiting):
    """While one thread waits for the file, in an event or a verb. Afterwards, the stream goes on as if nothing had been."""
    file = Gate(evolve(plain(), props=[Prop(f"Text{number}", STR, "x" * 5000) for number in range(100)]).encode())
    with streamsave.open(file) as events, ThreadPoolExecutor(1) as other:
        got = [next(tags(events)).name]
        file.open.clear()

        def read_on() -> None:
            while not file.waits.is_set():
                if waiting != "__next__":
                    getattr(events, waiting)()
                got.append(next(tags(events)).name)

        result = other.submit(read_on)
        assert file.waits.wait(LONG)
        for verb in VERBS:
            in_use(getattr(events, verb))
        file.open.set()
        result.result(LONG)
        got += [event.name for event in tags(events)]
    assert got == [f"Text{number}" for number in range(100)]


@pytest.mark.parametrize("verb", VERBS)
def test_a_function_that_uses_the_stream_that_asks_it(verb):
    with streamsave.open(SAMPLE) as events:

        def wanted(_header) -> bool:
            in_use(getattr(events, verb))
            return True

        events.only(wanted)
        assert sum(1 for _ in tags(events)) == sum(1 for _ in tags(read(SAMPLE)))


def test_from_thread_to_thread():
    """As frameworks do that take each item of a generator in any thread of a pool."""
    with streamsave.open(SAMPLE) as events, ThreadPoolExecutor(4) as pool:
        got = []
        while (event := pool.submit(next, events, None).result()) is not None:
            got.append(event)
            if isinstance(event, PropertyTag):
                pool.submit(events.build).result()
    with streamsave.open(SAMPLE) as events:
        expected = []
        for event in events:
            expected.append(event)
            if isinstance(event, PropertyTag):
                events.build()
    assert got == expected


@pytest.mark.skipif(not HAS_GIL, reason="without the GIL, two threads may use a stream unnoticed")
def test_two_threads_at_once():
    """Whatever they do, each event comes once, and an error says what is wrong."""
    expected = [repr(event) for event in read(SAMPLE)]
    refused: set[str] = set()
    with streamsave.open(SAMPLE) as events:

        def take() -> list[str]:
            got = []
            while True:
                try:
                    got.append(repr(next(events)))
                except StopIteration:
                    return got
                except StaleEvent as error:
                    refused.add(str(error))

        with ThreadPoolExecutor(2) as pool:
            halves = [each.result(LONG) for each in [pool.submit(take), pool.submit(take)]]
    assert sorted(halves[0] + halves[1]) == sorted(expected)
    assert refused <= {IN_USE}


def test_streams_of_their_own():
    """Threads read side by side, each with its own stream."""
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, [SAMPLE] * 8)) == [read(SAMPLE)] * 8


@pytest.mark.slow
@pytest.mark.skipif(HAS_GIL, reason="this Python has the GIL")
def test_streams_of_their_own_without_the_gil():
    """All samples, in more threads than there are cores: what one thread reads after another, eight read side by side."""
    samples = sorted(VALID.glob("*/*.sav"))
    with ThreadPoolExecutor(8) as pool:
        each = list(pool.map(read, samples * 3))
    assert each == [read(path) for path in samples] * 3
    assert not sys._is_gil_enabled()  # no module that was imported has turned it on
