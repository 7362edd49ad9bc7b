"""The garbage collector while a command reads saves."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["rare_collections"]

#: How many more objects have to be made than freed before the collector looks for cycles. Python's own number is 700.
OBJECTS: Final = 50_000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector look for cycles rarely: values of saves are trees, so each is freed as soon as it is written.

    Looking every 700 objects took a twelfth of the time of `json`.
    """
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
