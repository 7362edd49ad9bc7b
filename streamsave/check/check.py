"""Is a save sound? Read all of it, in constant memory, and report contradictions.

| rule | severity |
|---|---|
| the bytes cannot be decoded | fatal |
| MD5 of the stored chunks differs from the header's | finding |
| a byte that no event claims, or that two claim | finding |
| the list at the end that the game always writes is missing | finding |
| bytes left over in an object of the game's own classes | finding |
| bytes of unknown layout: mods, newer games | note |
| objects that an older version of the game wrote | note |
| a stale copy of a list of destroyed actors | note |
| references to objects that are not in the save (`references`) | note: the target may be part of the game's map |
| Unreal: versions of no engine in the header, or a name that is none | finding |
| shapez 2: bytes of the archive that belong to no member | finding |
| Astroneer: saves, pieces and members beside the save that are not read, but may be lost | finding |
| Astroneer: other members of an archive | note |
| a reader of another package that does not do what `streamsave.formats` asks of it (`foreign_reader`) | finding |
| Arx: bytes of the file that belong to no entry | note: the game leaves them when it shortens an entry |
| Arx: entries in these bytes, and entries that were emptied (`lost_entries`) | finding; note if a script made it |
| Arx: an entry that is lost with resync, because it is not what its row says (`recovery.arx`) | finding |
| Arx: names without an entry (`format_rules`) | finding, or note if a sound save may have it |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Final

from streamsave.check.checker import LAST_LIST, Checker, names_of
from streamsave.check.finding import FATAL, FINDING, Finding
from streamsave.check.foreign_reader import Survey, foreign_findings, is_foreign
from streamsave.check.references import References
from streamsave.consume.stream import EventStream
from streamsave.errors import SaveError
from streamsave.events import SaveStart
from streamsave.formats import Format, MakeReader, find_format
from streamsave.formats.satisfactory.header import SaveHeader, new_md5
from streamsave.input.source import KeptSource, Source, SourceLike, open_source
from streamsave.limits import Limits

__all__ = ["check", "check_md5", "findings_of"]

#: Bytes of the file that are hashed at a time.
PIECE_SIZE: Final = 1024 * 1024

#: The SaveVersion that introduced the last list of a save.
LAST_LIST_FROM: Final = 29


def check(
    source: SourceLike,
    *,
    limits: Limits | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
    is_gone: Callable[[str], bool] | None = None,
) -> Iterator[Finding]:
    """Yield the findings of one save. If it cannot be decoded to its end, the last one is fatal; no `SaveError` is raised.

    The save is read twice: names have to be known before references are looked up. A pipe is spooled for that.

    Args:
        source: what `streamsave.open` takes.
        limits: as for `streamsave.open`. A save above a limit has a fatal finding.
        reader: as for `streamsave.open`. No option that a format may refuse is passed to it, so no `UnsupportedOption` is raised.
        storage_options: as for `streamsave.open`.
        is_gone: returns whether an object of a name was there before and is no more: a finding `"gone"` counts references to it.

    Raises:
        OSError, while iterating: the source cannot be read.
        TypeError, while iterating: `source` or `reader` is not of a kind that `streamsave.open` takes.
    """
    limits = Limits() if limits is None else limits
    with closing(KeptSource(open_source(source, limits, storage_options))) as opened:
        yield from findings_of(opened, limits, reader, is_gone)


def findings_of(
    source: Source, limits: Limits, reader: Format | MakeReader | None, is_gone: Callable[[str], bool] | None
) -> Iterator[Finding]:
    """Do as `check`, for a source that stays open.

    Raises:
        OSError, TypeError: as `check` does.
    """
    try:
        row = find_format(source, reader)
        if is_foreign(row):
            survey = Survey(EventStream(source, limits, reader=row))
            if "nesting" in survey.faults:
                yield survey.faults["nesting"]
                return
        events = EventStream(source, limits, reader=reader)
        start = next(events)
        header = start.header if isinstance(start, SaveStart) else None
        if isinstance(header, SaveHeader):
            yield from check_md5(source, header)
        checker = Checker(References(names_of(events), is_gone))
        yield from checker.walk(EventStream(source, limits, reader=reader))
        if is_foreign(row):
            yield from foreign_findings(source, limits, row, survey)
        if isinstance(header, SaveHeader):
            if checker.version >= LAST_LIST_FROM and not checker.has_last_list:
                yield Finding(FINDING, "missing-list", f"{LAST_LIST} is missing: the game always writes it")
        elif header is not None:
            from streamsave.check.format_rules import format_findings  # noqa: PLC0415 - takes long: it imports all formats

            yield from format_findings(header, source, limits, reader)
    except SaveError as error:
        yield Finding(FATAL, "undecodable", str(error), error.offset, error.path, error)


def check_md5(source: Source, header: SaveHeader) -> Iterator[Finding]:
    """Compare the hash of all stored bytes after the header with the one that the header has."""
    if header.save_data_hash is None:
        return
    digest = new_md5()
    offset = header.size
    while piece := source.read_at(offset, PIECE_SIZE):
        digest.update(piece)
        offset += len(piece)
    if digest.digest() != header.save_data_hash:
        message = f"MD5 of the chunks is {digest.hexdigest()}, the header says {header.save_data_hash.hex()}"
        yield Finding(FINDING, "md5", message)
