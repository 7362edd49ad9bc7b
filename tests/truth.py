"""The truth about damaged Satisfactory saves: which objects are in them, and which of those a reader gives."""

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from attrs import frozen
from saves import deflate, head_and_body, save_version

import streamsave
from streamsave import Damage, Field, ObjectHeader, SaveError, StructEnter

#: Level, name, class and a digest of the data of an object.
Given = tuple[str, str, str, bytes]


@frozen
class Place:
    """Where the parts of an object are in the inflated stream."""

    level: int
    header: int
    header_size: int
    size: int
    data: int
    end: int


@frozen
class Blob:
    """Where the sizes and counts of a level's blobs are."""

    toc: int
    data: int


class Sound:
    """A sound save in its parts, to damage it."""

    def __init__(self, data: bytes) -> None:
        self.head, self.body = head_and_body(data)
        self.is_blueprint = int.from_bytes(data[:4], "little") == 2
        version = save_version(data)
        self.wide = version >= 41 and not self.is_blueprint
        self.has_sizes = version >= 29 or self.is_blueprint
        self.objects: list[Place] = []
        self.blobs: list[Blob] = []
        given: list[Given] = []
        with streamsave.open(data) as events:
            level: str = ""
            for event in events:
                if isinstance(event, StructEnter) and event.type_name == "Level":
                    level = event.name
                    toc = event.offset + event.header_size - 4 - ((8 if self.wide else 4) * self.has_sizes)
                elif isinstance(event, Field) and event.name == "data_blob":
                    self.blobs.append(Blob(toc, event.offset))
                elif isinstance(event, ObjectHeader):
                    given.append((level, event.instance_name, event.class_name, sha256(events.raw()).digest()))
                    size = event.data_offset - 4
                    end = event.data_offset + event.size
                    self.objects.append(Place(len(self.blobs) - 1, event.offset, event.header_size, size, event.data_offset, end))
        self.order = given
        self.given = Counter(given)
        self.names = Counter(one[:2] for one in given)

    def damaged(
        self, edits: Iterable[tuple[int, int, bytes]], *, blob: int = -1, in_toc: bool = False, body: bool = True
    ) -> bytes:
        """A save with other bytes in some places.

        Args:
            edits: offset, how many bytes go, which bytes come.
            blob: the level whose blob size is made right.
            in_toc: that of its headers, not of its objects.
            body: the size of the body is made right.
        """
        data = self.body
        grown = 0
        for at, gone, new in sorted(edits, reverse=True):
            data = data[:at] + new + data[at + gone :]
            grown += len(new) - gone
        if grown and self.has_sizes and blob >= 0:
            at = self.blobs[blob].toc if in_toc else self.blobs[blob].data
            data = self._grow(data, at, grown, 8 if self.wide else 4)
        if grown and body:
            data = self._grow(data, 0, grown, 8 if self.wide else 4)
        return deflate(self.head, data)

    def _grow(self, data: bytes, at: int, by: int, width: int) -> bytes:
        size = int.from_bytes(data[at : at + width], "little") + by
        return data[:at] + (size % (1 << (8 * width))).to_bytes(width, "little") + data[at + width :]


def given_by(data: bytes) -> tuple[list[tuple[Given, ObjectHeader]], int, set[str]]:
    """Objects that a damaged save gives with all their data; how many losses it reports, and their names."""
    found: list[tuple[Given, ObjectHeader]] = []
    lost = 0
    names: set[str] = set()
    with streamsave.open(data, on_damage="resync") as events:
        level = ""
        for event in events:
            if isinstance(event, StructEnter) and event.type_name == "Level":
                level = event.name
            elif isinstance(event, Damage):
                lost += 1
                names.add(event.lost.name)
            elif isinstance(event, ObjectHeader):
                try:
                    raw = events.raw()
                except SaveError:
                    continue
                found.append(((level, event.instance_name, event.class_name, sha256(raw).digest()), event))
    return found, lost, names
