"""Sums over all events of a save: their number, and which bytes belong to what."""

from __future__ import annotations

from collections import Counter
from typing import Final

from streamsave.events import Event

__all__ = ["Totals"]

MEGA: Final = 1_000_000


class Totals:
    """Sums over all events of a save."""

    def __init__(self) -> None:
        self.events: Counter[type[Event]] = Counter()
        #: Bytes of the data of objects, by class; number of objects, by class.
        self.class_bytes: Counter[str] = Counter()
        self.class_counts: Counter[str] = Counter()
        #: Of these bytes, those of objects inside objects of the class, with their headers.
        self.inner_bytes: Counter[str] = Counter()
        #: Bytes of the members of an object itself, by class and name: properties (tag and value), fields and structs, but no
        #: objects; number of members, by name alone.
        self.member_bytes: dict[str, Counter[str]] = {}
        self.member_counts: Counter[str] = Counter()
        #: Bytes of the headers of objects, by class.
        self.header_bytes: Counter[str] = Counter()
        self.chunks = 0
        self.compressed_size = 0
        self.inflated_size = 0
        self.seconds = 0.0

    def add(self, other: Totals) -> None:
        """Add the sums of another save."""
        self.events.update(other.events)
        self.class_bytes.update(other.class_bytes)
        self.class_counts.update(other.class_counts)
        self.inner_bytes.update(other.inner_bytes)
        for class_name, members in other.member_bytes.items():
            self.member_bytes.setdefault(class_name, Counter()).update(members)
        self.member_counts.update(other.member_counts)
        self.header_bytes.update(other.header_bytes)
        self.chunks += other.chunks
        self.compressed_size += other.compressed_size
        self.inflated_size += other.inflated_size
        self.seconds += other.seconds

    @property
    def property_bytes(self) -> Counter[str]:
        """Bytes of the members of objects, by name alone."""
        sums: Counter[str] = Counter()
        for members in self.member_bytes.values():
            sums.update(members)
        return sums

    @property
    def ratio(self) -> float | None:
        """Inflated bytes for each compressed byte; None if nothing is compressed."""
        return self.inflated_size / self.compressed_size if self.compressed_size else None

    @property
    def speed(self) -> float:
        """Inflated megabytes (millions of bytes) per second."""
        return self.inflated_size / MEGA / self.seconds if self.seconds else 0.0
