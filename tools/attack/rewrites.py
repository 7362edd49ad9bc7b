"""Inputs written again with edits: never a crash, and of a save that can be read never one that cannot."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

import streamsave
from streamsave import EditError, Event, Field, ObjectHeader, PropertyTag, SaveError, SaveStart, StructEnter

__all__ = ["is_writable", "rewrites"]

#: Formats that can be written.
WRITABLE: Final = frozenset(("satisfactory", "satisfactory-blueprint", "gvas", "arx", "shapez2", "shapez2-blueprint"))
#: How many of the events that open something are edited.
EDIT_SHARE: Final = 0.02


def rewrites(data: bytes, draw: random.Random, folder: Path) -> str:
    """Drop at random; return what is wrong with the new save, "" if nothing is.

    Args:
        data: a save that can be read.
        draw: decides what is dropped.
        folder: for the new save.

    Raises:
        Exception: any but those of the contract.
    """
    target = folder / "rewritten"
    edits = 0
    try:
        with streamsave.rewrite(data, target, verify=False) as save:
            for event in save:
                if isinstance(event, (ObjectHeader, PropertyTag, StructEnter, Field)) and draw.random() < EDIT_SHARE:
                    try:
                        save.drop()
                    except EditError:
                        continue
                    edits += 1
        with streamsave.open(target) as events:
            for _ in events:
                pass
    except SaveError as error:
        # In a wrapper that cannot be written, nothing was read yet.
        return "" if isinstance(error, streamsave.UnsupportedSave) and not edits else f"after {edits} drops: {error}"
    finally:
        target.unlink(missing_ok=True)
    return ""


def is_writable(events: list[Event]) -> bool:
    """Return whether the save of these events is of a format that can be written."""
    return bool(events) and isinstance(events[0], SaveStart) and events[0].format in WRITABLE
