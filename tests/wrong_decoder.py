"""A decoder that hangs, or takes its process with it, on some inputs: work for the processes of a campaign."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from typing import Any

from attack import campaign

import streamsave
from streamsave import EventStream

OPEN = streamsave.open
#: One input of so many is a bad one.
EVERY = 4


def is_bad(data: bytes) -> bool:
    """Whether the decoder goes wrong on an input."""
    return zlib.crc32(data) % EVERY == 0


def wrong(what: Callable[[], object]) -> Callable[..., EventStream]:
    """Make the decoder."""

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
