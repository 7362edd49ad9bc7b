"""The base of readers for Unreal saves."""

from __future__ import annotations

from streamsave.formats.unreal.properties import PropertyWalker

__all__ = ["UnrealReader"]


class UnrealReader(PropertyWalker):
    """Reader of a save with property lists in it.

    A family's reader calls `begin_list` or `begin_members`, then `walk()` for the first event; `next_event` gives the others.
    `list_end` is where a list ended whose terminator no event has claimed yet, or -1.
    """
