"""Make a sound save from a damaged one.

The damaged save is read as with `on_damage="resync"`. All that comes as `Damage`, and all that no game writes, is dropped; sizes
and counts are updated. The new save is checked before it appears.

| format | what is dropped |
|---|---|
| Satisfactory | objects, instances of foundations, levels: `sound_body` |
| Unreal save games | properties, elements of containers (`remains`); the rest of the save, if the end of the damage is unknown |
| Arx | entries |
| shapez 2 | objects, else members of the archive; entries of blueprints |
| Astroneer | the data of objects, which are referred to by number; a save that has lost more is refused |
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
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
from streamsave.formats import Format, MakeReader
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.formats.satisfactory.reader import BodyReader
from streamsave.formats.unreal.frames import AFTER_LIST
from streamsave.formats.unreal.pool import NONE
from streamsave.input.source import KeptSource, SourceLike, open_source
from streamsave.limits import Limits
from streamsave.rewriting.family import Family, make_family
from streamsave.rewriting.remains import Remains
from streamsave.rewriting.rewrite import unchanged
from streamsave.rewriting.satisfactory import SatisfactoryFamily
from streamsave.rewriting.sound_body import SoundBody
from streamsave.rewriting.verifying import raise_wrong
from streamsave.values import Loss

__all__ = ["SaveSalvage"]

#: Findings that the new save may have: the damaged one had them, too, or they are about references to lost objects.
HARMLESS: Final = frozenset(("dangling", "file-table", "unknown-bytes"))
#: Findings that the new save must not have.
WRONG: Final = frozenset(("header", "md5", "tiling"))


class SaveSalvage:
    """Makes a sound save from a damaged one.

    Args:
        source: as for `streamsave.open`.
        limits: what to refuse.
        type_hints: as for `streamsave.open`.
        reader: as for `streamsave.open`.

    Raises:
        SaveError: the start of the save cannot be read, or saves of this format cannot be written.
        OSError: the save cannot be opened.
    """

    def __init__(
        self,
        source: SourceLike,
        limits: Limits | None = None,
        type_hints: Mapping[str, str] | None = None,
        *,
        reader: Format | MakeReader | None = None,
    ) -> None:
        self._chosen = reader
        self._unchanged = unchanged(source)
        self._limits = Limits() if limits is None else limits
        self._source = KeptSource(open_source(source, self._limits))
        #: What `check` found in the new save.
        self.findings: list[Finding] = []
        try:
            self._events = EventStream(self._source, self._limits, type_hints=type_hints, resyncs=True, reader=reader)
            self._reader: Reader = self._events._reader
            driver = self._events._driver  # noqa: SLF001 - as the reader
            assert driver is not None  # noqa: S101 - it goes on after damage
            self._losses = driver.losses
            self._family: Family[Reader] = make_family(self._source, self._reader, self._limits, "plz")
            #: Whether the save gets another wrapper, as its own cannot be written.
            self.is_converted = self._family.converts
        except BaseException:
            self._source.close()
            raise

    def write(self, target: str | os.PathLike[str]) -> Iterator[Damage]:
        """Yield all losses; after the last one, write the new save.

        Raises:
            SaveError: nothing is left of the save, or the new one would not be sound.
            EditError: a size is too large for its field.
            OSError: the save cannot be read, or the new one cannot be written.
        """
        family = self._family
        reader = self._reader
        try:
            start = next(self._events)
            assert isinstance(start, SaveStart)  # noqa: S101 - it is the first event
            header = start.header if isinstance(start.header, SaveHeader) else None
            losses = self._losses
            sound = (
                SoundBody(reader, family, losses, header) if isinstance(reader, BodyReader) else Remains(reader, family, losses)
            )
            sound.feed(start)
            count = 0
            for event in self._sound_events():
                if isinstance(event, Damage):
                    count += 1
                    yield event
                sound.feed(event)
            if count and not sound.count:
                raise DamagedSave("nothing of it is sound: there is nothing to save", 0)
            family.windows = reader.windows
            if isinstance(sound, SoundBody):
                assert isinstance(family, SatisfactoryFamily)  # noqa: S101 - it has the readers of bodies
                self._put(target, partial(family.write_body, sound.pieces(reader.windows)))
            else:
                family.end = sound.end
                self._put(target, partial(family.write, sound.ledger.rows()))
        finally:
            self._events.close()
            self._source.close()

    def _sound_events(self) -> Iterator[Event]:
        """Yield all other events. Decode all values: after one that cannot be decoded, its `Damage` comes."""
        events = self._events
        for event in events:
            yield self._loss_of(event) if isinstance(event, BlobSkip) and event.reason == AFTER_LIST else event
            if isinstance(event, (PropertyTag, Field)):
                with suppress(SaveError):  # a `Damage` follows, or the stream ends
                    if events.is_leaf():
                        events.build()

    def _loss_of(self, skip: BlobSkip) -> Damage:
        """Return the loss of the bytes after the end of a list of properties in a struct, the last event.

        No game writes such bytes. They come as bytes of unknown layout, not as damage.
        """
        encoder = self._reader.encoder()
        encoder.name(NONE)
        size = len(encoder.data)
        path = self._events.path
        error = DamagedSave(AFTER_LIST, skip.offset + size, path=path)
        self._losses.note_depth(self._events.depth)
        return Damage(skip.offset, skip.size, error, Loss("property", AFTER_LIST, path, skip.size - size))

    def _put(self, target: str | os.PathLike[str], write: Callable[[BinaryIO], object]) -> None:
        """Write the new save, check it, and move it to the target.

        Raises:
            SaveError: it is not sound.
            OSError: it cannot be written.
        """

        def verify(path: Path) -> None:
            with quiet():
                self.findings = list(check(path, limits=self._limits, reader=self._chosen))
            raise_wrong(self.findings, WRONG)

        with new_file(target, verify=verify, source=self._unchanged) as file:
            write(file)
