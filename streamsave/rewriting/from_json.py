"""Make a save from a JSON document; the save that the document was made from is the template.

`streamsave json` writes a document, any program may edit it, and `from_json` makes a save from it. What is equal in both is
copied, so a document without edits gives the same save, byte for byte.

| in the document | in the new save |
|---|---|
| another value | the value, with the type of the old one |
| a member of `properties`, an object, an element at the end of a list, or an entry of a map is missing | it is dropped |
| another member in the header of an object, in formats with headers | the member: an object is moved or renamed |
| more elements in a list, more entries in a map | copies of the last one, or of the index or key in `"@like"` |
| another object | a copy of the object before it if that has its class, else of one that has; or of the name in `"@like"` |
| a property that the object or struct does not have | a copy from another object of its class, or struct of its type |
| `{"@type": "IntProperty", "@value": 5}` as such a property | a copy of any property of that type, with the new name |
| a member of JSON that the object does not have | the member |
| elements in an empty list | copies from the same list of another object of its class, or struct of its type |
| derived numbers: counts, sizes, the hash; a name or class that follows from values | ignored |
| something unlike anything in the save; a value by which other bytes are read | an error with the place |

Copies get the values of the document afterwards. The parts of a copied object, and what it refers to, are not copied.

Steps:

1. Compare: read both side by side, in the order of the JSON writer. Values that are small enough are compared as text.
2. Refine: go through values that differ, part by part.
3. Grow: if the document has more than the save, insert copies of similar elements into a temporary save, and compare again.
4. Edit: write the save with all differences.

The module is long because a value, an insertion and an edit each keep the type of something in the save.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, Final, Literal, TypeAlias

import orjson

from streamsave._fields import names_of_fields
from streamsave._new_file import temporary_folder
from streamsave.decode.build import MAP_ENTRY, header_members
from streamsave.decode.json_values import NOT_FINITE, json_key, unescape
from streamsave.errors import EditError, PathStep
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart, StructEnter, StructExit
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.output.flat_text import type_text
from streamsave.output.json_text import escaped, value_text
from streamsave.rewriting.assignments import REFERENCE, converted, numbers_of, referring, unlike
from streamsave.rewriting.cutting import CutStream, cut
from streamsave.rewriting.family import Cutting, is_map
from streamsave.rewriting.json_difference import FOLLOWING, Comparison, has_lines
from streamsave.rewriting.json_parts import (
    DROP,
    INSTANCE_NAME,
    LIKE,
    LIST,
    TYPE,
    WRAPPED,
    Change,
    Wanted,
    are_same,
    canonical,
    differing,
    json_of,
    key_of,
    owner_of,
    span_of,
)
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.rewrite import rewrite, unchanged
from streamsave.rewriting.stream import Copied, RewriteStream
from streamsave.values import Opaque, Text

__all__ = ["Change", "make_save"]

#: Integers above this are rounded by programs that have only doubles.
LARGEST_EXACT: Final = 1 << 53
#: The member with the names of what `--sparse` leaves out.
SPARSE: Final = "zeros"
#: Type of a value in JSON -> a type of properties that have such values; of others, IntProperty.
TYPES: Final[dict[type, str]] = {
    bool: "BoolProperty",
    float: "FloatProperty",
    str: "StrProperty",
    list: "ArrayProperty",
    dict: "StructProperty",
}
#: An integer of more than 64 bits, which JSON has as text.
WIDE: Final = re.compile(r"-?[0-9]{1,40}")


def new_header(event: ObjectHeader, document: JsonReader, at: int) -> dict[str, object]:
    """Return the members of the header of an object that differ in the document, with their new values.

    Args:
        event: the object.
        document: the document.
        at: offset of the object in the document.

    Raises:
        EditError: a member has another type.
    """
    old = header_members(event)
    document.seek(at)
    new = document.members(tuple(old))
    return {
        name: revalued(value, new[name])
        for name, value in old.items()
        if name in new and not are_same(orjson.loads(value_text(value)), new[name])
    }


def revalued(old: object, new: object) -> object:
    """Return the value that JSON shows as `new`, with the types of the old one.

    Args:
        old: the value of the save, as `build()` returns it.
        new: the value of the document.

    Raises:
        EditError: `new` is not like `old`.
    """
    if isinstance(new, dict) and WRAPPED in new:
        new = new[WRAPPED]
    elif isinstance(new, dict) and LIKE in new:
        new = {name: part for name, part in new.items() if name != LIKE}
    text = escaped(value_text(old))
    if canonical(new) == canonical(orjson.loads(text)):
        return old
    if isinstance(old, float) and isinstance(new, str) and new in NOT_FINITE.values():
        return float(new)
    if isinstance(old, int) and not isinstance(old, bool):
        if isinstance(new, str) and WIDE.fullmatch(new):
            return int(new)
        if isinstance(new, float) and new.is_integer():
            new = int(new)
        if abs(old) > LARGEST_EXACT and isinstance(new, (int, float)) and new == float(old):
            return old  # rounded by a program that has only doubles
    if isinstance(old, str) and isinstance(new, dict) and new.keys() == {"escaped"}:
        return unescape(str(new["escaped"]))
    if isinstance(old, tuple) and isinstance(new, list):
        return numbers_of(old, new, revalued)
    if isinstance(old, list) and isinstance(new, list):
        return [revalued(old[min(index, len(old) - 1)], part) if old else referring(part) for index, part in enumerate(new)]
    if isinstance(old, (bytes, Opaque)) or not isinstance(new, dict):
        return converted(old, new)
    if isinstance(old, Text) and canonical(new) == canonical(orjson.loads(text) | {"source": new.get("source")}):
        return converted(old, new["source"])  # the text is also one of the fields
    fields = () if isinstance(old, (dict, int, str)) else names_of_fields(type(old)) or ()
    members = old if isinstance(old, dict) else {name: getattr(old, name) for name in fields}
    names = {json_key(name): name for name in members}
    if not isinstance(old, dict) and not fields:
        raise unlike(old, new)
    if names.keys() != new.keys():
        raise EditError("other members", sorted(new), ", ".join(names))
    kept = {"index"} if new.keys() == REFERENCE else set()  # the number of an object follows from its name
    values = {name: members[name] if name in kept else revalued(members[name], new[key]) for key, name in names.items()}
    return values if isinstance(old, dict) else type(old)(**values)


#: `Wanted.donor`.
Donor: TypeAlias = tuple[object, ...]


def donors(source: CutStream, document: JsonReader, wanted: Sequence[Wanted]) -> dict[Donor, Cutting]:
    """Return the first property of the save for each donor of the wanted ones, to copy it.

    Args:
        source: the save, at its start.
        document: the document.
        wanted: the properties that only the document has.

    Raises:
        EditError: properties of this format cannot be copied.
        SaveError: the save is damaged.
    """
    document.events = source
    places = {each.donor: each.at for each in reversed(wanted)}
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
            with document.refusing(min(places[key] for key in keys)):
                found |= dict.fromkeys(keys, source._cutting(tag, source._family.facts(tag)))
            missing -= keys
    return found


class Growing:
    """An open nesting of the save, and the copies to insert into it.

    Args:
        event: opened it.
        wanted: the elements that only the document has.
    """

    def __init__(self, event: Event, wanted: list[Wanted]) -> None:
        self.event = event
        self.is_entry = isinstance(event, StructEnter) and event.type_name == MAP_ENTRY
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

    def grow(self, save: RewriteStream, document: JsonReader, ended: Event) -> Iterator[Change]:
        """Insert copies after an element that has just ended; `ended` is the event that opened it."""
        self.done += 1
        if not self.waiting and not self.copies:
            return
        is_last = self.done == self.count
        names = [self.key or str(self.done - 1).encode(), b"" if is_last else None]
        if isinstance(ended, ObjectHeader):
            names = [json_of(ended.instance_name), ended.class_name.encode()]
        copied: Copied | None = None
        for each in [each for name in names for each in self.waiting.pop(name, ())]:
            place: str | int = self.count + len(self.copies)
            with document.refusing(each.at):
                if isinstance(ended, ObjectHeader):
                    document.seek(each.at)
                    place = str(document.members((INSTANCE_NAME,)).get(INSTANCE_NAME))
                    header: dict[str, object] = {"instance_name": place}
                    save.insert_copy(header=new_header(ended, document, each.at) if save._family.has_header(ended) else header)
                else:
                    copied = copied or save.copied()
                    self.copies.append(copied)
            path = save.path[:-1] if isinstance(ended, Field) else save.path
            yield Change("added", (*path, place))
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
        at.setdefault(each.offset, []).append(each)
    offsets = sorted(at)
    nestings: list[Growing] = []
    for event in save:
        around = nestings[-1] if nestings else None
        outer = nestings[-2] if around is not None and around.is_entry and not around.done else None
        is_key = outer is not None and len(outer.waiting) > 0 and isinstance(event, (Field, StructEnter))
        here = [each for each in at.get(event.offset, ()) if each.key == key_of(event, save.depth)]
        for each in here:
            if each.name:
                insert(save, document, event, each, found.get(each.donor))
                yield Change("added", (*path_in(save, event), each.name))
        if isinstance(event, (ObjectHeader, StructEnter, SaveStart)):
            nestings.append(Growing(event, [each for each in here if not each.name]))
        elif isinstance(event, (ObjectEnd, StructExit)):
            ended, around = nestings.pop(), nestings[-1]
            for left in ended.waiting.values():
                raise document.fault(nothing_like(left[0], document), left[0].at)
            yield from around.grow(save, document, ended.event)
        if outer is not None and is_key:
            outer.key = json_of(save.build())
        if around is not None and isinstance(event, Field):
            yield from around.grow(save, document, event)
        if not is_key and isinstance(event, (ObjectHeader, PropertyTag, StructEnter)) and not here:
            start, end = span_of(event)
            first = bisect_left(offsets, start)
            if end >= 0 and (first == len(offsets) or offsets[first] > end):
                save.skip()
    for left in [left for nesting in nestings for left in nesting.waiting.values()]:  # objects that are in no list
        raise document.fault(nothing_like(left[0], document), left[0].at)


def path_in(save: RewriteStream, event: Event) -> tuple[str | int, ...]:
    """Return the path inside the nesting that the last event opened."""
    if isinstance(event, StructEnter) and event.index < 0 and save.path[-1:] != (event.name,):  # not all readers have it there
        return (*save.path, event.name)
    if isinstance(event, ObjectHeader) and save._family.has_header(event) and event.instance_name:
        return (*save.path, event.instance_name)
    return save.path


def insert(save: RewriteStream, document: JsonReader, event: Event, wanted: Wanted, cutting: Cutting | None) -> None:
    """Insert a property into what the last event opened; or replace the last event, an empty list.

    Raises:
        EditError: no property can be copied, or it does not fit.
    """
    with document.refusing(wanted.at, partial(path_in, save, event)):
        if cutting is not None:
            save.insert_raw(cutting, wanted.name)
            if wanted.donor[0] == LIST:
                save.drop()
            return
        document.seek(wanted.at)
        is_made = wanted.donor[0] != LIST and save._insert_member(wanted.name, document.decoded(once=True))
    if not is_made:
        raise document.fault(nothing_like(wanted, document), wanted.at, path_in(save, event))


def nothing_like(wanted: Wanted, document: JsonReader) -> str:
    """Return an error message: why something cannot be made, and what to write instead."""
    if wanted.donor[:1] == (TYPE,):
        return f"no property of the save has the type {wanted.donor[1]}"
    if wanted.donor[:1] == (LIST,):
        return f"{wanted.name} has no elements to copy, here and elsewhere in the save: they cannot be made"
    if wanted.name == SPARSE:
        return f"nothing like it in the save has {SPARSE}: was the document made with --sparse, which leaves out values?"
    if wanted.name:
        document.seek(wanted.at)
        kind = TYPES.get(type(document.decoded()), "IntProperty")
        return (
            f"nothing like it in the save has {wanted.name}, so it cannot be made; "
            f'{{"@type": "{kind}", "@value": ...}} copies any property of a type'
        )
    if wanted.class_name and not wanted.like:
        return f'no object of the class {wanted.class_name} is here to copy; "@like": "NAME" copies one of another class'
    return f"nothing is here that {wanted.like.decode()} names, to copy"


#: How deep copies may need copies inside.
MOST_ROUNDS: Final = 12


def edit_as_document(save: RewriteStream, document: JsonReader, differences: array[int]) -> Iterator[Change]:
    """Edit a save, up to its end, so that it equals a document.

    Args:
        save: at its start.
        document: the document.
        differences: from a `Comparison` of both, after `refine`.

    Yields:
        Each change.

    Raises:
        EditError: a value of the document cannot be stored, or something cannot be dropped.
        SaveError: the save is damaged.
    """
    document.events = save
    save._as_values()
    save._guids_as_texts(ends=True)
    for event, verb, at in differing(save, differences, []):
        with document.refusing(at, partial(path_to, save, event)):
            if verb == DROP:
                yield drop(save, event)
            elif isinstance(event, ObjectHeader):
                yield from set_header(save, event, document, at)
            else:
                yield from set_value(save, event, document, at)


def path_to(save: RewriteStream, event: Event) -> tuple[PathStep, ...]:
    """Return the path of what the last event opened; call it for a leaf only after a verb has acted on it."""
    if isinstance(event, (PropertyTag, Field)):
        return save._path_of(event)
    if isinstance(event, ObjectHeader):
        return (*save.path, event.instance_name)
    return path_in(save, event) if save.path or not isinstance(event, StructEnter) else (event.name,)


def drop(save: RewriteStream, event: Event) -> Change:
    """Drop what the last event opened.

    Raises:
        EditError: it cannot be dropped.
    """
    path = save.path if isinstance(event, (PropertyTag, Field)) else path_to(save, event)
    if isinstance(event, ObjectHeader) and event.size < 0:
        save._drop(event)  # skipping it would change the offsets of others
    else:
        save.drop()
    return Change("dropped", path)


def set_header(save: RewriteStream, event: ObjectHeader, document: JsonReader, at: int) -> Iterator[Change]:
    """Set the header of the last event, an object, to that of the document."""
    members = new_header(event, document, at)
    if members and save.set_header(**members):
        for name, value in members.items():
            old = value_text(getattr(event, name))
            yield Change("set", (*save.path, event.instance_name, name), old, value_text(value))


def set_value(save: RewriteStream, event: Event, document: JsonReader, at: int) -> Iterator[Change]:
    """Set the value of the last event to that of the document, unless both have the same bytes."""
    old: object = save.opaque(event) if isinstance(event, BlobSkip) else save.build()
    path = path_to(save, event)
    document.seek(at)
    new = document.decoded()
    if is_map(event) and isinstance(new, list) and not old:  # no old entry says that each is a pair
        new = [tuple(part) if isinstance(part, list) else part for part in new]
    value = revalued(old, new)
    if isinstance(value, Opaque):
        save.replace_raw(value.data)
    elif isinstance(event, (PropertyTag, Field)) and is_stored(save, event, old, value):
        return
    else:
        save.replace(value)
    yield Change("set", path, value_text(old), orjson.dumps(new))


def is_stored(save: RewriteStream, event: PropertyTag | Field, old: object, new: object) -> bool:
    """Return whether a value has the same bytes as the old one, as its numbers are rounded.

    Raises:
        EditError: the bytes are the same, but the values differ in a part that is not stored.
    """
    if isinstance(new, bool) or save._encoded(event, new) != save._encoded(event, old):
        return False  # bools are in tags
    if not are_same(orjson.loads(value_text(old)), orjson.loads(value_text(new)), rounds=True):
        raise EditError("the save does not store this part", new)
    return True


def not_renamed(
    events: CutStream, document: JsonReader, renamed: Mapping[int, tuple[tuple[PathStep, ...], ObjectHeader]]
) -> Iterator[Change]:
    """Yield each object with a name, class or outer object that only the document has: in the save, they follow from others.

    Args:
        events: the new save, at its start.
        document: the document.
        renamed: of a `Comparison`.

    Raises:
        SaveError: the save is damaged.
    """
    wanted: dict[bytes, Change] = {}
    for at, (path, header) in renamed.items():
        document.seek(at)
        new = document.members(FOLLOWING)
        wanted[canonical(new)] = Change("ignored", path, names_of(header), canonical(new))
    for event in events:
        if isinstance(event, ObjectHeader):
            wanted.pop(names_of(event), None)
            if not events.holds_objects(event):
                events.skip()
    yield from wanted.values()


def names_of(header: ObjectHeader) -> bytes:
    """Return the members of `FOLLOWING` as JSON."""
    return json_of({name: getattr(header, name) for name in FOLLOWING})


def make_save(
    document: BinaryIO,
    source: SourceLike,
    target: str | os.PathLike[str] | None,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    backup: str | os.PathLike[str] | None = None,
    wrapper: Literal["", "plz"] = "",
) -> Iterator[Change]:
    """Write a save that equals a document: the save that the document was made from, with all differences.

    Args:
        document: an edited document of `streamsave json`. It must be seekable.
        source: the save. It is read several times, so it cannot be a pipe.
        target: the new save, as for `streamsave.rewrite`; None: write nothing.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.
        backup: as for `streamsave.rewrite`.
        wrapper: as for `streamsave.rewrite`.

    Yields:
        Each change. The new save is complete after the last one.

    Raises:
        EditError: the document is no JSON, or no save can be made of it; the message has the line and column.
        SaveError: the save is damaged.
        OSError: as for `streamsave.rewrite`.
    """
    before = unchanged(source)  # later, `source` may be a temporary save
    take = partial(cut, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader)
    write = partial(rewrite, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader, wrapper=wrapper)
    write(source, target).close()  # what cannot be written is refused before it is read
    parsed = JsonReader(document)
    parsed.read_head()
    numbered: dict[int, tuple[object, ...]] = {}
    compare = partial(Comparison.run_lines, numbered=numbered) if has_lines(parsed) else Comparison.run
    ignored: list[Change] = []
    with temporary_folder() as folder:
        for number in range(MOST_ROUNDS):
            parsed.seek(0)
            with take(source) as events:
                comparison = Comparison(events, parsed)
                compare(comparison)
            found = [comparison]
            while comparison.is_coarse and comparison.differences:
                with take(source) as events:
                    coarse, comparison = comparison, Comparison(events, parsed, is_fine=True)
                    comparison.refine(coarse.differences)
                found.append(comparison)
            if number == 0:  # in later rounds, copies have sizes that the document does not have
                ignored, renamed = [change for each in found for change in each.ignored], comparison.renamed
            wanted = sorted([one for each in found for one in each.wanted], key=attrgetter("at"))
            if not wanted:
                break
            with take(source) as events:
                copies = donors(events, parsed, [each for each in wanted if each.name])
            grown = Path(folder) / f"{number}.sav"
            with write(source, grown, verify=False, fast=True) as save:
                yield from grow(save, parsed, wanted, copies)
            source = grown
        else:
            raise parsed.fault("it cannot be made", wanted[0].at)
        yield from ignored
        if not numbered:  # else names that follow from values may be those of the document by now
            renamed = comparison.renamed
        if target is None and renamed:
            target = Path(folder) / "new.sav"
        with write(source, target, backup=backup) as save:
            yield from edit_as_document(save, parsed, comparison.differences)
            before.check()
        if target is not None and renamed:
            with take(target) as events:
                yield from not_renamed(events, parsed, renamed)
