"""Work on many byte strings in threads. That of zlib is done side by side: it leaves the interpreter to others meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Final, TypeAlias

__all__ = ["in_threads"]

#: More threads have nothing to do: what is compressed has to be inflated before, in one.
MOST_THREADS: Final = 4
#: How many strings a thread has at a time, the one it works on included.
AHEAD: Final = 2
#: What is given to a thread; None ends it.
Given: TypeAlias = "SimpleQueue[bytes | None]"
#: What it has made, or why it could not.
Made: TypeAlias = "SimpleQueue[bytes | BaseException]"


def in_threads(work: Callable[[bytes], bytes], given: Iterable[bytes], count: int | None = None) -> Iterator[bytes]:
    """Yield what `work` makes of each byte string, in their order.

    Args:
        work: is called in several threads.
        given: the byte strings; they are taken in the thread of the caller.
        count: of threads; None: one for each CPU, up to `MOST_THREADS`.

    Raises:
        Exception: whatever `work` raises.
    """
    count = min(cpu_count(), MOST_THREADS) if count is None else count
    lanes: list[tuple[Given, Made]] = []
    first = number = 0  # strings that were taken back, and given
    try:
        for data in given:
            if len(lanes) < count:
                lanes.append(start(work))
            lanes[number % count][0].put(data)
            number += 1
            if number - first == AHEAD * count:
                yield result(lanes[first % count][1])
                first += 1
        while first < number:
            yield result(lanes[first % count][1])
            first += 1
    finally:
        for lane in lanes:
            lane[0].put(None)


def start(work: Callable[[bytes], bytes]) -> tuple[Given, Made]:
    """Start a thread; return how it gets byte strings, and how it gives others back."""
    given: Given = SimpleQueue()
    made: Made = SimpleQueue()

    def run() -> None:
        while (data := given.get()) is not None:
            try:
                made.put(work(data))
            except BaseException as error:  # noqa: BLE001 - it is raised in the other thread
                made.put(error)

    Thread(target=run, daemon=True).start()
    return given, made


def result(made: Made) -> bytes:
    """Return what a thread has made, or raise what it has raised."""
    data = made.get()
    if isinstance(data, BaseException):
        raise data
    return data


def cpu_count() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
