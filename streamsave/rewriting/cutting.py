"""Take whole objects and properties from a save, and insert them into another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from streamsave.consume.stream import EventStream, opened
from streamsave.decode.codecs import NAME
from streamsave.decode.reader import Reader
from streamsave.errors import EditError, StaleEvent
from streamsave.events import ChunkStart, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, StructEnter
from streamsave.formats import Format, MakeReader
from streamsave.input.source import KeptSource, Source, SourceLike
from streamsave.limits import Limits
from streamsave.rewriting.actors import without
from streamsave.rewriting.family import Cutting, Facts, Family, make_family
from streamsave.rewriting.ledger import Ledger, Nesting

__all__ = ["Copied", "CutStream", "cut", "insert", "stored", "stored_name", "unlist", "with_name"]


class Copied(NamedTuple):
    """The bytes of an element, an entry of a map or an object; and its header, if that is stored apart."""

    header: bytes
    data: bytes


def stored(event: Event, end: int, family: Family[Reader]) -> Copied:
    """Return the bytes of what an event opened, up to where it ends."""
    nesting = Nesting(event)
    header = b""
    if isinstance(event, ObjectHeader) and nesting.has_header_apart:
        header = family.cursor_at(event.offset).take(event.header_size)
    return Copied(header, family.cursor_at(nesting.start).take(end - nesting.start))


def insert(cutting: Cutting, last: Event, ended: Event | None, family: Family[Reader], ledger: Ledger) -> None:
    """Insert an object before or after the object of the last event, or a property at `list_place`.

    Args:
        cutting: the object or property.
        last: the last event of the save, not read any further.
        ended: the event that opened what `last` closed, if `last` is an exit.
        family: of the save.
        ledger: of the save.

    Raises:
        EditError: it does not fit.
    """
    if isinstance(cutting.event, PropertyTag):
        at = list_place(last, family)
        check_facts(cutting, cutting.event, family)
        family.check(cutting.event)
        ledger.insert([(at, cutting.data)], 0, None)
        return
    beside = ended if isinstance(last, ObjectEnd) else last
    if not isinstance(beside, ObjectHeader):
        raise EditError("an object is inserted before an object, or after one")
    check_facts(cutting, beside, family)
    if family.insert_part(cutting.event.instance_name, cutting.data, is_after=beside is ended):
        return
    nestings = ledger.nestings if beside is ended else ledger.nestings[:-1]
    if not nestings or not family.holds(nestings[-1].event, beside):
        raise EditError("nothing can be inserted there")
    nesting = Nesting(beside)
    header, start = beside.offset, nesting.start
    if beside is ended:
        header, start = header + beside.header_size, last.offset + last.size if isinstance(last, ObjectEnd) else 0
    places = [(header, cutting.header), (start, cutting.data)] if cutting.header else [(start, cutting.data)]
    ledger.insert(places, 1, None if beside is ended else beside, is_after=beside is ended)


def list_place(last: Event, family: Family[Reader]) -> int:
    """Return the offset to insert a property at: before the last event, if that is a property, or first in what it opened.

    Raises:
        EditError: the last event opened no list of properties.
    """
    if isinstance(last, PropertyTag):
        return last.offset
    at = family.list_start(last) if isinstance(last, (ObjectHeader, StructEnter)) else -1
    if at < 0:
        raise EditError("a property is inserted before a property, or after the event that opens a list of properties")
    return at


def check_facts(cutting: Cutting, beside: ObjectHeader | PropertyTag, family: Family[Reader]) -> None:
    """Raise `EditError` if the two saves differ in version or the like, so that bytes of one cannot go into the other."""
    theirs = dict(cutting.facts)
    for name, fact in family.facts(beside):
        if theirs.get(name) != fact:
            raise EditError(f"it does not fit: another {name}", f"{theirs.get(name)}", f"{fact}")


def unlist(field: Field, inserted: frozenset[tuple[str, str]], family: Family[Reader], ledger: Ledger) -> None:
    """Remove inserted objects of the map from a list of destroyed objects, the last event.

    Raises:
        SaveError: the list cannot be decoded.
    """
    codec = family.reader.leaf.codec
    assert codec is not None  # noqa: S101 - the last event is a field
    value = codec.decode(family.cursor_at(field.offset), family.reader)
    new = without(value, inserted)
    if new != value:
        ledger.edit(field.offset, field.offset + field.size, family.encode(field, new))


# --- taken ---


def cut(
    source: SourceLike,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
) -> CutStream:
    """Open a save to take objects and properties from it. Use the result in a `with` statement, and iterate over its events.

    Args:
        source: as for `streamsave.open`.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`.
        storage_options: as for `streamsave.open`.

    Raises:
        UnsupportedSave: saves of this format cannot be written.
        SaveError: as for `streamsave.open`.
        OSError: the source cannot be read.
    """
    return opened(
        partial(CutStream, type_hints=type_hints, objects_at=objects_at, reader=reader), source, limits, storage_options
    )


class CutStream(EventStream):
    """The events of a save, in order, and the verb `take`."""

    def __init__(
        self,
        source: Source,
        limits: Limits,
        *,
        type_hints: Mapping[str, str] | None = None,
        objects_at: str | Sequence[str] | None = None,
        reader: Format | MakeReader | None = None,
    ) -> None:
        super().__init__(KeptSource(source), limits, type_hints=type_hints, objects_at=objects_at, reader=reader)
        self._family = make_family(self._source, self._reader, limits, None)

    def take(self) -> Cutting:
        """Return the object or property of the last event, and skip it: its `ObjectEnd` does not come.

        Raises:
            StaleEvent: there is no last event, or a verb has acted on it already.
            EditError: it is neither an object nor a property, or the format does not allow to take it.
            SaveError: it is damaged.
        """
        event = self._last
        if event is None:
            raise StaleEvent("take(): there is no last event, or a verb has acted on it already")
        if not isinstance(event, (ObjectHeader, PropertyTag)):
            raise EditError("only objects and properties can be taken")._inside(*self.path)
        try:
            facts = self._family.facts(event)
        except EditError as error:
            raise error._inside(*self.path) from None
        if isinstance(event, PropertyTag):
            cutting = self._cutting(event, facts)
            self.skip()
            return cutting
        part = Copied(b"", self.raw()) if self._family.part(event) >= 0 else None
        if part is None:
            self.skip()
        end = next(each for each in self if not isinstance(each, ChunkStart))
        assert isinstance(end, ObjectEnd)  # noqa: S101 - the stream has skipped the object
        header, data = part or stored(event, end.offset + end.size, self._family)
        return Cutting(event, header, data, facts, event.was_placed_in_level is True)

    def _cutting(self, tag: PropertyTag, facts: Facts) -> Cutting:
        """Return the property of a tag; its value may be open, and nothing is skipped.

        Raises:
            SaveError: it is damaged.
        """
        data = self._family.cursor_at(tag.offset).take(tag.value_offset + tag.size - tag.offset)
        return Cutting(tag, b"", data, facts, is_of_map=False)


def with_name(cutting: Cutting, name: str, family: Family[Reader]) -> Cutting:
    """Return a property with another name.

    Raises:
        EditError: the format does not store the name first.
    """
    old = stored_name(cutting.event.name if isinstance(cutting.event, PropertyTag) else "", family)
    if not cutting.data.startswith(old):
        raise EditError("its name cannot be changed")
    return cutting._replace(data=stored_name(name, family) + cutting.data[len(old) :])


def stored_name(name: str, family: Family[Reader]) -> bytes:
    """Return the bytes of a name in a save; `None` ends a list of properties."""
    return NAME.encoded(name, family.encoder())
