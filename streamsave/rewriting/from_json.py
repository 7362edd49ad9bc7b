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
| derived numbers: counts, sizes, the hash | ignored |
| something unlike anything in the save; a value by which other bytes are read | an error with the place |

Copies get the values of the document afterwards. The parts of a copied object, and what it refers to, are not copied.

Steps:

1. Compare: read both side by side, in the order of the JSON writer. Values that are small enough are compared as text.
2. Refine: go through values that differ, part by part.
3. Grow: if the document has more than the save, insert copies into a temporary save, and compare again.
4. Edit: write the save with all differences.
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
    """Return the path of what the last event opened; call it for a leaf only after a verb has acted on it."""
    if isinstance(event, (PropertyTag, Field)):
        return save._path_of(event)
    if isinstance(event, ObjectHeader):
        return (*save.path, event.instance_name)
    return (*save.path, event.name) if isinstance(event, StructEnter) and (event.index < 0 or not save.path) else save.path


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

    Yields:
        Each change. The new save is complete after the last one.

    Raises:
        EditError: the document is no JSON, or no save can be made of it; the message has the line and column.
        SaveError: the save is damaged.
        OSError: as for `streamsave.rewrite`.
    """
    before = unchanged(source)  # later, `source` may be a temporary save
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
            if number == 0:  # in later rounds, copies have sizes that the document does not have
                ignored = [change for each in found for change in each.ignored]
            wanted = sorted([one for each in found for one in each.wanted], key=attrgetter("at"))
            if not wanted:
                break
            copies: dict[Donor, Cutting] = {}
            while missing := [each for each in wanted if each.name and donor_of(each) not in copies]:
                with take(source) as events:
                    more = donors(events, parsed, missing)  # what is inside of another copy is found in the next round
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
