"""What `check` looks for beyond events in saves of other formats than Satisfactory; the table in `check` has the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streamsave.check.arx_references import container_faults, reference_faults
from streamsave.check.finding import FINDING, NOTE, Finding
from streamsave.decode.cursor import Cursor
from streamsave.events import Damage
from streamsave.formats import Format, MakeReader, find_format, make_reader
from streamsave.formats.arx.container import read_container
from streamsave.formats.arx.header import ArxContainer, ArxEntry
from streamsave.formats.arx.lost_entries import lost_entries
from streamsave.formats.astroneer.header import AstroneerHeader
from streamsave.formats.astroneer.wrappers import Wrapping
from streamsave.formats.gvas.header import GvasHeader
from streamsave.formats.shapez2.header import SaveHeader as Shapez2Header
from streamsave.headers import Header
from streamsave.input.source import Source
from streamsave.input.zip_directory import Archive
from streamsave.limits import Limits
from streamsave.stream.stream import EventStream

__all__ = ["format_findings"]

#: Offset in the stream of an Unreal save game, first and last number that there is, of each version in its header.
SAVE_GAME_VERSION: Final = (4, 1, 255)
PACKAGE_VERSION_UE4: Final = (8, 214, 999)
#: Of an engine, the first major version, and the largest number of each part.
ENGINE_LEAST: Final = 4
ENGINE_MOST: Final = (5, 99, 999)
#: The last character that one byte has for itself.
LAST_LATIN: Final = "\xff"


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
    elif isinstance(header, GvasHeader):
        yield from header_findings(header, make_reader(find_format(source), source, limits).cursor)
    elif isinstance(header, AstroneerHeader):
        for left in Wrapping(source, limits).left_out():
            yield Finding(FINDING if left.is_lost else NOTE, "unclaimed", left.message)


def header_findings(header: GvasHeader, cursor: Cursor) -> Iterator[Finding]:
    """Look at what no property depends on in the header of an Unreal save game, but each program that reads the save.

    Args:
        header: of the save.
        cursor: reads it.
    """
    for name, value, (offset, first, last) in (
        ("SaveGameVersion", header.save_game_version, SAVE_GAME_VERSION),
        ("package version of UE4", header.package_version_ue4, PACKAGE_VERSION_UE4),
    ):
        if not first <= value <= last:
            yield Finding(FINDING, "header", f"{name} of no engine: {value}", offset)
    engine = header.engine_version
    if engine[0] < ENGINE_LEAST or any(part > most for part, most in zip(engine, ENGINE_MOST, strict=True)):
        offset = 12 if header.package_version_ue5 is None else 16
        yield Finding(FINDING, "header", f"there is no such version of the engine: {'.'.join(map(str, engine))}", offset)
    cursor.seek(0)
    stored = bytes(cursor.peek(header.size))
    for name in (header.branch, header.save_game_class):
        # One with other characters is stored in two bytes for each.
        at = stored.find(name.encode("latin-1") + b"\0") if name and max(name) <= LAST_LATIN and not name.isascii() else -1
        if at >= 0:
            yield Finding(FINDING, "header", f"a name in the header is not ASCII: {name!r}", at)


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
