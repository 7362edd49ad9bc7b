"""Work on many byte strings in threads. That of zlib is done side by side: it leaves the interpreter to others meanwhile."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Final, TypeAlias

__all__ = ["in_threads"]

#: More threads have nothing to do: what is compressed has to be inflated before, in one.
MOST_THREADS: Final = 4
#: How many strings are taken for each thread, those it works on included: some take ten times as long as others.
AHEAD: Final = 4
#: Takes what was made of one byte string, or why it could not be.
Made: TypeAlias = "SimpleQueue[bytes | BaseException]"
#: What is to be done, and where it goes; None ends a thread.
Waiting: TypeAlias = "SimpleQueue[tuple[bytes, Made] | None]"


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
    waiting: Waiting = SimpleQueue()
    begun: deque[Made] = deque()
    started = 0
    try:
        for data in given:
            if started < count:
                Thread(target=run, args=(work, waiting), daemon=True).start()
                started += 1
            begun.append(SimpleQueue())
            waiting.put((data, begun[-1]))
            if len(begun) == AHEAD * count:
                yield result(begun.popleft())
        while begun:
            yield result(begun.popleft())
    finally:
        for _ in range(started):
            waiting.put(None)


def run(work: Callable[[bytes], bytes], waiting: Waiting) -> None:
    """Work on what waits, until None comes."""
    while (given := waiting.get()) is not None:
        data, made = given
        try:
            made.put(work(data))
        except BaseException as error:  # noqa: BLE001 - it is raised in the other thread
            made.put(error)


def result(made: Made) -> bytes:
    """Return what a thread has made, or raise what it has raised."""
    data = made.get()
    if isinstance(data, BaseException):
        raise data
    return data


def cpu_count() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
