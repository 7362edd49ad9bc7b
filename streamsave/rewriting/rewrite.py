"""`rewrite`: read a save, and write it again with edits.

The first pass is the user's loop: it records edits. The second pass copies the save with the edits to a temporary file in the
same folder, checks it, and moves it to the target. Without edits, the copy is identical, byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal

from streamsave._new_file import Unchanged
from streamsave.formats import Format, MakeReader
from streamsave.input.source import KeptSource, SourceLike, open_source
from streamsave.input.urls import is_url
from streamsave.limits import Limits
from streamsave.rewriting.stream import RewriteStream
from streamsave.rewriting.target import TargetLike, open_target

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
    """Open a save to write it again with edits. Use the result in a `with` statement, and iterate over its events.

        with streamsave.rewrite("world.sav", "clean.sav") as save:
            for event in save:
                if isinstance(event, ObjectHeader) and event.class_name.startswith("/SomeMod/"):
                    save.drop()

    The end of the `with` statement writes the target, whole or not at all. After an exception, nothing is written. Without a
    `with` statement, call `finish()`; a stream that is dropped before that gives a `ResourceWarning`.

    A file that is replaced keeps its owner, group and permissions. Links are followed; pipes and devices are refused.
    For a URL or a file object, the save is made in a temporary file, then copied.

    Args:
        source: as for `streamsave.open`. A path or a URL may also be the target.
        target: where to write the new save: a path; a URL (as for `streamsave.open`); or a binary file object, which need not
            seek, and which the caller closes. None: write nothing.
        limits: as for `streamsave.open`.
        type_hints: as for `streamsave.open`.
        objects_at: as for `streamsave.open`.
        reader: as for `streamsave.open`. A reader of another package names the class that writes its saves: `Reader.writer`.
        storage_options: as for `streamsave.open`, for the source and the target.
        verify: run `check` on the new save before it appears. The results are in `RewriteStream.findings` afterwards.
            Of a Satisfactory save with dropped or edited objects, the data of all other objects are not read again: see
            `verifying`.
        backup: where to keep the old file at `target`, with `.1`, `.2` ... appended if that name exists; None: do not keep it.
        wrapper: `"plz"`: write a Palworld save that is compressed with Oodle (`PlM`) as `PlZ`, which needs no Oodle.
        fast: compress new chunks faster, to more bytes (Satisfactory, Unreal, Astroneer, shapez 2).

    Raises:
        UnsupportedSave: saves of this format, or in this wrapper, cannot be written.
        SaveError: the save is damaged, or the new one would be; also at the end of the `with` statement.
        EditError: at the end of the `with` statement: a size is too large for its field.
        OSError: the source cannot be read, or the target cannot be written; at the end of the `with` statement also: the file of
            `source` has changed since it was opened.
        ImportError: the source or the target is a URL, and what reads or writes it is not installed.
        TypeError: the target is not of these kinds.
        ValueError: source and target are the same file object; or `backup` is given, and the target is no file.
    """
    if target is source and hasattr(target, "write"):
        raise ValueError("the target is the source: a file object is written while the source is read")
    new_save = None if target is None else open_target(target, backup, storage_options)
    before = unchanged(source)
    limits = Limits() if limits is None else limits
    opened = KeptSource(open_source(source, limits, storage_options))

    try:
        return RewriteStream(
            opened,
            limits,
            new_save,
            before,
            verifies=verify,
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
    """Return a check that the file of a source has not changed from now on; None if the source has no path."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and not is_url(source)):
        return Unchanged(source)
    return None
