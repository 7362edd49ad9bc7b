"""Insert what was taken from another save: where it goes, and whether it fits."""

from __future__ import annotations

from streamsave.decode.cursor import NO_LIMIT
from streamsave.decode.reader import Reader
from streamsave.errors import EditError
from streamsave.events import Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats.unreal.reader import UnrealReader
from streamsave.rewriting.family import Cutting, Family
from streamsave.rewriting.ledger import Ledger, Nesting

__all__ = ["insert", "unlist"]


def insert(cutting: Cutting, last: Event, ended: Event | None, reader: Reader, family: Family, ledger: Ledger) -> None:
    """Insert an object before what an event has opened, or after the object that it has ended; a property as `list_place` says.

    Args:
        cutting: the object or property.
        last: the last event of the save; nothing that it opened was read.
        ended: what had opened what `last` has closed, if it is an exit.
        reader: of the save.
        family: of the save.
        ledger: of the save.

    Raises:
        EditError: it does not fit there.
    """
    if isinstance(cutting.event, PropertyTag):
        at = list_place(last, reader)
        check_facts(cutting, cutting.event, reader, family)
        if family.steers(reader, cutting.event):
            raise EditError("it says how other bytes are read")
        ledger.insert([(at, cutting.data)], 0, None)
        return
    beside = ended if isinstance(last, ObjectEnd) else last
    if not isinstance(beside, ObjectHeader):
        raise EditError("an object is inserted before an object, or after one")
    check_facts(cutting, beside, reader, family)
    if family.insert_part(reader, cutting, is_after=beside is ended):
        return
    nestings = ledger.nestings if beside is ended else ledger.nestings[:-1]
    if not nestings or not family.holds(reader, nestings[-1].event, beside):
        raise EditError("nothing can be inserted there")
    nesting = Nesting(beside, None, ())
    if nesting.has_header_apart != bool(cutting.header):
        raise EditError("the header of the object does not fit", bool(cutting.header), f"{nesting.has_header_apart}")
    header, start = beside.offset, nesting.start
    if beside is ended:
        header, start = header + beside.header_size, last.offset + last.size if isinstance(last, ObjectEnd) else 0
    places = [(header, cutting.header), (start, cutting.data)] if cutting.header else [(start, cutting.data)]
    ledger.insert(places, 1, None if beside is ended else beside, is_after=beside is ended)


def list_place(last: Event, reader: Reader) -> int:
    """Return where a property goes: before the last event, if that is one; or to the start of the list that it has opened.

    Raises:
        EditError: it has opened none.
    """
    if isinstance(last, PropertyTag):
        return last.offset
    at = -1
    if isinstance(last, (ObjectHeader, StructEnter)) and isinstance(reader, UnrealReader):
        at = int(reader.list_start(last))
    if at < 0:
        raise EditError("a property is inserted before a property, or after the event that opens a list of properties")
    return at


def check_facts(cutting: Cutting, beside: ObjectHeader | PropertyTag, reader: Reader, family: Family) -> None:
    """Raise an `EditError` if a save has not what that has in common which something was taken from."""
    facts = family.facts(reader, beside)
    if facts is None:
        raise EditError(family.no_facts)
    theirs = dict(cutting.facts)
    for name, fact in facts:
        if theirs.get(name) != fact:
            raise EditError(f"it does not fit: another {name}", f"{theirs.get(name)}", f"{fact}")


def unlist(field: Field, inserted: frozenset[tuple[str, str]], reader: Reader, family: Family, ledger: Ledger) -> None:
    """Take inserted objects of the map out of a list of destroyed ones, the last event, unless it was edited.

    Raises:
        SaveError: the list cannot be decoded.
    """
    codec = reader.codec
    assert codec is not None  # noqa: S101 - the last event is a field
    cursor = reader.cursor_back()
    cursor.set_limit(NO_LIMIT)
    cursor.seek(field.offset)
    value = codec.decode(cursor, reader)
    new = family.without_inserted(field, value, inserted)
    if new == value:
        return
    encoder = reader.encoder()
    codec.encode(new, encoder)
    ledger.edit(field.offset, field.offset + field.size, bytes(encoder.data))
