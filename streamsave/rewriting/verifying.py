"""Check a new save before it appears.

Of a Satisfactory save with dropped or edited objects, all chunks are inflated, and these parts are read: everything outside of
objects, all headers and sizes, and the data of edited objects. The data of the others are copies, with any fault that they had
before: they are only searched for the names of dropped objects. Other saves are read whole, by `check`.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from streamsave._log import quiet
from streamsave.check.check import check, check_md5
from streamsave.check.checker import MOST_READ, NO_REFERENCES, UnknownBytes
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding
from streamsave.check.references import targets_in
from streamsave.consume.stream import EventStream, open_save
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, SaveStart
from streamsave.formats import Format, MakeReader
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.input.chunk_table import ChunkTable
from streamsave.limits import Limits
from streamsave.rewriting.gone import Gone
from streamsave.rewriting.rows import NumberSet

__all__ = ["WRONG", "WRONG_IN_COPY", "raise_wrong", "verify_save"]

#: Findings that the new save must not have; and if there were no edits: a wrong MD5 is that of the old save then.
WRONG: Final = frozenset(("tiling", "md5"))
WRONG_IN_COPY: Final = WRONG - {"md5"}
#: Names to keep for a message: the first ones may turn out to be those of objects.
MOST_NAMES: Final = 100


def verify_save(
    path: Path,
    limits: Limits,
    edited: NumberSet | None,
    gone: Gone | None = None,
    *,
    wrong: Container[str] = WRONG,
    reader: Format | MakeReader | None = None,
) -> list[Finding]:
    """Check a new save, and return the findings.

    Args:
        path: of the save.
        limits: what to refuse.
        edited: hashes of the names of the objects to read; None: read the whole save.
        gone: names of dropped objects; a finding `"gone"` counts references to them. None: do not count.
        wrong: findings of these kinds must not be there.
        reader: as for `streamsave.open`.

    Raises:
        SaveError: the new save cannot be decoded, or contradicts itself.
        OSError: it cannot be read.
    """
    with quiet():
        if edited is None:
            findings = list(check(path, limits=limits, reader=reader, is_gone=None if gone is None else gone.has))
        else:
            with open_save(path, limits=limits, reader=reader) as events:
                findings = list(Edited(edited, gone).check(events))
    raise_wrong(findings, wrong)
    return findings


class Edited:
    """Reads what edits may have changed in a Satisfactory save.

    Args:
        edited: as for `verify_save`.
        gone: as for `verify_save`.
    """

    def __init__(self, edited: NumberSet, gone: Gone | None) -> None:
        self._edited = edited
        self._gone = gone
        #: Hashes of names of dropped objects that other objects still have; and of the target of each reference to such a name.
        self._present = NumberSet()
        self._targets = array("q")
        #: Hash -> name, for the first of these names; the event of the first reference.
        self._names: dict[int, str] = {}
        self._first: Event | None = None
        #: The end of the last object whose bytes were searched for names.
        self._counted_to = 0

    def check(self, events: EventStream) -> Iterator[Finding]:
        """Read the save, and yield the findings.

        Raises:
            SaveError: it cannot be decoded.
            OSError: it cannot be read.
        """
        start = next(events)
        if isinstance(start, SaveStart) and isinstance(start.header, SaveHeader):
            yield from check_md5(events._source, start.header)  # noqa: SLF001 - the stream reads it, too
        reader = events._reader
        unknown = UnknownBytes()
        events.only(partial(self._is_wanted, reader))
        for event in events:
            if isinstance(event, BlobSkip):
                unknown.add(event, events.path, events._peek(MOST_READ))
            elif isinstance(event, (PropertyTag, Field)):
                self._read(event, events)
        if isinstance(reader.windows, ChunkTable):
            reader.windows.inflate_rest()
        yield from unknown.findings()
        yield from self._lost()

    def _is_wanted(self, reader: Reader, header: ObjectHeader) -> bool:
        """Return whether an object must be read: it was edited, or cannot be searched. Else count the names in its bytes."""
        is_edited = self._edited.has(hash(header.instance_name))
        gone = self._gone
        if gone is None:
            return is_edited
        if gone.has(header.instance_name):
            self._present.add(hash(header.instance_name))
        if header.data_offset < self._counted_to:
            return is_edited  # it is in another object
        is_searched = reader.cursor.tell() == header.data_offset and not (is_edited and gone.set_names)
        names = gone.names_in(reader.cursor, header.size) if is_searched else None
        if names is None:
            return True
        self._counted_to = header.data_offset + header.size
        for name in names:
            self._note(name, header)
        return is_edited

    def _read(self, event: PropertyTag | Field, events: EventStream) -> None:
        """Read the value of the last event, a leaf, and count its references to dropped objects.

        Raises:
            SaveError: the value cannot be decoded.
        """
        is_list = isinstance(event, Field) and event.name in NO_REFERENCES
        if is_list or events._is_textless() or not events._is_announced():
            return
        gone = self._gone if event.offset >= self._counted_to else None
        for targets in targets_in(event, events):
            for target in targets:
                if gone is not None and gone.has(target):
                    self._note(target, event)

    def _note(self, name: str, event: Event) -> None:
        """Count a reference to a dropped object."""
        number = hash(name)
        self._targets.append(number)
        if len(self._names) < MOST_NAMES:
            self._names.setdefault(number, name)
        self._first = self._first or event

    def _lost(self) -> Iterator[Finding]:
        """Yield a note about references to dropped objects, if there are any."""
        count = sum([not self._present.has(target) for target in self._targets])
        if count:
            named = [name for number, name in self._names.items() if not self._present.has(number)]
            first = f"; the first is to {named[0]}" if named else ""
            message = f"{count:,} references have lost their target{first}"
            yield Finding(NOTE, "gone", message, None if self._first is None else self._first.offset)


def raise_wrong(findings: list[Finding], wrong: Container[str] = WRONG) -> None:
    """Raise an error for the first finding that is fatal, or of a wrong kind.

    Raises:
        SaveError: the new save cannot be decoded, or contradicts itself.
    """
    for finding in findings:
        if finding.severity == FATAL and finding.error is not None:
            raise finding.error
        if finding.severity == FINDING and finding.kind in wrong:
            raise DamagedSave(f"the new save: {finding.message}", finding.offset or 0)
