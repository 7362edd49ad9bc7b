"""A smaller input that shows the same: blocks are taken out, halved in size until they are single bytes.

What is under the compression is made smaller first, where the input can be taken apart at all.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from attack.layers import unpack

Shows = Callable[[bytes], bool]


def minimise(data: bytes, shows: Shows, *, seconds: float = 10.0) -> bytes:
    """Give an input as small as can be found in time for which `shows` holds, as it must for `data`."""
    end = time.monotonic() + seconds
    unpacked = unpack(data)
    if unpacked is not None:
        contents, assemble = unpacked
        parts = [part for _, part in contents]

        def shows_with(index: int) -> Shows:
            return lambda part: shows(assemble([*parts[:index], part, *parts[index + 1 :]], random.Random(0)))

        if shows(assemble(parts, random.Random(0))):
            for index, part in enumerate(parts):
                parts[index] = _reduce(part, shows_with(index), end)
            packed = assemble(parts, random.Random(0))
            if len(packed) < len(data):
                data = packed
    return _reduce(data, shows, end)


def _reduce(data: bytes, shows: Shows, end: float) -> bytes:
    """Take blocks out, from the end on, as long as there is time."""
    size = len(data) // 2
    while size >= 1:
        at = len(data)
        while at > 0:
            if time.monotonic() > end:
                return data
            start = max(at - size, 0)
            smaller = data[:start] + data[at:]
            if shows(smaller):
                data = smaller
            at = start
        size //= 2
    return data
