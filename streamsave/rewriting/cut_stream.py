"""Objects and properties of a save, whole, to insert them in another one: `RewriteStream.insert_raw` takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import NO_LIMIT
from streamsave.errors import EditError, StaleEvent
from streamsave.events import ChunkStart, ObjectEnd, ObjectHeader, PropertyTag
from streamsave.input.source import KeptSource, Source, SourceLike, open_source
from streamsave.limits import Limits
from streamsave.rewriting.family import Cutting, make_family
from streamsave.rewriting.ledger import Nesting

__all__ = ["CutStream", "cut"]


def cut(
    source: SourceLike,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
) -> CutStream:
    """Open a save to take objects and properties from it: use it in a `with` statement, as the events of the save.

    Args:
        source: what `streamsave.open` takes.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.

    Raises:
        UnsupportedSave: saves of this format cannot be written.
        SaveError: as `streamsave.open` does.
        OSError: the source cannot be read.
    """
    limits = Limits() if limits is None else limits
    opened = KeptSource(open_source(source, limits))
    try:
        return CutStream(opened, limits, type_hints=type_hints, objects_at=objects_at)
    except BaseException:
        opened.close()
        raise


class CutStream(EventStream):
    """The events of a save, in order, and a verb that takes what the last one opened."""

    def __init__(
        self,
        source: Source,
        limits: Limits,
        *,
        type_hints: Mapping[str, str] | None = None,
        objects_at: Sequence[str] | None = None,
    ) -> None:
        super().__init__(source, limits, type_hints=type_hints, objects_at=objects_at)
        self._family = make_family(source, self._reader, limits)

    def take(self) -> Cutting:
        """Return the object or property of the last event, and go to its end: its `ObjectEnd` does not come.

        Raises:
            StaleEvent: there is no last event, or a verb has acted on it already.
            EditError: it is neither, or its format has parts that cannot be taken.
            SaveError: it is damaged.
        """
        event = self._last
        if event is None:
            raise StaleEvent("take(): there is no last event, or a verb has acted on it already")
        if not isinstance(event, (ObjectHeader, PropertyTag)):
            raise EditError("only objects and properties can be taken")._inside(*self.path)
        facts = self._family.facts(self._reader, event)
        if facts is None:
            raise EditError(self._family.no_facts)._inside(*self.path)
        of_map = isinstance(event, ObjectHeader) and event.was_placed_in_level is True
        is_part = self._family.part(self._reader, event) >= 0
        data = self.raw() if is_part else b""
        if not is_part:
            self.skip()
        if isinstance(event, PropertyTag):
            return Cutting(event, b"", self._bytes(event.offset, event.value_offset + event.size), facts, of_map)
        end = next(self)
        while isinstance(end, ChunkStart):
            end = next(self)
        assert isinstance(end, ObjectEnd)  # noqa: S101 - the stream has skipped the object
        if is_part:
            return Cutting(event, b"", data, facts, of_map)
        nesting = Nesting(event, None, ())
        header = self._bytes(event.offset, event.offset + event.header_size) if nesting.has_header_apart else b""
        return Cutting(event, header, self._bytes(nesting.start, end.offset + end.size), facts, of_map)

    def _bytes(self, start: int, end: int) -> bytes:
        cursor = self._reader.cursor_back()
        cursor.set_limit(NO_LIMIT)
        cursor.seek(start)
        return bytes(cursor.take(end - start))
