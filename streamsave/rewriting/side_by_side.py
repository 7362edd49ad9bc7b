"""Work on many byte strings in threads. That of zlib is done side by side: it leaves the interpreter to others meanwhile."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

__all__ = ["in_threads"]

#: More threads have nothing to do: what is compressed has to be inflated before, in one.
MOST_THREADS: Final = 4
#: How many strings are taken for each thread, those it works on included: some take ten times as long as others.
AHEAD: Final = 4


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
    begun: deque[Future[bytes]] = deque()
    pool = ThreadPoolExecutor(count)
    try:
        for data in given:
            begun.append(pool.submit(work, data))
            if len(begun) == AHEAD * count:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def cpu_count() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
