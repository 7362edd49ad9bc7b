"""`rewrite`: read a save, and write it again with edits.

The first pass is the loop of the user, whose edits are noted. The second copies the save with them to a file in the same folder,
checks that, and puts it in the place of the target. Without an edit, the copy has the very same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Literal

from streamsave.check.check import KeptSource, check
from streamsave.check.finding import FATAL, FINDING, Finding
from streamsave.decode.reader import Reader
from streamsave.errors import DamagedSave, UnsupportedSave
from streamsave.formats import find_format, make_reader
from streamsave.formats.arx.reader import ArxReader
from streamsave.formats.gvas.reader import GvasReader
from streamsave.formats.satisfactory.body_reader import BodyReader
from streamsave.formats.shapez2.code import CodeReader
from streamsave.formats.shapez2.reader import SaveReader
from streamsave.input.source import Source, SourceLike, open_source
from streamsave.limits import Limits
from streamsave.rewriting.arx import ArxFamily
from streamsave.rewriting.family import Family
from streamsave.rewriting.gvas import GvasFamily
from streamsave.rewriting.new_file import write_whole
from streamsave.rewriting.satisfactory import SatisfactoryFamily
from streamsave.rewriting.shapez2 import SpzFamily
from streamsave.rewriting.shapez2_code import CodeFamily
from streamsave.rewriting.stream import RewriteStream
from streamsave.stream.stream import EventStream

__all__ = ["rewrite"]

PIECE_SIZE: Final = 1024 * 1024
#: Findings that no save without them may have afterwards.
WRONG: Final = frozenset(("tiling", "md5"))


def rewrite(
    source: SourceLike,
    target: str | os.PathLike[str],
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    verify: bool = True,
    backup: str | os.PathLike[str] | None = None,
    wrapper: Literal["", "plz"] = "",
) -> RewriteStream:
    """Open a save to write it again with edits: use it in a `with` statement, as the events of the save.

        with streamsave.rewrite("world.sav", "clean.sav") as save:
            for event in save:
                if isinstance(event, ObjectHeader) and event.class_name.startswith("/SomeMod/"):
                    save.drop()

    Leaving the statement writes the target, which appears whole or not at all; leaving it by an exception leaves nothing.

    Args:
        source: what `streamsave.open` takes. It may be the target.
        target: the path of the new save.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        verify: read the new save with `check` before it appears. What that has found is in `findings` of the stream afterwards.
        backup: where an old file at `target` stays; None: it is gone.
        wrapper: `"plz"`: write a Palworld save that is compressed by Oodle (`PlM`) as `PlZ`, which needs no Oodle.

    Raises:
        UnsupportedSave: saves of this format, or in this wrapper, cannot be written.
        SaveError: the save is damaged, or the new one would be: when the statement is left, too.
        EditError: when the statement is left: something has become too large.
        OSError: the source cannot be read; when the statement is left: the target cannot be written.
    """
    opened = KeptSource(open_source(source))
    try:
        limits = Limits() if limits is None else limits
        row = find_format(opened)
        reader = make_reader(row, opened, limits)
        family = make_family(opened, reader, limits, wrapper)
        events = EventStream(
            opened,
            limits,
            type_hints=type_hints,
            objects_at=objects_at,
            reader=row._replace(reader=lambda _source, _limits: reader),
        )
    except BaseException:
        opened.close()
        raise

    def finish(stream: RewriteStream) -> list[Finding]:
        findings: list[Finding] = []

        def write(file: BinaryIO) -> None:
            if stream.edit_count or family.converts:
                family.write(stream.edits, file)
            else:
                file.writelines(whole(opened))

        def verify_file(path: Path) -> None:
            if verify:
                findings.extend(check(path, limits=limits, is_gone=stream.is_gone))
                raise_wrong(findings)

        write_whole(Path(target), write, verify_file, None if backup is None else Path(backup))
        return findings

    return RewriteStream(events, reader, family, finish)


def make_family(source: Source, reader: Reader, limits: Limits, wrapper: str = "") -> Family:
    """Return what writes the saves of a reader.

    Raises:
        UnsupportedSave: nothing does.
    """
    if isinstance(reader, BodyReader):
        return SatisfactoryFamily(source, reader, limits)
    if isinstance(reader, GvasReader):
        return GvasFamily(source, reader, limits, wrapper)
    if isinstance(reader, SaveReader):
        return SpzFamily(source, reader, limits)
    if isinstance(reader, CodeReader):
        return CodeFamily(source, reader, limits)
    if isinstance(reader, ArxReader):
        return ArxFamily(source, reader, limits)
    expected = "saves of Satisfactory, Unreal, shapez 2 or Arx"
    raise UnsupportedSave("saves of this format cannot be written", expected=expected, actual=source.name)


def whole(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a file."""
    offset = 0
    while piece := source.read_at(offset, PIECE_SIZE):
        yield piece
        offset += len(piece)


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
