"""A save out of a JSON document: the save that the document was made from is the template.

`streamsave json` writes a document, anything may edit it, and `from_json` makes a save of it. What is equal in both is copied as
it is, so a document that was not edited gives the same save, byte by byte.

| in the document | in the new save |
|---|---|
| another value | the value, encoded as the save has it there |
| a member of `properties`, an object, an element at the end of a list, or an entry of a map is missing | it is dropped |
| another member of the header of an object, if the save has headers | the member: an object is moved, or has another name |
| more elements in a list, more entries in a map | copies of the last one; of the one that `"@like"` says: its index, its key |
| another object | a copy of the one before it if that has its class, else of one that has; of the one that `"@like"` names |
| a property that the object or struct does not have | a copy from another object of its class, or struct of its type |
| `{"@type": "IntProperty", "@value": 5}` as such a property | a copy of any property of that type, with its name |
| a member of JSON that the object does not have | the member |
| elements in a list that has none | those of the same list of another object of its class, or struct of its type |
| numbers that follow from others: counts, sizes, the hash | not looked at |
| what nothing in the save is like; what says how other bytes are read | an error: it says where |

What is copied gets the values of the document afterwards. Objects that a new one refers to, or has as its parts, are not copied
along.

First both are read side by side, as the JSON writer goes through the save: each value that is small enough is compared as text,
and only what differs is decoded, and then gone through value by value. If the document has more than the save, copies are
inserted into a save in between, which is compared again. Then the save is written with all that differs.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

import orjson

from streamsave.errors import EditError, PathStep
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats import Format, MakeReader
from streamsave.input.source import SourceLike
from streamsave.limits import Limits
from streamsave.output.json_text import value_text
from streamsave.rewriting.cutting import cut
from streamsave.rewriting.family import Cutting
from streamsave.rewriting.growing import Donor, donor_of, donors, grow
from streamsave.rewriting.json_difference import Comparison, are_same, has_lines
from streamsave.rewriting.json_edits import DROP, Change, differing
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.revaluing import new_header, revalued
from streamsave.rewriting.rewrite import rewrite, unchanged
from streamsave.rewriting.stream import RewriteStream
from streamsave.values import Opaque

__all__ = ["Change", "make_save"]

#: How often a copy that was inserted may need others inside.
MOST_ROUNDS: Final = 12


def edit_as_document(save: RewriteStream, document: JsonReader, differences: array[int]) -> Iterator[Change]:
    """Read a save to its end, and make the edits that a comparison with a document asks for.

    Args:
        save: at its start.
        document: what it becomes.
        differences: of a `Comparison` of both that goes through all values.

    Yields:
        Each change.

    Raises:
        EditError: a value of the document cannot be stored there, or nothing can be dropped there.
        SaveError: the save is damaged.
    """
    document.events = save
    save._as_values()
    save._guids_as_texts(ends=True)
    for event, verb, at in differing(save, differences, []):
        try:
            if verb == DROP:
                yield drop(save, event)
            elif isinstance(event, ObjectHeader):
                yield from set_header(save, event, document, at)
            else:
                yield from set_value(save, event, document, at)
        except EditError as error:
            raise document.refused(error, at, path_to(save, event)) from None


def path_to(save: RewriteStream, event: Event) -> tuple[PathStep, ...]:
    """Return the path of what the last event has opened; that of a leaf, after a verb has acted on it."""
    if isinstance(event, (PropertyTag, Field)):
        return save._path_of(event)
    if isinstance(event, ObjectHeader):
        return (*save.path, event.instance_name)
    return (*save.path, event.name) if isinstance(event, StructEnter) and (event.index < 0 or not save.path) else save.path


def drop(save: RewriteStream, event: Event) -> Change:
    """Leave out what the last event has opened.

    Raises:
        EditError: it cannot be left out.
    """
    path = save.path if isinstance(event, (PropertyTag, Field)) else path_to(save, event)
    if isinstance(event, ObjectHeader) and event.size < 0:
        save._drop(event)  # if it were skipped, others would be at other offsets
    else:
        save.drop()
    return Change("dropped", path)


def set_header(save: RewriteStream, event: ObjectHeader, document: JsonReader, at: int) -> Iterator[Change]:
    """Let the header of the last event, an object, say what the document does."""
    members = new_header(event, document, at)
    if members and save.set_header(**members):
        for name, value in members.items():
            old = value_text(getattr(event, name))
            yield Change("set", (*save.path, event.instance_name, name), old, value_text(value))


def set_value(save: RewriteStream, event: Event, document: JsonReader, at: int) -> Iterator[Change]:
    """Write the value that the document has in place of that of the last event, unless its bytes are the same."""
    old: object = save.opaque(event) if isinstance(event, BlobSkip) else save.build()
    path = path_to(save, event)
    document.seek(at)
    new = document.decoded()
    value = revalued(old, new)
    if isinstance(value, Opaque):
        save.replace_raw(value.data)
    elif isinstance(event, (PropertyTag, Field)) and is_stored(save, event, old, value):
        return
    else:
        save.replace(value)
    yield Change("set", path, value_text(old), orjson.dumps(new))


def is_stored(save: RewriteStream, event: PropertyTag | Field, old: object, new: object) -> bool:
    """Return whether a value has the bytes of the old one, as numbers are rounded.

    Raises:
        EditError: it has, but they differ in something else: that follows from other parts of the value.
    """
    if isinstance(new, bool) or save._encoded(event, new) != save._encoded(event, old):
        return False  # bools are in tags
    if not are_same(orjson.loads(value_text(old)), orjson.loads(value_text(new)), rounds=True):
        raise EditError("the save does not store this part", new)
    return True


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
) -> Iterator[Change]:
    """Write a save that is as a document says: the save that the document was made from, with what differs.

    Args:
        document: what `streamsave json` writes, edited. It can seek.
        source: the save. It is read several times: no pipe.
        target: the new save, as for `streamsave.rewrite`; None: nothing is written.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.
        backup: as for `streamsave.rewrite`.

    Yields:
        Each change of a value, and what is dropped. The new save is there when all were taken.

    Raises:
        EditError: the document is no JSON, or says what no save can be made of: it says where.
        SaveError: the save is damaged.
        OSError: as for `streamsave.rewrite`.
    """
    before = unchanged(source)  # at the end, the source may be a save in between
    limits = Limits() if limits is None else limits
    take = partial(cut, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader)
    write = partial(rewrite, limits=limits, type_hints=type_hints, objects_at=objects_at, reader=reader)
    parsed = JsonReader(document)
    in_lines = has_lines(parsed)
    ignored: list[Change] = []
    with TemporaryDirectory() as folder:
        for number in range(MOST_ROUNDS):
            parsed.seek(0)
            with take(source) as events:
                comparison = Comparison(events, parsed, limits)
                if in_lines:
                    comparison.run_lines()
                else:
                    comparison.run()
            found = [comparison]
            while comparison.is_coarse and comparison.differences:
                with take(source) as events:
                    coarse, comparison = comparison, Comparison(events, parsed, limits, is_fine=True)
                    comparison.refine(coarse.differences)
                found.append(comparison)
            if number == 0:  # copies have other sizes than the document says
                ignored = [change for each in found for change in each.ignored]
            wanted = sorted([one for each in found for one in each.wanted], key=attrgetter("at"))
            if not wanted:
                break
            copies: dict[Donor, Cutting] = {}
            while missing := [each for each in wanted if each.name and donor_of(each) not in copies]:
                with take(source) as events:
                    more = donors(events, parsed, missing)  # what is inside of another one is found the next time
                if not more:
                    break
                copies |= more
            grown = Path(folder) / f"{number}.sav"
            with write(source, grown, verify=False, fast=True) as save:
                yield from grow(save, parsed, wanted, copies)
            source = grown
        else:
            raise parsed.fault("it cannot be made", wanted[0].at)
        yield from ignored
        with write(source, target, backup=backup) as save:
            yield from edit_as_document(save, parsed, comparison.differences)
            if before is not None:
                before.check()
