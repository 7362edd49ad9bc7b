"""Bytes of unknown layout, counted by the reason why they are that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.errors import PathStep
from streamsave.events import PADDING, BlobSkip

__all__ = ["MOST_READ", "UnknownBytes"]

#: Names of the game's own classes start so; all their layouts are known.
GAME_CLASSES: Final = ("/Script/FactoryGame.", "/Game/FactoryGame/")
#: How the reason of a `BlobSkip` starts whose bytes are left over in an object.
UNKNOWN_TRAILER: Final = "unknown trailing data of "
#: What some editors write after any object of the game, as if it were a component: an empty list.
EMPTY_LIST: Final = bytes(4)
#: The most bytes of a `BlobSkip` that are looked at.
MOST_READ: Final = len(EMPTY_LIST)


class UnknownBytes:
    """Counts them."""

    def __init__(self) -> None:
        #: Reason -> how often; offset and path of the first ones.
        self._counts: Counter[str] = Counter()
        self._first: dict[str, tuple[int, tuple[PathStep, ...]]] = {}

    def add(self, event: BlobSkip, path: tuple[PathStep, ...], data: bytes) -> None:
        """Count one event, unless its bytes mean nothing; `data` are these bytes if there are no more than `MOST_READ`."""
        reason = event.reason
        if data == EMPTY_LIST and is_own(reason):
            reason = f"an empty list, as only other tools write it, after {reason.removeprefix(UNKNOWN_TRAILER)}"
        if reason != PADDING:
            self._counts[reason] += 1
            self._first.setdefault(reason, (event.offset, path))

    def findings(self) -> Iterator[Finding]:
        """Yield a finding for each reason: a note, unless the bytes are of the game's own classes."""
        for reason, count in sorted(self._counts.items()):
            offset, path = self._first[reason]
            yield Finding(
                FINDING if is_own(reason) else NOTE, "unknown-bytes", f"{reason} ({count} times, here first)", offset, path
            )


def is_own(reason: str) -> bool:
    """Return whether bytes are left over in an object of one of the game's own classes."""
    return reason.startswith(UNKNOWN_TRAILER) and reason.removeprefix(UNKNOWN_TRAILER).startswith(GAME_CLASSES)
