"""What it costs to read a damaged save in resync mode: seconds, bytes that were asked of the source, events.

| `progress` finding | when, with a floor for small files |
|---|---|
| reads | more than `READS` bytes read for each byte of the file |
| events | more than `EVENTS` events for each inflated byte |
| time | more seconds than `TIMES` times those of a sound file of its size |
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from typing import Final

from attrs import frozen

import streamsave
from attack.contract import Finding
from attack.layers import Sample
from streamsave import SaveError

READS: Final = 20
READ_FLOOR: Final = 1 << 20
EVENTS: Final = 16
EVENT_FLOOR: Final = 100_000
TIMES: Final = 20
TIME_FLOOR: Final = 0.3
#: How often a time is taken that seems too long; the least counts.
TRIES: Final = 3


@frozen
class Effort:
    """What reading cost."""

    seconds: float
    read: int
    events: int


class Counted(io.BytesIO):
    """A file that counts the bytes that are read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes."""
        data = super().read(size)
        self.count += len(data)
        return data

    def readinto(self, buffer: bytearray, /) -> int:  # type: ignore[override]  # any buffer will do
        """Read bytes into a buffer."""
        size = super().readinto(buffer)
        self.count += size
        return size


def effort(data: bytes, most: int) -> Effort:
    """Read a save in resync mode, up to so many events."""
    file = Counted(data)
    count = 0
    started = time.process_time()
    try:
        with streamsave.open(file, on_damage="resync") as events:
            for _ in events:
                count += 1
                if count > most:
                    break
    except SaveError:
        pass  # what it cost is all that counts
    return Effort(time.process_time() - started, file.count, count)


def pace(samples: Iterable[Sample]) -> float:
    """Return the seconds per byte that the slowest of sound saves takes."""
    paces = [0.0]
    for sample in samples:
        data = sample.parts[0].data
        size = max(len(data), sum(len(part.data) for part in sample.parts[1:]))
        if size > 1 << 12:
            paces.append(min(effort(data, EVENT_FLOOR).seconds for _ in range(TRIES)) / size)
    return max(paces)


def too_much(data: bytes, size: int, seconds_per_byte: float) -> list[Finding]:
    """Return what costs more than it may; `size` is that of the inflated data."""
    most = EVENTS * size + EVENT_FLOOR
    cost = effort(data, most)
    found: list[Finding] = []
    if cost.events > most:
        found.append(Finding("progress", f"more than {most} events for {size} bytes", "progress events"))
    if cost.read > READS * len(data) + READ_FLOOR:
        found.append(Finding("progress", f"{cost.read} bytes read of {len(data)}", "progress reads"))
    allowed = TIMES * seconds_per_byte * size + TIME_FLOOR
    if cost.seconds > allowed:
        seconds = min(cost.seconds, *(effort(data, most).seconds for _ in range(TRIES - 1)))
        if seconds > allowed:
            found.append(Finding("progress", f"{seconds:.2f} s for {size} bytes; {allowed:.2f} s are allowed", "progress time"))
    return found
