"""`rewrite`: read a save, and write it again with edits.

The first pass is the loop of the user, whose edits are noted. The second copies the save with them to a file in the same folder,
checks that, and puts it in the place of the target. Without an edit, the copy has the very same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from streamsave._new_file import Unchanged
from streamsave.decode.reader import Reader
from streamsave.formats import Format, MakeReader
from streamsave.input.source import KeptSource, SourceLike, open_source
from streamsave.input.urls import is_url
from streamsave.input.windows import FileWindows
from streamsave.limits import Limits
from streamsave.rewriting.family import Family
from streamsave.rewriting.packing import edited
from streamsave.rewriting.stream import RewriteStream
from streamsave.rewriting.target import TargetLike, open_target

if TYPE_CHECKING:
    from streamsave.check.finding import Finding

__all__ = ["rewrite", "unchanged"]


def rewrite(
    source: SourceLike,
    target: TargetLike | None,
    *,
    limits: Limits | None = None,
    type_hints: Mapping[str, str] | None = None,
    objects_at: str | Sequence[str] | None = None,
    reader: Format | MakeReader | None = None,
    storage_options: Mapping[str, object] | None = None,
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
    A save for a URL or a file object is made in a temporary file, and then copied to it.

    Args:
        source: what `streamsave.open` takes. It may be the target, if that is a path or a URL.
        target: where the new save comes: a path; a URL (as for `streamsave.open`); or a binary file object, which need not seek,
            and which the caller closes. None: nothing is written.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`. The saves of a reader of another package are written by what its `writer` names.
        storage_options: as for `streamsave.open`, for the source and the target.
        verify: read the new save with `check` before it appears. What that has found is in `findings` of the stream afterwards.
            If objects of a Satisfactory save were dropped or edited, the data of all others are not read again, see `verifying`.
        backup: where an old file at `target` stays, with `.1`, `.2` ... after it if that name exists; None: it is gone.
        wrapper: `"plz"`: write a Palworld save that is compressed by Oodle (`PlM`) as `PlZ`, which needs no Oodle.
        fast: compress what is made anew in less time, to more bytes (of Satisfactory, Unreal, Astroneer, shapez 2).

    Raises:
        UnsupportedSave: saves of this format, or in this wrapper, cannot be written.
        SaveError: the save is damaged, or the new one would be: when the statement is left, too.
        EditError: when the statement is left: something has become too large.
        OSError: the source cannot be read, or the target not be written; when the statement is left: the target cannot be
            written, or `source` is a path whose file has changed since it was opened.
        ImportError: the source or the target is a URL, and what reads or writes it is not installed.
        TypeError: the target is nothing that can be written to.
        ValueError: the target is the source, and a file object; there is a `backup`, and the target is no file.
    """
    if target is source and hasattr(target, "write"):
        raise ValueError("the target is the source: a file object is written while the source is read")
    new_save = None if target is None else open_target(target, backup, storage_options)
    before = unchanged(source)
    limits = Limits() if limits is None else limits
    opened = KeptSource(open_source(source, limits, storage_options))

    def write(stream: RewriteStream, family: Family[Reader]) -> list[Finding]:
        findings: list[Finding] = []

        if new_save is None:
            return findings
        has_edits = stream.edit_count > 0 or family.converts

        def verify_file(path: Path) -> None:
            if verify:
                from streamsave.rewriting.verifying import verify_save  # noqa: PLC0415 - takes long, and some do without

                edited = stream._edited_objects if family.has_sizes else None
                findings.extend(verify_save(path, limits, edited, stream._gone, is_copy=not has_edits, reader=reader))

        with new_save(verify_file, before) as file:
            if has_edits:
                family.write(stream._edits, file)
            else:
                file.writelines(edited(FileWindows(opened), ()))
        return findings

    try:
        return RewriteStream(
            opened,
            limits,
            write,
            writes=target is not None,
            type_hints=type_hints,
            objects_at=objects_at,
            reader=reader,
            wrapper=wrapper,
            fast=fast,
        )
    except BaseException:
        opened.close()
        raise


def unchanged(source: SourceLike) -> Unchanged | None:
    """Return what compares the file of a source with what it is now; None if it has no path."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not is_url(source)):
        return Unchanged(source)
    return None
