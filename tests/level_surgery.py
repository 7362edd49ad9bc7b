"""Levels whose objects all look alike, to change them: what is given afterwards only their names and components can show."""

import random
from collections.abc import Iterable
from itertools import pairwise

from attack.layers import unpack
from attack.spans import Blobs, Span, spans_of
from attack.surgery import Patient, Truth
from attack.truth import lies
from satisfactory_layouts import header_of
from saves import deflate, head_and_body
from strategies import data_of
from truth import given_by
from writer.primitives import Ref
from writer.satisfactory import RELEASES, Level, Object, World, save_bytes
from writer.tags import INT, Prop

FOLDER = "Persistent_Level:PersistentLevel."
#: A bound actor, two that list no components, and so on; components at the end.
PATTERN = "bnnbnnbccc"
VERSIONS = [25, 28, 29, 36, 41, 46, 52, 58, max(RELEASES)]
#: Those with streaming levels.
LEVELS = [version for version in VERSIONS if version >= 29]
#: The persistent level of each version, and the first of its streaming levels where it has some.
PLACES = [*((version, -1) for version in VERSIONS), *((version, 0) for version in LEVELS)]


def objects(pattern: str) -> list[Object]:
    """Actors that list a component (b) or none (n), and components (c)."""
    found = []
    for at, kind in enumerate(pattern):
        name = f"{FOLDER}One_{at}"
        parts = [Ref("Persistent_Level", f"{name}.Part")] if kind == "b" else ()
        is_part = kind == "c"
        class_name = "/Script/Oracle.Part" if is_part else "/Game/One.One_C"
        outer = f"{FOLDER}One_0" if is_part else None
        found.append(Object(class_name, name, [Prop("mNumber", INT, at)], outer=outer, components=parts))
    return found


class Subject:
    """A save to be changed.

    Args:
        version: its SaveVersion.
        where: the number of the level that is changed; -1 is the persistent one.
        destroyed: what follows the objects of streaming levels.
    """

    def __init__(
        self, version: int, where: int = -1, pattern: str = PATTERN, destroyed: Iterable[Ref] = (Ref("A", "B"),)
    ) -> None:
        data = data_of(version)
        levels = [Level(name, objects(pattern), [*destroyed], version_data=data) for name in ("Cell", "Next")]
        made = World(header_of(version), levels if version >= 29 else [], objects(pattern), version_data=data)
        self.data = save_bytes(made)
        self.head, body = head_and_body(self.data)
        contents, _ = unpack(self.data)
        assert contents[0][1] == body
        self.patient = Patient(body, spans_of(self.data, body), random.Random(version), [])
        self.level: Blobs = self.patient.spans.levels[where]
        self.objects: tuple[Span, ...] = self.level.objects

    def edit(self, start: int, end: int, new: bytes) -> None:
        self.patient.edits.append((start, end, new))

    def swap(self, one: int, other: int) -> None:
        spans = [self.objects[at].entry for at in (one, other)]
        for (start, end), (new_start, new_end) in pairwise([*spans, spans[0]]):
            self.edit(start, end, self.patient.body[new_start:new_end])

    def take_out(self, depth: int, *, headers: Iterable[int] = (), entries: Iterable[int] = ()) -> None:
        """Take out headers and entries; so many of the number and the two sizes around each are made to fit."""
        level = self.level
        for at, span, count, size in (
            *((at, self.objects[at].header, level.toc_count, level.toc_size) for at in headers),
            *((at, self.objects[at].entry, level.data_count, level.data_size) for at in entries),
        ):
            self.edit(*span, b"")
            gone = span[0] - span[1]
            self.patient.grow([((count, 4), -1), (size, gone), (self.patient.spans.size, gone)], depth)
            self.patient.answers[self.objects[at]] = None

    def result(self) -> tuple[bytes, Truth]:
        """Return the changed save, and what may be given of it."""
        body, truth = self.patient.result()
        return deflate(self.head, body), truth

    def given(self) -> set[int]:
        """Return which objects of the level are given, all of them with their own data; those of other levels are, too."""
        data, truth = self.result()
        assert lies(data, truth, 0) == lies(data, truth, 4) == []  # by their events, and raw
        found = [header for _, header in given_by(data)[0]]
        starts = {self.patient.moved(one.header[0]): at for at, one in enumerate(self.objects)}
        others = sum(len(level.objects) for level in self.patient.spans.levels if level is not self.level)
        assert sum(header.offset not in starts for header in found) == others
        return {starts[header.offset] for header in found if header.offset in starts}
