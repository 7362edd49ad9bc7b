"""The contract of a reader, tried on one sound save: `check_reader`.

It is everything that `check` finds, and:

| rule | how a breach is found |
|---|---|
| a reader raises only `SaveError` | bytes are flipped and cut off, one at a time, in the file and in the inflated stream |
| an error says where it is, and below what (`error_faults`) | the same |
| what can be read to its end claims every byte, and nests | the same; it also nests with `on_damage="resync"` |
| `build()` of an object has the values of its events, whatever was skipped before | it is built, with others skipped before it |
| `Reader.steps` has the names of the open nestings | none where one is open, or some at the end |
| `Limits.depth` bounds nestings in others of their kind | the save is read with half of the depth that it has |
| `Limits` bounds what is inflated | the save is read with a limit below its size |
| a compressed save that was cut is an error (else there is a note) | the save is read without its last byte |

Damage (`DamagedSource`, `DamagedWindows`) is tried at places that are spread over the save, at fewer places in a larger one.

The module is long because it has a part for each rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from typing import Final

import attrs

from streamsave._log import quiet
from streamsave._native import i64
from streamsave.check.check import findings_of
from streamsave.check.checker import Claims
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding
from streamsave.check.foreign_reader import OPENED, Seen, Survey, fault_text, is_foreign, name_of, without_chunks
from streamsave.consume.stream import EventStream
from streamsave.decode.cursor import Cursor
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, LimitExceeded, SaveError, TruncatedSave, UnsupportedSave
from streamsave.events import ChunkStart, Event, Field, ObjectHeader, PropertyTag, SaveEnd
from streamsave.formats import Format, MakeReader, as_format, make_reader
from streamsave.input.source import KeptSource, Source, SourceLike, open_source
from streamsave.input.windows import Windows
from streamsave.limits import Limits

__all__ = ["Seen", "check_reader", "error_faults"]

#: Instead of a mask: all from the byte on is cut off.
CUT: Final = 0
#: At most so many places of the file, and of the stream, are tried; and together they may take so many bytes to read.
MOST_TRIALS: Final = 60
MOST_READ: Final = 32 * 1024 * 1024
LEAST_TRIALS: Final = 4
#: What is done at one place after the other: all after it is cut off, or these bits are flipped.
MASKS: Final = (CUT, 0x01, 0x80, 0xFF)
#: Larger objects are not built to compare them.
LARGEST_BUILT: Final = 256 * 1024
#: The classes of errors; a reader raises no others.
CATEGORIES: Final = (TruncatedSave, DamagedSave, LimitExceeded, UnsupportedSave)


class DamagedSource(Source):
    """A file with one wrong byte, or without its end.

    Args:
        source: the sound file.
        at: the offset of the byte.
        mask: the bits of it that are flipped; 0: the file ends before it.
    """

    def __init__(self, source: Source, at: int, mask: int) -> None:
        self.name = source.name
        self._source = source
        self._at = at
        self._mask = mask

    def read_at(self, offset: int, size: int) -> bytes:
        """Return bytes, as `Source.read_at` does."""
        return with_damage(self._source.read_at(offset, size), self._at - offset, self._mask)

    def size(self) -> int | None:
        """Return the size of the file."""
        return self._at if self._mask == CUT else self._source.size()


class DamagedWindows(Windows):
    """The windows of a stream with one wrong byte, or without its end; the arguments are as for `DamagedSource`."""

    def __init__(self, windows: Windows, at: int, mask: int) -> None:
        super().__init__()
        self._windows = windows
        self._at: i64 = at
        self._mask = mask
        self.entered = windows.entered
        self.starts = windows.starts
        self.file_offsets = windows.file_offsets

    def window(self, offset: i64) -> bytes:
        """Return a window, as `Windows.window` does."""
        if self._mask == CUT and offset >= self._at:
            return b""
        data = self._windows.window(offset)
        self.window_offset = self._windows.window_offset
        return with_damage(data, self._at - self.window_offset, self._mask)

    def window_end(self, offset: i64) -> i64:
        """Do as `Windows.window_end`."""
        return self._windows.window_end(offset)

    def reaches(self, offset: i64) -> bool:
        """Do as `Windows.reaches`."""
        return (self._mask != CUT or offset <= self._at) and self._windows.reaches(offset)

    def readable_end(self, limits: Limits) -> tuple[int, bool]:
        """Do as `Windows.readable_end`."""
        return (int(self._at), True) if self._mask == CUT else self._windows.readable_end(limits)


def with_damage(data: bytes, at: i64, mask: int) -> bytes:
    """Return bytes of which one is wrong, if they have it, or without their end."""
    if mask == CUT:
        return data[: max(at, 0)]
    return data[:at] + bytes((data[at] ^ mask,)) + data[at + 1 :] if 0 <= at < len(data) else data


def check_reader(source: SourceLike, reader: Format | MakeReader, *, limits: Limits | None = None) -> Iterator[Finding]:
    """Yield what a reader does on a sound save that the contract in `streamsave.formats` forbids. Each kind comes once.

        assert list(check_reader("sample.box", BoxReader)) == []

    Args:
        source: a sound save that the reader reads, with all that its format can have; small, as it is read some 200 times.
        reader: as for `streamsave.open`.
        limits: as for `streamsave.open`.

    Raises:
        OSError, while iterating: the source cannot be read.
        TypeError, while iterating: `source` or `reader` is not of a kind that `streamsave.open` takes.
        ModuleNotFoundError, while iterating: orjson is not installed, which the extra `cli` brings.
    """
    limits = Limits() if limits is None else limits
    opened = KeptSource(open_source(source, limits))
    row = as_format(reader)
    try:
        is_whole = True
        for finding in findings_of(opened, limits, row, None):
            is_whole = is_whole and finding.severity != FATAL and finding.kind != "nesting"
            yield finding
        if is_whole and is_foreign(row):
            survey = Survey(EventStream(opened, limits, reader=row))
            if "path" in survey.faults:
                yield survey.faults["path"]
            yield from _build_findings(opened, limits, row)
            yield from _limit_findings(opened, limits, row, survey)
            yield from _cut_findings(opened, limits, row, survey)
            yield from _damage_findings(opened, limits, row, survey)
    except SaveError as error:  # what can be walked cannot be built
        yield Finding(FATAL, "undecodable", str(error), error.offset, error.path, error)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # a foreign reader may raise anything
        if not is_foreign(row):
            raise
        yield Finding(FATAL, "fault", _text(error))
    finally:
        opened.close()


# --- what an error says ---


def error_faults(error: SaveError, seen: Seen) -> Iterator[str]:
    """Yield what an error does not say that it has to: what is wrong, where in the stream and in the file, and below what."""
    inner = seen.names[-1] if seen.names else ""
    chunk = None if error.chunk is None else seen.chunks.get(error.chunk)
    start = error.compressed_offset if chunk is None else chunk.compressed_offset
    place = error.offset if chunk is None else chunk.offset + (error.chunk_offset or 0)
    categories = ", ".join(each.__name__ for each in CATEGORIES)
    located = "use Cursor.damaged and the like, or Cursor.located"
    #: What is wrong, and how messages say it.
    breaches = (
        (type(error) not in CATEGORIES, f"is a {type(error).__name__}, none of {categories}"),
        (not error.message, "has no message"),
        (error.offset < 0, f"is at offset {error.offset}"),
        (
            len({error.chunk is None, error.chunk_offset is None, error.compressed_offset is None}) > 1,
            f"has only some of chunk, chunk_offset and compressed_offset: {located}",
        ),
        (seen.chunks and error.chunk is None, f"does not say in which chunk it is: {located}"),
        (
            error.compressed_offset != start,
            f"says that the chunk starts at {error.compressed_offset} in the file, not at {start}",
        ),
        (error.offset != place, "has an offset that is not at its place in the chunk"),
        (inner and not error.path, f"has no path, though {inner} is open: append its name to Reader.steps"),
        (
            not all(isinstance(step, (str, int)) for step in error.path),
            f"has a path of something else than names and indices: {error.path!r}",
        ),
        (error.expected is not None and error.actual is None, "says what was expected, but not what is there"),
    )
    yield from (text for is_breached, text in breaches if is_breached)
    if isinstance(error, LimitExceeded) and (error.limit not in LIMITS or error.value <= error.allowed):
        yield f"is above no limit: {error.limit} = {error.value}"


#: The names of all limits.
LIMITS: Final = frozenset(Limits.__annotations__)


# --- the same values, however they are read ---


def _build_findings(source: Source, limits: Limits, row: Format) -> Iterator[Finding]:
    """Compare the events of each object with what `build()` makes of it, also after others that were skipped."""
    for skipped in (0, 1, 2):
        plain, other = (EventStream(source, limits, reader=row) for _ in range(2))
        finding = _compare_built(plain, other, skipped)
        if finding is not None:
            yield finding
            return


def _compare_built(plain: EventStream, other: EventStream, skipped: int) -> Finding | None:
    """Return the first object, or value in no object, whose events and whose `build()` have other values.

    Args:
        plain: its objects are walked through.
        other: in this one they are built.
        skipped: 1 or 2: but those with an odd or even number are skipped there; 0: none is.
    """
    # `check` does without orjson.
    from streamsave.output.json_document import json_of_opened  # noqa: PLC0415
    from streamsave.output.json_text import value_bytes  # noqa: PLC0415

    number = 0
    others = without_chunks(other)
    for event in without_chunks(plain):
        if type(next(others)) is not type(event):
            return None  # what is skipped is tried elsewhere
        if not isinstance(event, (ObjectHeader, PropertyTag, Field)):
            continue
        number += 1
        if event.size > LARGEST_BUILT:
            plain.skip()
            other.skip()
            continue
        path = plain.path
        expected = b"".join(json_of_opened(plain, event, built_size=-1))
        if skipped and number % 2 == skipped % 2:
            other.skip()
        elif json.loads(value_bytes(other.build())) != json.loads(expected):
            after = ", when others were skipped before it," if skipped else ""
            message = f"build() of {OPENED[type(event)]} {name_of(event)}{after} has other values than its events"
            return Finding(FINDING, "build", message, event.offset, path)
        if isinstance(event, ObjectHeader):
            next(others)  # its end, which the text of it has taken
    return None


# --- limits ---


def _limit_findings(source: Source, limits: Limits, row: Format, survey: Survey) -> Iterator[Finding]:
    """Read a save with limits below what it has: each has to end in an error that names the limit."""
    lower = {"depth": survey.depth // 2}
    if survey.has_chunks or survey.size > source.whole_size(limits):
        lower["total_inflated_size"] = survey.size - 1
    for name, allowed in lower.items():
        if allowed < 1:
            continue  # there is nothing to bound
        error = _read(source, attrs.evolve(limits, **{name: allowed}), row)
        if not isinstance(error, LimitExceeded) or error.limit != name:
            what = "nothing is raised" if error is None else f"what is raised is {fault_text(error)}"
            yield Finding(FINDING, "limits", f"Limits.{name} is not kept: the save has more than {allowed}, but {what}")


# --- damage ---


def _cut_findings(source: Source, limits: Limits, row: Format, survey: Survey) -> Iterator[Finding]:
    """Read a compressed save without its last byte: a part of its checksum, unless other bytes may follow."""
    cut = DamagedSource(source, source.whole_size(limits) - 1, CUT)
    if survey.has_chunks and _read(cut, limits, row) is None:
        yield Finding(NOTE, "cut", "a save without its last byte is read like a whole one: use Cursor.at_end")


def _damage_findings(source: Source, limits: Limits, row: Format, survey: Survey) -> Iterator[Finding]:
    """Read damaged copies of a save; yield the first breach of each kind."""
    said: set[str] = set()
    for done, open_it in _trials(source, limits, row, survey):
        for resyncs in (False, True):
            with quiet():  # not while the caller has a finding: its own warnings come
                try:
                    found = list(_faults_of(open_it(resyncs=resyncs), resyncs=resyncs))
                except Exception as error:  # noqa: BLE001 - a foreign reader may raise anything
                    found = [] if isinstance(error, SaveError) else [("fault", _text(error), -1)]
            for kind, text, offset in found:
                if kind not in said:
                    said.add(kind)
                    yield Finding(FINDING, kind, f"{done}{' with resync' if resyncs else ''}: {text}", max(offset, 0))


def _trials(source: Source, limits: Limits, row: Format, survey: Survey) -> Iterator[tuple[str, Callable[..., EventStream]]]:
    """Yield damaged copies: of the file, then of the stream. Of each, what was done to it, and what opens it."""
    file_size = source.whole_size(limits)
    count = max(min(MOST_TRIALS, MOST_READ // max(survey.size, file_size, 1)), LEAST_TRIALS)
    for size, where in ((file_size, "file"), (survey.size, "stream")):
        for number in range(min(count, size)):
            at = number * size // min(count, size)
            mask = MASKS[number % len(MASKS)]
            done = "all is cut off from" if mask == CUT else f"bits {mask:#04x} are flipped in"
            text = f"where {done} byte {at:#x} of the {where}"
            if where == "file":
                yield text, partial(EventStream, DamagedSource(source, at, mask), limits, reader=row)
            else:
                yield text, partial(_open_stream, source, limits, row, at, mask)


def _open_stream(source: Source, limits: Limits, row: Format, at: int, mask: int, *, resyncs: bool) -> EventStream:
    """Open a save whose reader gets a damaged stream."""

    def make(source: Source, limits: Limits) -> Reader:
        reader = make_reader(row, source, limits)
        start = reader.cursor.tell()
        reader.cursor = Cursor(DamagedWindows(reader.windows, at, mask), limits)
        reader.cursor.seek(start)
        return reader

    return EventStream(source, limits, reader=row._replace(reader=make), resyncs=resyncs)


def _read(source: Source, limits: Limits, row: Format) -> Exception | None:
    """Read a save to its end; return the error that comes before it."""
    try:
        for _ in EventStream(source, limits, reader=row):
            pass
    except Exception as error:  # noqa: BLE001 - a foreign reader may raise anything
        return error
    return None


def _faults_of(events: EventStream, *, resyncs: bool) -> Iterator[tuple[str, str, int]]:
    """Read a damaged save, and build its values; yield kind, text and offset of each breach."""
    seen, claims = Seen(), Claims()
    last: Event | None = None
    try:
        for event in events:
            if not isinstance(event, ChunkStart):
                claims.note(event)
                last = event
            nesting = seen.note(event)
            if nesting:
                yield "nesting", nesting, event.offset
                return
            if isinstance(event, (PropertyTag, Field)):
                with suppress(SaveError) if resyncs else nullcontext():  # the `Damage` of it comes next
                    if events.is_leaf():
                        events.build()
    except SaveError as error:
        for text in error_faults(error, seen):
            yield "error", f"the error {text}: {fault_text(error)}", error.offset
    except Exception as error:  # noqa: BLE001 - a foreign reader may raise anything
        yield "fault", _text(error), -1 if last is None else last.offset
    else:
        if not isinstance(seen.last, SaveEnd):
            yield "end", "the events end without SaveEnd", 0
        elif not resyncs:
            for offset, text in claims.faults(seen.last.offset):
                yield "tiling", text, offset


def _text(error: Exception) -> str:
    """Return what to say of an error that is no `SaveError`."""
    return f"{fault_text(error)}; a reader raises SaveError only, which Cursor makes"
