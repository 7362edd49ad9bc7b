"""`cat --flat` and `get --flat`: a line `path = value` for each innermost value of a save, to search, sort and compare.

| line | says |
|---|---|
| `@header/session_name = "World"` | a field of the header |
| `Persistent_Level/…Wall_1/@class = "/Game/…"` | the class of an object; `@position` its place, in the unit of the save |
| `…/mStacks[0]/Count = 5` | a value, as JSON; a reference is the path of its target |
| `…/trailer/@bytes = 12` | bytes of unknown layout: how many |

An element of a map that is one value is a pair, `[0]` its key and `[1]` its value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from streamsave.cli.lines import Lines
from streamsave.cli.save import Save
from streamsave.cli.text import clean
from streamsave.errors import PathStep, format_path
from streamsave.events import BlobSkip, Event, Field, ObjectEnd, ObjectHeader, PropertyTag, SaveStart
from streamsave.output.json_text import value_bytes
from streamsave.output.json_values import json_step
from streamsave.stream.stream import EventStream
from streamsave.values import ObjectReference

__all__ = ["flat_lines", "header_lines", "path_text", "value_lines", "write_lines"]

#: What is in the names of islands and buildings, with which no path in a selection starts.
PLACE: Final = re.compile(r"(?:^|:)\(-?\d")
#: What a name without quotes cannot have in a selection.
ENDS_NAME: Final = re.compile(r"""[\s()\[\]"'=<>!~,]""")
#: What stays one value.
PLAIN: Final = (str, int, float, type(None))


def flat_lines(events: EventStream, pattern: re.Pattern[str] | None = None) -> Iterator[str]:
    """Yield the lines of a save.

    Args:
        events: of the save; nothing was read yet.
        pattern: only objects whose class or name it matches, and no header.

    Raises:
        SaveError: the save is damaged.
    """
    #: Depth of the object that is written; -1 between two of them.
    depth = -1
    tag: PropertyTag | None = None
    tag_path: tuple[PathStep, ...] = ()
    for event in events:
        if pattern is not None:
            if depth < 0 and isinstance(event, ObjectHeader):
                if pattern.search(event.class_name) or pattern.search(event.instance_name):
                    depth = events.depth
                elif not events.holds_objects(event):
                    events.skip()
            if isinstance(event, ObjectEnd) and events.depth < depth:
                depth = -1
            if depth < 0:
                continue
        if isinstance(event, BlobSkip) and tag is not None and tag.value_offset == event.offset:
            yield f"{path_text((*tag_path, '@bytes'))} = {event.size}"
        else:
            yield from _event_lines(events, event)
        tag = None
        if isinstance(event, PropertyTag):
            tag = event
            # Properties of a static array have one name.
            tag_path = (*events.path, event.index) if event.index else events.path
            if events.is_leaf():
                yield from value_lines(tag_path, events.build())


def write_lines(save: Save, lines: Iterable[str], *, several: bool) -> None:
    """Write lines of a save, after its name if there are several.

    Raises:
        OutputFailed: standard output cannot be written.
    """
    first = f"{clean(save.label)}\t" if several else ""
    output = Lines()
    try:
        for line in lines:
            output.put(first + clean(line))
    finally:
        output.flush()


def _event_lines(events: EventStream, event: Event) -> Iterator[str]:
    """Yield the lines of the last event, unless it is a tag."""
    if isinstance(event, Field):
        path = events.path  # a verb goes past it
        yield from value_lines(path, events.build())
    elif isinstance(event, ObjectHeader):
        yield from header_lines((*events.path, event.instance_name), event)
    elif isinstance(event, BlobSkip) and event.size:
        yield f"{path_text((*events.path, '@bytes'))} = {event.size}"
    elif isinstance(event, SaveStart):
        yield from value_lines(("@header",), event.header)


def header_lines(path: tuple[PathStep, ...], header: ObjectHeader) -> Iterator[str]:
    """Yield the lines of the header of an object, whose path has its name at the end."""
    yield from _value_lines(path_text((*path, "@class")), header.class_name)
    if header.transform is not None:
        yield from _value_lines(path_text((*path, "@position")), header.transform.translation)


@lru_cache(maxsize=1 << 12)
def name_text(name: str) -> str:
    """Return a name as a path in a selection has it: in quotes, where it has signs that end a name there."""
    if not ENDS_NAME.search(name) or PLACE.search(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def path_text(path: tuple[PathStep, ...]) -> str:
    """Return a path as one string, with quotes where a selection needs them."""
    return format_path(tuple([name_text(step) if isinstance(step, str) else step for step in path]))


def value_lines(path: tuple[PathStep, ...], value: object) -> Iterator[str]:
    """Yield a line for each innermost value of a built value; an empty list or dict is one."""
    return _value_lines(path_text(path), value)


def _value_lines(path: str, value: object) -> Iterator[str]:
    if isinstance(value, PLAIN):
        yield _line(path, value)
        return
    if isinstance(value, ObjectReference):
        yield _line(path, value.path_name)
        return
    if not isinstance(value, (dict, list, tuple)):
        value = json_step(value)
    if isinstance(value, dict) and value:
        for name, member in value.items():
            inner = f"{path}[{name}]" if isinstance(name, int) else f"{path}/{name_text(name)}" if path else name_text(name)
            if isinstance(member, PLAIN):  # most are: no further generator
                yield _line(inner, member)
            else:
                yield from _value_lines(inner, member)
    elif isinstance(value, (list, tuple)) and value:
        for index, member in enumerate(value):
            yield from _value_lines(f"{path}[{index}]", member)
    else:
        yield _line(path, value)


def _line(path: str, value: object) -> str:
    return f"{path} = {value_bytes(value).decode('utf-8')}"
