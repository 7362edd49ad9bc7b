"""The garbage collector, in the processes of the command line."""

from __future__ import annotations

import gc
from typing import Final

__all__ = ["collect_rarely"]

#: How many more objects have to be made than freed before the collector looks for cycles. Python's own number is 700.
OBJECTS: Final = 50_000


def collect_rarely() -> None:
    """Let the collector look for cycles rarely: values of saves are trees, so each is freed as soon as it is used.

    Looking every 700 objects took a twelfth of the time of `json` and `check`, and a tenth of the time to import matplotlib.
    """
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
