"""Edits of saves, and what the events of the new save have to be."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

import streamsave
from streamsave import BlobSkip, ChunkStart, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveEnd, StructEnter, StructExit
from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.rewriting import RewriteStream, rewrite
from streamsave.rewriting.family import Family, find_family

#: What an event says, without places, sizes and positions in containers; of a leaf also its bytes.
Said = tuple[Any, ...]

#: Fields that follow edits elsewhere.
FOLLOWING = {"body_size", "data_blob"}
#: Kinds of objects that have a header of their own. What others say is from their members, which may be edited.
WITH_HEADER = {"actor", "object"}
#: Kinds of objects that may have a checkpoint before them, which is dropped with them.
MARKED = {"island", "building"}


def said(events: Iterable[Event], family: Family[Reader]) -> Iterator[tuple[Event, Said]]:
    """Each event but chunks, and what it says. A leaf is known by the event after it."""
    waiting: PropertyTag | None = None
    for event in events:
        if isinstance(event, ChunkStart):
            continue
        if waiting is not None:
            opens = isinstance(event, (StructEnter, BlobSkip)) and event.offset == waiting.value_offset
            yield waiting, said_of(waiting, family, is_leaf=not opens)
            waiting = None
        if isinstance(event, PropertyTag):
            waiting = event
        else:
            yield event, said_of(event, family, is_leaf=True)


def said_of(event: Event, family: Family[Reader], *, is_leaf: bool) -> Said:
    match event:
        case PropertyTag():
            raw = bytes_at(family, event.value_offset, event.size) if is_leaf else None
            about = (event.name, event.type, event.index, event.type_name, event.inner_type, event.value_type, event.flag)
            return ("tag", *about, event.struct_guid, event.guid, raw)
        case Field():
            raw = None if event.name in FOLLOWING else bytes_at(family, event.offset, event.size)
            return ("field", event.name, event.type, raw)
        case StructEnter():
            return ("enter", event.name, event.type_name)
        case ObjectHeader() if event.kind in WITH_HEADER:
            about = (event.kind, event.class_name, event.instance_name, event.level, event.outer, repr(event.transform))
            return ("object", *about, event.flags, event.save_version)
        case ObjectHeader():
            return ("object",)
        case BlobSkip():
            return ("blob", event.reason, bytes_at(family, event.offset, event.size))
        case _:
            return (type(event).__name__,)


def bytes_at(family: Family[Reader], offset: int, size: int) -> bytes:
    return family.cursor_at(offset).take(size)


def family_of(events: streamsave.EventStream) -> Family[Reader]:
    return find_family(events._source, events._reader, streamsave.Limits())


def view(path: Path) -> list[Said]:
    """What all events of a save say."""
    with streamsave.open(path) as events:
        return [words for _, words in said(events, family_of(events))]


def after(words: list[Said], start: int) -> int:
    """Where what an event opened ends: the place after its exit, or after the value of a tag."""
    if words[start][0] == "tag":
        if words[start][-1] is not None:
            return start + 1
        return start + 2 if words[start + 1][0] == "blob" else after(words, start + 1)
    if words[start][0] not in {"enter", "object"}:
        return start + 1
    depth = 0
    for place in range(start, len(words)):
        if words[place][0] in {"enter", "object"}:
            depth += 1
        elif words[place][0] in {StructExit.__name__, ObjectEnd.__name__}:
            depth -= 1
            if depth == 0:
                return place + 1
    raise AssertionError("a nesting is left open")


def other_value(chance: random.Random, tag: PropertyTag, value: object) -> object:
    """Another value for a tag; itself where none is known."""
    texts = ["", "a", "Ä", "x" * chance.randrange(300), "\U0001f600 and more"]
    match tag.type:
        case "IntProperty" | "Int64Property":
            return chance.randrange(-(1 << 31), 1 << 31)
        case "FloatProperty" | "DoubleProperty":
            return chance.randrange(1000) / 4
        case "BoolProperty":
            return not value
        case "StrProperty" | "NameProperty":
            return chance.choice(texts)
        case "ArrayProperty" if isinstance(value, list):
            return value[: chance.randrange(len(value) + 1)] * chance.randrange(1, 3)
        case "ArrayProperty" if isinstance(value, bytes):
            return value[: chance.randrange(len(value) + 1)] * chance.randrange(1, 3)
        case _:
            return value


def replace_value(save: RewriteStream, chance: random.Random, event: Event, words: Said) -> Said | None:
    if not isinstance(event, PropertyTag) or words[-1] is None:
        return None
    other = other_value(chance, event, save.build())
    save.replace(other)
    flag = other if event.type == "BoolProperty" else event.flag
    return (*words[:7], flag, *words[8:-1], family_of(save).encode(event, other))


def replace_bytes(save: RewriteStream, _: random.Random, event: Event, words: Said) -> Said | None:
    if not isinstance(event, PropertyTag) or words[-1] is None or event.type != "StrProperty":
        return None
    save.replace_raw(b"\3\0\0\0ab\0")
    return (*words[:-1], b"\3\0\0\0ab\0")


@frozen
class Edits:
    """Edits at random of the saves of a family.

    Args:
        view: what all events of a save say.
        replacements: replace the value of a leaf; give what its event says then, or None if it is no such leaf.
        naming: names of fields that other events are named after: these stay.
    """

    view: Callable[[Path], list[Said]] = view
    replacements: Sequence[Callable[[RewriteStream, random.Random, Event, Said], Said | None]] = (replace_value, replace_bytes)
    naming: frozenset[str] = frozenset()

    def make(self, save: RewriteStream, words: list[Said], chance: random.Random, rate: float) -> tuple[list[Said], int]:
        """Drop and replace at random; return what all events of the new save have to say, and how many edits there were."""
        dropped: list[tuple[int, int]] = []
        replaced: dict[int, Said] = {}
        #: Open nestings, the place of each, and where what is dropped with it starts: the tag of a value, the mark of an object.
        opened: list[tuple[Event, int, int]] = []
        last: Event | None = None
        place = -1
        for event in save:
            if isinstance(event, ChunkStart):
                continue
            place += 1
            before, last = last, event
            if isinstance(event, (StructExit, ObjectEnd)):
                opened.pop()
            if is_nesting := isinstance(event, (StructEnter, ObjectHeader)):
                of_tag = isinstance(before, PropertyTag) and before.value_offset == event.offset
                is_marked = isinstance(before, streamsave.Checkpoint) and isinstance(event, ObjectHeader) and event.kind in MARKED
                opened.append((event, place, place - (of_tag or is_marked)))
            if chance.random() >= rate or isinstance(event, SaveEnd) or (isinstance(event, Field) and event.name in self.naming):
                continue
            try:
                kind = chance.randrange(2 + len(self.replacements))
                if kind == 0:
                    save.drop()
                    end = after(words, place)
                    dropped.append((opened[-1][2] if is_nesting else place, end))
                    place = end - 2 if is_nesting else end - 1  # the exit of a nesting comes
                elif kind == 1 and opened and chance.random() < 0.3:
                    around, at, start = chance.choice(opened)
                    save.drop(around)
                    dropped.append((start, after(words, at)))
                    if around is event:
                        place = after(words, place) - 2
                elif kind >= 2:
                    new = self.replacements[kind - 2](save, chance, event, words[place])
                    if new is not None:
                        replaced[place] = new
            except EditError:
                continue
        gone = {at for start, end in dropped for at in range(start, end)}
        return [replaced.get(at, said) for at, said in enumerate(words) if at not in gone], len(dropped) + len(replaced)

    def rewrite(self, path: Path, target: Path, seed: int, rate: float) -> int:
        """Rewrite a save with random edits, and compare the new save with what it has to be; return how many edits there were."""
        words = self.view(path)
        with rewrite(path, target) as save:
            expected, edits = self.make(save, words, random.Random(seed), rate)
        found = self.view(target)
        if found != expected:
            place = next(at for at in range(len(expected) + 1) if found[at : at + 1] != expected[at : at + 1])
            around = slice(max(place - 2, 0), place + 2)
            raise AssertionError(f"event {place} with seed {seed}: expected {expected[around]}, found {found[around]}")
        return edits


#: Of saves that have properties.
rewrite_at_random = Edits().rewrite


def values(path: Path | str, where: str | None, field: str) -> list[object]:
    """A field of all objects that a selection has."""
    return [found.fields.get(field) for found in streamsave.objects(path, where, [field])]
