"""`rewrite`: read a save, and write it again with edits.

The first pass is the loop of the user, whose edits are noted. The second copies the save with them to a file in the same folder,
checks that, and puts it in the place of the target. Without an edit, the copy has the very same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast

from streamsave._new_file import Unchanged, check_target, new_file
from streamsave.consume.stream import EventStream
from streamsave.decode.reader import Reader
from streamsave.errors import UnsupportedSave
from streamsave.formats import Format, find_format, make_reader
from streamsave.formats.format import load
from streamsave.input.source import KeptSource, Source, SourceLike, is_url, open_source
from streamsave.limits import Limits
from streamsave.rewriting.family import Family
from streamsave.rewriting.stream import RewriteStream

if TYPE_CHECKING:
    from streamsave.check.finding import Finding

__all__ = ["format_with", "make_family", "rewrite", "unchanged"]

PIECE_SIZE: Final = 1024 * 1024
MakeFamily: TypeAlias = Callable[[Source, Reader, Limits], Family]
#: What writes the saves of a reader, or of one that inherits from it. Only that of the save is imported.
FAMILIES: Final = {
    "streamsave.formats.arx.reader:ArxReader": "streamsave.rewriting.arx:ArxFamily",
    "streamsave.formats.astroneer.reader:AstroneerReader": "streamsave.rewriting.astroneer:AstroneerFamily",
    "streamsave.formats.gvas.reader:GvasReader": "streamsave.rewriting.gvas:GvasFamily",
    "streamsave.formats.satisfactory.body_reader:BodyReader": "streamsave.rewriting.satisfactory:SatisfactoryFamily",
    "streamsave.formats.shapez2.code:CodeReader": "streamsave.rewriting.shapez2:CodeFamily",
    "streamsave.formats.shapez2.reader:SaveReader": "streamsave.rewriting.shapez2:SpzFamily",
}


def rewrite(
    source: SourceLike,
    target: str | os.PathLike[str] | None,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: Sequence[str] | None = None,
    verify: bool = True,
    backup: str | os.PathLike[str] | None = None,
    wrapper: Literal["", "plz"] = "",
    fast: bool = False,
) -> RewriteStream:
    """Open a save to write it again with edits: use it in a `with` statement, as the events of the save.

        with streamsave.rewrite("world.sav", "clean.sav") as save:
            for event in save:
                if isinstance(event, ObjectHeader) and event.class_name.startswith("/SomeMod/"):
                    save.drop()

    Leaving the statement writes the target, which appears whole or not at all; leaving it by an exception leaves nothing. Without
    the statement, `finish()` writes it; a stream that is dropped before either gives a `ResourceWarning`.

    A file at the target keeps owner, group and permissions; a link is followed; a pipe or device is refused.

    Args:
        source: what `streamsave.open` takes. It may be the target.
        target: the path of the new save; None: nothing is written.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        verify: read the new save with `check` before it appears. What that has found is in `findings` of the stream afterwards.
            If objects of a Satisfactory save were dropped or edited, the data of all others are not read again, see `verifying`.
        backup: where an old file at `target` stays, with `.1`, `.2` ... after it if that name exists; None: it is gone.
        wrapper: `"plz"`: write a Palworld save that is compressed by Oodle (`PlM`) as `PlZ`, which needs no Oodle.
        fast: compress what is made anew in less time, to more bytes (of Satisfactory, Unreal, Astroneer, shapez 2).

    Raises:
        UnsupportedSave: saves of this format, or in this wrapper, cannot be written.
        SaveError: the save is damaged, or the new one would be: when the statement is left, too.
        EditError: when the statement is left: something has become too large.
        OSError: the source cannot be read, or nothing be written beside the target; when the statement is left: the target cannot
            be written, or `source` is a path whose file has changed since it was opened.
    """
    if target is not None:
        check_target(target, is_save=True)
    before = unchanged(source)
    limits = Limits() if limits is None else limits
    opened = KeptSource(open_source(source, limits))
    try:
        row = find_format(opened)
        reader = make_reader(row, opened, limits)
        family = make_family(opened, reader, limits, wrapper, fast=fast)
        events = EventStream(
            opened,
            limits,
            type_hints=type_hints,
            objects_at=objects_at,
            reader=format_with(row, reader),
        )
    except BaseException:
        opened.close()
        raise

    def finish(stream: RewriteStream) -> list[Finding]:
        findings: list[Finding] = []

        if target is None:
            return findings
        has_edits = stream.edit_count > 0 or family.converts

        def verify_file(path: Path) -> None:
            if verify:
                from streamsave.rewriting.verifying import verify_save  # noqa: PLC0415 - takes long, and some do without

                edited = stream._edited_objects if family.has_sizes else None
                findings.extend(verify_save(path, limits, edited, stream._gone, is_copy=not has_edits))

        with new_file(target, verify=verify_file, backup=None if backup is None else Path(backup), source=before) as file:
            if has_edits:
                family.write(stream._edits, file)
            else:
                file.writelines(whole(opened))
        return findings

    return RewriteStream(events, reader, family, finish)


def unchanged(source: SourceLike) -> Unchanged | None:
    """Return what compares the file of a source with what it is now; None if it has no path."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not is_url(source)):
        return Unchanged(source)
    return None


def format_with(row: Format, reader: Reader) -> Format:
    """Return a format that gives a reader once: a stream makes others to look ahead, which have to be others."""
    ready = [reader]
    return row._replace(reader=lambda source, limits: ready.pop() if ready else make_reader(row, source, limits))


def make_family(source: Source, reader: Reader, limits: Limits, wrapper: str = "", *, fast: bool = False) -> Family:
    """Return what writes the saves of a reader.

    Raises:
        UnsupportedSave: nothing does.
    """
    for kind in type(reader).__mro__:
        path = FAMILIES.get(f"{kind.__module__}:{kind.__qualname__}")
        if path is not None:
            family = cast("MakeFamily", load(path))(source, reader, limits)
            family.fast = fast
            family.choose_wrapper(wrapper)
            return family
    expected = "saves of Satisfactory, Unreal, Astroneer, shapez 2 or Arx"
    raise UnsupportedSave("saves of this format cannot be written", expected=expected, actual=source.name)


def whole(source: Source) -> Iterator[bytes]:
    """Yield the bytes of a file."""
    offset = 0
    while piece := source.read_at(offset, PIECE_SIZE):
        yield piece
        offset += len(piece)
