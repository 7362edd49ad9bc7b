"""Read a new save before it appears.

Of a Satisfactory save whose objects were dropped or edited, all chunks are inflated, and these are read: what is in no object;
all headers and sizes; the data of edited objects, and of those that have the name of a dropped one. The data of the others are
the bytes that they were: a fault that one had before, it has afterwards. Other saves are read whole, by `check`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from streamsave.check.check import check, check_md5
from streamsave.check.checker import NO_REFERENCES
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding
from streamsave.check.references import has_references
from streamsave.check.unknown_bytes import UnknownBytes
from streamsave.errors import DamagedSave
from streamsave.events import BlobSkip, Event, Field, ObjectHeader, PropertyTag, SaveStart
from streamsave.formats import find_format, make_reader
from streamsave.formats.satisfactory.header import SaveHeader
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import Source, open_source
from streamsave.limits import Limits
from streamsave.rewriting.choice import is_in
from streamsave.rewriting.copying import pieces
from streamsave.rewriting.gone import Gone, Places
from streamsave.stream.stream import EventStream

if TYPE_CHECKING:
    from array import array

__all__ = ["raise_wrong", "verify_save"]

#: Findings that no save without them may have afterwards.
WRONG: Final = frozenset(("tiling", "md5"))


def verify_save(path: Path, limits: Limits, edited: array[int] | None, gone: Gone | None = None) -> list[Finding]:
    """Read a new save; return what was found.

    Args:
        path: of the save.
        limits: what to refuse.
        edited: where the headers of the objects to read are, in their order; None: something else was edited.
        gone: names of dropped objects; a finding `"gone"` counts references to them. None: they are not counted.

    Raises:
        SaveError: it cannot be decoded, or it contradicts itself.
        OSError: it cannot be read.
    """
    findings: list[Finding] = []
    is_checked = False
    if edited is not None:
        with closing(open_source(path)) as source:
            is_checked = Edited(source, limits, edited, gone).check(findings)
    if not is_checked:
        findings = list(check(path, limits=limits, is_gone=None if gone is None else gone.has))
    raise_wrong(findings)
    return findings


class Edited:
    """Reads what an edit may have changed in a save of Satisfactory.

    Args:
        source: the new save.
        limits: what to refuse.
        edited: as for `verify_save`.
        gone: as for `verify_save`.
    """

    def __init__(self, source: Source, limits: Limits, edited: array[int], gone: Gone | None) -> None:
        self._source = source
        self._limits = limits
        self._edited = edited
        self._gone = gone
        self._unknown = UnknownBytes()
        self._places: Places | None = None
        #: Names that are gone, unless an object has one of them.
        self._watched: set[str] = set()
        #: Those that one has.
        self._present: set[str] = set()
        #: References to each name that is gone, in the order of the first ones; where the first of all is.
        self._counts: Counter[str] = Counter()
        self._first: Event | None = None

    def check(self, findings: list[Finding]) -> bool:
        """Read the save, and add what is found; return False if all of it has to be read.

        Raises:
            SaveError: it cannot be decoded.
            OSError: it cannot be read.
        """
        row = find_format(self._source)
        reader = make_reader(row, self._source, self._limits)
        with EventStream(self._source, self._limits, reader=row._replace(reader=lambda _source, _limits: reader)) as events:
            start = next(events)
            if isinstance(start, SaveStart) and isinstance(start.header, SaveHeader):
                findings += check_md5(self._source, start.header)
            gone = self._gone
            if gone is not None:
                places = gone.places  # objects of the old save that have one are among those to read
                if places is None:
                    next(events)  # only now the body is open
                    places = self._places = gone.find(pieces(reader.windows, 0, -1))
                if places is None:
                    return False
                self._watched = places.names | gone.set_names
            events.only(self._is_wanted if self._edited or self._gone else is_never)
            for event in events:
                if isinstance(event, BlobSkip):
                    self._unknown.add(event, events.path)
                elif self._gone is not None and isinstance(event, (PropertyTag, Field)):
                    self._count(event, events)
            if isinstance(reader.windows, ChunkTable):
                reader.windows.inflate_rest()
        findings += self._unknown.findings()
        findings += self._lost()
        return True

    def _is_wanted(self, header: ObjectHeader) -> bool:
        """Return whether an object was edited, or has a name in its data that is gone."""
        if header.instance_name in self._watched:
            self._present.add(header.instance_name)
        return is_in(self._edited, header.offset) or (self._places is not None and self._places.has(header))

    def _count(self, event: PropertyTag | Field, events: EventStream) -> None:
        """Count the references of the last event to what is gone."""
        is_list = isinstance(event, Field) and event.name in NO_REFERENCES
        if is_list or (events.is_textless() if isinstance(event, Field) else not has_references(event)):
            return
        assert self._gone is not None  # noqa: S101 - the caller has asked
        for target in events.references():
            if self._gone.has(target):
                self._counts[target] += 1
                self._first = self._first or event

    def _lost(self) -> Iterator[Finding]:
        """Yield a note about references to what is gone, if there are any."""
        lost = {name: count for name, count in self._counts.items() if name not in self._present}
        if lost:
            message = f"{sum(lost.values()):,} references have lost their target; the first is to {next(iter(lost))}"
            yield Finding(NOTE, "gone", message, None if self._first is None else self._first.offset)


def is_never(_: ObjectHeader) -> bool:
    """Return False."""
    return False


def raise_wrong(findings: list[Finding]) -> None:
    """Raise what makes a new save unusable.

    Raises:
        SaveError: it cannot be decoded, or it contradicts itself.
    """
    for finding in findings:
        if finding.severity == FATAL and finding.error is not None:
            raise finding.error
        if finding.severity == FINDING and finding.kind in WRONG:
            raise DamagedSave(f"the new save: {finding.message}", finding.offset or 0)
