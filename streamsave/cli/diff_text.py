"""`streamsave diff --textconv`: a save as lines that `git diff` compares."""

from __future__ import annotations

from collections.abc import Iterator

from streamsave.cli.flat import header_lines, path_text, value_lines
from streamsave.cli.text import short_class
from streamsave.compare.ignored import Ignored
from streamsave.compare.pair import path_in
from streamsave.errors import PathStep, format_path
from streamsave.events import BlobSkip, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart
from streamsave.output.json_values import json_step
from streamsave.stream.stream import EventStream

__all__ = ["text_lines"]


def text_lines(events: EventStream, ignored: Ignored) -> Iterator[str]:
    """Yield a line `path = value` for each innermost value, as `cat --flat` does, but for those that are ignored.

    Raises:
        SaveError: the save is damaged.
    """
    #: The open objects: header, and steps of the path there.
    opened: list[tuple[ObjectHeader, int]] = []
    for event in events:
        if isinstance(event, ObjectHeader):
            path = events.path
            opened.append((event, len(path)))
            yield from header_lines((*path, event.instance_name), event)
        elif isinstance(event, ObjectEnd):
            opened.pop()
        elif isinstance(event, SaveStart):
            header = json_step(event.header)
            assert isinstance(header, dict)  # noqa: S101 - headers are attrs classes
            for name, value in header.items():
                if not ignored.matches("", f"@header/{name}"):
                    yield from value_lines(("@header", name), value)
        elif isinstance(event, BlobSkip):
            if event.size and not _is_ignored(ignored, opened, (*events.path, "@bytes")):
                yield f"{path_text((*events.path, '@bytes'))} = {event.size}"
        elif isinstance(event, (PropertyTag, Field)):
            path = events.path
            if isinstance(event, PropertyTag) and event.index:
                path = (*path, event.index)
            if events.is_leaf() and not _is_ignored(ignored, opened, path):
                yield from value_lines(path, events.build())


def _is_ignored(ignored: Ignored, opened: list[tuple[ObjectHeader, int]], path: tuple[PathStep, ...]) -> bool:
    header, depth = opened[-1] if opened else (None, 0)
    class_name = "" if header is None else short_class(header.class_name)
    return ignored.matches(class_name, format_path(path_in(path, header, depth)))
