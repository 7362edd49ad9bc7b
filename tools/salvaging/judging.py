"""What a stream gives, and whether it is right: compared with what it gives of the sound save."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from attrs import field, frozen, mutable

import streamsave
from salvaging.damages import Damaged
from salvaging.places import Key, Places, Thing, key_of, places_of
from salvaging.wrappers import Save, Span, open_save
from streamsave import BlobSkip, Damage, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveError, StructEnter, StructExit

__all__ = ["FAMILIES", "Given", "Judgement", "Sound", "Walk", "judged", "sound_of", "walked"]

FAMILIES: Final = ("satisfactory", "blueprint", "gvas-objects", "gvas-values", "astroneer", "arx", "shapez2")
#: Families of objects in whose bytes is all that they are.
IN_BYTES: Final = {"satisfactory", "blueprint", "gvas-objects"}
#: How often a sound save is read; the fastest counts.
REPEATS: Final = 3
#: An Unreal save game is one of objects if it has so many.
MANY: Final = 100
#: Lies of a trial that are named.
EXAMPLES: Final = 3
#: The last characters of a name: those of Astroneer are paths.
NAME: Final = 100

Mode = Literal["raise", "resync"]


@frozen
class Walk:
    """One reading without verbs: how long it took, and how it ended."""

    seconds: float
    #: Objects, by the offsets of their headers and data, in which a `Damage` came; or that have no end.
    partial: frozenset[Span]
    damages: int
    end: str


def walked(data: bytes, mode: Mode) -> Walk:
    """Read a save without verbs."""
    opened: list[Span] = []
    partial: set[Span] = set()
    damages = 0
    end = "read"
    start = time.process_time()
    try:
        with streamsave.open(data, on_damage=mode) as events:
            for event in events:
                kind = type(event)
                if kind is ObjectHeader:
                    opened.append((event.offset, event.data_offset))  # type: ignore[attr-defined]
                elif kind is ObjectEnd:
                    opened.pop()
                elif kind is Damage:
                    damages += 1
                    partial.update(opened)
    except SaveError as error:
        end = type(error).__name__
        partial.update(opened)
    return Walk(time.process_time() - start, frozenset(partial), damages, end)


@mutable
class Given:
    """What a stream gives."""

    #: Whole objects: what their headers say, and a digest of their values.
    whole: Counter[tuple[Key, int]] = field(factory=Counter)
    #: What is given of objects that are not whole: digests of their values.
    parts: list[tuple[Key, list[int]]] = field(factory=list)
    #: Innermost values: the names that lead to one, and a digest.
    values: Counter[tuple[Key, int]] = field(factory=Counter)
    #: Digests of the values of objects that were read value by value.
    inside: dict[Key, set[int]] = field(factory=dict)


@mutable
class Opened:
    """An object that is being read."""

    key: Key
    values: list[int] = field(factory=list)
    whole: bool = True
    #: Its bytes were read in one piece.
    in_bytes: bool = False


def given(data: bytes, mode: Mode, *, of_values: bool, by_value: Callable[[ObjectHeader, Key], bool]) -> Given:
    """Read a save with all that is in its objects: value by value, if `by_value` says so or they hold others; else as bytes."""
    found = Given()
    opened: list[Opened] = []
    names: list[str] = []
    with contextlib.suppress(SaveError), streamsave.open(data, on_damage=mode) as events:
        for event in events:
            if isinstance(event, (PropertyTag, Field)):
                try:
                    if not events.is_leaf():
                        continue
                    value = events.raw()
                except SaveError:
                    continue  # a `Damage` follows
                flag = isinstance(event, PropertyTag) and event.flag
                if of_values:
                    found.values[(*names, event.name), hash((event.type, flag, value))] += 1
                elif opened:
                    opened[-1].values.append(hash((event.name, event.type, event.index, flag, value)))
            elif isinstance(event, StructEnter):
                names.append(event.name)
            elif isinstance(event, StructExit):
                names.pop()
            elif isinstance(event, ObjectHeader):
                names.append("")
                one = Opened(key_of(event))
                opened.append(one)
                if not of_values and not events.holds_objects(event) and not by_value(event, one.key):
                    one.in_bytes = True
                    try:
                        one.values.append(hash(events.raw()))
                    except SaveError:
                        one.whole = False
            elif isinstance(event, ObjectEnd):
                names.pop()
                _close(opened.pop(), found)
            elif isinstance(event, BlobSkip):
                if opened and not of_values:
                    try:
                        opened[-1].values.append(hash((event.reason, events.opaque(event).data)))
                    except SaveError:
                        opened[-1].whole = False
            elif isinstance(event, Damage):
                for each in opened:
                    each.whole = False
    for each in opened:
        each.whole = False
        _close(each, found)
    return found


def _close(one: Opened, found: Given) -> None:
    if one.whole:
        found.whole[one.key, hash(tuple(one.values))] += 1
    else:
        found.parts.append((one.key, [] if one.in_bytes else one.values))
    if not one.in_bytes:
        found.inside.setdefault(one.key, set()).update(one.values)


@frozen
class Sound:
    """A save, and what it gives undamaged."""

    path: str
    family: str
    save: Save
    places: Places
    given: Given
    total: int
    seconds: float

    @property
    def of_values(self) -> bool:
        """Whether values are counted, not objects."""
        return self.family == "gvas-values"

    def given_of(self, data: bytes, walk: Walk) -> Given:
        """Read a damaged save again, with all that is in its objects."""
        return given(
            data,
            "resync",
            of_values=self.of_values,
            by_value=lambda header, _: not self.in_bytes or (header.offset, header.data_offset) in walk.partial,
        )

    @property
    def in_bytes(self) -> bool:
        """Whether equal bytes of an object are equal values: no table of names, apart from it, says what they are."""
        return self.family in IN_BYTES

    def inside(self, keys: set[Key]) -> dict[Key, set[int]]:
        """Return the digests of all values of the objects with these headers."""
        if not keys:
            return {}
        return given(self.save.data, "raise", of_values=False, by_value=lambda _, key: key in keys).inside


def family_of(save: Save, places: Places) -> str:
    """Return the row of the table that a save belongs to."""
    name = save.format
    if name == "satisfactory-blueprint":
        return "blueprint"
    if name == "gvas":
        inside = sum(thing.end - thing.start for thing in places.objects)
        return "gvas-objects" if len(places.objects) >= MANY and inside > len(save.stream) // 2 else "gvas-values"
    return name.partition("-")[0]


def sound_of(path: Path, name: str) -> Sound:
    """Read a sound save.

    Raises:
        SaveError: it is damaged.
        ImportError: it is packed by Oodle, and what unpacks that is not installed.
    """
    save = open_save(path.read_bytes())
    places = places_of(save)
    family = family_of(save, places)
    of_values = family == "gvas-values"
    found = given(save.data, "raise", of_values=of_values, by_value=lambda *_: family not in IN_BYTES)
    seconds = min(walked(save.data, "raise").seconds for _ in range(REPEATS))
    return Sound(name, family, save, places, found, (found.values if of_values else found.whole).total(), seconds)


def _overlaps(thing: Thing, spans: list[Span]) -> bool:
    return any((a < thing.end and thing.start < b) or (a < thing.head[1] and thing.head[0] < b) for a, b in spans)


@mutable
class Judge:
    """Says of what is given whether it is in the sound save, is what was damaged, or is a lie."""

    sound: Counter[tuple[Key, int]]
    #: What was damaged: its headers, or the names that lead to values.
    keys: set[Key]
    #: How many of these may be given under changed headers or names, which are themselves in damaged bytes: by `group_of`.
    loose: Counter[Key]
    known: set[Key]

    def is_damaged(self, key: Key, group: Key) -> bool:
        """Return whether this is what was damaged, under its own header."""
        if key in self.keys:
            return True
        if key in self.known or not self.loose[group]:
            return False
        self.loose[group] -= 1
        return True


def group_of(sound: Sound, key: Key) -> Key:
    """Return the kind of an object and what it is in: both stay where bytes of it are changed. All values are one group."""
    return () if sound.of_values else (key[0], key[3])


def judge_of(sound: Sound, made: Damaged) -> Judge:
    """Make a judge of what is given of a damaged save."""
    places = sound.places
    things = places.leaves if sound.of_values else places.objects
    spans = list(made.touched)
    if sound.of_values:  # a property whose name is damaged is damaged with all that is in it
        tags = [Thing(nest.key, nest.head, nest.start, nest.start, nest.data) for nest in places.nests] if spans else []
        spans += [nest.entry for nest, tag in zip(places.nests, tags, strict=False) if _overlaps(tag, made.touched)]
    if any(a < end and start < b for a, b in spans for start, end in places.tables):
        hit = things  # a damaged name is the name of any object
    else:
        hit = [thing for thing in things if _overlaps(thing, spans)]
    counted = sound.given.values if sound.of_values else sound.given.whole
    loose = Counter(group_of(sound, thing.key) for thing in hit)
    return Judge(counted, {thing.key for thing in hit}, loose, {key for key, _ in counted})


@mutable
class Judgement:
    """What is given of a damaged save, counted."""

    right: int = 0
    #: Given, and in no way in the sound save; three of them.
    lies: int = 0
    examples: list[str] = field(factory=list)
    #: Damaged objects that are given with their changed bytes.
    changed: int = 0
    #: Objects that are given up to a `Damage`, with a foreign value.
    parts: int = 0
    #: Given more often than the sound save has it.
    twice: int = 0


def judged(sound: Sound, made: Damaged, got: Given) -> Judgement:
    """Compare what is given with the sound save."""
    judge = judge_of(sound, made)
    found = Judgement()
    for one, count in (got.values if sound.of_values else got.whole).items():
        there = judge.sound[one]
        found.right += min(count, there)
        if there:
            found.twice += max(count - there, 0)
            continue
        for _ in range(count):
            if judge.is_damaged(one[0], group_of(sound, one[0])):
                found.changed += 1
                continue
            found.lies += 1
            if len(found.examples) < EXAMPLES:
                found.examples.append("/".join(str(part)[-NAME:] for part in one[0][:3]))
    parts = [] if sound.of_values else [(key, values) for key, values in got.parts if values]
    inside = sound.inside({key for key, _ in parts if key in judge.known})
    for key, values in parts:
        if not inside.get(key, set()).issuperset(values) and not judge.is_damaged(key, group_of(sound, key)):
            found.parts += 1
    return found
