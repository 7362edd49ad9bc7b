"""A save out of what is sound of a damaged one.

The damaged save is read to its end as with `on_damage="resync"`. What the walk reports as `Damage` is left out, and what nothing
but that could explain (`only_damage`); sizes and counts follow. The new save is checked before it appears.

| format | what is left out |
|---|---|
| Satisfactory | objects, instances of foundations, levels: `sound_body` |
| Unreal save games | properties, elements of containers (`remains`); what follows damage of which no size shows the end |
| Arx | entries |
| shapez 2 | objects, else members of the archive; in blueprints entries |
| Astroneer | the data of objects, to which others refer by number; a save that has lost more than that is refused |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from streamsave._log import quiet
from streamsave._new_file import new_file
from streamsave.check.check import check
from streamsave.check.finding import Finding
from streamsave.consume.stream import EventStream
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, SaveError
from streamsave.events import BlobSkip, Damage, Event, Field, PropertyTag, SaveStart
from streamsave.formats import find_format, make_reader
from streamsave.formats.gvas.reader import GvasReader
from streamsave.formats.gvas.sniff import PALWORLD_OODLE
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.satisfactory.header import BlueprintHeader, SaveHeader
from streamsave.input.archive_header import HEADER_V2_SIZE, ArchiveHeader, read_archive_header
from streamsave.input.md5 import new_md5
from streamsave.input.source import KeptSource, SourceLike, open_source
from streamsave.limits import Limits
from streamsave.rewriting.chunks import ChunkPacker
from streamsave.rewriting.family import Family, make_family
from streamsave.rewriting.only_damage import loss_of
from streamsave.rewriting.remains import Remains
from streamsave.rewriting.rewrite import unchanged
from streamsave.rewriting.satisfactory import md5_offset
from streamsave.rewriting.sound_body import SoundBody
from streamsave.rewriting.verifying import raise_wrong

__all__ = ["SaveSalvage"]

#: Findings that the new save may have: what was damaged had them, too, or refers to what was lost.
HARMLESS: Final = frozenset(("dangling", "file-table", "unknown-bytes"))


#: Findings that it may not have.
WRONG: Final = frozenset(("header", "md5", "tiling"))


class SaveSalvage:
    """Makes a save out of a damaged one.

    Args:
        source: what `streamsave.open` takes.
        limits: what to refuse.
        type_hints: as for `streamsave.open`.

    Raises:
        SaveError: the start of the save cannot be read; saves of this format cannot be written.
        OSError: it cannot be opened.
    """

    def __init__(self, source: SourceLike, limits: Limits | None = None, type_hints: Mapping[str, str] | None = None) -> None:
        self._unchanged = unchanged(source)
        self._limits = Limits() if limits is None else limits
        self._source = KeptSource(open_source(source, self._limits))
        #: What `check` has found in the new save.
        self.findings: list[Finding] = []
        #: How many values have events, but could not be decoded.
        self._undecoded = 0
        #: The save was in a wrapper that cannot be written: it was written in another.
        self.is_converted = False
        try:
            row = find_format(self._source)
            self._reader: Reader = make_reader(row, self._source, self._limits)
            wrapper = ""
            if isinstance(self._reader, GvasReader) and self._reader.wrapper.startswith(PALWORLD_OODLE.decode()):
                wrapper = "plz"
            self._family: Family = make_family(self._source, self._reader, self._limits, wrapper)
            self.is_converted = self._family.converts
            self._events = EventStream(
                self._source,
                self._limits,
                type_hints=type_hints,
                resyncs=True,
                reader=row._replace(reader=lambda _source, _limits: self._reader),
            )
        except BaseException:
            self._source.close()
            raise

    def write(self, target: str | os.PathLike[str]) -> Iterator[Damage]:
        """Yield what is lost; after the last `Damage`, write the new save.

        Raises:
            SaveError: nothing is left of the save, or it would not be sound.
            EditError: something is too large for its format.
            OSError: the save cannot be read, or the new one not be written.
        """
        try:
            start = next(self._events)
            assert isinstance(start, SaveStart)  # noqa: S101 - it is the first event
            if isinstance(self._reader, BodyReader):
                body = SoundBody(self._reader, self._family, start.header if isinstance(start.header, SaveHeader) else None)
                losses = 0
                for event in self._sound_events():
                    if isinstance(event, Damage):
                        losses += 1
                        yield event
                    body.feed(event)
                if losses and not body.count:
                    raise DamagedSave("no object of it is sound: there is nothing to save", 0)
                pieces = body.write(self._reader.windows)
                self._put(target, lambda file: self._write_body(start, pieces, file))
                return
            remains = Remains(self._reader, self._family)
            remains.feed(start)
            count = losses = 0
            for event in self._sound_events():
                if isinstance(event, Damage):
                    losses += 1
                    yield event
                remains.feed(event)
                count += isinstance(event, (PropertyTag, Field))
            count -= self._undecoded
            if losses and not count:
                raise DamagedSave("no value of it is sound: there is nothing to save", 0)
            self._family.windows = self._reader.windows
            self._family.end = remains.end
            rows = remains.ledger.rows()
            self._put(target, lambda file: self._family.write(rows, file))
        finally:
            self._events.close()
            self._source.close()

    def _sound_events(self) -> Iterator[Event]:
        """Yield all other events. All values are decoded: the `Damage` of one that cannot be follows it."""
        events = self._events
        for event in events:
            loss = loss_of(event, events, self._reader) if isinstance(event, BlobSkip) else None
            yield event if loss is None else loss
            if isinstance(event, (PropertyTag, Field)):
                try:
                    if events.is_leaf():
                        events.build()
                except SaveError:
                    self._undecoded += 1
                    continue  # the stream ends, if it cannot go on

    def _put(self, target: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
        """Write the new save, check it, and put it in its place.

        Raises:
            SaveError: it is not sound.
            OSError: it cannot be written.
        """

        def verify(path: Path) -> None:
            with quiet():
                self.findings = list(check(path, limits=self._limits))
            raise_wrong(self.findings, WRONG)

        with new_file(target, verify=verify, source=self._unchanged) as file:
            write(file)

    def _write_body(self, start: SaveStart, pieces: Iterable[bytes | memoryview], target: BinaryIO) -> None:
        """Write a Satisfactory save or blueprint."""
        reader = self._reader
        header = start.header
        assert isinstance(reader, BodyReader)  # noqa: S101 - the caller has asked
        assert isinstance(header, (SaveHeader, BlueprintHeader))  # noqa: S101 - readers of bodies have no other
        target.write(self._source.read_at(0, header.size))
        if reader.chunks is None:
            target.writelines(pieces)
            return
        digest = new_md5()

        def write(data: bytes) -> None:
            digest.update(data)
            target.write(data)

        ChunkPacker(self._chunk_header(reader), write).pack(pieces)
        offset = md5_offset(header)
        if offset >= 0:
            target.seek(offset)
            target.write(digest.digest())

    def _chunk_header(self, reader: BodyReader) -> ArchiveHeader:
        """Return the header of the first chunk that has a sound one.

        Raises:
            SaveError: none has.
        """
        chunks = reader.chunks
        assert chunks is not None  # noqa: S101 - the caller has asked
        fault: SaveError = DamagedSave("there is no chunk", 0)
        for index in range(chunks.chunk_count()):
            try:
                return read_archive_header(self._source.read_at(chunks.place(index)[0], HEADER_V2_SIZE))
            except SaveError as error:
                fault = error
        raise fault
