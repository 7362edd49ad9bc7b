"""A decoder that hangs, or takes its process with it, on some inputs: work for the processes of a campaign."""

import os
import time
import zlib
from collections.abc import Callable
from typing import Any, Self

from attack import campaign

import streamsave
from streamsave import EventStream

OPEN = streamsave.open


class Around:
    """A stream around another one, of which some things are wrong."""

    def __init__(self, fault: str, source: Any, options: dict[str, Any]) -> None:
        self._events, self._fault = OPEN(source, **options), fault

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._events.close()

    def __getattr__(self, name: str) -> object:
        return getattr(self._events, name)


def is_bad(data: bytes) -> bool:
    """Whether the decoder goes wrong on an input, one of so many."""
    return zlib.crc32(data) % 4 == 0


def wrong(what: Callable[[], object]) -> Callable[..., EventStream]:
    def opened(source: Any, **options: Any) -> EventStream:
        if isinstance(source, bytes) and is_bad(source):
            what()
        return OPEN(source, **options)

    return opened


def work_and_hang(*args: Any) -> None:
    streamsave.open = wrong(lambda: time.sleep(600))  # type: ignore[assignment]
    campaign._work(*args)


def work_and_die(*args: Any) -> None:
    streamsave.open = wrong(os.abort)  # type: ignore[assignment]
    campaign._work(*args)


def no_work(*_: Any) -> None:
    """A process that ends before its first input."""
