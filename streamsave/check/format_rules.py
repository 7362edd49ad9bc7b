"""What `check` looks for beyond events in saves of Arx, shapez 2 and Astroneer; the table in `check` has the rules."""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.check.arx_references import container_faults, reference_faults
from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.consume.stream import EventStream
from streamsave.events import Damage
from streamsave.formats import Format, MakeReader
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.astroneer.header import AstroneerHeader
from streamsave.formats.astroneer.wrappers import Wrapping
from streamsave.formats.shapez2.header import SaveHeader as Shapez2Header
from streamsave.headers import Header
from streamsave.input.source import Source
from streamsave.input.zip_directory import Archive
from streamsave.limits import Limits

__all__ = ["format_findings"]


def format_findings(header: Header, source: Source, limits: Limits, reader: Format | MakeReader | None) -> Iterator[Finding]:
    """Yield the findings of a save that was read to its end.

    Args:
        header: of the save.
        source: the save.
        limits: what to refuse.
        reader: as for `check`.

    Raises:
        SaveError: what events do not show cannot be decoded.
    """
    if isinstance(header, ArxContainer):
        yield from arx_findings(source, header, limits, reader)
    elif isinstance(header, Shapez2Header):
        for gap in Archive(source, limits).gaps():
            yield Finding(FINDING, "unclaimed", gap.message())
    elif isinstance(header, AstroneerHeader):
        for left in Wrapping(source, limits).left_out():
            yield Finding(FINDING if left.is_lost else NOTE, "unclaimed", left.message)


def arx_findings(
    source: Source, container: ArxContainer, limits: Limits, reader: Format | MakeReader | None
) -> Iterator[Finding]:
    """Compare the entries of an Arx save with each other."""
    for fault in container_faults(container):
        yield Finding(FINDING, "file-table", fault.message, None, fault.path)
    emptied: list[ArxEntry] = []
    read_container(source, limits, emptied)
    in_no_row = lost_entries(source, container, emptied, limits)
    messages = {lost.message for lost in in_no_row}
    for event in EventStream(source, limits, resyncs=True, reader=reader):
        if isinstance(event, Damage) and event.error.message not in messages:
            yield Finding(FINDING, "other-entry", event.error.message, event.error.offset, (event.lost.name,))
    for lost in in_no_row:
        severity = NOTE if lost.may_be_gone else FINDING
        yield Finding(severity, "unclaimed", lost.message, None, (lost.name,) if lost.name else ())
    if container.gaps:
        size = sum(size for _, size in container.gaps)
        places = f"in {len(container.gaps)} places, the first at {container.gaps[0][0]:#x} of the file"
        yield Finding(NOTE, "unclaimed", f"{size} bytes {places}, belong to no entry")
    if container.stale_size:
        yield Finding(NOTE, "unclaimed", f"{container.stale_size} bytes after the file table, perhaps of a longer one")
    for fault in reference_faults(EventStream(source, limits, reader=reader), container):
        yield Finding(FINDING if fault.serious else NOTE, "dangling", fault.message, None, fault.path)
