"""Bytes of unknown layout, counted by the reason why they are that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.errors import PathStep
from streamsave.events import PADDING, BlobSkip

__all__ = ["UnknownBytes"]

#: Names of the game's own classes start so; all their layouts are known.
GAME_CLASSES: Final = ("/Script/FactoryGame.", "/Game/FactoryGame/")
#: How the reason of a `BlobSkip` starts whose bytes are left over in an object.
UNKNOWN_TRAILER: Final = "unknown trailing data of "


class UnknownBytes:
    """Counts them."""

    def __init__(self) -> None:
        #: Reason -> how often; offset and path of the first ones.
        self._counts: Counter[str] = Counter()
        self._first: dict[str, tuple[int, tuple[PathStep, ...]]] = {}

    def add(self, event: BlobSkip, path: tuple[PathStep, ...]) -> None:
        """Count one event, unless its bytes mean nothing."""
        if event.reason != PADDING:
            self._counts[event.reason] += 1
            self._first.setdefault(event.reason, (event.offset, path))

    def findings(self) -> Iterator[Finding]:
        """Yield a finding for each reason: a note, unless the bytes are of the game's own classes."""
        for reason, count in sorted(self._counts.items()):
            offset, path = self._first[reason]
            own = reason.removeprefix(UNKNOWN_TRAILER).startswith(GAME_CLASSES) and reason.startswith(UNKNOWN_TRAILER)
            yield Finding(FINDING if own else NOTE, "unknown-bytes", f"{reason} ({count} times, here first)", offset, path)
