"""Insert what a document has and its save lacks, as copies of similar elements; their values are set later."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import orjson

from streamsave.decode.build import MAP_ENTRY
from streamsave.errors import EditError
from streamsave.events import Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.output.json_text import value_text
from streamsave.rewriting.cutting import CutStream
from streamsave.rewriting.family import Cutting
from streamsave.rewriting.json_edits import Change, Wanted, key_of, owner_of, span_of
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.json_walk import TYPE, canonical, json_name
from streamsave.rewriting.revaluing import new_header
from streamsave.rewriting.stream import Copied, RewriteStream

__all__ = ["Donor", "donor_of", "donors", "grow"]

#: Which property to copy: by its owner and name, or by its type.
Donor: TypeAlias = tuple[object, ...]
#: Marks a `Donor` that must be a list with elements.
LIST: Final = "list"


def donors(source: CutStream, document: JsonReader, wanted: Sequence[Wanted]) -> dict[Donor, Cutting]:
    """Return the first property of the save for each `donor_of` the wanted ones, to copy it.

    Args:
        source: the save, at its start.
        document: the document.
        wanted: the properties that only the document has.

    Raises:
        EditError: properties of this format cannot be copied.
        SaveError: the save is damaged.
    """
    document.events = source
    places = {donor_of(each): each.at for each in reversed(wanted)}
    missing = set(places)
    found: dict[Donor, Cutting] = {}
    owners: list[tuple[str, str]] = []
    tag: PropertyTag | None = None
    for event in source:
        if not missing:
            break
        keys: set[Donor] = set()
        if isinstance(event, (ObjectHeader, StructEnter)):
            if isinstance(event, StructEnter) and tag is not None and tag.value_offset == event.offset and event.count > 0:
                keys = {(LIST, owners[-1], tag.name)}
            owners.append(owner_of(event))
        elif isinstance(event, (ObjectEnd, StructExit)):
            owners.pop()
        elif isinstance(event, PropertyTag):
            tag = event
            if event.index == 0:
                keys = {("", owners[-1], event.name), (TYPE, event.type), (TYPE, type_text(event))}
        keys &= missing
        if keys and tag is not None:
            try:
                found |= dict.fromkeys(keys, source.take() if tag is event else source._take_around(tag))
            except EditError as error:
                raise document.refused(error, min(places[key] for key in keys)) from None
            missing -= keys
    return found


def donor_of(wanted: Wanted) -> Donor:
    """Return which property of a save can be copied for a wanted one."""
    if wanted.type_name:
        return TYPE, wanted.type_name
    return LIST if wanted.is_list else "", wanted.owner, wanted.name


def type_text(tag: PropertyTag) -> str:
    """Return the type of a property as `streamsave cat` shows it: `ArrayProperty(StructProperty(InventoryStack))`."""
    inner = ", ".join([part for part in (tag.inner_type, tag.value_type) if part])
    name = f"({tag.type_name})" if tag.type_name else ""
    return f"{tag.type}({inner}{name})" if inner else f"{tag.type}{name}"


class Growing:
    """An open nesting of the save, and the copies to insert into it.

    Args:
        event: opened it.
        wanted: the elements that only the document has.
    """

    def __init__(self, event: Event, wanted: list[Wanted]) -> None:
        self.event = event
        #: What to copy -> the wanted elements: a name, key, index or class; b"": the last element.
        self.waiting: dict[object, list[Wanted]] = {}
        for each in wanted:
            self.waiting.setdefault(each.like or each.class_name.encode(), []).append(each)
        #: The number of elements; how many have ended; the key of the last one in a map.
        self.count = max([each.total for each in wanted], default=-1)
        self.done = 0
        self.key = b""
        #: Copies to insert after the last element.
        self.copies: list[Copied] = []

    def begins_entry(self) -> bool:
        """Return whether this is a map entry whose key comes next."""
        return isinstance(self.event, StructEnter) and self.event.type_name == MAP_ENTRY and not self.done

    def grow(self, save: RewriteStream, document: JsonReader, ended: Event) -> Iterator[Change]:
        """Insert copies after an element that has just ended; `ended` is the event that opened it."""
        self.done += 1
        if not self.waiting and not self.copies:
            return
        is_last = self.done == self.count
        names = [self.key or str(self.done - 1).encode(), b"" if is_last else None]
        if isinstance(ended, ObjectHeader):
            names = [json_name(ended), ended.class_name.encode()]
        for each in [each for name in names for each in self.waiting.pop(name, ())]:
            place: str | int = self.done
            try:
                if isinstance(ended, ObjectHeader):
                    place = str(document.value_at(each.at, "instance_name"))
                    header: dict[str, object] = {"instance_name": place}
                    save.insert_copy(header=new_header(ended, document, each.at) if save._family.has_header(ended) else header)
                else:
                    self.copies += [save.copied()] * each.number
            except EditError as error:
                raise document.refused(error, each.at) from None
            path = save.path[:-1] if isinstance(ended, Field) else save.path
            yield from [Change("added", (*path, place))] * each.number
        if is_last:
            for copied in self.copies:
                save.insert_copy(of=copied)


def grow(save: RewriteStream, document: JsonReader, wanted: Sequence[Wanted], found: Mapping[Donor, Cutting]) -> Iterator[Change]:
    """Insert what only the document has, as copies of similar elements; their values are set later.

    Args:
        save: at its start.
        document: the document.
        wanted: what only the document has.
        found: the result of `donors`.

    Yields:
        Each addition.

    Raises:
        EditError: nothing similar is in the save, or it cannot be inserted.
        SaveError: the save is damaged.
    """
    document.events = save
    save._as_values()
    at: dict[int, list[Wanted]] = {}
    for each in wanted:
        at.setdefault(each.key, []).append(each)
    offsets = sorted(each.offset for each in wanted)
    nestings: list[Growing] = []
    for event in save:
        ended = event
        around, outer = nestings[-1] if nestings else None, nestings[-2] if len(nestings) > 1 else None
        is_key = isinstance(event, (Field, StructEnter)) and around is not None and around.begins_entry()
        first = bisect_left(offsets, event.offset)
        here = at.get(key_of(event, save.depth), []) if first < len(offsets) and offsets[first] == event.offset else []
        for each in here:
            if each.name:
                insert(save, document, each, found.get(donor_of(each)))
                yield Change("added", (*path_in(save, event), each.name))
        if isinstance(event, (ObjectHeader, StructEnter, SaveStart)):
            nestings.append(Growing(event, [each for each in here if not each.name]))
        elif isinstance(event, (ObjectEnd, StructExit)):
            growing = nestings.pop()
            ended, around = growing.event, nestings[-1]
            for wanted_here in growing.waiting.values():
                raise document.fault(nothing_like(wanted_here[0]), wanted_here[0].at)
        is_key = is_key and outer is not None and len(outer.waiting) > 0
        if is_key and outer is not None:
            outer.key = canonical(orjson.loads(value_text(save.build())))
        if around is not None and isinstance(event, (StructExit, ObjectEnd, Field)):
            yield from around.grow(save, document, ended)
        if not is_key and isinstance(event, (ObjectHeader, PropertyTag, StructEnter)) and not here:
            start, end = span_of(event)
            first = bisect_left(offsets, start)
            if end >= 0 and (first == len(offsets) or offsets[first] > end):
                save.skip()


def path_in(save: RewriteStream, event: Event) -> tuple[str | int, ...]:
    """Return the path inside the nesting that the last event opened."""
    if isinstance(event, StructEnter) and event.index < 0:
        return (*save.path, event.name)
    if isinstance(event, ObjectHeader) and save._family.has_header(event) and event.instance_name:
        return (*save.path, event.instance_name)
    return save.path


def insert(save: RewriteStream, document: JsonReader, wanted: Wanted, cutting: Cutting | None) -> None:
    """Insert a property into what the last event opened; or replace the last event, an empty list.

    Raises:
        EditError: no property can be copied, or it does not fit.
    """
    try:
        if cutting is not None:
            save.insert_raw(cutting, wanted.name)
            if wanted.is_list:
                save.drop()
            return
        document.seek(wanted.at)
        is_made = not wanted.is_list and save._insert_member(wanted.name, document.checked())
    except EditError as error:
        raise document.refused(error, wanted.at) from None
    if not is_made:
        raise document.fault(nothing_like(wanted), wanted.at)


def nothing_like(wanted: Wanted) -> str:
    """Return an error message: why something cannot be made, and what to write instead."""
    if wanted.type_name:
        return f"no property of the save has the type {wanted.type_name}"
    if wanted.is_list:
        return f"{wanted.name} has no elements to copy, here and elsewhere in the save: they cannot be made"
    if wanted.name:
        return (
            f"nothing like it in the save has {wanted.name}, so it cannot be made; "
            f'{{"@type": "IntProperty", "@value": ...}} copies any property of a type'
        )
    if wanted.class_name and not wanted.like:
        return f'no object of the class {wanted.class_name} is here to copy; "@like": "NAME" copies one of another class'
    return f"nothing is here that {wanted.like.decode()} names, to copy"
