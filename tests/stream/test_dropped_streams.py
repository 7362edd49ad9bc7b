"""A stream that is dropped, wherever it is, frees all that it took at once: nothing waits for the garbage collector."""

import gc
import io
import sys
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from cli_runs import python
from contract import SAMPLES
from saves import VALID

import streamsave
from streamsave import Event, EventStream, ObjectHeader, StructEnter, UnsupportedSave

#: In plain Python an error holds the frames that it passed through, and they hold the reader: not those that read over damage.
SOUND = sorted(SAMPLES.keys() - {"arx/v1.1-gaps.sav", "arx/v2.1.sav"})


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def stop_after(count: int) -> Callable[[EventStream], object]:
    def use(events: EventStream) -> object:
        return deque(islice(events, count), maxlen=1)

    return use


def at_each(verb: str, *kinds: type[Event]) -> Callable[[EventStream], object]:
    def use(events: EventStream) -> None:
        for event in events:
            if isinstance(event, kinds):
                getattr(events, verb)()

    return use


def only(where: str) -> Callable[[EventStream], object]:
    def use(events: EventStream) -> object:
        events.only(where)
        return deque(islice(events, 30), maxlen=1)

    return use


USES: dict[str, Callable[[EventStream], object]] = {
    "opened": stop_after(0),
    "one event": stop_after(1),
    "ten events": stop_after(10),
    "forty events": stop_after(40),
    "two hundred events": stop_after(200),
    "all events": lambda events: deque(events, maxlen=1),
    "skipped": at_each("skip", ObjectHeader, StructEnter),
    "built": at_each("build", ObjectHeader),
    "selected": lambda events: next(events.select("size >= 0", fields=["a.b"]), None),
    "selected by content": lambda events: deque(events.select("has(mNothing) or mSome > 1"), maxlen=1),
    "only": only("size > 1"),
    "only by content": only("not has(mNothing)"),
}


def is_freed(data: bytes, use: Callable[[EventStream], object], on_damage: str) -> bool:
    """Use a stream and drop it; return whether the reader is gone, which holds the file."""
    file = io.BytesIO(data)
    held = weakref.ref(file)
    events = streamsave.open(file, on_damage=on_damage)
    use(events)
    del events, file
    return held() is None


@pytest.mark.slow
@pytest.mark.parametrize("sample", SOUND)
@pytest.mark.parametrize("on_damage", ["raise", "resync"])
def test_each_use(sample, on_damage):
    assert [name for name, use in USES.items() if not is_freed(SAMPLES[sample], use, on_damage)] == []


def test_an_iterator_of_selected_objects():
    """It holds the stream, and frees it when it is dropped itself."""
    file = io.BytesIO(SAMPLES["satisfactory/sv60.sav"])
    held = weakref.ref(file)
    selected = streamsave.objects(file, "size > 0")
    del file
    next(selected)
    del selected
    assert held() is None


def test_a_stream_that_cannot_be_made():
    """Nothing of it can be freed, and nothing is written about that."""
    with warnings.catch_warnings(), pytest.raises(UnsupportedSave):
        warnings.simplefilter("error")
        streamsave.open(b"no save at all, but long enough to know that")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak is in /proc only on Linux")
def test_one_stream_after_the_other_takes_no_more_memory():
    """Twenty streams that are dropped take what one does: their windows alone would take more."""
    code = f"""
import gc, io, streamsave
gc.disable()
data = open({str(VALID / "satisfactory" / "sv60.sav")!r}, "rb").read()
def use():
    for event in streamsave.open(io.BytesIO(data)):
        pass
def peak():
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
use()
use()
first = peak()
for _ in range(40):
    use()
print(peak() - first)
"""
    assert int(python(code).stdout) < 1024
