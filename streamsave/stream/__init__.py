"""The event stream of a save: iteration, verbs, recovery, and `objects`."""

from streamsave.stream.stream import EventStream, OnDamage, open_save

__all__ = ["EventStream", "OnDamage", "open_save"]
